//! Collects how sure each leaf of an accepted value is, also by the tokens it was read from, and makes the
//! contract of an answer that has only some leaves of a value.

use std::{
    cell::RefCell,
    collections::{HashMap, hash_map::Entry},
    ops::Range,
    sync::Arc,
};

use serde_json::{Map, Value, json};

use super::continuation::with_definitions;
use crate::{
    agent::TokenProbability,
    attempt::AttemptRecord,
    contract::Contract,
    merging::{LeafVote, field_at},
    metrics::{Confidences, LeafConfidence, LeafEvidence, TokenEvidence, is_copied, searched},
    reading::{LeafSpans, ReadingOptions},
    schema::{
        DistinctNames, PartialSchema,
        constraint::{ConstraintRow, constraint},
    },
    settings::{Calibrated, ExtractionSettings},
    validation::SchemaNodes,
    vocabulary::{path::Path, violation::Code},
};

/// Maximum bytes of the text that are searched for all leaves together. Leaves after that are not
/// looked up.
const MAX_SEARCHED: usize = 1 << 30;

/// An accepted answer and the attempts that led to it; the last one gave it. Without attempts, it
/// was merged.
pub(crate) struct SampledAnswer {
    pub(crate) value: Value,
    pub(crate) attempts: Vec<AttemptRecord>,
}

/// Measures the confidence of values of one contract.
pub(crate) struct ConfidenceMeter<'m> {
    pub(crate) contract: &'m Contract,
    pub(crate) reading: &'m ReadingOptions,
    /// The text that is asked about, if it is text.
    pub(crate) text: Option<&'m str>,
    pub(crate) calibration: Option<&'m Calibrated>,
}

impl<'m> ConfidenceMeter<'m> {
    pub(crate) fn of(
        contract: &'m Contract,
        settings: &'m ExtractionSettings,
        text: Option<&'m str>,
    ) -> Self {
        Self { contract, reading: &settings.reading, text, calibration: settings.calibration.as_ref() }
    }

    /// Returns the paths of the leaves below a confidence, the least sure first.
    pub(crate) fn unsure(&self, raw: &Confidences, below: f64) -> Vec<Path> {
        let calibrated = self.calibration.map(|calibration| raw.clone().calibrated(&*calibration.0));
        let unsure = calibrated.as_ref().unwrap_or(raw).unsure(below);
        unsure.into_iter().map(|leaf| leaf.path.clone()).collect()
    }

    /// Measures the leaves of `value` by `samples`, the answers to the same question. Without
    /// calibration.
    pub(crate) fn raw(&self, value: &Value, samples: &[SampledAnswer]) -> Confidences {
        let values: Vec<_> = samples.iter().map(|sample| &sample.value).collect();
        let tokens: Vec<_> = samples.iter().map(|sample| SampleTokens::new(self, sample)).collect();
        let checked = CheckedFields::of(self.contract.schema());
        let mut text = self.text.map(SearchedText::new);
        let attempts = samples.iter().map(|sample| sample.attempts.len()).max().unwrap_or_default();
        let attempts = u32::try_from(attempts).unwrap_or(u32::MAX);
        let votes = self.contract.votes(value, &values);
        let leaves = votes.into_iter().map(|vote| {
            let found = vote.agreeing.iter().find_map(|(sample, path)| tokens[*sample].at(path, &vote.value));
            let changed = vote.agreeing.iter().any(|(sample, path)| samples[*sample].has_changed(path));
            let evidence = LeafEvidence {
                is_in_text: text.as_mut().and_then(|text| text.has(&vote.value)),
                has_clear_quote: has_clear_quote(value, &vote, samples),
                is_checked: checked.is_checked(&vote),
                has_changed: changed,
                agreement: (samples.len() > 1).then(|| share(vote.agreeing.len(), samples.len())),
                tokens: found,
                attempts,
                ..LeafEvidence::of_leaf(vote.field, &vote.value)
            };
            LeafConfidence::new(vote.path, evidence).with_others(vote.others)
        });
        Confidences::new(leaves.collect())
    }

