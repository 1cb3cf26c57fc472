//! The state of a review: the documents in their order, what was extracted, and what was decided.

use std::{
    collections::HashMap,
    path::{Path as FilePath, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use extract::{Code, Contract, ExtractionMetrics, Path, Violation, document::Document, reading::Loss};
use extract_bulk::{Journal, JournalError, Outcome};
use extract_gold::{
    GoldDocument, GoldError, GoldSchema, ReviewCandidate, ReviewError, ReviewEstimate, ReviewFile,
    ReviewQueue, ReviewReason, ReviewResult,
};
use serde::{Deserialize as _, Serialize};
use serde_json::Value;

use super::{
    form::{self, ReviewForm},
    hidden,
    places::{self, TextPlace},
    texts::{self, DocumentTexts},
};
use crate::{gold_paths::GoldPaths, lost_parts::LostParts};

/// The member of a gold document that says how right the extracted value was.
const REVIEW: &str = "review";

/// Maximum bytes of a text that are shown.
const MAX_SHOWN: usize = 4 << 20;

/// Maximum documents in one part of the list.
const MAX_LISTED: usize = 500;

/// Maximum violations that are shown.
const MAX_VIOLATIONS: usize = 200;

/// Maximum bytes of what a violation expects, such as all values of an enum.
const MAX_EXPECTED: usize = 300;

/// What a review is about.
pub(crate) struct DeskOptions {
    pub(crate) contract: Contract,
    pub(crate) journal: Journal,
    pub(crate) texts: DocumentTexts,
    pub(crate) gold: PathBuf,
    /// The name of the job.
    pub(crate) title: String,
    pub(crate) reviewer: String,
    /// Confidence below which a leaf is unsure.
    pub(crate) threshold: f64,
    /// How many of the documents that nothing speaks against are drawn.
    pub(crate) sample: usize,
}

/// A review.
pub(crate) struct ReviewDesk {
    options: DeskOptions,
    queue: ReviewQueue,
    /// The confidence of the least sure leaf of each document, in the order of the queue.
    confidences: Vec<Option<f64>>,
    decided: Mutex<ReviewDecisions>,
}

/// The decisions of all reviewers.
struct ReviewDecisions {
    file: ReviewFile,
    /// The identities of documents that the gold set names by their paths, by their keys in the job.
    by_path: HashMap<String, String>,
    /// Results of decisions that do not say them, with the version of the decision.
    results: HashMap<String, (u64, ReviewResult)>,
}

/// What the page needs to know once.
#[derive(Serialize)]
pub(super) struct Overview<'d> {
    title: &'d str,
    reviewer: &'d str,
    threshold: f64,
    gold: String,
    form: ReviewForm,
}

/// Which documents of the list are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShownDocuments {
    All,
    /// All but the [rest](ReviewReason::Rest), whether somebody decided about them or not.
    First,
    /// Those of them without a decision.
    Open,
    Decided,
}

/// A part of the list.
#[derive(Serialize)]
pub(super) struct Listing {
    total: usize,
    items: Vec<ListedDocument>,
}

#[derive(Serialize)]
struct ListedDocument {
    index: usize,
    key: String,
    reason: ReviewReason,
    confidence: Option<f64>,
    decided_by: Option<String>,
}

/// A document with what is known about it. Values are JSON in strings, so that a browser rounds no
/// number.
#[derive(Serialize)]
pub(super) struct ReviewedDocument {
    index: usize,
    key: String,
    reason: ReviewReason,
    text: Option<String>,
    is_cut: bool,
    /// What the document is, unless it is a text.
    media_type: Option<&'static str>,
    /// Whether the page can show it.
    is_image: bool,
    /// The value that was decided on; without a decision the extracted one, or the last one that
    /// was not accepted.
    value: Option<String>,
    extracted: Option<String>,
    failure: Option<String>,
    unsure: Vec<UnsureLeaf>,
    others: Vec<OtherValue>,
    version: u64,
    decided_by: Option<String>,
    decided_at: Option<String>,
}

#[derive(Serialize)]
struct UnsureLeaf {
    path: String,
    confidence: Option<f64>,
}

