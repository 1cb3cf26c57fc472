//! Turns panics of libraries that read files into errors.

use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe, catch_unwind},
};

thread_local! {
    static IS_EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Suppresses the message of [caught] panics.
pub(crate) fn keep_quiet() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !IS_EXPECTED.get() {
            usual(panic);
        }
    }));
}

/// The result of `work`; `None` if it panics.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    let was_expected = IS_EXPECTED.replace(true);
    let made = catch_unwind(AssertUnwindSafe(work)).ok();
    IS_EXPECTED.set(was_expected);
    made
}
