//! Extraction from a document in chunks.
//!
//! The ordinary loop asks about each chunk, several at once. The answers are merged in document
//! order, and the merged value is judged as a whole.

mod one;
mod outcome;
pub(super) mod settings;

use std::sync::Arc;

use self::{
    one::{ChunkOutcome, ChunkQuestions, about_passages},
    outcome::{ChunkHistory, ChunkOutcomes, passages},
    settings::Passes,
};
use super::{Extraction, ExtractionInput, pool::run_all, run::ExtractionRun, shots};
use crate::{
    contract::Contract,
    document::{Chunk, Chunks, Document},
    error::ExtractionResult,
    judging::{
        AcceptedJson, AttemptLog, EndReason, ErasedAsyncJudge, Event, OnSubmit, SpentTokens, ValueJudge,
        notify_in_turn, with_example_for,
    },
    merging::MergedValue,
    settings::ExtractionSettings,
    vocabulary::time_limit::{Instant, within, yield_once},
};

impl<T, C> Extraction<'_, T, C> {
    /// Asks about the [document](Self::document) in chunks, and merges the answers.
    ///
    /// Each chunk is a question of its own, with the same prompt, settings and number of attempts.
    /// Its answer may lack anything that the chunk does not state: no key of an object is required,
    /// and a list may be shorter than the whole list has to be. Quotes are looked up in the chunk.
    /// Checks and rules of the parts run on each answer. Checks and rules of the whole run on the
    /// merged value, and so do async checks and [`on_submit`](Self::on_submit). If the merged value
    /// is rejected, the agent is shown the passages in question and asked to correct it, in up to
    /// [`max_attempts`](Self::max_attempts) more attempts.
    ///
    /// # Merging
    ///
    /// - Structs and maps are merged key by key. A value replaces an absent or null one.
    /// - Lists are joined. Elements with the same [`key`](macro@crate::Extractable#key) are one.
    ///   Elements without a key are one if they are equal or if their quotes have the same spans.
    ///   Members that the type does not know are left out before.
    /// - Equal values fold into one; all their spans are in
    ///   [`metrics.mentions`](crate::ExtractionMetrics::mentions). If values differ, the first
    ///   counts, unless [`merge`](macro@crate::Extractable#merge) says otherwise: the text that
    ///   comes first introduces a thing. The others are in
    ///   [`metrics.conflicts`](crate::ExtractionMetrics::conflicts).
    ///
    /// The result does not depend on the order in which the answers arrive.
    ///
    /// # Errors
    ///
    /// [`ExtractionError::Incomplete`](crate::ExtractionError::Incomplete) if a chunk has no acceptable answer, with
    /// everything that was found; see [`accept_gaps`](Self::accept_gaps).
    /// [`SettingsError::ChunksWithoutDocument`](crate::settings::SettingsError::ChunksWithoutDocument) and
    /// [`SettingsError::Chunks`](crate::settings::SettingsError::Chunks).
    ///
    /// ```
    /// use extract::{Extractable, document::{Chunks, Document, Grounded}, testing::{ScriptedAgent, block_on}};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, Extractable)]
    /// struct Medication {
    ///     #[extract(key)]
    ///     name: Grounded<String>,
    ///     dose_mg: Option<Grounded<f64>>,
    /// }
    ///
    /// let document = Document::from_text("She takes ibuprofen.\n\nThe ibuprofen is 400 mg.\n\nNo other drugs.");
    /// let agent = ScriptedAgent::new([
    ///     r#"[{"name": {"value": "ibuprofen", "quote": "ibuprofen"}}]"#,
    ///     r#"[{"name": {"value": "ibuprofen", "quote": "ibuprofen"}, "dose_mg": {"value": 400, "quote": "400 mg"}}]"#,
    ///     "[]",
    /// ]);
    /// let extraction = Vec::<Medication>::extract(&agent, "All medications given.")
    ///     .document(&document)
    ///     .chunks(Chunks::chars(30));
    /// let (found, metrics) = block_on(extraction)?;
    ///
    /// assert_eq!((found.len(), metrics.chunks.len()), (1, 3));
    /// assert_eq!(found[0].name.span().unwrap().range(), 10..19);
    /// assert_eq!(found[0].dose_mg.as_ref().unwrap().span().unwrap().range(), 39..45);
    /// assert_eq!(metrics.mentions[0].path.to_string(), "$[0].name");
    /// # Ok::<(), extract::ExtractionError>(())
    /// ```
    pub fn chunks(self, chunks: Chunks) -> Self {
        self.asking(|input| input.chunking.chunks = Some(chunks))
    }

    /// Sets how many chunks are processed at the same time: 1 by default, at most 64. All run in
    /// the task that awaits the extraction. The number does not change the result.
    ///
    /// [`token_budget`](Self::token_budget) and [`deadline`](Self::deadline) apply to the whole
    /// extraction.
    pub fn concurrent_chunks(self, chunks: usize) -> Self {
        self.asking(|input| input.chunking.at_once = chunks)
    }

    /// Sets how many passes are made over each chunk; one by default.
    pub fn passes(self, passes: Passes) -> Self {
        self.asking(|input| input.chunking.passes = passes)
    }

    /// Sets whether a value is accepted although some chunks have no acceptable answer; off by
    /// default. [`metrics.gaps`](crate::ExtractionMetrics::gaps) then lists these chunks, with the
    /// uncovered bytes and the reasons. The extraction still fails if no chunk has an answer, if
    /// a rule, a check or a callback panics, or if an agent [refuses all
    /// requests](crate::agent::AgentError::is_of_agent).
    ///
    /// Without it, no further chunk is started after one has failed; chunks in progress are
    /// finished.
    ///
    /// ```
    /// use extract::{Extractable, document::{Chunks, Document}, testing::{ScriptedAgent, block_on}};
    ///
    /// let document = Document::from_text("Ann met Bob.\n\nCleo came.");
    /// let agent = ScriptedAgent::new([r#"["Ann", "Bob"]"#, "I cannot read this."]);
    /// let extraction = Vec::<String>::extract(&agent, "All names.")
    ///     .document(&document)
    ///     .chunks(Chunks::chars(14))
    ///     .max_attempts(1);
    /// let (names, metrics) = block_on(extraction.accept_gaps(true))?;
    /// assert_eq!(names, ["Ann", "Bob"]);
    /// assert_eq!(metrics.gaps[0].range, 14..24);
    /// assert_eq!(metrics.gaps[0].error, "MaxRetriesExceeded");
    /// # Ok::<(), extract::ExtractionError>(())
    /// ```
    pub fn accept_gaps(self, accept: bool) -> Self {
        self.asking(|input| input.chunking.accepts_gaps = accept)
    }
}

