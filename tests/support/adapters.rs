//! The adapters that tests run on.
//!
//! Under `cargo xtask test` exactly llvmpipe (Vulkan), llvmpipe (GL) and SwiftShader (Vulkan) must be present, or the tests
//! fail. Elsewhere the tests run on the adapters that are present and report the absent ones.

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

const SOFTWARE: [Slot; 3] = [Slot::LlvmpipeVulkan, Slot::LlvmpipeGl, Slot::SwiftShader];

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
    if scope::here().is_some() {
        check(all);
    }
    let mut found: Vec<AdapterEntry> =
        all.iter().filter(|entry| entry.compute && Slot::of(entry) == slot).cloned().collect();
    if slot != Slot::Other {
        // A driver can be listed twice.
        found.truncate(1);
    }
    if found.is_empty() && slot != Slot::Other {
        scope::missing(Scope::Most, &format!("there is no adapter for {slot:?} on this machine"));
    }
    found
}

/// Opens an adapter.
///
/// # Panics
/// When it cannot be opened.
pub fn open(entry: &AdapterEntry) -> Gpu {
    Gpu::headless(Some(&entry.index.to_string()), None).unwrap_or_else(|error| panic!("{entry}: {error}"))
}

fn check(all: &[AdapterEntry]) {
    let names: Vec<String> = all.iter().map(ToString::to_string).collect();
    let slots: Vec<Slot> = all.iter().map(Slot::of).collect();
    let complete = slots.len() == SOFTWARE.len() && SOFTWARE.iter().all(|slot| slots.contains(slot));
    assert!(complete, "llvmpipe (Vulkan and GL) and SwiftShader are required, but there is {names:?}");
    assert!(all.iter().all(|entry| entry.compute), "an adapter without compute shaders: {names:?}");
}
