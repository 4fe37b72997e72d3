//! The shaders as text. A file is named after the pass that it computes; `rule/` mirrors the crate `flock`, over the operations
//! of `number/`; `common/` holds fragments, `view/` draws. The crate `gpu` assembles and compiles them, and writes what they
//! include from `written/`: structs and constants that both sides share.

#![no_std]

/// The name and the text of every file.
pub const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/files.rs"));
