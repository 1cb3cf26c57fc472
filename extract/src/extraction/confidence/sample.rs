//! One of several answers to the same question.

use serde_json::Value;

use crate::{
    agent::Agent,
    contract::Contract,
    extraction::run::ExtractionRun,
    judging::{
        AcceptedJson, AttemptLog, EndReason, Event, SampledAnswer, SpentTokens, ValueChecks, ValueJudge,
        judge_merged,
    },
    metrics::ExtractionMetrics,
    prompt::OpeningOptions,
    settings::ExtractionSettings,
    vocabulary::{context::ErasedContext, time_limit::Instant},
};

/// The state that all samples share.
pub(super) struct SampleQuestions<'a, 'q, T> {
    pub(super) agents: &'q [Box<dyn Agent + 'a>],
    pub(super) contract: &'q Contract,
    /// Without async checks, which only the final value has to pass.
    pub(super) checks: ValueChecks<T>,
    pub(super) context: ErasedContext<'q>,
    pub(super) opening: OpeningOptions<'q>,
    pub(super) settings: &'q ExtractionSettings,
    pub(super) spent: SpentTokens,
    pub(super) started: Instant,
    pub(super) observe: &'q (dyn Fn(&Event<'_>) + Sync),
}

/// The outcome of a sample.
pub(super) struct SampleOutcome {
    pub(super) sample: u32,
    pub(super) result: Result<SampledAnswer, FailedSample>,
    pub(super) metrics: ExtractionMetrics,
}

/// A sample without an acceptable answer.
pub(super) struct FailedSample {
    pub(super) end: EndReason,
    pub(super) log: AttemptLog,
}

impl<T: Send> SampleQuestions<'_, '_, T> {
    /// Asks for one answer.
    pub(super) async fn ask(&self, sample: u32) -> SampleOutcome {
        let mut log = AttemptLog::sharing(self.spent.clone(), None);
        let settings = ExtractionSettings { sample, ..self.settings_now() };
        let json = AcceptedJson::default();
        let judge = ValueJudge::new(self.checks, self.contract, self.context, &mut []);
        let mut judge = judge.keeping(Some(json.clone()));
        let samples = self.settings.confidence.samples();
        let observe = &mut |event: &Event<'_>| {
            (self.observe)(&Event::InSample { sample, samples, event });
        };
        let mut run = ExtractionRun {
            contract: self.contract,
            settings: &settings,
            value_judge: &mut judge,
            accepted_parts: None,
            meter: None,
            observe,
        };
        let result = run.ask_all(self.agents, self.opening, &mut log).await;
        let metrics = log.metrics.clone();
        let result = match (result, json.take()) {
            (Ok(()), Some(value)) => Ok(SampledAnswer { value, attempts: log.into_attempts() }),
            (Err(end), _) => Err(FailedSample { end, log }),
            (Ok(()), None) => Err(FailedSample { end: EndReason::Exhausted, log }),
        };
        SampleOutcome { sample, result, metrics }
    }

    /// The settings, with the time that is left as the deadline.
    pub(super) fn settings_now(&self) -> ExtractionSettings {
        let deadline = self.settings.deadline.map(|limit| limit.saturating_sub(self.started.elapsed()));
        ExtractionSettings { deadline, ..self.settings.clone() }
    }

    /// Returns what most answers have, if it conforms, else the answer that the others agree with
    /// most.
    pub(super) async fn agreed(&self, answers: &[SampledAnswer]) -> Value {
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
    pub(super) async fn conforms(&self, value: &Value) -> bool {
        let mut judge = ValueJudge::new(self.checks, self.contract, self.context, &mut []);
        judge_merged(value, self.contract, &mut judge).await.is_accepted()
    }
}