    /// Applies the calibration, and redacts sensitive values. This is the last step.
    pub(crate) fn finish(&self, confidences: Confidences, value: &Value) -> Confidences {
        let mut confidences = match self.calibration {
            Some(calibration) => confidences.calibrated(&*calibration.0),
            None => confidences,
        };
        if let Some(sensitive) = self.contract.sensitive() {
            let values = sensitive.values_in(value);
            for leaf in &mut confidences.leaves {
                if sensitive.is_sensitive(&leaf.path) {
                    leaf.redact();
                } else {
                    for other in &mut leaf.others {
                        sensitive.redact_at(&leaf.path, other, &values);
                    }
                }
                let path = sensitive.redacted_path(&leaf.path, &values);
                if path != leaf.path {
                    leaf.evidence.field = field_at(&path);
                    leaf.path = path;
                }
            }
        }
        confidences
    }

    /// Measures an ordinary answer.
    pub(crate) fn measure(&self, answer: &SampledAnswer) -> Confidences {
        self.finish(self.raw(&answer.value, std::slice::from_ref(answer)), &answer.value)
    }
}

/// Returns whether the quote of the leaf contains its value and no warning says that it occurs
/// more than once. `None` without a quote.
fn has_clear_quote(value: &Value, vote: &LeafVote, samples: &[SampledAnswer]) -> Option<bool> {
    let quote = vote.path.resolve(value)?.as_object()?.get("quote")?;
    let words = quote.as_str().or_else(|| quote.get("words")?.as_str())?;
    let is_ambiguous = samples.iter().enumerate().any(|(number, sample)| {
        let mut paths = vote.agreeing.iter().filter(|(agreeing, _)| *agreeing == number);
        let warnings = sample.attempts.last().map_or(&[][..], |record| &record.violations);
        paths.any(|(_, path)| {
            warnings.iter().any(|one| one.code == Code::AmbiguousQuote && one.path.is_within(path))
        })
    });
    Some(!is_ambiguous && words.to_lowercase().contains(&*searched(&vote.value)))
}

impl SampledAnswer {
    /// The answer that the attempt `accepted` gave, after those of `history`.
    pub(crate) fn accepted(history: Vec<AttemptRecord>, accepted: AttemptRecord) -> Self {
        let value = accepted.submitted().cloned().unwrap_or_default();
        Self { value, attempts: history.into_iter().chain([accepted]).collect() }
    }

    /// Returns whether an earlier attempt had another value at `path`.
    fn has_changed(&self, path: &Path) -> bool {
        let Some((last, earlier)) = self.attempts.split_last() else { return false };
        let at = |record: &'_ AttemptRecord| path.resolve(record.submitted()?).cloned();
        let now = at(last);
        earlier.iter().filter_map(at).any(|before| Some(before) != now)
    }
}

/// The tokens of the attempts of a sample, each read when it is needed.
struct SampleTokens<'m> {
    meter: &'m ConfidenceMeter<'m>,
    attempts: &'m [AttemptRecord],
    read: RefCell<HashMap<usize, Arc<RecordTokens>>>,
}

impl<'m> SampleTokens<'m> {
    fn new(meter: &'m ConfidenceMeter<'m>, sample: &'m SampledAnswer) -> Self {
        Self { meter, attempts: &sample.attempts, read: RefCell::default() }
    }

    /// Returns the tokens of the leaf at `path`, of the last attempt that wrote it: after a patch or
    /// a continuation, that may be an earlier one.
    fn at(&self, path: &Path, leaf: &Value) -> Option<TokenEvidence> {
        let numbers = (0..self.attempts.len()).rev();
        numbers.filter(|number| !self.attempts[*number].token_probabilities.is_empty()).find_map(|number| {
            let tokens = self.tokens_of(number);
            // Of a value with a quote, the tokens of the value.
            tokens.at(path, leaf).or_else(|| tokens.at(&path.clone().key("value"), leaf))
        })
    }

    fn tokens_of(&self, number: usize) -> Arc<RecordTokens> {
        match self.read.borrow_mut().entry(number) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(unknown) => {
                let record = &self.attempts[number];
                let spans = self.meter.contract.leaf_spans(&record.raw_output, self.meter.reading);
                Arc::clone(unknown.insert(Arc::new(RecordTokens::new(record, spans))))
            }
        }
    }
}

