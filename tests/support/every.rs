//! Runs tests on every adapter.

use gpu::{AdapterEntry, Gpu};

use crate::adapters::{Slot, adapters};
use crate::lent::Lent;

/// The argument of a test, made from an adapter.
pub trait Subject {
    fn with(entry: &AdapterEntry, test: impl Fn(&Self));
}

/// The opened adapter.
impl Subject for Gpu {
    fn with(entry: &AdapterEntry, test: impl Fn(&Self)) {
        test(&Lent::of(entry));
    }
}

/// The entry of the list; the test opens it.
impl Subject for AdapterEntry {
    fn with(entry: &AdapterEntry, test: impl Fn(&Self)) {
        test(entry);
    }
}

/// Runs a test on the adapters of a slot.
pub fn on<S: Subject>(slot: Slot, test: impl Fn(&S)) {
    for entry in adapters(slot) {
        S::with(&entry, &test);
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
