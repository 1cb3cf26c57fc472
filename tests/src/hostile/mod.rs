//! Hostile replies, schemas and patches: limits on their cost, and values that must not be
//! accepted.
//!
//! One file for each kind of attack. Memory is counted per thread, so parallel tests do not affect
//! the count. Time is not measured: work that grows too fast shows in the allocated bytes, or in a
//! test that never ends.

mod no_wrong_value;
mod slips;

mod decimals;
mod digits;
mod names;
mod numbers;
mod other;
mod ranges;

mod blocking;
mod circular;
mod examples;
mod large_schemas;
mod patches;

mod repeats;
mod secrets;
mod sensitive;

mod alignment;
mod candidates;
mod cut;
mod hidden;
mod leftovers;
mod memory;

mod paths;
mod unions;

/// The allocations of some code, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// The peak.
    pub(crate) peak: u64,
    /// The total, including freed memory: a measure of the work.
    pub(crate) total: u64,
}

/// Runs `code` and counts what it allocates on this thread.
pub(crate) fn measured<T>(code: impl FnOnce() -> T) -> (T, Cost) {
    let mut result = None;
    let counted = allocation_counter::measure(|| result = Some(code()));
    (result.expect("the code ran"), Cost { peak: counted.bytes_max, total: counted.bytes_total })
}

/// `count` mebibytes.
pub(crate) const fn mib(count: u64) -> u64 {
    count << 20
}

#[test]
fn the_peak_and_the_total_of_allocations_are_counted() {
    let ((), cost) = measured(|| {
        for _ in 0..4 {
            drop(std::hint::black_box(vec![0_u8; 1_000]));
        }
    });
    assert_eq!((cost.peak, cost.total), (1_000, 4_000));
}
