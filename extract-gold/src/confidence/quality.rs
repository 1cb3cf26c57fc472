//! How good confidences are, once it is known what was right.

use serde::Serialize;

use crate::ratio::{float, share};

/// Bins of the calibration error, as in Guo and others, "On Calibration of Modern Neural Networks"
/// (2017), with as many leaves in each.
const BINS: usize = 10;

/// How well confidences tell right leaves from wrong ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ConfidenceQuality {
    /// Number of leaves.
    pub leaves: usize,
    /// Share of them that are right.
    pub right: f64,
    /// Probability that a right leaf has a higher confidence than a wrong one (area under the ROC
    /// curve): 0.5 for chance, 1 for perfect. 0.5 if all are right or all wrong.
    pub auroc: f64,
    /// Mean distance of confidence and share right, over ten bins of as many leaves (expected
    /// calibration error).
    pub calibration_error: f64,
    /// Share right of the surest leaves, by how many are kept: 100 %, 95 %, and so on to 5 %.
    pub kept: Vec<KeptShare>,
}

/// Share right of the surest leaves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct KeptShare {
    /// Share of the leaves that are kept.
    pub kept: f64,
    /// Share of these that are right.
    pub right: f64,
    /// Share of all wrong leaves that are not kept.
    pub wrong_gone: f64,
}

impl ConfidenceQuality {
    /// Measures confidences with what became of their leaves.
    ///
    /// ```
    /// use extract_gold::ConfidenceQuality;
    ///
    /// let quality = ConfidenceQuality::of(&[(0.9, true), (0.8, true), (0.3, false), (0.85, false)]);
    /// assert_eq!((quality.auroc, quality.right), (0.75, 0.5));
    /// ```
    pub fn of(leaves: &[(f64, bool)]) -> Self {
        let mut sorted = leaves.to_vec();
        sorted.sort_by(|one, other| other.0.total_cmp(&one.0));
        let right = |leaves: &[(f64, bool)]| leaves.iter().filter(|(_, is_right)| *is_right).count();
        let all_wrong = leaves.len() - right(leaves);
        let kept = |percent: usize| {
            let first = sorted.get(..(sorted.len() * percent).div_ceil(100)).unwrap_or(&sorted);
            let wrong = first.len() - right(first);
            KeptShare {
                kept: float(percent) / 100.0,
                right: share(right(first), first.len()),
                wrong_gone: share(all_wrong - wrong, all_wrong),
            }
        };
        Self {
            leaves: leaves.len(),
            right: share(right(leaves), leaves.len()),
            auroc: auroc(&sorted),
            calibration_error: calibration_error(&sorted),
            kept: (1..=20).rev().map(|step| kept(5 * step)).collect(),
        }
    }
}

/// The Mann-Whitney statistic, with half a point for a tie.
fn auroc(sorted: &[(f64, bool)]) -> f64 {
    let (mut pairs_won, mut right_above) = (0.0, 0.0);
    let mut rest = sorted;
    while let Some((first, _)) = rest.first() {
        let same = rest.partition_point(|(score, _)| score.total_cmp(first).is_ge());
        let (tied, below) = rest.split_at(same);
        let right = float(tied.iter().filter(|(_, is_right)| *is_right).count());
        let wrong = float(tied.len()) - right;
        pairs_won += wrong * (right_above + right / 2.0);
        right_above += right;
        rest = below;
    }
    let pairs = right_above * (float(sorted.len()) - right_above);
    if pairs > 0.0 { pairs_won / pairs } else { 0.5 }
}

fn calibration_error(sorted: &[(f64, bool)]) -> f64 {
    let size = sorted.len().div_ceil(BINS).max(1);
    let distance = |bin: &[(f64, bool)]| {
        let confidence: f64 = bin.iter().map(|(confidence, _)| confidence).sum();
        let right = float(bin.iter().filter(|(_, is_right)| *is_right).count());
        (confidence - right).abs()
    };
    let sum: f64 = sorted.chunks(size).map(distance).sum();
    sum / float(sorted.len()).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::ConfidenceQuality;

    #[test]
    fn a_perfect_order_and_its_reverse() {
        let perfect: Vec<_> = (0..100).map(|n| (f64::from(n) / 100.0, n >= 40)).collect();
        let quality = ConfidenceQuality::of(&perfect);
        assert!((quality.auroc - 1.0).abs() < 1e-12);
        assert!(
            (quality.kept[8].kept - 0.6).abs() < 1e-12 && (quality.kept[8].wrong_gone - 1.0).abs() < 1e-12
        );
        let reverse: Vec<_> = perfect.iter().map(|(score, right)| (1.0 - score, *right)).collect();
        assert!(ConfidenceQuality::of(&reverse).auroc.abs() < 1e-12);
    }

    #[test]
    fn a_constant_is_chance_and_calibrated_if_it_is_the_share() {
        let constant: Vec<_> = (0..100).map(|n| (0.75, n % 4 != 0)).collect();
        let quality = ConfidenceQuality::of(&constant);
        assert!((quality.auroc - 0.5).abs() < 1e-12);
        assert!(quality.calibration_error < 0.06, "{}", quality.calibration_error);
        let sure: Vec<_> = constant.iter().map(|(_, right)| (1.0, *right)).collect();
        assert!((ConfidenceQuality::of(&sure).calibration_error - 0.25).abs() < 1e-12);
    }

    #[test]
    fn nothing_is_no_panic() {
        let quality = ConfidenceQuality::of(&[]);
        assert_eq!((quality.leaves, quality.kept.len()), (0, 20));
    }
}
