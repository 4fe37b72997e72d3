//! Runs tests on every adapter.

use gpu::{AdapterEntry, Gpu};

use crate::adapters::{Slot, adapters, open};

/// The argument of a test, made from an adapter.
pub trait Subject {
    fn of(entry: &AdapterEntry) -> Self;
}

/// The opened adapter.
impl Subject for Gpu {
    fn of(entry: &AdapterEntry) -> Self {
        open(entry)
    }
}

/// The entry of the list; the test opens it.
impl Subject for AdapterEntry {
    fn of(entry: &AdapterEntry) -> Self {
        entry.clone()
    }
}

/// Runs a test on the adapters of a slot.
pub fn on<S: Subject>(slot: Slot, test: impl Fn(&S)) {
    for entry in adapters(slot) {
        test(&S::of(&entry));
    }
}

/// Makes a test of each function for each slot: `on_every_adapter![first_test, second_test]`, for functions of a
/// [`Subject`].
macro_rules! on_every_adapter {
    (@ $module:ident $slot:ident [$($test:ident),* $(,)?]) => {
        mod $module {
            $(#[test]
            fn $test() {
                crate::every::on(crate::adapters::Slot::$slot, super::$test);
            })*
        }
    };
    ($($tests:tt)*) => {
        on_every_adapter! { @ llvmpipe_vulkan LlvmpipeVulkan [$($tests)*] }
        on_every_adapter! { @ llvmpipe_gl LlvmpipeGl [$($tests)*] }
        on_every_adapter! { @ swiftshader SwiftShader [$($tests)*] }
        on_every_adapter! { @ other Other [$($tests)*] }
    };
}
