//! The merged value, judged as a whole.

use super::{
    one::ChunkQuestions,
    outcome::{ChunkHistory, ChunkOutcomes},
    passages::passages,
    prompt::about_passages,
};
use crate::{
    contract::Contract,
    document::{Chunk, Document},
    error::ExtractionResult,
    extraction::{accepted_value, run::ExtractionRun},
    judging::{
        AcceptedJson, AttemptLog, AttemptOutcome, EndReason, ErasedAsyncJudge, Event, OnSubmit, OtherAgents,
        ValueJudge, judge_merged,
    },
    merging::MergedValue,
    settings::ExtractionSettings,
    vocabulary::time_limit::within,
};

/// Everything that is known once the chunks are answered.
pub(super) struct MergedAnswer<'w, 'a, 'q, T> {
    pub(super) asked: &'w ChunkQuestions<'a, 'q, T>,
    /// The contract of the whole.
    pub(super) contract: &'w Contract,
    pub(super) document: &'w Document,
    pub(super) chunks: &'w [Chunk],
    /// Also keeps the JSON of the value, if set.
    pub(super) accepted_json: Option<AcceptedJson>,
}

impl<'a, T: Send> MergedAnswer<'_, 'a, '_, T> {
    /// Judges the merged value, and asks again about what is rejected.
    pub(super) async fn judge(
        &self,
        merged: MergedValue,
        outcomes: ChunkOutcomes,
        on_submit: &mut [OnSubmit<'a, T>],
    ) -> ExtractionResult<T> {
        let asked = self.asked;
        let settings = asked.settings_now();
        let value_judge = ValueJudge::new(asked.checks, self.contract, asked.context, on_submit);
        let mut value_judge = value_judge.keeping(self.accepted_json.clone());
        let mut log = AttemptLog::sharing(asked.spent.clone(), None);
        let result =
            within(settings.deadline, self.settle(&merged, &settings, &mut value_judge, &mut log)).await;
        let result = result.unwrap_or(Err(EndReason::Deadline));
        let ChunkHistory { history, mut metrics, .. } = outcomes.taken(merged, asked.settings);
        metrics.absorb(log.metrics.clone());
        metrics.elapsed = asked.started.elapsed();
        (asked.observe)(&Event::Done { is_success: result.is_ok(), metrics: &metrics });
        match result {
            Ok(()) => Ok((accepted_value(value_judge), metrics)),
            Err(end) => Err(end.into_error(log, asked.settings).after(history, metrics)),
        }
    }

    async fn settle(
        &self,
        merged: &MergedValue,
        settings: &ExtractionSettings,
        value_judge: &mut dyn ErasedAsyncJudge,
        log: &mut AttemptLog,
    ) -> Result<(), EndReason> {
        let asked = self.asked;
        let observe = &mut |event: &Event<'_>| (asked.observe)(event);
        let judged = judge_merged(&merged.value, self.contract, value_judge).await;
        let others = OtherAgents::of(asked.agents.len().saturating_sub(1));
        match log.settle(judged, self.contract, settings, others, observe) {
            AttemptOutcome::Accepted(_) => return Ok(()),
            AttemptOutcome::Ended(end) => return Err(end),
            AttemptOutcome::Retry(_) => {}
        }
        let violations = log.history.last().map_or(&[][..], |record| &record.violations);
        let passages = passages(self.contract, &merged.value, violations, self.chunks);
        let prompt = asked.prompt.clone().with_paragraph(&about_passages(self.document.text(), &passages));
        // The caller enforces what is left of the deadline.
        let settings = &ExtractionSettings { deadline: None, ..settings.clone() };
        let contract = &self.contract.correcting(&merged.value, passages);
        let mut run =
            ExtractionRun { contract, settings, value_judge, accepted_parts: None, meter: None, observe };
        run.ask_all(asked.agents, asked.opening(&prompt), log).await
    }
}
