//! Extraction with several samples, or with a larger agent for the leaves that are not sure.
//!
//! The ordinary loop asks for each sample, all at once. What most have is the value; a larger agent
//! may be asked about its unsure leaves. Then the value is judged as a whole, like any other.

mod escalation;
mod sample;

use std::{pin::Pin, sync::Arc};

use serde_json::Value;

pub(super) use self::escalation::LargerAgent;
use self::{
    escalation::MeasuredValue,
    sample::{FailedSample, SampleOutcome, SampleQuestions},
};
use super::{pool::run_all, run::ExtractionRun};
use crate::{
    agent::Agent,
    error::{ExtractionError, ExtractionResult},
    judging::{
        AcceptedJson, AttemptLog, AttemptOutcome, ConfidenceMeter, EndReason, Event, Observer, OnSubmit,
        OtherAgents, SampledAnswer, SpentTokens, ValueChecks, ValueJudge, judge_merged, notify_in_turn,
    },
    metrics::{Confidences, ExtractionMetrics},
    prompt::OpeningOptions,
    settings::ExtractionSettings,
    vocabulary::{
        context::ErasedContext,
        time_limit::{Instant, within},
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
        if answers.is_empty() || failed.as_ref().is_some_and(FailedSample::is_panic) {
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
            Ok(()) => {
                let value = value_judge.into_accepted();
                Ok((value.expect("the judgement ends well only after a value was accepted"), metrics))
            }
            Err(end) => Err(end.into_error(log, settings).after(Vec::new(), metrics)),
        }
    }
}

/// Asks for all samples at once. Returns the answers in order, and the first failure.
async fn all_samples<T: Send>(
    asked: &SampleQuestions<'_, '_, T>,
    metrics: &mut ExtractionMetrics,
) -> (Vec<SampledAnswer>, Option<FailedSample>) {
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
        let settings = asked.settings_now();
        let judging = async {
            let observe = &mut |event: &Event<'_>| (asked.observe)(event);
            let judged = judge_merged(value, asked.contract, value_judge).await;
            let others = OtherAgents::of(asked.agents.len().saturating_sub(1));
            match log.settle(judged, asked.contract, &settings, others, observe) {
                AttemptOutcome::Accepted(_) => return Ok(()),
                AttemptOutcome::Ended(end) => return Err(end),
                AttemptOutcome::Retry(_) => {}
            }
            // The caller enforces what is left of the deadline.
            let settings = &ExtractionSettings { deadline: None, ..settings.clone() };
            let mut run = ExtractionRun {
                contract: asked.contract,
                settings,
                value_judge,
                accepted_parts: None,
                meter: None,
                observe,
            };
            run.ask_all(asked.agents, asked.opening, log).await
        };
        within(settings.deadline, judging).await.unwrap_or(Err(EndReason::Deadline))
    }

    /// The confidences of the accepted value. If it is not the one that was measured, because it was
    /// rejected and asked for again, it is measured by the same samples.
    fn confidences(&self, accepted: &Value, measured: &Value, raw: Confidences) -> Confidences {
        let raw = if accepted == measured { raw } else { self.meter.raw(accepted, self.answers) };
        self.meter.finish(raw, accepted)
    }
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
