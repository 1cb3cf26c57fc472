//! Extraction with several samples, or with a larger agent for the leaves that are not sure.
//!
//! The ordinary loop asks for each sample, all at once. What most have is the value; a larger agent
//! may be asked about its unsure leaves. Then the value is judged as a whole, like any other.

use std::{fmt::Write as _, pin::Pin, slice, sync::Arc};

use serde_json::{Map, Value};

use super::{pool::run_all, run::ExtractionRun};
use crate::{
    agent::Agent,
    contract::Contract,
    error::{ExtractionError, ExtractionResult},
    judging::{
        AcceptedJson, AttemptLog, ConfidenceMeter, EndReason, Event, LeafContract, Observer, OnSubmit,
        SampledAnswer, SpentTokens, ValueChecks, ValueJudge, judge_merged, notify_in_turn,
    },
    metrics::{Confidences, Escalation, ExtractionMetrics, LeafConfidence, LeafEvidence},
    prompt::{OpeningOptions, WorkedExample},
    settings::ExtractionSettings,
    vocabulary::{
        context::ErasedContext,
        path::{Path, Segment},
        time_limit::{Instant, within, yield_once},
    },
};

/// An extraction of several answers, or with a larger agent.
pub(super) struct SampledExtraction<'r, 'a, T> {
    pub(super) agents: &'r [Box<dyn Agent + 'a>],
    pub(super) larger: Option<&'r LargerAgent<'a>>,
    pub(super) checks: ValueChecks<T>,
    pub(super) context: ErasedContext<'r>,
    pub(super) opening: OpeningOptions<'r>,
    pub(super) settings: &'r ExtractionSettings,
    pub(super) meter: ConfidenceMeter<'r>,
    pub(super) accepted_json: Option<AcceptedJson>,
}

/// An agent for the leaves that are not sure enough.
pub(super) struct LargerAgent<'a> {
    /// Leaves below this confidence are not sure enough.
    pub(super) below: f64,
    pub(super) agent: Box<dyn Agent + 'a>,
}

impl<'a> LargerAgent<'a> {
    pub(super) fn wrapped(self, wrap: impl FnOnce(Box<dyn Agent + 'a>) -> Box<dyn Agent + 'a>) -> Self {
        Self { agent: wrap(self.agent), ..self }
    }
}

impl<T: Send> SampledExtraction<'_, '_, T> {
    /// Asks for all samples, and then about their leaves and the whole.
    pub(super) async fn run(
        self,
        on_submit: &mut [OnSubmit<'_, T>],
        observers: &mut [Observer<'_>],
    ) -> ExtractionResult<T> {
        let Self { settings, meter, .. } = self;
        let contract = meter.contract;
        settings.check(contract)?;
        let observe = notify_in_turn(observers);
        let asked = SampleQuestions {
            agents: self.agents,
            contract,
            checks: self.checks.without_async(),
            context: self.context,
            opening: self.opening,
            settings,
            spent: SpentTokens::default(),
            started: Instant::now(),
            observe: &observe,
        };
        let mut metrics = ExtractionMetrics::default();
        let (answers, failed) = all_samples(&asked, &mut metrics).await;
        if answers.is_empty() || failed.as_ref().is_some_and(|failed| failed.is_panic()) {
            let error = failed.map(|failed| failed.into_error(metrics, settings));
            let error = error.expect("a sample without an answer has failed");
            observe(&Event::Done { is_success: false, metrics: error.metrics() });
            return Err(error);
        }
        let value = asked.agreed(&answers).await;
        let raw = meter.raw(&value, &answers);
        let mut measured = MeasuredValue { value, raw };
        if let Some(larger) = self.larger {
            measured = asked.escalated(larger, &meter, measured, &answers, &mut metrics).await;
        }
        let MeasuredValue { value, raw } = measured;
        let last = LastJudgement { asked: &asked, meter: &meter, answers: &answers };
        let value_judge = ValueJudge::new(self.checks, contract, self.context, on_submit);
        let json = AcceptedJson::default();
        let mut value_judge = value_judge.keeping(Some(json.clone()));
        let mut log = AttemptLog::sharing(asked.spent.clone(), None);
        let result = last.judge(&value, &mut value_judge, &mut log).await;
        metrics.absorb(std::mem::take(&mut log.metrics));
        metrics.elapsed = asked.started.elapsed();
        if let (Ok(()), Some(accepted)) = (&result, json.take()) {
            metrics.confidences = last.confidences(&accepted, &value, raw);
            if let Some(json) = &self.accepted_json {
                json.set(Some(&accepted));
            }
        }
        observe(&Event::Done { is_success: result.is_ok(), metrics: &metrics });
        match result {
            Ok(()) => Ok((value_judge.into_value(), metrics)),
            Err(end) => Err(end.into_error(log, settings).after(Vec::new(), metrics)),
        }
    }
}

/// Asks for all samples at once. Returns the answers in order, and the first failure.
async fn all_samples<T: Send>(
    asked: &SampleQuestions<'_, '_, T>,
    metrics: &mut ExtractionMetrics,
) -> (Vec<SampledAnswer>, Option<Box<FailedSample>>) {
    let count = asked.settings.confidence.samples();
    let mut outcomes: Vec<Option<SampleOutcome>> = (0..count).map(|_| None).collect();
    let tasks = (0..count).map(|sample| -> Pin<Box<dyn Future<Output = SampleOutcome> + Send + '_>> {
        Box::pin(asked.ask(sample))
    });
    run_all(usize::MAX, tasks, |outcome| {
        let slot = usize::try_from(outcome.sample).ok().and_then(|sample| outcomes.get_mut(sample));
        if let Some(slot) = slot {
            *slot = Some(outcome);
        }
        true
    })
    .await;
    let (mut answers, mut failed) = (Vec::new(), None);
    for outcome in outcomes.into_iter().flatten() {
        let SampleOutcome { result, metrics: own, .. } = outcome;
        metrics.absorb(own);
        match result {
            Ok(answer) => answers.push(answer),
            Err(failure) => {
                // A panic of the user's code counts before everything else.
                if failed.is_none() || failure.is_panic() {
                    failed = Some(failure);
                }
            }
        }
    }
    (answers, failed)
}

/// The judgement of the whole.
struct LastJudgement<'l, 'a, 'q, T> {
    asked: &'l SampleQuestions<'a, 'q, T>,
    meter: &'l ConfidenceMeter<'l>,
    answers: &'l [SampledAnswer],
}

impl<T: Send> LastJudgement<'_, '_, '_, T> {
    /// Judges the value with async checks and callbacks. If they reject it, the agent is asked again.
    async fn judge(
        &self,
        value: &Value,
        value_judge: &mut ValueJudge<'_, '_, T>,
        log: &mut AttemptLog,
    ) -> Result<(), EndReason> {
        let asked = self.asked;
        let mut settings = asked.settings_now();
        // What is left of the deadline is enforced here.
        let deadline = settings.deadline.take();
        let judging = async {
            let observe = &mut |event: &Event<'_>| (asked.observe)(event);
            let mut run = ExtractionRun::new(asked.contract, &settings, value_judge, observe);
            if run.settle_merged(value, asked.agents, log).await? {
                return Ok(());
            }
            yield_once().await;
            run.ask_all(asked.agents, asked.opening, log).await
        };
        within(deadline, judging).await.unwrap_or(Err(EndReason::Deadline))
    }

