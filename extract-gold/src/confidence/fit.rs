//! The two small models of a calibration: logistic regression, and a monotone correction on top.

use std::iter;

use serde::{Deserialize, Serialize};

use crate::ratio::float;

/// Weight of the penalty on large coefficients. Fifty documents say little about a rare feature.
const RIDGE: f64 = 1.0;

/// Leaves of a block of the monotone correction before any are pooled, and the weight of the
/// regression in a block, in leaves.
const BLOCK_LEAVES: usize = 10;

/// Steps of Newton's method. It converges in five to eight.
const STEPS: usize = 25;

/// Returns the `width` coefficients that make the labels most likely. A row lists its columns with
/// their values; the others are 0.
///
/// Penalized logistic regression by Newton's method (iteratively reweighted least squares; Hastie,
/// Tibshirani, Friedman, "The Elements of Statistical Learning", 4.4.1). The penalty keeps the
/// matrix invertible, so that it always ends in finite numbers.
pub(super) fn logistic(rows: &[Vec<(usize, f64)>], labels: &[bool], width: usize) -> Vec<f64> {
    let mut coefficients = vec![0.0; width];
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> = coefficients.iter().map(|coefficient| -RIDGE * coefficient).collect();
        let mut hessian = vec![vec![0.0; width]; width];
        for (index, line) in hessian.iter_mut().enumerate() {
            line[index] = RIDGE;
        }
        for (row, label) in rows.iter().zip(labels) {
            let likely = probability(row.iter().map(|(column, value)| (&coefficients[*column], *value)));
            let error = f64::from(u8::from(*label)) - likely;
            let weight = likely * (1.0 - likely);
            for (left, value) in row {
                gradient[*left] += error * value;
                for (right, other) in row {
                    hessian[*left][*right] += weight * value * other;
                }
            }
        }
        let step = solved(hessian, gradient);
        let change = step.iter().fold(0.0_f64, |most, change| most.max(change.abs()));
        for (coefficient, change) in coefficients.iter_mut().zip(step) {
            *coefficient += change.clamp(-5.0, 5.0);
        }
        if change < 1e-9 {
            break;
        }
    }
    coefficients
}

/// Returns the probability that coefficients and their values give.
pub(super) fn probability<'a>(weighted: impl IntoIterator<Item = (&'a f64, f64)>) -> f64 {
    let sum: f64 = weighted.into_iter().map(|(coefficient, value)| coefficient * value).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// Solves a system with a symmetric positive definite matrix by elimination; no pivot is zero.
fn solved(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for pivot in 0..size {
        let line = matrix[pivot].clone();
        for below in pivot + 1..size {
            let factor = matrix[below][pivot] / line[pivot];
            for (value, above) in matrix[below].iter_mut().zip(&line) {
                *value -= factor * above;
            }
            right[below] -= factor * right[pivot];
        }
    }
    for index in (0..size).rev() {
        let known: f64 = (index + 1..size).map(|other| matrix[index][other] * right[other]).sum();
        right[index] = (right[index] - known) / matrix[index][index];
    }
    right
}

/// A function that never falls, fitted to scores and labels, and linear between its points.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct MonotoneSteps {
    /// Mean score and share right of each block, between the ends.
    points: Vec<(f64, f64)>,
}

impl MonotoneSteps {
    /// Fits to probabilities and labels by pooling adjacent violators (Ayer and others, 1955),
    /// starting from blocks of ten leaves. Each block counts ten more leaves, right as often as the
    /// probabilities say, so that a few leaves change little. The function ends at 0 and 1, so that
    /// scores outside of all blocks keep their order, and no confidence is exactly 0 or 1.
    pub(super) fn fit(scored: &[(f64, bool)]) -> Self {
        let mut scored = scored.to_vec();
        // Of equal scores the right leaves come first, so that all of them are pooled.
        scored.sort_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)));
        let mut blocks: Vec<FitBlock> = Vec::new();
        for leaves in scored.chunks(BLOCK_LEAVES) {
            let mut block = FitBlock {
                scores: leaves.iter().map(|(score, _)| score).sum(),
                right: float(leaves.iter().filter(|(_, is_right)| *is_right).count()),
                size: float(leaves.len()),
            };
            while let Some(before) = blocks.pop_if(|before| before.share() >= block.share()) {
                block = FitBlock {
                    scores: before.scores + block.scores,
                    right: before.right + block.right,
                    size: before.size + block.size,
                };
            }
            blocks.push(block);
        }
        let points = blocks.iter().map(|block| (block.score(), block.share()));
        Self { points: iter::once((0.0, 0.0)).chain(points).chain([(1.0, 1.0)]).collect() }
    }

    /// Returns the value of the function at a score.
    pub(super) fn at(&self, score: f64) -> f64 {
        let next = self.points.partition_point(|(known, _)| *known < score);
        match (next.checked_sub(1).and_then(|before| self.points.get(before)), self.points.get(next)) {
            (Some(low), Some(high)) if high.0 > low.0 => {
                low.1 + (high.1 - low.1) * (score - low.0) / (high.0 - low.0)
            }
            (_, Some(point)) | (Some(point), None) => point.1,
            (None, None) => score,
        }
    }
}