/// A value that another part of the document, or another sample, has in this place.
#[derive(Serialize)]
struct OtherValue {
    path: String,
    value: String,
    is_conflict: bool,
}

/// What the contract says about a value.
#[derive(Debug, Serialize)]
pub(super) struct Judged {
    violations: Vec<ShownViolation>,
    /// Violations that are not listed.
    more: usize,
    places: Vec<TextPlace>,
}

#[derive(Debug, Serialize)]
struct ShownViolation {
    path: String,
    message: String,
    is_warning: bool,
}

/// Why a decision was not kept.
#[derive(Debug)]
pub(super) enum Undecided {
    /// There is no such document.
    Unknown,
    /// The document was not given.
    NotGiven,
    NotConforming(Judged),
    /// Somebody decided since.
    Conflict,
    Failed(String),
}

impl ReviewDesk {
    /// Reads the journal and the decisions until now.
    pub(crate) fn new(options: DeskOptions) -> Result<Self, DeskError> {
        let (mut candidates, mut confidences) = (Vec::new(), HashMap::new());
        for outcome in options.journal.outcomes() {
            let outcome = outcome?;
            let metrics = &outcome.metrics;
            let lossy = metrics.changes.iter().filter(|change| change.loss == Loss::Lossy).count();
            let mut candidate = ReviewCandidate::new(&*outcome.key)
                .conflicts(metrics.conflicts.len())
                .changes(lossy + metrics.warnings.len());
            if let Some(least) = least_confidence(metrics) {
                candidate = candidate.confidence(least);
                confidences.insert(outcome.key.clone(), least);
            }
            candidates.push(if outcome.result.is_err() { candidate.failed() } else { candidate });
        }
        let queue = ReviewQueue::new(candidates, options.threshold, options.sample);
        let confidences = queue.items().iter().map(|item| confidences.get(&item.key).copied()).collect();
        let file = ReviewFile::open(&options.gold)?;
        let decided = ReviewDecisions { file, by_path: HashMap::new(), results: HashMap::new() };
        let desk = Self { options, queue, confidences, decided: Mutex::new(decided) };
        drop(desk.refreshed()?);
        Ok(desk)
    }

    /// Returns how many documents the job has.
    pub(crate) fn len(&self) -> usize {
        self.queue.items().len()
    }

    /// Returns how many of its documents were not given.
    pub(crate) fn not_given(&self) -> usize {
        self.queue.items().iter().filter(|item| !self.options.texts.have(&item.key)).count()
    }

    /// Returns how many documents have a decision.
    pub(crate) fn reviewed(&self) -> usize {
        let decided = self.decided();
        self.queue.items().iter().filter(|item| decided.get(&item.key).is_some()).count()
    }

