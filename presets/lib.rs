//! The flocks that come with the program as text. The crate `flock` says what their keys mean.

#![no_std]

macro_rules! files {
    ($($name:literal),*) => {
        /// The name of each and the text of its file; the default one is first.
        pub const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!($name, ".toml")))),*];
    };
}

files!["murmuration", "cornell", "yabi", "think", "swarm", "holoviews", "vicsek", "couzin", "starlings"];
