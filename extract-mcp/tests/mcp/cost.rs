//! The allocations of some code, in bytes.

/// The peak of what some code had allocated, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    pub(super) peak: u64,
}

/// Runs `code` and counts what it allocates on this thread, so parallel tests do not affect the
/// count.
pub(super) fn measured<T>(code: impl FnOnce() -> T) -> (T, Cost) {
    let mut result = None;
    let counted = allocation_counter::measure(|| result = Some(code()));
    (result.expect("the code ran"), Cost { peak: counted.bytes_max })
}

/// `count` mebibytes.
pub(super) const fn mib(count: u64) -> u64 {
    count << 20
}

#[test]
fn the_peak_of_allocations_is_counted() {
    let ((), cost) = measured(|| {
        for _ in 0..4 {
            drop(std::hint::black_box(vec![0_u8; 1_000]));
        }
    });
    assert_eq!(cost.peak, 1_000);
}
