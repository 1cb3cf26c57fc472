//! Counts of leaves, and how sure they are.

use std::fmt;

use serde::Serialize;

use crate::{
    compare::{LeafComparison, LeafOutcome},
    ratio::{float, share},
};

/// Number of samples for an interval.
const RESAMPLES: usize = 2_000;

/// Widest interval that is a point, but for the rounding of sums.
const ROUNDING: f64 = 1e-9;

/// Least and most of a share.
pub(super) const SHARE: (f64, f64) = (0.0, 1.0);

/// Counts of leaves by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Score {
    /// Leaves that are right, those rightly absent among them.
    pub right: usize,
    /// Of these, leaves that are rightly absent.
    pub rightly_absent: usize,
    /// Values that were not found, and all leaves of documents without an answer.
    pub missing: usize,
    /// Values that are not there.
    pub invented: usize,
    /// Other values than the right ones.
    pub other_value: usize,
    /// Right values in another form.
    pub other_form: usize,
}

impl Score {
    pub(super) fn of<'l>(leaves: impl IntoIterator<Item = &'l LeafComparison>) -> Self {
        let mut score = Self::default();
        for leaf in leaves {
            score.add(leaf.outcome);
        }
        score
    }

    fn add(&mut self, outcome: LeafOutcome) {
        match outcome {
            LeafOutcome::Right => self.right += 1,
            LeafOutcome::RightlyAbsent => {
                self.right += 1;
                self.rightly_absent += 1;
            }
            LeafOutcome::Missing => self.missing += 1,
            LeafOutcome::Invented => self.invented += 1,
            LeafOutcome::OtherValue => self.other_value += 1,
            LeafOutcome::OtherForm => self.other_form += 1,
        }
    }

    /// Returns the number of leaves.
    pub fn total(&self) -> usize {
        self.right + self.missing + self.invented + self.other_value + self.other_form
    }

    /// Returns the share of leaves that are right, from 0 to 1; 1 without leaves.
    pub fn exact(&self) -> f64 {
        share(self.right, self.total())
    }

    /// Returns the share of extracted values that are right, from 0 to 1; `None` if nothing was
    /// extracted.
    pub fn precision(&self) -> Option<f64> {
        self.found_of(self.invented)
    }

    /// Returns the share of right values that were extracted, from 0 to 1; `None` if there are none.
    /// Every leaf of a document without an answer counts as a value that was not.
    pub fn recall(&self) -> Option<f64> {
        self.found_of(self.missing)
    }

    /// The share of right values of all that have a value, and of `others`.
    fn found_of(&self, others: usize) -> Option<f64> {
        let found = self.right - self.rightly_absent;
        let all = found + self.other_value + self.other_form + others;
        (all > 0).then(|| share(found, all))
    }
}