    /// The confidences of the accepted value. If it is not the one that was measured, because it was
    /// rejected and asked for again, it is measured by the same samples.
    fn confidences(&self, accepted: &Value, measured: &Value, raw: Confidences) -> Confidences {
        let raw = if accepted == measured { raw } else { self.meter.raw(accepted, self.answers) };
        self.meter.finish(raw, accepted)
    }
}

/// The accepted answer, which is in `json`, or why there is none.
fn answered(
    result: Result<(), EndReason>,
    json: &AcceptedJson,
    log: AttemptLog,
) -> Result<SampledAnswer, Box<FailedSample>> {
    let end = match (result, json.take()) {
        (Ok(()), Some(value)) => return Ok(SampledAnswer { value, attempts: log.into_attempts() }),
        (Ok(()), None) => EndReason::Exhausted,
        (Err(end), _) => end,
    };
    Err(Box::new(FailedSample { end, log }))
}

impl FailedSample {
    fn is_panic(&self) -> bool {
        matches!(self.end, EndReason::Panicked(_))
    }

    fn into_error(self, metrics: ExtractionMetrics, settings: &ExtractionSettings) -> ExtractionError {
        let elapsed = self.log.started.elapsed();
        let metrics = ExtractionMetrics { elapsed, ..metrics };
        self.end.into_error(self.log, settings).after(Vec::new(), metrics)
    }
}

/// The settings of the samples: without a temperature, all answers would be the same.
pub(super) fn sampling_settings(settings: Arc<ExtractionSettings>) -> Arc<ExtractionSettings> {
    if settings.confidence.samples() > 1 && settings.temperature.is_none() {
        let settings = (*settings).clone();
        return Arc::new(ExtractionSettings { temperature: Some(SAMPLE_TEMPERATURE), ..settings });
    }
    settings
}

/// Temperature of samples, if the extraction sets none.
const SAMPLE_TEMPERATURE: f64 = 0.7;

