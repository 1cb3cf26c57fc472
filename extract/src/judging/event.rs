//! The events that observers get.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use crate::{
    agent::{AgentError, Reply, Request},
    attempt::{AttemptRecord, Continuation},
    metrics::ExtractionMetrics,
    reading::Reading,
    vocabulary::violation::LeftOutItem,
};

/// Receives every [`Event`].
pub(crate) type Observer<'a> = Box<dyn FnMut(&Event<'_>) + Send + 'a>;

/// Calls each of `observers` with an event.
pub(crate) fn notify<'o>(observers: &'o mut [Observer<'_>]) -> impl FnMut(&Event<'_>) + 'o {
    move |event| observers.iter_mut().for_each(|observer| observer(event))
}

/// Like [`notify`], for questions that are asked at the same time.
pub(crate) fn notify_in_turn<'o>(observers: &'o mut [Observer<'_>]) -> impl Fn(&Event<'_>) + Sync + 'o {
    let observe = Mutex::new(notify(observers));
    // A panic of an observer ends the extraction anyway.
    move |event| (observe.lock().unwrap_or_else(PoisonError::into_inner))(event)
}

/// Something that happened in an extraction.
///
/// `Debug` omits prompts and replies, so that they do not end up in a log by accident. The fields
/// have them.
#[non_exhaustive]
pub enum Event<'a> {
    /// The agent is about to be asked.
    #[non_exhaustive]
    Asked {
        /// Number of the attempt, from 1.
        attempt: u32,
        /// Attempts allowed. Each [continued](crate::Extraction::max_continuations) attempt adds
        /// one.
        max_attempts: u32,
        /// Where the reply continues the previous one, if that was cut.
        continuation: Option<&'a Continuation>,
        /// The whole question; its last turn is the prompt or the feedback.
        request: &'a Request,
        /// Whether the question asks for a JSON Patch (RFC 6902) of the last submission instead of
        /// the value.
        wants_patch: bool,
        #[doc(hidden)]
        notice: Option<ContinuationNotice<'a>>,
    },
    /// A delta of the reply arrived. Needs [`stream`](crate::Extraction::stream).
    ///
    /// The text of the reply is the concatenation of the deltas since the latest one with
    /// `is_first`; [`Replied`](Self::Replied) has the whole text. A failure supersedes the deltas
    /// before it. [`TransportFailed`](Self::TransportFailed) reports it if the extraction asks
    /// again. If a [layer](crate::agent::layers) asks again or asks another agent, the next delta
    /// has `is_first` set.
    ///
    /// ```
    /// # use extract::{Contract, Event, testing::{ScriptedAgent, block_on}};
    /// # let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
    /// // A model that writes `4` first and the rest a little later.
    /// let agent = ScriptedAgent::new(["42"]).streaming(["4"]);
    /// let mut shown = String::new();
    /// let extraction = contract.extract(&agent, "How many?").stream(true).observe(|event| {
    ///     if let Event::Delta { text, is_first, .. } = event {
    ///         if *is_first {
    ///             shown.clear();
    ///         }
    ///         shown.push_str(text); // or draw it
    ///     }
    /// });
    /// let (value, _) = block_on(extraction)?;
    /// assert_eq!(value, 42);
    /// assert_eq!(shown, "42");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[non_exhaustive]
    Delta {
        /// Number of the attempt.
        attempt: u32,
        /// The text since the previous delta; never empty.
        text: &'a str,
        /// Whether a reply starts here and supersedes the deltas before.
        is_first: bool,
    },
    /// A delta of the arguments of a tool call arrived, from an agent that streams them. Needs
    /// [`stream`](crate::Extraction::stream) and [`tools`](crate::Extraction::tools).
    ///
    /// The arguments are the concatenation of the deltas of the same call since the latest
    /// `is_first` delta of either kind; the [reply](Self::Replied) has the whole call. The agent
    /// may still be cut off, or call another tool as well: several calls of `submit` may be
    /// parts of one list.
    #[non_exhaustive]
    Arguments {
        /// Number of the attempt.
        attempt: u32,
        /// Number of the call within the reply, from 0.
        call: usize,
        /// Name of the tool.
        name: &'a str,
        /// The JSON text since the previous delta; never empty.
        text: &'a str,
        /// Whether a reply starts here and supersedes the deltas before.
        is_first: bool,
    },
    /// There was no reply, and the same request will be repeated. The earlier deltas of this
    /// attempt are superseded.
    #[non_exhaustive]
    TransportFailed {
        /// Number of the attempt that still has no reply.
        attempt: u32,
        /// The reason.
        error: &'a AgentError,
        /// How long until the request is repeated.
        wait: Duration,
    },
    /// The agent replied.
    #[non_exhaustive]
    Replied {
        /// Number of the attempt.
        attempt: u32,
        /// The reply, not yet judged.
        reply: &'a Reply,
    },
    /// The reply was read. The value, if there is one, is about to be judged.
    #[non_exhaustive]
    Read {
        /// Number of the attempt.
        attempt: u32,
        /// The value or why there is no value, and every change that reading made.
        reading: &'a Reading,
    },
    /// The reply was read and judged. It is accepted unless the record has violations other than
    /// warnings.
    #[non_exhaustive]
    Judged {
        /// The attempt, as the history keeps it.
        record: &'a AttemptRecord,
        /// Whether the value is accepted, which ends the extraction.
        is_accepted: bool,
    },
    /// The attempt failed, and the next question is ready.
    #[non_exhaustive]
    FeedingBack {
        /// The attempt that failed.
        record: &'a AttemptRecord,
        /// Name of the agent that is asked next.
        agent: &'a str,
        /// The next question; its last turn has the feedback. After a refusal it is the first question
        /// again.
        request: &'a Request,
    },
    /// No attempt is left, and one of those made is accepted without its broken items. Needs
    /// [`keep_valid_items`](crate::Extraction::keep_valid_items).
    #[non_exhaustive]
    LeftOut {
        /// Number of the attempt.
        attempt: u32,
        /// The attempt, with the value as it was submitted.
        record: &'a AttemptRecord,
        /// The items that were left out.
        left_out: &'a [LeftOutItem],
    },
    /// Something happened in a question about a chunk of the document. Everything after the answers
    /// were merged, including [`Done`](Self::Done), is an event of the whole.
    #[non_exhaustive]
    InChunk {
        /// The chunk, counted from 0.
        chunk: usize,
        /// How many chunks there are.
        chunks: usize,
        /// The pass over the document, from 1.
        pass: u32,
        /// The event in the chunk.
        event: &'a Event<'a>,
    },
    /// Something happened in one of several [samples](crate::Confidence::Samples). Everything after
    /// the samples were merged, including [`Done`](Self::Done), is an event of the whole, and so are
    /// the questions to a [larger agent](crate::Extraction::escalate_below).
    #[non_exhaustive]
    InSample {
        /// The sample, counted from 0.
        sample: u32,
        /// How many samples there are.
        samples: u32,
        /// The event in the sample.
        event: &'a Event<'a>,
    },
    /// The answer to a chunk is accepted, or the chunk ended without one.
    #[non_exhaustive]
    ChunkDone {
        /// The chunk, counted from 0.
        chunk: usize,
        /// How many chunks there are.
        chunks: usize,
        /// Whether there is an answer.
        is_success: bool,
    },
    /// The extraction is over.
    #[non_exhaustive]
    Done {
        /// Whether there is a value.
        is_success: bool,
        /// The metrics of the extraction.
        metrics: &'a ExtractionMetrics,
    },
}