impl<'a, T: Send + 'a> ExtractionInput<'a, T> {
    /// Asks about `chunks`, at least one, and then about the merged value.
    pub(super) async fn run_in_chunks(
        mut self,
        settings: Arc<ExtractionSettings>,
        document: &Document,
        chunks: Vec<Chunk>,
    ) -> ExtractionResult<T> {
        let mut contract = self.contract?.document(document);
        settings.check(&contract)?;
        if self.context.is_some() && settings.shows_example() {
            contract = with_example_for(self.checks, contract, self.context);
        }
        let shots = shots::checked(self.shots, &contract, self.checks, self.context)?;
        let relaxed = contract.of_chunk()?;
        let observe = notify_in_turn(&mut self.observers);
        let asked = ChunkQuestions {
            agents: &self.agents,
            contract: &relaxed,
            checks: self.checks,
            context: self.context,
            prompt: &self.prompt,
            shots: &shots,
            settings: &settings,
            chunks: chunks.len(),
            passes: self.chunking.passes,
            spent: SpentTokens::default(),
            started: Instant::now(),
            observe: &observe,
        };
        let accepts_gaps = self.chunking.accepts_gaps;
        let mut outcomes = ChunkOutcomes::new(&chunks);
        let tasks =
            chunks.iter().map(|chunk| -> std::pin::Pin<Box<dyn Future<Output = ChunkOutcome> + Send + '_>> {
                Box::pin(asked.ask_about(chunk))
            });
        run_all(self.chunking.at_once, tasks, |outcome| {
            let goes_on = outcome.failure.as_ref().is_none_or(|end| accepts_gaps && !end.is_of_all_chunks());
            outcomes.add(outcome);
            goes_on
        })
        .await;
        let merged = outcomes.merged(&contract);
        if !(outcomes.are_complete() || accepts_gaps && outcomes.are_usable()) {
            let error = outcomes.into_error(merged, &contract, &settings, asked.started);
            observe(&Event::Done { is_success: false, metrics: error.metrics() });
            return Err(error);
        }
        let accepted_json = self.accepted_json;
        let whole =
            MergedAnswer { asked: &asked, contract: &contract, document, chunks: &chunks, accepted_json };
        whole.judge(merged, outcomes, &mut self.on_submit).await
    }
}