/// The text in which leaves are looked up.
struct SearchedText {
    text: String,
    left: usize,
}

impl SearchedText {
    fn new(text: &str) -> Self {
        Self { text: text.to_lowercase(), left: MAX_SEARCHED }
    }

    fn has(&mut self, leaf: &Value) -> Option<bool> {
        if !is_copied(leaf) {
            return None;
        }
        self.left = self.left.checked_sub(self.text.len())?;
        Some(self.text.contains(&*searched(leaf)))
    }
}

/// Returns whether a keyword says more of a scalar than its type.
fn checks_scalars(keyword: &str) -> bool {
    let is_of_scalars = |row: &ConstraintRow| !matches!(row.applies_to, Some("array" | "object"));
    matches!(keyword, "not" | "if") || constraint(keyword).is_some_and(is_of_scalars)
}

/// Which fields the schema checks. All rows of a list share their fields.
struct CheckedFields<'s> {
    schema: &'s Value,
    known: RefCell<HashMap<String, bool>>,
}

impl<'s> CheckedFields<'s> {
    fn of(schema: &'s Value) -> Self {
        Self { schema, known: RefCell::default() }
    }

    fn is_checked(&self, vote: &LeafVote) -> bool {
        if let Some(known) = self.known.borrow().get(&vote.field) {
            return *known;
        }
        let has_check = |node: &Map<String, Value>| node.keys().any(|keyword| checks_scalars(keyword));
        let root = SchemaNodes::of(self.schema);
        let nodes = vote.path.segments().iter().fold(root, |nodes, segment| nodes.step(segment));
        let is_checked = nodes.all.iter().filter_map(|node| node.as_object()).any(has_check);
        self.known.borrow_mut().insert(vote.field.clone(), is_checked);
        is_checked
    }
}

fn share(part: usize, all: usize) -> f64 {
    let float = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    float(part) / float(all).max(1.0)
}

/// The tokens of one reply, and where the leaves of its value are.
struct RecordTokens {
    /// In order, and without overlaps.
    tokens: Vec<TokenProbability>,
    spans: LeafSpans,
}

impl RecordTokens {
    fn new(record: &AttemptRecord, spans: LeafSpans) -> Self {
        Self { tokens: in_order(&record.token_probabilities, record.raw_output.len()), spans }
    }

    /// Returns the tokens of the leaf at `path`, if it has the value `leaf` there and tokens cover
    /// all of its bytes.
    fn at(&self, path: &Path, leaf: &Value) -> Option<TokenEvidence> {
        let (span, read) = self.spans.get(path)?;
        if read != leaf {
            return None;
        }
        let tokens = self.within(span);
        if !is_covered(span, tokens) {
            return None;
        }
        let chosen = || tokens.iter().filter(|token| !token.is_forced);
        let evidence = TokenEvidence::of(chosen().map(TokenProbability::choice))?;
        if chosen().all(|token| token.constrained.is_none()) {
            return Some(evidence);
        }
        Some(evidence.with_among_all(chosen().map(|token| token.log_probability).sum()))
    }

    /// The tokens with bytes in `span`.
    fn within(&self, span: &Range<usize>) -> &[TokenProbability] {
        let from = self.tokens.partition_point(|token| token.range.end <= span.start);
        let to = self.tokens.partition_point(|token| token.range.start < span.end);
        self.tokens.get(from..to).unwrap_or_default()
    }
}

fn is_covered(span: &Range<usize>, tokens: &[TokenProbability]) -> bool {
    let reached = tokens.iter().try_fold(span.start, |reached, token| {
        (token.range.start <= reached).then(|| token.range.end.max(reached))
    });
    span.start < span.end && reached.is_some_and(|reached| reached >= span.end)
}

/// The tokens with bytes in a text of `len` bytes, in order. Agents may report anything: of tokens
/// that overlap, the first one counts.
fn in_order(tokens: &[TokenProbability], len: usize) -> Vec<TokenProbability> {
    let is_inside = |token: &&TokenProbability| token.range.start < token.range.end && token.range.end <= len;
    let mut tokens: Vec<_> = tokens.iter().filter(is_inside).cloned().collect();
    tokens.sort_by_key(|token| token.range.start);
    let mut end = 0;
    tokens.retain(|token| {
        let is_after = token.range.start >= end;
        end = if is_after { token.range.end } else { end };
        is_after
    });
    tokens
}

