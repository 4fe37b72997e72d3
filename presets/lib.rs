//! The flocks that come with the program as text. The crate `flock` says what their keys mean.

#![no_std]

macro_rules! files {
    ($folder:literal, $($name:literal),*) => {
        &[$(($name, include_str!(concat!($folder, $name, ".toml")))),*]
    };
}

/// The name of each published flock and the text of its file; the default one is first.
pub const FILES: &[(&str, &str)] = files![
    "",
    "murmuration",
    "cornell",
    "yabi",
    "think",
    "swarm",
    "holoviews",
    "vicsek",
    "couzin",
    "starlings"
];

/// The same of the flocks with terms of their own.
pub const FORMULAS: &[(&str, &str)] = files![
    "formulas/",
    "vortex",
    "mill",
    "zones",
    "consensus",
    "leaders",
    "vision",
    "life",
    "sorting",
    "tissue",
    "predators",
    "shepherd",
    "gate",
    "agents",
    "netlogo"
];

/// A small picture of each of both, one below the other: `crates/window/src/panel/gallery.rs` shows them, and `examples/gallery.rs`
/// packs them.
pub const GALLERY: &[u8] = include_bytes!("gallery.png");

/// A settled flock of the default preset, packed: `crates/flight/src/settled.rs` unpacks it, and `examples/settle.rs` writes it.
pub const SETTLED: &[u8] = include_bytes!("murmuration.settled");
