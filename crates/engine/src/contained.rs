//! Panics of a library that the program answers itself: caught, and not printed.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// True while this thread handles panics itself.
    static CONTAINS: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// Calls a library that panics instead of returning an error; `None` if it panicked. Its arguments must not be used
/// after that, unless they are known to be whole.
pub fn contain<T>(work: impl FnOnce() -> T) -> Option<T> {
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !CONTAINS.get() {
                before(panic);
            }
        }));
    });
    let before = CONTAINS.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work)).ok();
    CONTAINS.set(before);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_contained_and_the_next_one_is_not() {
        assert_eq!(contain(|| 3), Some(3));
        assert_eq!(contain(|| panic!("by a test")), None::<i32>);
        assert_eq!(contain(|| contain(|| panic!("inside"))), Some(None::<i32>));
        assert!(!CONTAINS.get());
        assert!(panic::catch_unwind(|| panic!("printed, as by a test")).is_err());
    }
}
