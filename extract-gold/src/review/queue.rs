//! The order in which documents are reviewed.

use std::{cmp::Ordering, collections::HashSet};

use serde::{Deserialize, Serialize};

/// Why a document has its position in a [`ReviewQueue`], in the order of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReviewReason {
    /// There is no value.
    Failed,
    /// The confidence of a leaf is below the threshold.
    Unsure,
    /// Parts of the document say different things.
    Conflict,
    /// A repair lost something, or the value has warnings.
    Changed,
    /// Nothing speaks against the value. The document was drawn at random, so that the share of
    /// such documents that is right can be estimated.
    Sampled,
    /// Nothing speaks against the value, and the document was not drawn.
    Rest,
}

impl ReviewReason {
    /// Returns whether nothing speaks against the value.
    pub fn is_sure(self) -> bool {
        matches!(self, Self::Sampled | Self::Rest)
    }
}

/// A document of a job, and the known signs that its value may be wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewCandidate {
    key: String,
    is_failed: bool,
    conflicts: usize,
    changes: usize,
    confidence: Option<f64>,
}

impl ReviewCandidate {
    /// Creates a document with a value that nothing speaks against.
    pub fn new(key: impl Into<String>) -> Self {
        Self { key: key.into(), is_failed: false, conflicts: 0, changes: 0, confidence: None }
    }

    /// Says that there is no value.
    #[must_use]
    pub fn failed(mut self) -> Self {
        self.is_failed = true;
        self
    }

    /// Sets the number of leaves that parts of the document state in different ways.
    #[must_use]
    pub fn conflicts(mut self, conflicts: usize) -> Self {
        self.conflicts = conflicts;
        self
    }

    /// Sets the number of lossy changes and warnings.
    #[must_use]
    pub fn changes(mut self, changes: usize) -> Self {
        self.changes = changes;
        self
    }

    /// Sets the confidence of the least sure leaf, from 0 to 1.
    #[must_use]
    pub fn confidence(mut self, least: f64) -> Self {
        self.confidence = Some(least);
        self
    }

    fn reason(&self, threshold: f64) -> ReviewReason {
        if self.is_failed {
            ReviewReason::Failed
        } else if self.confidence.is_some_and(|least| least < threshold) {
            ReviewReason::Unsure
        } else if self.conflicts > 0 {
            ReviewReason::Conflict
        } else if self.changes > 0 {
            ReviewReason::Changed
        } else {
            ReviewReason::Rest
        }
    }
}

/// One document of a [`ReviewQueue`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReviewItem {
    /// The key of the document.
    pub key: String,
    /// Why it is where it is.
    pub reason: ReviewReason,
}

/// The documents of a job in the order in which they should be reviewed: those with a
/// [reason](ReviewReason) first, then a random sample of the others, then the rest.
///
/// ```
/// use extract_gold::{ReviewCandidate, ReviewQueue, ReviewReason};
///
/// let sure = (0..100).map(|number| ReviewCandidate::new(format!("{number}.txt")));
/// let documents = sure.chain([ReviewCandidate::new("torn.txt").failed()]);
/// let queue = ReviewQueue::new(documents, 0.8, 20);
/// assert_eq!(queue.items()[0].key, "torn.txt");
/// assert_eq!(queue.items().iter().filter(|item| item.reason == ReviewReason::Sampled).count(), 20);
/// ```
#[derive(Debug, Clone, Default)]
pub struct ReviewQueue {
    items: Vec<ReviewItem>,
}

impl ReviewQueue {
    /// Orders documents. Leaves with a confidence below `threshold`, from 0 to 1, are unsure; of the
    /// documents that nothing speaks against, `sample` are drawn. The same keys always give the same
    /// sample. Of several documents with the same key the first one counts.
    pub fn new(documents: impl IntoIterator<Item = ReviewCandidate>, threshold: f64, sample: usize) -> Self {
        let mut seen = HashSet::new();
        let mut candidates: Vec<(ReviewReason, ReviewCandidate)> = documents
            .into_iter()
            .filter(|candidate| seen.insert(candidate.key.clone()))
            .map(|candidate| (candidate.reason(threshold), candidate))
            .collect();
        // A stable sort: what is equal keeps the order of the job.
        candidates.sort_by(|(one, a), (other, b)| {
            let least = |candidate: &ReviewCandidate| candidate.confidence.unwrap_or(1.0);
            one.cmp(other)
                .then(if *one == ReviewReason::Unsure {
                    least(a).total_cmp(&least(b))
                } else {
                    Ordering::Equal
                })
                .then(b.conflicts.cmp(&a.conflicts))
                .then(least(a).total_cmp(&least(b)))
                .then(b.changes.cmp(&a.changes))
        });
        let mut items: Vec<ReviewItem> = candidates
            .into_iter()
            .map(|(reason, candidate)| ReviewItem { key: candidate.key, reason })
            .collect();
        let sure = items.partition_point(|item| !item.reason.is_sure());
        draw(&mut items[sure..], sample);
        Self { items }
    }

    /// Returns the documents, the most urgent first.
    pub fn items(&self) -> &[ReviewItem] {
        &self.items
    }
}

/// Moves a random sample to the front.
fn draw(items: &mut [ReviewItem], sample: usize) {
    // The sample depends on the keys alone, so that a review that goes on has the same one.
    items.sort_by(|one, other| one.key.cmp(&other.key));
    let mut random = fastrand::Rng::with_seed(items.len() as u64);
    random.shuffle(items);
    for item in items.iter_mut().take(sample) {
        item.reason = ReviewReason::Sampled;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_urgent_documents_come_first() {
        let documents = [
            ReviewCandidate::new("sure"),
            ReviewCandidate::new("changed").changes(2),
            ReviewCandidate::new("less sure").confidence(0.7),
            ReviewCandidate::new("least sure").confidence(0.2).changes(9),
            ReviewCandidate::new("sure by confidence").confidence(0.95),
            ReviewCandidate::new("conflict").conflicts(1),
            ReviewCandidate::new("conflicts").conflicts(3),
            ReviewCandidate::new("failed").failed(),
            ReviewCandidate::new("sure").failed(),
        ];
        let queue = ReviewQueue::new(documents, 0.8, 0);
        let keys: Vec<_> = queue.items().iter().map(|item| item.key.as_str()).collect();
        let first = ["failed", "least sure", "less sure", "conflicts", "conflict", "changed"];
        assert_eq!(keys[..6], first);
        assert_eq!(keys.len(), 8, "each document once");
        assert!(queue.items()[6..].iter().all(|item| item.reason == ReviewReason::Rest));
    }

    #[test]
    fn the_sample_is_drawn_from_the_whole_job_and_stays_the_same() {
        let of = |keys: &mut dyn Iterator<Item = usize>| {
            ReviewQueue::new(keys.map(|key| ReviewCandidate::new(format!("{key:04}"))), 0.8, 100)
        };
        let queue = of(&mut (0..1000));
        assert_eq!(queue.items(), of(&mut (0..1000).rev()).items(), "in any order of the job");
        let drawn = |item: &&ReviewItem| item.reason == ReviewReason::Sampled;
        let late = queue.items().iter().filter(drawn).filter(|item| *item.key >= *"0500").count();
        assert!((30..70).contains(&late), "{late}");
    }
}
