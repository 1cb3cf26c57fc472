//! The two small models of a calibration: logistic regression, and monotone steps on top.

use serde::{Deserialize, Serialize};

/// Weight of the penalty on large coefficients. Fifty documents say little about a rare feature.
const RIDGE: f64 = 1.0;

/// Steps of Newton's method. It converges in five to eight.
const STEPS: usize = 25;

/// Returns the coefficients that make the labels most likely.
///
/// Penalized logistic regression by Newton's method (iteratively reweighted least squares; Hastie,
/// Tibshirani, Friedman, "The Elements of Statistical Learning", 4.4.1). The penalty keeps the
/// matrix invertible, so that it always ends in finite numbers.
pub(super) fn logistic(rows: &[Vec<f64>], labels: &[bool]) -> Vec<f64> {
    let width = rows.first().map_or(0, Vec::len);
    let mut coefficients = vec![0.0; width];
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> = coefficients.iter().map(|coefficient| -RIDGE * coefficient).collect();
        let mut hessian = vec![vec![0.0; width]; width];
        for (index, line) in hessian.iter_mut().enumerate() {
            line[index] = RIDGE;
        }
        for (row, label) in rows.iter().zip(labels) {
            let likely = probability(&coefficients, row);
            let error = f64::from(u8::from(*label)) - likely;
            let weight = likely * (1.0 - likely);
            for (left, value) in row.iter().enumerate() {
                gradient[left] += error * value;
                for (right, other) in row.iter().enumerate() {
                    hessian[left][right] += weight * value * other;
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

/// Returns the probability that the coefficients give to a row.
pub(super) fn probability(coefficients: &[f64], row: &[f64]) -> f64 {
    let sum: f64 = coefficients.iter().zip(row).map(|(coefficient, value)| coefficient * value).sum();
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
    /// Mean score and share of right labels of each block.
    points: Vec<(f64, f64)>,
}

impl MonotoneSteps {
    /// Fits by pooling adjacent violators (Ayer and others, 1955), with half a right and half a wrong
    /// label more in each block (Jeffreys' prior), so that no confidence is exactly 0 or 1.
    pub(super) fn fit(scored: &[(f64, bool)]) -> Self {
        let mut scored = scored.to_vec();
        scored.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut blocks: Vec<FitBlock> = Vec::new();
        for (score, is_right) in scored {
            let mut block = FitBlock { scores: score, right: f64::from(u8::from(is_right)), size: 1.0 };
            while let Some(before) = blocks.pop_if(|before| before.share() >= block.share()) {
                block = FitBlock {
                    scores: before.scores + block.scores,
                    right: before.right + block.right,
                    size: before.size + block.size,
                };
            }
            blocks.push(block);
        }
        Self { points: blocks.iter().map(|block| (block.scores / block.size, block.share())).collect() }
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
    fn share(&self) -> f64 {
        (self.right + 0.5) / (self.size + 1.0)
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
        let rows = vec![vec![1.0]; 1_000];
        let labels: Vec<_> = (0..1_000).map(|n| n % 10 < 8).collect();
        let likely = probability(&logistic(&rows, &labels), &[1.0]);
        assert!((likely - 0.8).abs() < 0.01, "{likely}");
    }

    #[test]
    fn labels_that_are_all_the_same_or_separable_give_finite_numbers() {
        for labels in [vec![true; 20], (0..20).map(|n| n > 9).collect()] {
            let rows: Vec<_> = (0..20).map(|n| vec![1.0, f64::from(n)]).collect();
            assert!(logistic(&rows, &labels).iter().all(|coefficient| coefficient.is_finite()));
        }
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