/// A number, and where it lies with a probability of 95 % if other documents of the same kind are
/// asked about: percentile bootstrap over documents, because the fields of one document are not
/// independent. The samples are seeded: the same results have the same interval. Documents that
/// are all alike, such as a single one or those without any mistake, leave nothing to sample from,
/// and are no proof that all others are like them. Then Wilson's score interval says how many others
/// may be unlike them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Interval {
    /// The number itself.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Estimates the ratio of two sums over documents, each with its part and its whole. `least` and
    /// `most` bound the ratio of a document that is unlike these.
    pub(super) fn of_ratio(documents: &[(f64, f64)], (least, most): (f64, f64)) -> Self {
        // The others say nothing.
        let documents: Vec<_> = documents.iter().copied().filter(|(_, whole)| *whole > 0.0).collect();
        let ratio = |picked: &mut dyn Iterator<Item = (f64, f64)>| {
            let (part, whole) = picked.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            if whole > 0.0 { part / whole } else { 1.0 }
        };
        let value = ratio(&mut documents.iter().copied());
        let Some(unlike) = Self::of_share(0, documents.len()) else {
            return Self { value, low: least, high: most };
        };
        let mut random = fastrand::Rng::with_seed(documents.len() as u64);
        let mut samples: Vec<f64> = (0..RESAMPLES)
            .map(|_| ratio(&mut (0..documents.len()).map(|_| documents[random.usize(..documents.len())])))
            .collect();
        samples.sort_by(f64::total_cmp);
        let (low, high) = (samples[RESAMPLES / 40], samples[RESAMPLES - 1 - RESAMPLES / 40]);
        if high - low > ROUNDING {
            return Self { value, low, high };
        }
        let towards = |end: f64| value + unlike.high * (end - value);
        Self { value, low: towards(least), high: towards(most) }
    }

    /// Estimates a share from a random sample with `right` of `all`, by Wilson's score interval,
    /// which is honest for small samples and for samples without an error. `None` without a sample.
    pub(crate) fn of_share(right: usize, all: usize) -> Option<Self> {
        /// The normal deviate that 95 % lie within.
        const Z: f64 = 1.959_964;
        if all == 0 {
            return None;
        }
        let (share, size) = (share(right, all), float(all));
        let centre = share + Z * Z / (2.0 * size);
        let spread = Z * (share * (1.0 - share) / size + Z * Z / (4.0 * size * size)).sqrt();
        let whole = 1.0 + Z * Z / size;
        let (low, high) = ((centre - spread) / whole, (centre + spread) / whole);
        Some(Self { value: share, low: low.clamp(0.0, share), high: high.clamp(share, 1.0) })
    }

    /// Returns whether 0 lies outside.
    pub fn excludes_zero(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} [{:.3}, {:.3}]", self.value, self.low, self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::{Interval, SHARE, Score};

    #[test]
    fn precision_and_recall_leave_out_what_is_rightly_absent() {
        let score =
            Score { right: 3, rightly_absent: 1, missing: 1, invented: 2, other_value: 1, other_form: 0 };
        assert_eq!(score.total(), 7);
        assert!((score.exact() - 3.0 / 7.0).abs() < 1e-12);
        assert_eq!((score.precision(), score.recall()), (Some(2.0 / 5.0), Some(2.0 / 4.0)));
        let nothing = Score { right: 1, rightly_absent: 1, missing: 1, ..Score::default() };
        assert_eq!((nothing.precision(), nothing.recall()), (None, Some(0.0)), "nothing was extracted");
    }

    /// The standard error of a share of one half over 100 documents is 0.05.
    #[test]
    fn the_interval_is_as_wide_as_theory_says() {
        let documents: Vec<_> = (0..100).map(|n| (f64::from(n % 2), 1.0)).collect();
        let interval = Interval::of_ratio(&documents, SHARE);
        assert!((interval.value - 0.5).abs() < 1e-12);
        assert!((interval.low - 0.402).abs() < 0.02, "{interval}");
        assert!((interval.high - 0.598).abs() < 0.02, "{interval}");
        assert_eq!(interval, Interval::of_ratio(&documents, SHARE), "seeded");
    }

    /// Values of Wilson's interval from the table in Brown, Cai and DasGupta (2001).
    #[test]
    fn a_sample_without_an_error_is_no_proof() {
        let interval = Interval::of_share(20, 20).unwrap();
        assert!((interval.low - 0.839).abs() < 0.001, "{interval}");
        assert!((interval.high - 1.0).abs() < 1e-12);
        let interval = Interval::of_share(15, 20).unwrap();
        assert!((interval.low - 0.531).abs() < 0.001 && (interval.high - 0.888).abs() < 0.001, "{interval}");
        assert_eq!(Interval::of_share(0, 0), None);
    }

    /// Documents whose fields are right or wrong together have a wider interval than as many
    /// independent fields.
    #[test]
    fn the_fields_of_a_document_are_not_independent() {
        let together: Vec<_> = (0..20).map(|n| (f64::from(n % 2) * 10.0, 10.0)).collect();
        let apart: Vec<_> = (0..20).map(|n| (f64::from(4 + n % 2 * 2), 10.0)).collect();
        let width = |documents: &[(f64, f64)]| {
            let interval = Interval::of_ratio(documents, SHARE);
            interval.high - interval.low
        };
        assert!(width(&together) > 0.3);
        assert!(width(&apart) < 0.1);
    }

    #[test]
    fn documents_that_are_all_alike_are_no_proof() {
        let of =
            |part: f64, count: usize, range| Interval::of_ratio(&vec![(part, 1.0); count], range).to_string();
        assert_eq!(of(1.0, 20, SHARE), "1.000 [0.839, 1.000]", "as of a sample without an error");
        assert_eq!(of(1.0, 1, SHARE), "1.000 [0.207, 1.000]");
        assert_eq!(of(0.0, 20, SHARE), "0.000 [0.000, 0.161]");
        assert_eq!(of(0.5, 20, SHARE), "0.500 [0.419, 0.581]");
        assert_eq!(of(-0.5, 1, (-0.5, 0.5)), "-0.500 [-0.500, 0.293]");
        assert_eq!(of(0.0, 20, (-1.0, 1.0)), "0.000 [-0.161, 0.161]");
        assert_eq!(of(0.0, 0, SHARE), "1.000 [0.000, 1.000]", "nothing is known");
    }
}
