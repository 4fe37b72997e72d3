//! Runs tests on every adapter.

use std::sync::{Mutex, PoisonError};

use gpu::{AdapterEntry, Gpu};

use crate::adapters::{Slot, adapters, open};

/// The argument of a test, made from an adapter.
pub trait Subject: Sized {
    fn of(entry: &AdapterEntry) -> Self;

    /// Takes back what a test is through with. A device that it lost is gone.
    fn keep(self, _entry: &AdapterEntry) {}
}

/// The devices that no test uses, by adapter: what one test has compiled serves the next.
static FREE: Mutex<Vec<(usize, Gpu)>> = Mutex::new(Vec::new());

/// The opened adapter.
impl Subject for Gpu {
    fn of(entry: &AdapterEntry) -> Self {
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        let place = free.iter().position(|(index, _)| *index == entry.index);
        let found = place.map(|place| free.remove(place).1);
        drop(free);
        found.unwrap_or_else(|| open(entry))
    }

    fn keep(self, entry: &AdapterEntry) {
        if !self.lost() {
            self.check_now().unwrap_or_else(|why| panic!("{entry}, after the test: {why}"));
            FREE.lock().unwrap_or_else(PoisonError::into_inner).push((entry.index, self));
        }
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
        let subject = S::of(&entry);
        test(&subject);
        subject.keep(&entry);
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
