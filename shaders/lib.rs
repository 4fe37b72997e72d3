//! The shaders as text. A file is named after the pass that it computes; `rule/` mirrors the crate `flock`, over the
//! operations of `number/`; `common/` holds fragments, `view/` draws. The crate `gpu` assembles and compiles them, and
//! generates the files in `written/` that they include: structs and constants shared by Rust and WGSL.

#![no_std]

/// Name and text of every file.
pub const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/files.rs"));
