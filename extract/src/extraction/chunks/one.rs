//! The questions about one chunk.

use std::{fmt::Write as _, ops::Range, time::Duration};

use serde_json::Value;

use crate::{
    agent::{Agent, Prompt},
    attempt::AttemptRecord,
    contract::Contract,
    document::Chunk,
    extraction::{chunks::settings::Passes, run::ExtractionRun},
    judging::{AttemptLog, ChunkJudge, EndReason, Event, SpentTokens, ValueChecks},
    metrics::{ChunkMetrics, ExtractionMetrics},
    prompt::WorkedExample,
    settings::ExtractionSettings,
    vocabulary::{
        context::ErasedContext,
        path::all_values,
        text::{fenced, text_paragraph},
        time_limit::{Instant, yield_once},
    },
};

/// The state that all questions about a document share.
pub(super) struct ChunkQuestions<'a, 'q, T> {
    pub(super) agents: &'q [Box<dyn Agent + 'a>],
    /// The contract of the answer to a chunk.
    pub(super) contract: &'q Contract,
    pub(super) checks: ValueChecks<T>,
    pub(super) context: ErasedContext<'q>,
    pub(super) prompt: &'q Prompt,
    pub(super) shots: &'q [WorkedExample],
    pub(super) settings: &'q ExtractionSettings,
    /// The number of chunks of the document.
    pub(super) chunks: usize,
    pub(super) passes: Passes,
    pub(super) spent: SpentTokens,
    pub(super) started: Instant,
    pub(super) observe: &'q (dyn Fn(&Event<'_>) + Sync),
}

/// The outcome of a chunk.
pub(super) struct ChunkOutcome {
    pub(super) chunk: usize,
    /// The answers of all passes, with the spans of quotes.
    pub(super) answers: Vec<Value>,
    /// Why the pass after these answers failed.
    pub(super) failure: Option<EndReason>,
    /// The attempts of the pass that failed.
    pub(super) last: Option<AttemptLog>,
    /// The failed attempts of all passes, except the attempts of the pass that failed.
    pub(super) history: Vec<AttemptRecord>,
    /// The metrics of all passes, except the one that failed.
    pub(super) metrics: ExtractionMetrics,
    pub(super) chunk_metrics: ChunkMetrics,
}

impl<T: Send> ChunkQuestions<'_, '_, T> {
    /// Asks about a chunk, pass by pass.
    pub(super) async fn ask_about(&self, chunk: &Chunk) -> ChunkOutcome {
        let started = Instant::now();
        let mut outcome = ChunkOutcome {
            chunk: chunk.index(),
            answers: Vec::new(),
            failure: None,
            last: None,
            history: Vec::new(),
            metrics: ExtractionMetrics::default(),
            chunk_metrics: ChunkMetrics::new(chunk.range(), 0, 0, Duration::ZERO),
        };
        let contract = self.contract.about_part(chunk.document(), chunk.range());
        let mut found = None;
        for pass in 1.. {
            let (mut log, result) = self.ask(chunk, &contract, pass, found.as_ref()).await;
            outcome.chunk_metrics.attempts += log.metrics.attempts;
            let answer = match result {
                Ok(answer) => answer,
                Err(end) => {
                    (outcome.failure, outcome.last) = (Some(end), Some(log));
                    break;
                }
            };
            outcome.chunk_metrics.passes = pass;
            outcome.history.append(&mut log.history);
            outcome.metrics.absorb(log.metrics);
            outcome.answers.push(answer);
            if self.passes.is_one() {
                break;
            }
            let merged = contract.merge(outcome.answers.iter().map(|answer| (chunk.index(), answer))).value;
            let has_added = match &found {
                Some(before) => *before != merged,
                None => has_content(&merged),
            };
            found = Some(merged);
            if !self.passes.has_another(pass) || !has_added && self.passes.ends_early {
                break;
            }
            yield_once().await;
        }
        outcome.chunk_metrics.elapsed = started.elapsed();
        let is_success = outcome.failure.is_none();
        (self.observe)(&Event::ChunkDone { chunk: chunk.index(), chunks: self.chunks, is_success });
        outcome
    }

    /// Makes one pass. `found` is what the earlier passes found.
    async fn ask(
        &self,
        chunk: &Chunk,
        contract: &Contract,
        pass: u32,
        found: Option<&Value>,
    ) -> (AttemptLog, Result<Value, EndReason>) {
        let mut log = AttemptLog::sharing(self.spent.clone(), Some(chunk.index()));
        let settings = self.settings_now();
        if settings.deadline.is_some_and(|left| left.is_zero()) {
            return (log, Err(EndReason::Deadline));
        }
        if self.spent.exceed(&settings) {
            return (log, Err(EndReason::TokenBudget));
        }
        let found = found.map(|found| contract.without_spans(found));
        let prompt = self.prompt.clone().with_paragraph(&about_chunk(chunk, self.chunks, found.as_deref()));
        let mut judge = ChunkJudge::new(self.checks, contract, self.context);
        let (index, chunks) = (chunk.index(), self.chunks);
        let observe = &mut |event: &Event<'_>| {
            (self.observe)(&Event::InChunk { chunk: index, chunks, pass, event });
        };
        let mut run = ExtractionRun::new(contract, &settings, &mut judge, observe);
        let result = run.ask_all(self.agents, self.settings.opening(&prompt, self.shots), &mut log).await;
        log.metrics.elapsed = log.started.elapsed();
        let result = result.map(|()| judge.into_accepted().unwrap_or_default());
        (log, result)
    }

    /// The settings, with the time that is left as the deadline.
    pub(super) fn settings_now(&self) -> ExtractionSettings {
        self.settings.since(self.started)
    }
}

/// Returns whether a value has a part other than null, empty strings, and lists and objects without
/// one.
fn has_content(value: &Value) -> bool {
    all_values(value).any(|part| match part {
        Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => !text.is_empty(),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    })
}

/// The paragraphs that follow the user's own words.
fn about_chunk(chunk: &Chunk, chunks: usize, found: Option<&Value>) -> String {
    let number = chunk.index() + 1;
    let mut text = String::new();
    if !chunk.context().trim().is_empty() {
        let context = fenced("", chunk.context());
        text.push_str("What stands before the text, only to understand it. Take nothing from it:\n");
        text.push_str(&context);
        text.push_str("\n\n");
    }
    if chunks > 1 {
        let _ = write!(
            text,
            "The text is part {number} of {chunks} of a document. Answer with what this part states; leave out keys that \
             it says nothing about, and leave lists empty where it has nothing for them.\n\n"
        );
    }
    text.push_str(&text_paragraph(chunk.text()));
    if let Some(found) = found {
        let _ = write!(
            text,
            "\n\nFound in it already:\n{}\n\nAnswer with what is missing there and nothing else. If nothing is missing, leave \
             out the keys and leave the lists empty.",
            fenced("json", &found.to_string())
        );
    }
    text
}

/// The same for some passages of `text`, in their order.
pub(super) fn about_passages(text: &str, passages: &[Range<usize>]) -> String {
    let bytes: usize = passages.iter().map(Range::len).sum();
    if passages.is_empty() || bytes == text.len() {
        return text_paragraph(text);
    }
    let passages: Vec<_> = passages.iter().map(|range| fenced("", &text[range.clone()])).collect();
    format!("The passages of the text that are in question:\n{}", passages.join("\n\n"))
}
