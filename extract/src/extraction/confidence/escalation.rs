//! A larger agent for the leaves that are not sure enough.

use std::{fmt::Write as _, slice};

use serde_json::Value;

use super::sample::SampleQuestions;
use crate::{
    agent::Agent,
    contract::Contract,
    error::ExtractionError,
    extraction::run::ExtractionRun,
    judging::{
        AcceptedJson, AttemptLog, ConfidenceMeter, EndReason, Event, LeafContract, SampledAnswer,
        ValueChecks, ValueJudge,
    },
    metrics::{Confidences, Escalation, ExtractionMetrics, LeafConfidence, LeafEvidence},
    prompt::OpeningOptions,
    vocabulary::{context::ErasedContext, path::Path},
};

/// Maximum leaves that are asked about, the least sure ones. Providers limit the size of schemas.
const MAX_LEAVES: usize = 64;

/// A value with its raw confidences.
pub(super) struct MeasuredValue {
    pub(super) value: Value,
    pub(super) raw: Confidences,
}

impl<T: Send> SampleQuestions<'_, '_, T> {
    /// Asks the larger agent about the unsure leaves of a value, and returns the value with its
    /// answer. It stays the same if there are no such leaves, or if the answer is not acceptable.
    pub(super) async fn escalated(
        &self,
        larger: &LargerAgent<'_>,
        meter: &ConfidenceMeter<'_>,
        measured: MeasuredValue,
        answers: &[SampledAnswer],
        metrics: &mut ExtractionMetrics,
    ) -> MeasuredValue {
        let MeasuredValue { value, raw } = &measured;
        let mut unsure = meter.unsure(raw, larger.below);
        unsure.truncate(MAX_LEAVES);
        let Some(leaves) = LeafContract::of(self.contract, value, &unsure) else { return measured };
        let asked: Vec<Path> = leaves.leaves.iter().map(|(_, path)| path.clone()).collect();
        let mut escalation = Escalation::new(larger.agent.name().into_owned(), asked);
        let answer =
            self.ask_larger(larger, &leaves, value, metrics).await.map_err(|error| error.to_string());
        let result = match answer {
            Ok(answer) => {
                let new = leaves.merged(value, &answer.value);
                if self.conforms(&new).await {
                    let changed = leaves.leaves.iter().map(|(_, path)| path);
                    let changed = changed.filter(|path| path.resolve(value) != path.resolve(&new));
                    escalation.changed = changed.cloned().collect();
                    let raw = confidences_after(meter, (value, &new), answers, (&leaves, &answer));
                    Ok(MeasuredValue { value: new, raw })
                } else {
                    Err("the value with its answer does not satisfy the contract and its rules".to_owned())
                }
            }
            Err(reason) => Err(reason),
        };
        if let Err(reason) = &result {
            escalation.unused = Some(self.contract.redacted_text(reason.clone(), value));
        }
        self.redact_paths(&mut escalation, value);
        metrics.escalation = Some(escalation);
        result.unwrap_or(measured)
    }

    async fn ask_larger(
        &self,
        larger: &LargerAgent<'_>,
        leaves: &LeafContract,
        value: &Value,
        metrics: &mut ExtractionMetrics,
    ) -> Result<SampledAnswer, ExtractionError> {
        let mut log = AttemptLog::sharing(self.spent.clone(), None);
        let settings = self.settings_now();
        if self.spent.exceed(&settings) {
            return Err(EndReason::TokenBudget.into_error(log, &settings));
        }
        let prompt = self.opening.prompt.clone().with_paragraph(&about_leaves(self.contract, leaves, value));
        let json = AcceptedJson::default();
        let no_context = ErasedContext::default();
        let judge = ValueJudge::new(ValueChecks::UNTYPED, &leaves.contract, no_context, &mut []);
        let mut judge = judge.keeping(Some(json.clone()));
        let mut run = ExtractionRun {
            contract: &leaves.contract,
            settings: &settings,
            value_judge: &mut judge,
            accepted_parts: None,
            meter: None,
            observe: &mut |event: &Event<'_>| (self.observe)(event),
        };
        // Worked examples answer the whole question.
        let opening = OpeningOptions { prompt: &prompt, shots: &[], ..self.opening };
        let result = run.ask_all(slice::from_ref(&larger.agent), opening, &mut log).await;
        // Their paths are of another value.
        let own = ExtractionMetrics { warnings: Vec::new(), changes: Vec::new(), ..log.metrics.clone() };
        metrics.absorb(own);
        match (result, json.take()) {
            (Ok(()), Some(value)) => Ok(SampledAnswer { value, attempts: log.into_attempts() }),
            (Ok(()), None) => Err(EndReason::Exhausted.into_error(log, &settings)),
            (Err(end), _) => Err(end.into_error(log, &settings)),
        }
    }

