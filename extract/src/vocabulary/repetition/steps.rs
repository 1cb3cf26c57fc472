//! Counts steps in tests, where a time limit would depend on the machine.

#[cfg(test)]
thread_local! {
    static COUNT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts `steps`, the bytes that were compared or examined. Does nothing outside of tests.
#[cfg_attr(not(test), allow(unused_variables, clippy::missing_const_for_fn, reason = "for tests"))]
pub(super) fn count(steps: usize) {
    #[cfg(test)]
    COUNT.set(COUNT.get() + steps);
}

/// The steps of `work`.
#[cfg(test)]
pub(super) fn of(work: impl FnOnce()) -> usize {
    let before = COUNT.get();
    work();
    COUNT.get() - before
}