/// The reply that was cut, for streams that show how it continues.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct ContinuationNotice<'a>(pub(crate) &'a super::reply_continuation::ReplyContinuation);

impl fmt::Debug for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut show = |name: &str, fields: &[(&str, &dyn fmt::Debug)]| {
            let mut shown = f.debug_struct(name);
            for (name, value) in fields {
                shown.field(name, value);
            }
            shown.finish_non_exhaustive()
        };
        match self {
            Self::Asked { attempt, max_attempts, continuation, request, wants_patch, notice: _ } => show(
                "Asked",
                &[
                    ("attempt", attempt),
                    ("max_attempts", max_attempts),
                    ("continuation", continuation),
                    ("wants_patch", wants_patch),
                    ("turns", &request.conversation.turns().len()),
                    ("chars", &request.conversation.chars()),
                ],
            ),
            Self::Delta { attempt, text, is_first } => {
                let chars = text.chars().count();
                show("Delta", &[("attempt", attempt), ("chars", &chars), ("is_first", is_first)])
            }
            Self::Arguments { attempt, call, name, text, is_first } => show(
                "Arguments",
                &[
                    ("attempt", attempt),
                    ("call", call),
                    ("name", name),
                    ("chars", &text.chars().count()),
                    ("is_first", is_first),
                ],
            ),
            Self::TransportFailed { attempt, error, wait } => {
                let error = format_args!("{error}");
                show("TransportFailed", &[("attempt", attempt), ("error", &error), ("wait", wait)])
            }
            Self::Replied { attempt, reply } => show(
                "Replied",
                &[
                    ("attempt", attempt),
                    ("chars", &reply.text().chars().count()),
                    ("finish_reason", reply.finish_reason()),
                    ("usage", &reply.usage()),
                ],
            ),
            Self::Read { attempt, reading } => show(
                "Read",
                &[
                    ("attempt", attempt),
                    ("has_value", &reading.value.is_some()),
                    ("changes", &reading.changes.len()),
                    ("completeness", &reading.completeness),
                ],
            ),
            Self::Judged { record, is_accepted } => show(
                "Judged",
                &[
                    ("attempt", &record.number),
                    ("is_accepted", is_accepted),
                    ("violations", &record.violations.len()),
                    ("is_stalled", &record.is_stalled),
                ],
            ),
            Self::FeedingBack { record, agent, request } => {
                let chars = request.conversation.chars();
                show("FeedingBack", &[("attempt", &record.number), ("agent", agent), ("chars", &chars)])
            }
            Self::LeftOut { attempt, left_out, .. } => {
                show("LeftOut", &[("attempt", attempt), ("items", &left_out.len())])
            }
            Self::InChunk { chunk, chunks, pass, event } => {
                show("InChunk", &[("chunk", chunk), ("chunks", chunks), ("pass", pass), ("event", event)])
            }
            Self::InSample { sample, samples, event } => {
                show("InSample", &[("sample", sample), ("samples", samples), ("event", event)])
            }
            Self::ChunkDone { chunk, chunks, is_success } => {
                show("ChunkDone", &[("chunk", chunk), ("chunks", chunks), ("is_success", is_success)])
            }
            Self::Done { is_success, metrics } => {
                show("Done", &[("is_success", is_success), ("metrics", &format_args!("{metrics}"))])
            }
        }
    }
}