/// The state that all samples share.
struct SampleQuestions<'a, 'q, T> {
    agents: &'q [Box<dyn Agent + 'a>],
    contract: &'q Contract,
    /// Without async checks, which only the final value has to pass.
    checks: ValueChecks<T>,
    context: ErasedContext<'q>,
    opening: OpeningOptions<'q>,
    settings: &'q ExtractionSettings,
    spent: SpentTokens,
    started: Instant,
    observe: &'q (dyn Fn(&Event<'_>) + Sync),
}

/// The outcome of a sample.
struct SampleOutcome {
    sample: u32,
    result: Result<SampledAnswer, Box<FailedSample>>,
    metrics: ExtractionMetrics,
}

/// A sample without an acceptable answer.
struct FailedSample {
    end: EndReason,
    log: AttemptLog,
}

impl<T: Send> SampleQuestions<'_, '_, T> {
    /// Asks for one answer.
    async fn ask(&self, sample: u32) -> SampleOutcome {
        let mut log = AttemptLog::sharing(self.spent.clone(), None);
        let settings = ExtractionSettings { sample, ..self.settings_now() };
        let json = AcceptedJson::default();
        let judge = ValueJudge::new(self.checks, self.contract, self.context, &mut []);
        let mut judge = judge.keeping(Some(json.clone()));
        let samples = self.settings.confidence.samples();
        let observe = &mut |event: &Event<'_>| {
            (self.observe)(&Event::InSample { sample, samples, event });
        };
        let mut run = ExtractionRun::new(self.contract, &settings, &mut judge, observe);
        let result = run.ask_all(self.agents, self.opening, &mut log).await;
        let metrics = log.metrics.clone();
        SampleOutcome { sample, result: answered(result, &json, log), metrics }
    }

    /// The settings, with the time that is left as the deadline.
    fn settings_now(&self) -> ExtractionSettings {
        self.settings.since(self.started)
    }

    /// Returns what most answers have, if it conforms, else the answer that the others agree with
    /// most.
    async fn agreed(&self, answers: &[SampledAnswer]) -> Value {
        if let [answer] = answers {
            return answer.value.clone();
        }
        let values: Vec<_> = answers.iter().map(|answer| &answer.value).collect();
        let merged = self.contract.majority(&values);
        if self.conforms(&merged).await {
            return merged;
        }
        let agreeing = |value: &Value| -> usize {
            self.contract.votes(value, &values).iter().map(|vote| vote.agreeing.len()).sum()
        };
        // Of several, the first: `max_by_key` returns the last.
        let best = values.iter().rev().max_by_key(|value| agreeing(value));
        best.map_or(merged, |value| (*value).clone())
    }

    /// Returns whether a value satisfies the contract and its rules.
    async fn conforms(&self, value: &Value) -> bool {
        let mut judge = ValueJudge::new(self.checks, self.contract, self.context, &mut []);
        judge_merged(value, self.contract, &mut judge).await.is_accepted()
    }
}

/// Maximum leaves that are asked about, the least sure ones. Providers limit the size of schemas.
const MAX_LEAVES: usize = 64;

/// A value with its raw confidences.
struct MeasuredValue {
    value: Value,
    raw: Confidences,
}

impl<T: Send> SampleQuestions<'_, '_, T> {
    /// Asks the larger agent about the unsure leaves of a value, and returns the value with its
    /// answer. It stays the same if there are no such leaves, or if the answer is not acceptable.
    async fn escalated(
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
        let observe = &mut |event: &Event<'_>| (self.observe)(event);
        let mut run = ExtractionRun::new(&leaves.contract, &settings, &mut judge, observe);
        let shots: Vec<_> = self.opening.shots.iter().filter_map(|shot| about_same(leaves, shot)).collect();
        let opening = OpeningOptions { prompt: &prompt, shots: &shots, ..self.opening };
        let result = run.ask_all(slice::from_ref(&larger.agent), opening, &mut log).await;
        // Their paths are of another value.
        let own = ExtractionMetrics { warnings: Vec::new(), changes: Vec::new(), ..log.metrics.clone() };
        metrics.absorb(own);
        answered(result, &json, log).map_err(|failed| failed.end.into_error(failed.log, &settings))
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

/// What `shot` says of the leaves that are asked about; `None` if it lacks one. Elements of lists have nothing
/// in common with those of another text.
fn about_same(leaves: &LeafContract, shot: &WorkedExample) -> Option<WorkedExample> {
    let is_element = |segment: &Segment| matches!(segment, Segment::Index(_));
    let leaf = |(key, path): &(String, Path)| {
        let leaf = path.resolve(&shot.answer).filter(|_| !path.segments().iter().any(is_element))?;
        Some((key.clone(), leaf.clone()))
    };
    let answer: Option<Map<_, _>> = leaves.leaves.iter().map(leaf).collect();
    Some(WorkedExample { parts: shot.parts.clone(), answer: answer?.into() })
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