    fn decided(&self) -> MutexGuard<'_, ReviewDecisions> {
        self.decided.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The decisions of this moment, also of other reviewers.
    fn refreshed(&self) -> Result<MutexGuard<'_, ReviewDecisions>, DeskError> {
        let mut decided = self.decided();
        decided.refresh(&self.options.gold)?;
        Ok(decided)
    }

    pub(super) fn overview(&self) -> Overview<'_> {
        let DeskOptions { contract, title, reviewer, threshold, gold, .. } = &self.options;
        let form = form::of(contract.schema());
        Overview { title, reviewer, threshold: *threshold, gold: gold.display().to_string(), form }
    }

    /// Returns a part of the list, from the `from`-th document whose key contains `search`.
    pub(super) fn list(
        &self,
        shown: ShownDocuments,
        search: &str,
        (from, count): (usize, usize),
    ) -> Result<Listing, DeskError> {
        let decided = self.refreshed()?;
        let search = search.to_lowercase();
        let mut listing = Listing { total: 0, items: Vec::new() };
        for (index, item) in self.queue.items().iter().enumerate() {
            let by = decided.get(&item.key);
            let is_shown = match shown {
                ShownDocuments::All => true,
                ShownDocuments::First => item.reason != ReviewReason::Rest,
                ShownDocuments::Open => by.is_none() && item.reason != ReviewReason::Rest,
                ShownDocuments::Decided => by.is_some(),
            };
            if !is_shown || !search.is_empty() && !item.key.to_lowercase().contains(&search) {
                continue;
            }
            if listing.total >= from && listing.items.len() < count.min(MAX_LISTED) {
                let (key, reason) = (item.key.clone(), item.reason);
                let (confidence, decided_by) = (self.confidences[index], by.map(reviewer));
                listing.items.push(ListedDocument { index, key, reason, confidence, decided_by });
            }
            listing.total += 1;
        }
        Ok(listing)
    }

    /// Returns what the decisions say about the rest.
    pub(super) fn estimate(&self) -> Result<ReviewEstimate, DeskError> {
        let mut decided = self.refreshed()?;
        let mut results = Vec::with_capacity(self.len());
        for item in self.queue.items() {
            results.push((item.reason, self.result(&mut decided, &item.key, item.reason)?));
        }
        Ok(ReviewEstimate::of(results))
    }

    /// How right the extracted value of a document was, if somebody decided about it.
    fn result(
        &self,
        decided: &mut ReviewDecisions,
        key: &str,
        reason: ReviewReason,
    ) -> Result<Option<ReviewResult>, DeskError> {
        let Some(document) = decided.get(key) else { return Ok(None) };
        if let Some(said) = document.other.get(REVIEW).and_then(|said| ReviewResult::deserialize(said).ok()) {
            return Ok(Some(said));
        }
        let version = decided.version(key);
        match decided.results.get(key) {
            Some((known, result)) if *known == version => Ok(Some(*result)),
            _ => {
                let result = self.compared(key, reason, &document.value)?;
                decided.results.insert(key.to_owned(), (version, result));
                Ok(Some(result))
            }
        }
    }

    fn compared(&self, key: &str, reason: ReviewReason, value: &Value) -> Result<ReviewResult, DeskError> {
        let outcome = self.options.journal.get(key)?;
        let extracted = outcome.and_then(|outcome| outcome.result.ok()).map(|value| self.plain(&value));
        Ok(ReviewResult::new(&self.options.contract, reason, extracted.as_ref(), value))
    }

    /// A value as a person writes it.
    fn plain(&self, value: &Value) -> Value {
        self.options.contract.without_spans(value).into_owned()
    }

    /// Returns all that is known about a document; `None` if there is none.
    pub(super) fn document(&self, index: usize) -> Result<Option<ReviewedDocument>, DeskError> {
        let Some(item) = self.queue.items().get(index) else { return Ok(None) };
        let Some(outcome) = self.options.journal.get(&item.key)? else { return Ok(None) };
        let Outcome { result, metrics, .. } = outcome;
        let json = |value: Value| self.plain(&value).to_string();
        let (extracted, failure, last) = match result {
            Ok(value) => (Some(json(value)), None, None),
            Err(failure) => {
                let last = failure.history.into_iter().rev().find_map(|attempt| attempt.submitted().cloned());
                (None, Some(format!("{}: {}", failure.name, failure.message)), last.map(json))
            }
        };
        let unsure = metrics.unsure(self.options.threshold);
        let unsure = unsure.into_iter().take(MAX_VIOLATIONS);
        let unsure = unsure
            .map(|leaf| UnsureLeaf { path: leaf.path.to_pointer(), confidence: leaf.confidence })
            .collect();
        let other = |path: &Path, value: &Value, is_conflict| OtherValue {
            path: path.to_pointer(),
            value: self.plain(value).to_string(),
            is_conflict,
        };
        let conflicts = metrics
            .conflicts
            .iter()
            .flat_map(|conflict| conflict.others.iter().map(|one| other(&conflict.path, &one.value, true)));
        let samples = metrics.confidences.leaves.iter();
        let samples =
            samples.flat_map(|leaf| leaf.others.iter().map(|value| other(&leaf.path, value, false)));
        let others = conflicts.chain(samples).take(MAX_VIOLATIONS).collect();
        let text = self.options.texts.get(&item.key).map_err(DeskError::Texts)?;
        let (text, is_cut) = text.map_or((None, false), |text| {
            let end = boundary(&text, MAX_SHOWN);
            (Some(text[..end].to_owned()), end < text.len())
        });
        let media_type = self.options.texts.media_type(&item.key);
        let decided = self.refreshed()?;
        let decision = decided.get(&item.key);
        let value =
            decision.map(|document| document.value.to_string()).or_else(|| extracted.clone()).or(last);
        Ok(Some(ReviewedDocument {
            index,
            key: item.key.clone(),
            reason: item.reason,
            text,
            is_cut,
            media_type,
            is_image: media_type.is_some_and(texts::is_image),
            value,
            extracted,
            failure,
            unsure,
            others,
            version: decided.version(&item.key),
            decided_by: decision.map(reviewer),
            decided_at: decision.and_then(|document| document.checked_at.clone()),
        }))
    }

    /// Returns the image that a document is; `None` if it is something else.
    pub(super) fn image(&self, index: usize) -> Result<Option<(&'static str, Vec<u8>)>, DeskError> {
        let Some(item) = self.queue.items().get(index) else { return Ok(None) };
        self.options.texts.image(&item.key).map_err(DeskError::Texts)
    }

    /// Returns what the contract says about a value, and where the value is in the text; `None` if
    /// there is no such document.
    pub(super) fn judge(&self, index: usize, json: &str) -> Result<Option<Judged>, DeskError> {
        let Some(item) = self.queue.items().get(index) else { return Ok(None) };
        let text = self.options.texts.get(&item.key).map_err(DeskError::Texts)?;
        Ok(Some(self.judged(text.as_deref(), json).1))
    }

    /// Reads a value and judges it.
    fn judged(&self, text: Option<&str>, json: &str) -> (Option<Value>, Judged) {
        let value: Value = match serde_json::from_str(json) {
            Ok(value) => value,
            Err(error) => {
                let message = format!("this is no JSON: {error}");
                let violation = Violation::new(Path::root(), Code::NotJson, message);
                return (None, Judged::of(vec![violation], Vec::new()));
            }
        };
        let rounded = LostParts::of(json).rounded.into_iter().map(|(path, number)| {
            let message = format!("{number} has more digits than a number keeps; it would be rounded");
            Violation::new(path, Code::from("ROUNDED"), message)
        });
        let document = Document::from_text(text.unwrap_or_default());
        let contract = match text {
            Some(_) => &self.options.contract.document(&document),
            _ => &self.options.contract,
        };
        let hidden = hidden::violations(contract, &value);
        let violations = rounded.chain(hidden).chain(contract.validate(&value)).collect();
        let places = places::of(&document, &value);
        (Some(value), Judged::of(violations, places))
    }

    /// Keeps the decision about a document of which the reviewer saw version `seen`, and returns
    /// its new version.
    pub(super) fn decide(&self, index: usize, seen: u64, json: &str) -> Result<u64, Undecided> {
        let (item, text) = self.item(index)?;
        let value = match self.judged(text.as_deref(), json) {
            (Some(value), judged) if judged.is_acceptable() => value,
            (_, judged) => return Err(Undecided::NotConforming(judged)),
        };
        let result = self.compared(&item.0, item.1, &value)?;
        let mut document = self.gold(item.0, text, value);
        document.other.insert(REVIEW.to_owned(), serde_json::to_value(result).unwrap_or_default());
        self.append(document, seen)
    }

    /// Takes back what was decided about a document.
    pub(super) fn withdraw(&self, index: usize, seen: u64) -> Result<u64, Undecided> {
        let ((key, _), text) = self.item(index)?;
        let mut document = self.gold(key, text, Value::Null);
        document.withdrawn = true;
        self.append(document, seen)
    }

    /// A document, with its text if it is one.
    fn item(&self, index: usize) -> Result<((String, ReviewReason), Option<String>), Undecided> {
        let item = self.queue.items().get(index).ok_or(Undecided::Unknown)?;
        let text = self.options.texts.get(&item.key).map_err(DeskError::Texts)?;
        let text = text.filter(|text| !text.is_empty());
        if text.is_none() && self.options.texts.media_type(&item.key).is_none() {
            return Err(Undecided::NotGiven);
        }
        Ok(((item.key.clone(), item.reason), text))
    }

    fn gold(&self, key: String, text: Option<String>, value: Value) -> GoldDocument {
        let media_type = self.options.texts.media_type(&key).map(str::to_owned);
        let mut document = GoldDocument::new(text.unwrap_or_default(), value).with_key(key);
        document.media_type = media_type;
        document.checked_by = Some(self.options.reviewer.clone());
        document.schema = Some(GoldSchema::Fingerprint(self.options.contract.fingerprint()));
        document
    }

    fn append(&self, mut document: GoldDocument, seen: u64) -> Result<u64, Undecided> {
        let mut decided = self.decided();
        if let Some(path) = decided.path(document.identity()) {
            (document.key, document.path) = (None, Some(path.into()));
        }
        match decided.file.decide(document, seen) {
            Ok(version) => Ok(version),
            Err(ReviewError::Conflict { .. }) => Err(Undecided::Conflict),
            Err(error) => Err(Undecided::Failed(error.to_string())),
        }
    }
}

