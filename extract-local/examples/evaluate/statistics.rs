//! Statistics.

/// The 97.5th percentile of the normal distribution: 95 % lie within so many deviations.
const Z: f64 = 1.959_964;

/// Resamples of a bootstrap; the ends of its interval then vary in the third digit.
const RESAMPLES: usize = 4000;

/// A 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The interval of a share of `hits` among `count` (Wilson 1927).
pub(crate) fn wilson(hits: usize, count: usize) -> Interval {
    let (hits, count) = (float(hits), float(count));
    if count == 0.0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let share = hits / count;
    let middle = share + Z * Z / (2.0 * count);
    let spread = Z * (share * (1.0 - share) / count + Z * Z / (4.0 * count * count)).sqrt();
    let scale = 1.0 + Z * Z / count;
    Interval { low: ((middle - spread) / scale).max(0.0), high: ((middle + spread) / scale).min(1.0) }
}

/// The interval of the mean of `values`, by resampling documents with replacement (percentile
/// bootstrap, Efron 1979). For differences of pairs, it is a paired comparison.
pub(crate) fn bootstrap(values: &[f64]) -> Interval {
    let mut random = Random(0x5EED);
    let mut means: Vec<f64> =
        (0..RESAMPLES).map(|_| mean((0..values.len()).map(|_| values[random.below(values.len())]))).collect();
    means.sort_by(f64::total_cmp);
    let at = |part: usize| means[(RESAMPLES - 1) * part / 1000];
    Interval { low: at(25), high: at(975) }
}

/// The probability that two settings of equal quality differ at least this much (exact two-sided
/// test of McNemar 1947). `only_first` and `only_second` count the documents that only one of them
/// got right.
pub(crate) fn mcnemar(only_first: usize, only_second: usize) -> f64 {
    let (few, all) = (only_first.min(only_second), only_first + only_second);
    let mut term = 0.5_f64.powi(i32::try_from(all).unwrap_or(i32::MAX));
    let mut sum = 0.0;
    for k in 0..=few {
        sum += term;
        term *= float(all - k) / float(k + 1);
    }
    (2.0 * sum).min(1.0)
}

pub(crate) fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len();
    if count == 0 { f64::NAN } else { values.sum::<f64>() / float(count) }
}

#[allow(clippy::cast_precision_loss, reason = "counts of documents are small")]
pub(crate) fn float(count: usize) -> f64 {
    count as f64
}

/// SplitMix64 (Steele, Lea, Flood 2014), with a fixed seed: the same journal gives the same table.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let end = u64::try_from(end.max(1)).unwrap_or(u64::MAX);
        usize::try_from((mixed ^ (mixed >> 31)) % end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_gives_the_published_interval() {
        // Newcombe 1998, table I: 81 of 263 and 0 of 20, score method.
        let interval = wilson(81, 263);
        assert!((interval.low - 0.2553).abs() < 1e-4 && (interval.high - 0.3662).abs() < 1e-4);
        let interval = wilson(0, 20);
        assert!(interval.low == 0.0 && (interval.high - 0.1611).abs() < 1e-4);
    }

    #[test]
    fn mcnemar_counts_the_documents_on_which_two_cells_differ() {
        assert!((mcnemar(0, 0) - 1.0).abs() < 1e-12);
        // 2 * (1 + 10 + 45) / 1024
        assert!((mcnemar(2, 8) - 112.0 / 1024.0).abs() < 1e-12);
        assert!((mcnemar(8, 2) - mcnemar(2, 8)).abs() < 1e-12);
    }

    #[test]
    fn the_bootstrap_spans_the_mean_and_narrows_with_more_values() {
        let values: Vec<f64> = (0..400).map(|n| float(n % 2)).collect();
        let (few, many) = (bootstrap(&values[..40]), bootstrap(&values));
        assert!(few.low < 0.5 && few.high > 0.5 && few.high - few.low > many.high - many.low);
        assert!((many.high - many.low - 2.0 * Z * 0.5 / 20.0).abs() < 0.02);
    }
}