/// Everything that is known once the chunks are answered.
struct MergedAnswer<'w, 'a, 'q, T> {
    asked: &'w ChunkQuestions<'a, 'q, T>,
    /// The contract of the whole.
    contract: &'w Contract,
    document: &'w Document,
    chunks: &'w [Chunk],
    /// Also keeps the JSON of the value, if set.
    accepted_json: Option<AcceptedJson>,
}

impl<'a, T: Send> MergedAnswer<'_, 'a, '_, T> {
    /// Judges the merged value, and asks again about what is rejected.
    async fn judge(
        &self,
        merged: MergedValue,
        outcomes: ChunkOutcomes,
        on_submit: &mut [OnSubmit<'a, T>],
    ) -> ExtractionResult<T> {
        let asked = self.asked;
        let mut settings = asked.settings_now();
        let deadline = settings.deadline.take();
        let value_judge = ValueJudge::new(asked.checks, self.contract, asked.context, on_submit);
        let mut value_judge = value_judge.keeping(self.accepted_json.clone());
        let mut log = AttemptLog::sharing(asked.spent.clone(), None);
        let result = within(deadline, self.settle(&merged, &settings, &mut value_judge, &mut log)).await;
        let result = result.unwrap_or(Err(EndReason::Deadline));
        let ChunkHistory { history, mut metrics, .. } = outcomes.taken(merged, asked.settings);
        metrics.absorb(log.metrics.clone());
        metrics.elapsed = asked.started.elapsed();
        (asked.observe)(&Event::Done { is_success: result.is_ok(), metrics: &metrics });
        match result {
            Ok(()) => Ok((value_judge.into_value(), metrics)),
            Err(end) => Err(end.into_error(log, asked.settings).after(history, metrics)),
        }
    }

    /// Judges within the caller's deadline: `settings` have none.
    async fn settle(
        &self,
        merged: &MergedValue,
        settings: &ExtractionSettings,
        value_judge: &mut dyn ErasedAsyncJudge,
        log: &mut AttemptLog,
    ) -> Result<(), EndReason> {
        let asked = self.asked;
        let observe = &mut |event: &Event<'_>| (asked.observe)(event);
        let mut run = ExtractionRun::new(self.contract, settings, value_judge, observe);
        if run.settle_merged(&merged.value, asked.agents, log).await? {
            return Ok(());
        }
        let violations = log.history.last().map_or(&[][..], |record| &record.violations);
        let passages = passages(self.contract, &merged.value, violations, self.chunks);
        let prompt = asked.prompt.clone().with_paragraph(&about_passages(self.document.text(), &passages));
        let mut run = ExtractionRun { contract: &self.contract.correcting(&merged.value, passages), ..run };
        yield_once().await;
        run.ask_all(asked.agents, asked.settings.opening(&prompt, asked.shots), log).await
    }
}