/// The contract of an object whose members are leaves of a value.
pub(crate) struct LeafContract {
    pub(crate) contract: Contract,
    /// The keys of the object, and the paths of the leaves in the value.
    pub(crate) leaves: Vec<(String, Path)>,
}

impl LeafContract {
    /// The contract for the leaves of `value` at `paths`. Leaves whose schema depends on others are
    /// left out; `None` if that leaves none.
    pub(crate) fn of(whole: &Contract, value: &Value, paths: &[Path]) -> Option<Self> {
        let written = PartialSchema::of(whole.schema());
        let (mut leaves, mut properties, mut used) = (Vec::new(), Map::new(), DistinctNames::default());
        for path in paths {
            let Some(part) = written.part(path, value).filter(|_| path.resolve(value).is_some()) else {
                continue;
            };
            let key = key_of(path, &mut used);
            properties.insert(key.clone(), described(part, path));
            leaves.push((key, path.clone()));
        }
        if leaves.is_empty() {
            return None;
        }
        let required: Vec<_> = leaves.iter().map(|(key, _)| key).collect();
        let form = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        let contract = Contract::from_schema(with_definitions(form, whole.schema())).ok()?;
        Some(Self { contract: contract.without_example().with_source_of(whole), leaves })
    }

    /// Returns `value` with the leaves of `answer`.
    pub(crate) fn merged(&self, value: &Value, answer: &Value) -> Value {
        let mut merged = value.clone();
        for (key, path) in &self.leaves {
            if let (Some(new), Some(leaf)) = (answer.get(key), path.resolve_mut(&mut merged)) {
                leaf.clone_from(new);
            }
        }
        merged
    }
}

/// A key that every provider accepts: `lines_2_quantity` for `$.lines[2].quantity`.
fn key_of(path: &Path, used: &mut DistinctNames) -> String {
    let mut key = String::new();
    for character in path.to_string().chars().take(56) {
        if character.is_ascii_alphanumeric() {
            key.push(character);
        } else if !key.is_empty() && !key.ends_with('_') {
            key.push('_');
        }
    }
    let key = key.trim_end_matches('_');
    used.take(if key.is_empty() { "value" } else { key })
}

/// The schema of a leaf, with its path in the description.
fn described(part: &Value, path: &Path) -> Value {
    let mut part = part.clone();
    if let Some(object) = part.as_object_mut() {
        let own = object.get("description").and_then(Value::as_str).unwrap_or_default();
        let description = format!("The value at `{path}`. {own}");
        object.insert("description".to_owned(), description.trim_end().into());
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_plain_and_differ() {
        let mut used = DistinctNames::default();
        let mut key = |path: &str| key_of(&path.parse().unwrap(), &mut used);
        assert_eq!(key("$.lines[2].quantity"), "lines_2_quantity");
        assert_eq!(key("$.lines_2.quantity"), "lines_2_quantity_2");
        assert_eq!(key("$"), "value");
    }

    #[test]
    fn a_leaf_keeps_its_schema_and_its_definitions() {
        let schema = json!({
            "$defs": {"Mood": {"enum": ["good", "bad"]}},
            "type": "object",
            "properties": {"days": {"type": "array", "items": {"$ref": "#/$defs/Mood"}}, "n": {"type": "integer"}},
        });
        let whole = Contract::from_schema(schema).unwrap();
        let value = json!({"days": ["good", "bad"], "n": 1});
        let paths = ["$.days[1]".parse().unwrap(), "$.none".parse().unwrap()];
        let leaves = LeafContract::of(&whole, &value, &paths).unwrap();
        assert!(leaves.contract.validate(&json!({"days_1": "good"})).is_empty());
        assert!(!leaves.contract.validate(&json!({"days_1": "fine"})).is_empty());
        let merged = leaves.merged(&value, &json!({"days_1": "good"}));
        assert_eq!(merged, json!({"days": ["good", "good"], "n": 1}));
        assert!(LeafContract::of(&whole, &value, &[]).is_none());
    }
}
