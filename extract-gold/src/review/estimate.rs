//! What a review says about the documents that were not reviewed.

use extract::Contract;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::queue::ReviewReason;
use crate::{compare::ValueComparer, evaluation::Interval, ratio::share};

/// How much of one extracted value a reviewer found right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReviewResult {
    /// Why the document was looked at.
    pub reason: ReviewReason,
    /// Leaves that are right.
    pub right: usize,
    /// All leaves.
    pub leaves: usize,
}

impl ReviewResult {
    /// Compares an extracted value with the one that the reviewer decided on. Without an extracted
    /// value, nothing is right.
    pub fn new(
        contract: &Contract,
        reason: ReviewReason,
        extracted: Option<&Value>,
        decided: &Value,
    ) -> Self {
        let leaves = ValueComparer::of(contract).compare(decided, extracted.unwrap_or(&Value::Null));
        let right = match extracted {
            Some(_) => leaves.iter().filter(|leaf| leaf.outcome.is_right()).count(),
            None => 0,
        };
        // A value without leaves, such as an empty list, is right or wrong as a whole.
        match (leaves.len(), extracted) {
            (0, extracted) => Self { reason, right: usize::from(extracted == Some(decided)), leaves: 1 },
            (leaves, _) => Self { reason, right, leaves },
        }
    }

    /// Returns whether every leaf is right.
    pub fn is_right(&self) -> bool {
        self.right == self.leaves
    }
}

/// What was reviewed of a job, how much of it was right, and what that says about the rest.
///
/// ```
/// use extract_gold::{ReviewEstimate, ReviewReason, ReviewResult};
///
/// let right: ReviewResult = serde_json::from_str(r#"{"reason": "sampled", "right": 4, "leaves": 4}"#)?;
/// let sampled = std::iter::repeat_n((ReviewReason::Sampled, Some(right)), 20);
/// let rest = std::iter::repeat_n((ReviewReason::Rest, None), 80);
/// let estimate = ReviewEstimate::of(sampled.chain(rest));
/// let expected = estimate.rest_right.unwrap();
/// assert_eq!((estimate.reviewed, estimate.right, estimate.rest), (20, 20, 80));
/// assert!(expected.value == 1.0 && expected.low < 0.85, "20 without an error are no proof");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReviewEstimate {
    /// Documents of the job.
    pub documents: usize,
    /// Documents that were reviewed.
    pub reviewed: usize,
    /// Reviewed documents of which every leaf was right as it was extracted.
    pub right: usize,
    /// Leaves of all reviewed documents.
    pub leaves: usize,
    /// Of these, leaves that were right as extracted.
    pub right_leaves: usize,
    /// Documents that nothing speaks against and that were not reviewed.
    pub rest: usize,
    /// Documents with a reason to look at them that were not reviewed. The estimate does not cover
    /// them.
    pub open: usize,
    /// Reviewed documents of the random sample, on which the estimate rests.
    pub sampled: usize,
    /// Expected share of the rest of which every leaf is right, with Wilson's interval of 95 %.
    /// `None` as long as nothing of the sample was reviewed.
    pub rest_right: Option<Interval>,
    /// Expected share of leaves of the rest that are right.
    pub rest_right_leaves: Option<f64>,
}

impl ReviewEstimate {
    /// Estimates from all documents of a job, each with its reason to be looked at, and its result
    /// if it was reviewed. Only documents that were [sampled](ReviewReason::Sampled) when they were
    /// reviewed speak for the rest: those that a reviewer chose are not a random sample.
    pub fn of(documents: impl IntoIterator<Item = (ReviewReason, Option<ReviewResult>)>) -> Self {
        let (mut all, mut rest, mut open) = (0, 0, 0);
        let mut results = Vec::new();
        for (reason, result) in documents {
            all += 1;
            match result {
                Some(result) => results.push(result),
                None if reason.is_sure() => rest += 1,
                None => open += 1,
            }
        }
        let sampled: Vec<_> =
            results.iter().filter(|result| result.reason == ReviewReason::Sampled).copied().collect();
        let sum = |of: fn(&ReviewResult) -> usize, results: &[ReviewResult]| results.iter().map(of).sum();
        let whole = |results: &[ReviewResult]| results.iter().filter(|result| result.is_right()).count();
        let leaves: usize = sum(|result| result.leaves, &sampled);
        Self {
            documents: all,
            reviewed: results.len(),
            right: whole(&results),
            leaves: sum(|result| result.leaves, &results),
            right_leaves: sum(|result| result.right, &results),
            rest,
            open,
            sampled: sampled.len(),
            rest_right: Interval::of_share(whole(&sampled), sampled.len()),
            rest_right_leaves: (leaves > 0).then(|| share(sum(|result| result.right, &sampled), leaves)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_sample_speaks_for_the_rest() {
        let result = |reason, right| Some(ReviewResult { reason, right, leaves: 2 });
        let documents = [
            (ReviewReason::Failed, result(ReviewReason::Failed, 0)),
            (ReviewReason::Conflict, None),
            (ReviewReason::Sampled, result(ReviewReason::Sampled, 2)),
            (ReviewReason::Sampled, result(ReviewReason::Sampled, 1)),
            (ReviewReason::Sampled, None),
            // Chosen by the reviewer.
            (ReviewReason::Rest, result(ReviewReason::Rest, 0)),
            (ReviewReason::Rest, None),
        ];
        let estimate = ReviewEstimate::of(documents);
        assert_eq!((estimate.documents, estimate.reviewed, estimate.right), (7, 4, 1));
        assert_eq!((estimate.rest, estimate.open, estimate.sampled), (2, 1, 2));
        assert!((estimate.rest_right.unwrap().value - 0.5).abs() < 1e-12);
        assert!((estimate.rest_right_leaves.unwrap() - 0.75).abs() < 1e-12);
    }

    #[test]
    fn a_result_counts_leaves_of_the_extracted_value() {
        let contract = Contract::from_schema(json!({"type": "object"})).unwrap();
        let of = |extracted: Option<Value>, decided: Value| {
            let result = ReviewResult::new(&contract, ReviewReason::Rest, extracted.as_ref(), &decided);
            (result.right, result.leaves)
        };
        assert_eq!(of(Some(json!({"a": 1, "b": 2})), json!({"a": 1, "b": 3})), (1, 2));
        assert_eq!(of(None, json!({"a": null, "b": 3})), (0, 2));
        assert_eq!(of(Some(json!([])), json!([])), (1, 1));
        assert_eq!(of(None, json!([])), (0, 1));
        assert_eq!(of(Some(json!(["x"])), json!([])), (0, 1));
    }
}
