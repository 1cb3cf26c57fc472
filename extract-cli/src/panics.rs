//! Turns panics of libraries that read files into errors, and keeps quiet about them.

use std::{cell::Cell, panic};

thread_local! {
    static IS_EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Suppresses the message of panics that become errors, here or of a damaged journal.
pub(crate) fn keep_quiet() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !IS_EXPECTED.get() && !extract_disk::is_catching_damage() {
            usual(panic);
        }
    }));
}

/// The result of `work`; `None` if it panics.
#[cfg(any(feature = "office", feature = "parquet", feature = "pdf"))]
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    let was_expected = IS_EXPECTED.replace(true);
    let made = panic::catch_unwind(panic::AssertUnwindSafe(work)).ok();
    IS_EXPECTED.set(was_expected);
    made
}
