//! Choices that have names.

/// Defines an enum whose variants have names, each written once: in files, on the command line and in tables.
#[macro_export]
macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_meta])* $variant),* }

        impl $name {
            /// All variants with their names, in order.
            pub const ALL: [($name, &'static str); [$($text),*].len()] = [$(($name::$variant, $text)),*];
            /// The names alone.
            pub const NAMES: &'static [&'static str] = &[$($text),*];

            /// Its name.
            #[must_use]
            pub fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }
        }
    };
}