impl ReviewDecisions {
    /// Reads the decisions that were added since.
    fn refresh(&mut self, gold: &FilePath) -> Result<(), GoldError> {
        self.file.refresh()?;
        let paths = GoldPaths::of(gold);
        let by_path = self.file.decisions().filter(|document| document.key.is_none()).flat_map(|document| {
            paths.keys(document).into_iter().map(|key| (key, document.identity().to_owned()))
        });
        self.by_path = by_path.collect();
        Ok(())
    }

    /// The path by which the gold set names a document that it does not name by its key.
    fn path(&self, key: &str) -> Option<&str> {
        self.by_path.get(key).filter(|_| self.file.get(key).is_none()).map(String::as_str)
    }

    fn get(&self, key: &str) -> Option<&GoldDocument> {
        self.file.get(self.path(key).unwrap_or(key))
    }

    fn version(&self, key: &str) -> u64 {
        self.file.version(self.path(key).unwrap_or(key))
    }
}

/// The confidence of the least sure leaf, if that of any is known.
fn least_confidence(metrics: &ExtractionMetrics) -> Option<f64> {
    let known = metrics.confidences.leaves.iter().filter_map(|leaf| leaf.confidence);
    known.min_by(f64::total_cmp)
}

/// The end of the first `most` bytes that are whole characters.
fn boundary(text: &str, most: usize) -> usize {
    (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default()
}

fn reviewer(document: &GoldDocument) -> String {
    document.checked_by.clone().unwrap_or_else(|| "reviewer".to_owned())
}

impl Judged {
    fn of(violations: Vec<Violation>, places: Vec<TextPlace>) -> Self {
        let more = violations.len().saturating_sub(MAX_VIOLATIONS);
        // Warnings last, so that none of the others is cut off before them.
        let (warnings, wrong): (Vec<_>, Vec<_>) = violations.into_iter().partition(Violation::is_warning);
        let shown = |violation: Violation| ShownViolation {
            path: violation.path.to_pointer(),
            is_warning: violation.is_warning(),
            message: message(violation),
        };
        let violations = wrong.into_iter().chain(warnings).take(MAX_VIOLATIONS).map(shown).collect();
        Self { violations, more, places }
    }

    fn is_acceptable(&self) -> bool {
        self.violations.iter().all(|violation| violation.is_warning)
    }
}

/// What is wrong, in one line.
fn message(violation: Violation) -> String {
    let expected = violation.expected.map(|expected| {
        let end = boundary(&expected, MAX_EXPECTED);
        format!(": expected {}{}", &expected[..end], if end < expected.len() { "…" } else { "" })
    });
    let hint = violation.hint.map(|hint| format!("; {hint}"));
    [Some(violation.message), expected, hint].into_iter().flatten().collect()
}

/// Why something is not known.
#[derive(Debug)]
pub(crate) enum DeskError {
    Journal(JournalError),
    Gold(GoldError),
    /// The temporary file with the texts.
    Texts(std::io::Error),
}

impl From<JournalError> for DeskError {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

impl From<GoldError> for DeskError {
    fn from(error: GoldError) -> Self {
        Self::Gold(error)
    }
}

impl std::fmt::Display for DeskError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Journal(error) => error.fmt(f),
            Self::Gold(error) => error.fmt(f),
            Self::Texts(error) => write!(f, "the texts of the documents cannot be read: {error}"),
        }
    }
}

impl From<DeskError> for Undecided {
    fn from(error: DeskError) -> Self {
        Self::Failed(error.to_string())
    }
}
