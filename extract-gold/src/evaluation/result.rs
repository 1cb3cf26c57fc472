//! What an evaluation found.

use std::{collections::BTreeMap, time::Duration};

use extract::{
    Contract, ExtractionMetrics, TokenUsage,
    metrics::{Confidences, Cost, ModelUsage, Prices},
    settings::SettingsError,
};
use serde::Serialize;
use serde_json::Value;

use super::{
    run::{DocumentContracts, Evaluator},
    score::{Interval, SHARE, Score},
};
use crate::{
    compare::LeafComparison,
    confidence::JudgedLeaf,
    gold::{GoldError, GoldSet},
    ratio::float,
};

/// How right each candidate is, and how they differ.
///
/// Prints as a table. [`to_html`](Self::to_html) is a page with every wrong value beside its text,
/// and serde writes all of it for programs.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Evaluation {
    /// The candidates, in the order in which they were added.
    pub candidates: Vec<CandidateResult>,
    /// Each candidate compared with the first one, document by document, of those that could be asked.
    pub differences: Vec<PairedDifference>,
}

impl Evaluation {
    /// Begins an evaluation: add candidates and [run](Evaluator::run) it.
    pub fn of<'a>(contract: &'a Contract, gold: &'a GoldSet) -> Evaluator<'a> {
        Evaluator::new(DocumentContracts::One(contract), gold)
    }

    /// Begins an evaluation in which each document is asked about by its own
    /// [schema](crate::GoldDocument::schema).
    ///
    /// ```
    /// use extract::testing::{ScriptedAgent, block_on};
    /// use extract_gold::{Evaluation, GoldDocument, GoldSet};
    ///
    /// let lines = [
    ///     r#"{"text": "A table for two", "instruction": "How many?", "value": 2, "schema": {"type": "integer"}}"#,
    ///     r#"{"text": "See you in Bari!", "instruction": "Where?", "value": "Bari", "schema": {"type": "string"}}"#,
    /// ];
    /// let documents: Vec<GoldDocument> = lines.into_iter().map(serde_json::from_str).collect::<Result<_, _>>()?;
    /// let gold = GoldSet::from_documents(documents);
    /// let agent = ScriptedAgent::new(["2", "\"Bari\""]);
    /// let evaluation = block_on(Evaluation::by_own_schemas(&gold)?.agent("scripted", &agent).concurrent(1).run());
    /// assert_eq!(evaluation.candidates[0].score.right, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first document without a schema of its own, or with an invalid one.
    pub fn by_own_schemas(gold: &GoldSet) -> Result<Evaluator<'_>, GoldError> {
        Ok(Evaluator::new(DocumentContracts::Own(gold.contracts()?), gold))
    }

    pub(super) fn new(candidates: Vec<CandidateResult>) -> Self {
        let mut asked = candidates.iter().filter(|candidate| candidate.agent_error.is_none());
        let differences = match asked.next() {
            Some(first) => asked.map(|other| PairedDifference::of(first, other)).collect(),
            None => Vec::new(),
        };
        Self { candidates, differences }
    }
}

/// How right one candidate is.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct CandidateResult {
    /// Its name.
    pub name: String,
    /// All leaves.
    pub score: Score,
    /// Share of leaves that are right.
    pub exact: Interval,
    /// Share of documents of which every leaf is right.
    pub exact_documents: Interval,
    /// Share of documents with a value after one attempt, after two and so on, up to the most attempts
    /// that a document took.
    pub conforming: Vec<Interval>,
    /// The leaves of each field, in the order in which the fields were met.
    pub fields: Vec<FieldScore>,
    /// The documents, in the order of the gold set.
    pub documents: Vec<DocumentResult>,
    /// Tokens of all documents.
    pub usage: TokenUsage,
    /// Cost of all documents, if [prices](Evaluator::prices) were given.
    pub cost: Option<Cost>,
    /// Time of all extractions, one after the other.
    pub elapsed: Duration,
    /// Number of documents without a value. All their leaves are missing.
    pub failures: usize,
    /// Why the agent could not be asked: it replied to none of the first ten documents, or of all if
    /// there are fewer, or the settings make no sense for them. The numbers say nothing about it then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_error: Option<String>,
    /// The same, if it is that the [settings](super::Candidate::configure) make no sense.
    #[serde(skip)]
    pub settings_error: Option<SettingsError>,
    /// The same tokens by model, in the order in which the models replied first.
    pub per_model: Vec<ModelUsage>,
}

impl CandidateResult {
    pub(super) fn new(
        name: String,
        documents: Vec<DocumentResult>,
        spent: ExtractionMetrics,
        prices: Option<&Prices>,
    ) -> Self {
        let leaves = || documents.iter().flat_map(|document| &document.leaves);
        let rights: Vec<_> = documents.iter().map(DocumentResult::right_of_all).collect();
        let wholes: Vec<_> =
            rights.iter().map(|(right, all)| (if right < all { 0.0 } else { 1.0 }, 1.0)).collect();
        Self {
            name,
            score: Score::of(leaves()),
            exact: Interval::of_ratio(&rights, SHARE),
            exact_documents: Interval::of_ratio(&wholes, SHARE),
            conforming: conforming(&documents),
            fields: FieldScore::of(leaves()),
            usage: spent.usage,
            cost: prices.map(|prices| spent.cost(prices)),
            elapsed: documents.iter().map(|document| document.elapsed).sum(),
            failures: documents.iter().filter(|document| document.value.is_none()).count(),
            documents,
            agent_error: None,
            settings_error: None,
            per_model: spent.per_model,
        }
    }

