//! Hostile replies, schemas and patches: limits on their cost, and values that must not be
//! accepted.
//!
//! One file for each kind of attack. Memory is counted per thread, so parallel tests do not affect
//! the count. Time is not measured: work that grows too fast shows in the allocated bytes, or in a
//! test that never ends.

mod no_wrong_value;
mod restarts;
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

use extract::{Contract, Violation, reading::ReplyEnd};
use serde_json::Value;

/// The value that is accepted from `reply`, without the loop: for hundreds of thousands of replies.
fn read_and_valid(contract: &Contract, reply: &str, end: ReplyEnd) -> Option<Value> {
    let reading = contract.reader().reply_end(end).read(reply);
    let value = reading.value.filter(|_| reading.violations.is_empty())?;
    contract.validate(&value).iter().all(Violation::is_warning).then_some(value)
}

/// Equal, whatever the notation of numbers: `1.0` and `1` are one JSON number.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, left)| right.get(key).is_some_and(|right| is_same(left, right)))
        }
        _ => left == right,
    }
}

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