    fn redact_paths(&self, escalation: &mut Escalation, value: &Value) {
        let Some(sensitive) = self.contract.sensitive() else { return };
        let values = sensitive.values_in(value);
        for path in escalation.asked.iter_mut().chain(&mut escalation.changed) {
            *path = sensitive.redacted_path(path, &values);
        }
    }
}

/// The raw confidences of the value `new`, in which a larger agent answered for some leaves of
/// `old`. Its answer counts as one more sample of them.
fn confidences_after(
    meter: &ConfidenceMeter<'_>,
    (old, new): (&Value, &Value),
    answers: &[SampledAnswer],
    (leaves, answer): (&LeafContract, &SampledAnswer),
) -> Confidences {
    let answered = ConfidenceMeter { contract: &leaves.contract, ..*meter };
    let answered = answered.raw(&answer.value, slice::from_ref(answer));
    let samples = f64::from(u32::try_from(answers.len()).unwrap_or(u32::MAX));
    let mut after = meter.raw(new, answers);
    for leaf in &mut after.leaves {
        let Some((key, path)) = leaves.leaves.iter().find(|(_, path)| leaf.path.is_within(path)) else {
            continue;
        };
        let has_changed = path.resolve(old) != path.resolve(new);
        let alone = if has_changed { 0.0 } else { 1.0 };
        let agreeing = leaf.evidence.agreement.unwrap_or(alone) * samples;
        let within = leaf.path.segments().iter().skip(path.segments().len());
        let own = within.fold(Path::root().key(key), |own, segment| own.step(segment.clone()));
        let own = answered.leaves.iter().find(|answered| answered.path == own);
        let evidence = LeafEvidence {
            is_escalated: true,
            has_changed: has_changed || leaf.evidence.has_changed,
            agreement: Some((agreeing + 1.0) / (samples + 1.0)),
            has_clear_quote: own.and_then(|own| own.evidence.has_clear_quote),
            tokens: own.and_then(|own| own.evidence.tokens).or(leaf.evidence.tokens),
            ..leaf.evidence.clone()
        };
        let others = std::mem::take(&mut leaf.others);
        *leaf = LeafConfidence::new(leaf.path.clone(), evidence).with_others(others);
    }
    after
}

/// The paragraph that asks about leaves of `value`.
fn about_leaves(contract: &Contract, leaves: &LeafContract, value: &Value) -> String {
    let mut shown = contract.without_spans(value).into_owned();
    contract.redact(&mut shown);
    let mut text = format!(
        "This answer was given before:\n{shown}\n\nSome of its values are not certain. Give only these values, \
         as the text above has them:"
    );
    for (key, path) in &leaves.leaves {
        let _ = write!(text, "\n- `{key}`: the value at `{path}`");
    }
    text
}

/// An agent for the leaves that are not sure enough.
pub(crate) struct LargerAgent<'a> {
    /// Leaves below this confidence are not sure enough.
    pub(crate) below: f64,
    pub(crate) agent: Box<dyn Agent + 'a>,
}

impl<'a> LargerAgent<'a> {
    pub(crate) fn wrapped(self, wrap: impl FnOnce(Box<dyn Agent + 'a>) -> Box<dyn Agent + 'a>) -> Self {
        Self { agent: wrap(self.agent), ..self }
    }
}