    /// Puts the results of several sets of documents together; `None` if there are none.
    pub(crate) fn merged(parts: Vec<Self>, prices: Option<&Prices>) -> Option<Self> {
        let name = parts.first()?.name.clone();
        let mut spent = ExtractionMetrics::default();
        let mut documents = Vec::new();
        for part in parts {
            spent.spend(part.per_model);
            documents.extend(part.documents);
        }
        Some(Self::new(name, documents, spent, prices))
    }

    /// Returns the leaves whose confidence was measured, each with whether it is right, for
    /// [`Calibration::fit`](crate::Calibration::fit).
    pub fn judged_leaves(&self) -> Vec<JudgedLeaf> {
        self.documents.iter().flat_map(|document| &document.judged).cloned().collect()
    }
}

/// The share of documents with a value after each number of attempts.
fn conforming(documents: &[DocumentResult]) -> Vec<Interval> {
    let most = documents.iter().map(|document| document.attempts).max().unwrap_or_default();
    let after = |attempts: u32| {
        let is_in = |document: &&DocumentResult| document.value.is_some() && document.attempts <= attempts;
        Interval::of_share(documents.iter().filter(is_in).count(), documents.len())
    };
    (1..=most).filter_map(after).collect()
}

/// How right one field is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FieldScore {
    /// Name of the field, as in [`LeafComparison::field`].
    pub field: String,
    /// Its leaves.
    pub score: Score,
}

impl FieldScore {
    fn of<'l>(leaves: impl Iterator<Item = &'l LeafComparison>) -> Vec<Self> {
        let mut order: Vec<&str> = Vec::new();
        let mut by_field: BTreeMap<&str, Vec<&LeafComparison>> = BTreeMap::new();
        for leaf in leaves {
            let leaves = by_field.entry(&leaf.field).or_default();
            if leaves.is_empty() {
                order.push(&leaf.field);
            }
            leaves.push(leaf);
        }
        let score = |field: &str| Score::of(by_field.get(field).into_iter().flatten().copied());
        order.into_iter().map(|field| Self { field: field.to_owned(), score: score(field) }).collect()
    }
}

/// What a candidate made of one document.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct DocumentResult {
    /// What tells the document from the others.
    pub document: String,
    /// Text of the document.
    pub text: String,
    /// The extracted value.
    pub value: Option<Value>,
    /// Why there is none.
    pub error: Option<String>,
    /// Every leaf, compared with the right one.
    pub leaves: Vec<LeafComparison>,
    /// Tokens.
    pub usage: TokenUsage,
    /// How sure each leaf of the value is, if an extraction with
    /// [confidence](extract::Extraction::confidence) was asked for.
    #[serde(skip_serializing_if = "Confidences::is_empty")]
    pub confidences: Confidences,
    /// Number of attempts.
    pub attempts: u32,
    /// Time from the first question to the last reply.
    pub elapsed: Duration,
    #[serde(skip)]
    pub(super) judged: Vec<JudgedLeaf>,
}

impl DocumentResult {
    /// Returns the leaves that are not right.
    pub fn wrong(&self) -> impl Iterator<Item = &LeafComparison> {
        self.leaves.iter().filter(|leaf| !leaf.outcome.is_right())
    }

    /// Returns how many leaves are right, and how many there are.
    pub(super) fn right_of_all(&self) -> (f64, f64) {
        let all = self.leaves.len();
        (float(all - self.wrong().count()), float(all))
    }
}

/// Fewest documents that differ of a difference that is more than noise. By the sign test, five that
/// all say the same come about by chance in one case of 16, six in one of 32.
const MIN_DIFFERENT: usize = 6;

/// How much more or less of a document one candidate gets right than another.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PairedDifference {
    /// The candidate that is compared.
    pub candidate: String,
    /// The one it is compared with.
    pub baseline: String,
    /// Mean of the differences of the share of leaves that are right, document by document.
    pub difference: Interval,
    /// Documents of which the candidate gets more right.
    pub better: usize,
    /// Documents of which it gets less right.
    pub worse: usize,
}

impl PairedDifference {
    pub(crate) fn of(baseline: &CandidateResult, candidate: &CandidateResult) -> Self {
        let share = |document: &DocumentResult| {
            let (right, all) = document.right_of_all();
            if all > 0.0 { right / all } else { 1.0 }
        };
        let differences: Vec<_> = baseline
            .documents
            .iter()
            .zip(&candidate.documents)
            .map(|(before, after)| (share(after) - share(before), 1.0))
            .collect();
        // Another document may differ as much the other way; if none does here, by all of it.
        let most = differences.iter().map(|(difference, _)| difference.abs()).fold(0.0, f64::max);
        let most = if most > 0.0 { most } else { 1.0 };
        Self {
            candidate: candidate.name.clone(),
            baseline: baseline.name.clone(),
            better: differences.iter().filter(|(difference, _)| *difference > 0.0).count(),
            worse: differences.iter().filter(|(difference, _)| *difference < 0.0).count(),
            difference: Interval::of_ratio(&differences, (-most, most)),
        }
    }

    /// Returns whether the difference is no more than chance explains: 0 lies in its interval, or
    /// fewer than 6 documents differ.
    pub fn is_noise(&self) -> bool {
        !self.difference.excludes_zero() || self.better + self.worse < MIN_DIFFERENT
    }

    /// Returns whether the candidate gets more right by more than noise.
    pub fn is_better(&self) -> bool {
        self.difference.value > 0.0 && !self.is_noise()
    }
}
