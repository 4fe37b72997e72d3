//! The adapters that tests run on.
//!
//! Under `cargo xtask test` exactly llvmpipe in Vulkan and in OpenGL must be present, with `--all` SwiftShader too, or the
//! tests fail. Elsewhere the tests run on the adapters that are present and report the absent ones.

use std::sync::OnceLock;

use gpu::{AdapterEntry, Gpu};

use crate::scope::{self, Scope};

/// A kind of adapter that tests are run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    LlvmpipeVulkan,
    LlvmpipeGl,
    SwiftShader,
    /// Any other adapter, usually hardware.
    Other,
}

impl Slot {
    fn of(entry: &AdapterEntry) -> Slot {
        let name = entry.info.name.to_lowercase();
        match entry.info.backend {
            wgpu::Backend::Vulkan if name.contains("llvmpipe") => Slot::LlvmpipeVulkan,
            wgpu::Backend::Vulkan if name.contains("swiftshader") => Slot::SwiftShader,
            wgpu::Backend::Gl if name.contains("llvmpipe") => Slot::LlvmpipeGl,
            _ => Slot::Other,
        }
    }
}

/// The adapters of a slot: at most one for a software adapter.
///
/// # Panics
/// When adapters are required and not exactly those are present.
pub fn adapters(slot: Slot) -> Vec<AdapterEntry> {
    static ALL: OnceLock<Vec<AdapterEntry>> = OnceLock::new();
    let all = ALL.get_or_init(Gpu::list);
    if let Some(scope) = scope::here() {
        check(all, scope);
    }
    let mut found: Vec<AdapterEntry> =
        all.iter().filter(|entry| entry.compute && Slot::of(entry) == slot).cloned().collect();
    if slot != Slot::Other {
        // A driver can be listed twice.
        found.truncate(1);
    }
    // The call says itself that it leaves SwiftShader out.
    let left_out = slot == Slot::SwiftShader && scope::here() == Some(Scope::Most);
    if found.is_empty() && slot != Slot::Other && !left_out {
        let scope = if slot == Slot::SwiftShader { Scope::All } else { Scope::Most };
        scope::missing(scope, &format!("there is no adapter for {slot:?} on this machine"));
    }
    found
}

/// Opens an adapter.
///
/// # Panics
/// When it cannot be opened.
#[allow(dead_code, reason = "a suite may pass its index to the program")]
pub fn open(entry: &AdapterEntry) -> Gpu {
    Gpu::headless(Some(&entry.index.to_string()), None).unwrap_or_else(|error| panic!("{entry}: {error}"))
}

/// True if an adapter takes several times as long as the others, so that it has fewer cases of each kind.
#[allow(dead_code, reason = "not every suite has so many cases")]
pub fn is_slow(gpu: &Gpu) -> bool {
    gpu.name().contains("SwiftShader")
}

fn check(all: &[AdapterEntry], scope: Scope) {
    let software: &[Slot] = match scope {
        Scope::Most => &[Slot::LlvmpipeVulkan, Slot::LlvmpipeGl],
        Scope::All => &[Slot::LlvmpipeVulkan, Slot::LlvmpipeGl, Slot::SwiftShader],
    };
    let names: Vec<String> = all.iter().map(ToString::to_string).collect();
    let slots: Vec<Slot> = all.iter().map(Slot::of).collect();
    let complete = slots.len() == software.len() && software.iter().all(|slot| slots.contains(slot));
    assert!(complete, "{software:?} are required, but there is {names:?}");
    assert!(all.iter().all(|entry| entry.compute), "an adapter without compute shaders: {names:?}");
}
