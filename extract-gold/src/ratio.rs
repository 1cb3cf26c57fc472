//! Ratios of counts.

/// Returns a count as a number. Exact up to the 4 billion leaves that memory does not hold.
pub(crate) fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Returns the part as a share of the whole, from 0 to 1; 1 of nothing.
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { float(part) / float(whole) }
}