struct FitBlock {
    scores: f64,
    right: f64,
    size: f64,
}

impl FitBlock {
    fn score(&self) -> f64 {
        self.scores / self.size
    }

    fn share(&self) -> f64 {
        let prior = float(BLOCK_LEAVES);
        (self.right + prior * self.score()) / (self.size + prior)
    }
}

#[cfg(test)]
mod tests {
    use super::{MonotoneSteps, logistic, probability, solved};

    #[test]
    fn a_system_is_solved() {
        let solution = solved(vec![vec![4.0, 1.0], vec![1.0, 3.0]], vec![1.0, 2.0]);
        assert!((solution[0] - 1.0 / 11.0).abs() < 1e-12 && (solution[1] - 7.0 / 11.0).abs() < 1e-12);
    }

    /// The share of right labels is the probability, where nothing else is known.
    #[test]
    fn a_constant_learns_the_share() {
        let rows = vec![vec![(0, 1.0)]; 1_000];
        let labels: Vec<_> = (0..1_000).map(|n| n % 10 < 8).collect();
        let likely = probability([(&logistic(&rows, &labels, 1)[0], 1.0)]);
        assert!((likely - 0.8).abs() < 0.01, "{likely}");
    }

    #[test]
    fn labels_that_are_all_the_same_or_separable_give_finite_numbers() {
        for labels in [vec![true; 20], (0..20).map(|n| n > 9).collect()] {
            let rows: Vec<_> = (0..20).map(|n| vec![(0, 1.0), (1, f64::from(n))]).collect();
            assert!(logistic(&rows, &labels, 2).iter().all(|coefficient| coefficient.is_finite()));
        }
    }

    #[test]
    fn a_few_leaves_move_a_probability_little_and_many_replace_it() {
        let at_half = |leaves| MonotoneSteps::fit(&vec![(0.5, true); leaves]).at(0.5);
        assert!((at_half(1) - 6.0 / 11.0).abs() < 1e-12 && at_half(1_000) > 0.99);
    }

    #[test]
    fn equal_scores_have_one_value_in_any_order() {
        let scored: Vec<_> = (0..100).map(|n| (0.5, n >= 20)).collect();
        let reversed: Vec<_> = scored.iter().rev().copied().collect();
        for scored in [scored, reversed] {
            let value = MonotoneSteps::fit(&scored).at(0.5);
            assert!((value - 85.0 / 110.0).abs() < 1e-12, "{value}");
        }
    }

    #[test]
    fn scores_outside_of_all_blocks_keep_their_order() {
        let scored: Vec<_> = (0..100).map(|n| (0.3 + f64::from(n) / 250.0, n % 3 > 0)).collect();
        let steps = MonotoneSteps::fit(&scored);
        let values = [0.001, 0.2, 0.8, 0.999].map(|score| steps.at(score));
        assert!(values.is_sorted_by(|one, other| one < other), "{values:?}");
        assert!(values[0] > 0.0 && values[3] < 1.0, "{values:?}");
    }

    #[test]
    fn steps_never_fall() {
        let scored: Vec<_> = (0..200).map(|n| (f64::from(n) / 200.0, (n * 7) % 11 < 4 + n / 40)).collect();
        let steps = MonotoneSteps::fit(&scored);
        let values: Vec<_> = (0..=100).map(|n| steps.at(f64::from(n) / 100.0)).collect();
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12), "{values:?}");
        assert!(values.iter().all(|value| (0.0..=1.0).contains(value)));
    }
}
