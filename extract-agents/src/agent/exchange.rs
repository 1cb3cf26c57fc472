//! One question and its reply: sending, learning from a refusal, and reading.

use std::{borrow::Cow, sync::Arc, time::Duration};

use bytes::Bytes;
use extract::agent::{
    AgentErrorKind, DeltaSink, FinishReason, Reply, Request,
    provider::{
        ProviderFailure, check_whole_prompt, checked_name, has_lost_bytes, open_envelope, opening_envelope,
        readable_body,
    },
};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use super::{
    answered::Answered,
    learned::{self, locked},
    provider::{ProviderAgent, StructuredOutput},
};
use crate::{
    events::{Decoder, FRAMES},
    format::{ReplyTransfer, WireFormat},
    http::Response,
    profile::Prefill,
    wire::{
        Answer, Body, Collector, Offered, Question, SYSTEM_TURN, StreamClosing, StreamEnd, body, in_user_turn,
    },
};

/// Maximum parameters that are changed after refusals, one after the other.
const MAX_CHANGES: usize = 4;

/// How long to wait for the end of a stream after its end marker, so that the connection can be
/// used again.
const END: Duration = Duration::from_millis(20);

/// How long a stream may be silent after its stop reason. What may follow is the usage and the end
/// marker, which some servers do not send; so a connection that breaks now takes nothing of the reply.
const AFTER_STOP: Duration = Duration::from_secs(5);

/// A schema to send, and a note about it.
struct Plan {
    offered: Option<Arc<Offered>>,
    note: Option<String>,
}

/// The form in which a request was sent. Its answer may be read by another process, for which the
/// server takes other schemas and parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SentForm {
    /// Whether the server was given the schema.
    #[serde(rename = "s", skip_serializing_if = "is_false")]
    pub(crate) has_schema: bool,
    /// Whether the reply is an object around the answer.
    #[serde(rename = "e", skip_serializing_if = "is_false")]
    pub(crate) is_enveloped: bool,
    /// The name of the token limit, if it is not the profile's.
    #[serde(rename = "l", skip_serializing_if = "Option::is_none")]
    pub(crate) token_limit: Option<String>,
    /// The names of the parameters.
    #[serde(rename = "p", skip_serializing_if = "Vec::is_empty")]
    pub(crate) parameters: Vec<String>,
    /// See [`Question::form`].
    #[serde(rename = "f")]
    pub(crate) form: u64,
    /// How the request differs from what was asked for.
    #[serde(rename = "n", skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A request without a reply.
struct Unanswered {
    failure: ProviderFailure,
    /// Whether it was about a parameter that the next request does not have.
    is_learned: bool,
    /// The tokens of room for a reply, if the limit that the agent chose is above them.
    room: Option<u64>,
}

impl From<ProviderFailure> for Unanswered {
    fn from(failure: ProviderFailure) -> Self {
        Self { failure, is_learned: false, room: None }
    }
}

/// Returns whether a failure may have another reason than the schema: one that does not speak of it, and
/// Groq's of a reply that does not match.
fn is_only_suspected(failure: &ProviderFailure) -> bool {
    failure.message().contains("failed_generation") || !failure.speaks_of_the_schema()
}

impl ProviderAgent {
    pub(super) async fn ask(
        &self,
        request: &Request,
        sink: &mut Option<DeltaSink<'_>>,
    ) -> Result<Reply, ProviderFailure> {
        let Plan { offered, note } = self.plan(request);
        let note = note.into_iter();
        let Some(offered) = offered else {
            let described = request.describing_schema();
            let reply = self.send(&described, None, sink).await?;
            return Ok(note.fold(reply, Reply::with_note));
        };
        let failure = match self.send(request, Some(&offered), sink).await {
            // A continued reply is not constrained.
            Err(failure) if request.prefill.is_none() && failure.may_be_about_the_schema() => failure,
            Err(failure) => return Err(failure),
            Ok(reply) => {
                request.schema.as_deref().into_iter().for_each(|schema| locked(&self.learned).clear(schema));
                return Ok(note.fold(reply, Reply::with_note));
            }
        };
        let described = request.describing_schema();
        let reply = self.send(&described, None, sink).await?;
        // The reply without the schema shows that the schema was the reason.
        if let Some(schema) = request.schema.as_deref() {
            locked(&self.learned).refuse(schema, is_only_suspected(&failure));
        }
        let message = self.keys().redact(failure.message()).into_owned();
        Ok(reply.with_note(format!("the schema was refused, so it is left to the prompt: {message}")))
    }

    /// How the schema of `request` is sent.
    fn plan(&self, request: &Request) -> Plan {
        let prompt = |note| Plan { offered: None, note };
        let Some(schema) = &request.schema else { return prompt(None) };
        let support = self.support();
        if locked(&self.learned).refused(schema) {
            return prompt(Some(format!(
                "`{}` has refused the schema before; it is left to the prompt",
                self.name
            )));
        }
        match self.kept.schemas.offered(schema, self.profile.wire, &support) {
            Some(Ok(offered)) => Plan { note: offered.note.clone(), offered: Some(offered) },
            Some(Err(reason)) => prompt(Some(format!(
                "{} cannot express the schema, so it is left to the prompt: {reason}",
                self.profile.title
            ))),
            None if self.structured_output == StructuredOutput::Off => prompt(None),
            None => prompt(Some(format!(
                "`{}` is not known to take a schema; it is left to the prompt",
                self.name
            ))),
        }
    }

    /// Sends the request, and once more for each parameter that the server refuses, and with a lower limit of tokens
    /// if the prompt leaves less room.
    async fn send(
        &self,
        request: &Request,
        offered: Option<&Arc<Offered>>,
        sink: &mut Option<DeltaSink<'_>>,
    ) -> Result<Reply, ProviderFailure> {
        let mut most = None;
        for _ in 0..MAX_CHANGES {
            match self.exchange(request, (offered, most), sink).await {
                Err(Unanswered { is_learned: true, .. }) => {}
                Err(Unanswered { room: Some(room), .. }) if most.is_none() => most = Some(room),
                result => return result.map_err(|unanswered| unanswered.failure),
            }
        }
        self.exchange(request, (offered, most), sink).await.map_err(|unanswered| unanswered.failure)
    }

    fn token_limit(&self) -> &'static str {
        locked(&self.learned).token_limit().unwrap_or(self.profile.token_limit)
    }

    /// Sends the request with a limit of at most `most` tokens, and reads the reply.
    async fn exchange(
        &self,
        request: &Request,
        (offered, most): (Option<&Arc<Offered>>, Option<u64>),
        sink: &mut Option<DeltaSink<'_>>,
    ) -> Result<Reply, Unanswered> {
        // A stream that repeats the beginning would pass it on.
        let repeats = request.prefill.is_some() && self.profile.prefill == Prefill::Prefix;
        let is_streamed = sink.is_some() && !repeats && !locked(&self.learned).refuses_streams();
        let transfer = if is_streamed { ReplyTransfer::Streamed } else { ReplyTransfer::Whole };
        let mut body = self.body_of(request, (offered, most), transfer)?;
        let target = self.target(transfer)?;
        // Without the room that was left to write into: it is kept until the reply is there.
        let sent = Bytes::from(std::mem::take(&mut body.bytes).into_boxed_slice());
        let mut response = self.http.post(target, sent.clone()).await?;
        if !(200..300).contains(&response.status()) {
            return Err(self.unanswered(response.failure().await, request, &body));
        }
        let is_enveloped = offered.is_some_and(|offered| offered.is_enveloped) && request.prefill.is_none();
        let answer = match sink {
            Some(sink) if is_streamed => {
                let sink = sink.restart();
                let sink = if is_enveloped { opening_envelope(sink) } else { sink };
                self.read(&mut response, Some(sink)).await
            }
            _ => self.read(&mut response, None).await,
        };
        let answer = answer.map_err(|failure| {
            let failure = failure.with_request_id(response.request_id().as_deref());
            self.unanswered(failure, request, &body)
        })?;
        // A prompt that fills the context leaves no room for a reply: it was cut.
        if let Some(seen) = answer.counts.seen().filter(|seen| body.context.is_some_and(|all| *seen >= all)) {
            let message =
                format!("the prompt was cut: it takes all {seen} tokens of the context; set a longer one");
            let failure = ProviderFailure::new(AgentErrorKind::TooLong, message);
            let failure = failure.with_request_id(response.request_id().as_deref());
            return Err(failure.with_usage(answer.counts.usage()).into());
        }
        let is_filled = body.sent_limit.is_some_and(|limit| answer.fills(limit));
        let reply = self.finish(answer, request, is_enveloped, (response.status(), response.request_id()))?;
        // Some gateways say `stop` of every reply.
        let is_cut = is_filled && *reply.finish_reason() == FinishReason::Stop;
        let reply = if is_cut { reply.finished(FinishReason::Length) } else { reply };
        let reply = match response.cost().filter(|_| reply.reported_cost().is_none()) {
            Some(cost) => reply.with_reported_cost(cost),
            None => reply,
        };
        if let Some(observe) = &self.observer {
            let (status, headers) = (response.status(), response.headers());
            observe(&Answered { status, headers, request: &sent, reply: &reply });
        }
        if let Some(sink) = sink.as_mut().filter(|_| !is_streamed) {
            sink.restart().send(reply.text());
        }
        Ok(body.notes.into_iter().fold(reply, Reply::with_note))
    }

    /// A failure of `request`, from which the agent learns.
    fn unanswered(&self, failure: ProviderFailure, request: &Request, body: &Body) -> Unanswered {
        let mut learned = locked(&self.learned);
        let is_learned = learned.learn(&failure, body.token_limit, (&body.parameters, body.form));
        if request.prefill.is_some() && !is_learned {
            learned.learn_of_prefill(&failure);
        }
        let is_above = |room: &u64| body.sent_limit.is_some_and(|limit| limit > *room);
        let is_own_limit = request.max_output_tokens.is_none();
        let room = learned::room(&failure).filter(|room| is_own_limit && is_above(room));
        Unanswered { failure, is_learned, room }
    }

    fn body_of(
        &self,
        request: &Request,
        (offered, most): (Option<&Arc<Offered>>, Option<u64>),
        transfer: ReplyTransfer,
    ) -> Result<Body, ProviderFailure> {
        let has_no_system_turn = locked(&self.learned).refuses(SYSTEM_TURN);
        let asked = if has_no_system_turn { in_user_turn(request) } else { Cow::Borrowed(request) };
        let mut question = Question {
            profile: &self.profile,
            model: &self.model,
            request: &asked,
            offered: offered.cloned(),
            transfer,
            settings: &self.settings,
            token_limit: self.token_limit(),
            unsupported: &[],
            most_output: most,
        };
        let (unsupported, most_known) = {
            let learned = locked(&self.learned);
            (learned.unsupported(question.form()), learned.most_output())
        };
        question.unsupported = &unsupported;
        question.most_output = most.into_iter().chain(most_known).min();
        let mut body = body(&question, &self.kept.heads)?;
        if has_no_system_turn {
            let note = "takes no turn of the system, so its instructions are at the start of the user's";
            body.notes.push(format!("`{}` {note}", self.model));
        }
        Ok(body)
    }

    /// Returns the body of the request for a batch, which is not streamed, and what its answer is
    /// read by.
    pub(crate) fn batch_body(&self, request: &Request) -> Result<(Vec<u8>, SentForm), ProviderFailure> {
        let Plan { offered, note } = self.plan(request);
        let body = match &offered {
            Some(offered) => self.body_of(request, (Some(offered), None), ReplyTransfer::Whole)?,
            None => self.body_of(&request.describing_schema(), (None, None), ReplyTransfer::Whole)?,
        };
        let sent = SentForm {
            has_schema: offered.is_some(),
            is_enveloped: offered.is_some_and(|offered| offered.is_enveloped) && request.prefill.is_none(),
            token_limit: Some(body.token_limit)
                .filter(|name| *name != self.profile.token_limit)
                .map(Into::into),
            parameters: body.parameters,
            form: body.form,
            notes: note.into_iter().chain(body.notes).collect(),
        };
        Ok((body.bytes, sent))
    }

    /// Reads the answer to a [`batch_body`](Self::batch_body): the status and the id of a response,
    /// and its body.
    ///
    /// A refused schema or parameter is remembered, so that the next body is without it, and the
    /// failure is transient.
    pub(crate) fn batch_reply(
        &self,
        request: &Request,
        sent: &SentForm,
        (status, id): (u16, Option<&str>),
        body: &str,
    ) -> Result<Reply, ProviderFailure> {
        let answer = if (200..300).contains(&status) {
            Collector::new(self.profile.wire).whole(body.as_bytes())
        } else {
            Err(ProviderFailure::of_status(status, "", body, |_| None))
        };
        let schema = request.schema.as_deref().filter(|_| sent.has_schema);
        let failure = match answer {
            Ok(answer) => {
                if let Some(schema) = schema {
                    locked(&self.learned).clear(schema);
                }
                let origin = (status, id.and_then(checked_name));
                let reply = self.finish(answer, request, sent.is_enveloped, origin)?;
                return Ok(sent.notes.iter().cloned().fold(reply, Reply::with_note));
            }
            Err(failure) => failure.with_request_id(id),
        };
        let token_limit = sent.token_limit.as_deref().unwrap_or(self.profile.token_limit);
        let is_learned = locked(&self.learned).learn(&failure, token_limit, (&sent.parameters, sent.form));
        if let (false, true, Some(schema)) = (is_learned, failure.may_be_about_the_schema(), schema) {
            locked(&self.learned).refuse(schema, is_only_suspected(&failure));
        } else if !is_learned {
            return Err(failure);
        }
        Err(ProviderFailure::garbled(failure.message()))
    }

    /// Turns what a response contains into a reply. `origin` is its status and the id of its request.
    fn finish(
        &self,
        mut answer: Answer,
        request: &Request,
        is_enveloped: bool,
        origin: (u16, Option<String>),
    ) -> Result<Reply, ProviderFailure> {
        let (cost, tokens) = (answer.cost, std::mem::take(&mut answer.tokens));
        let spelled = (!tokens.is_empty()).then(|| (answer.text.clone(), tokens));
        answer.origin.status = Some(origin.0);
        answer.origin.request_id = origin.1.or(answer.origin.request_id.take());
        self.redact(&mut answer);
        let (usage, id) = (answer.counts.usage(), answer.origin.request_id.clone());
        let reply = self.to_reply(answer, request);
        let reply = reply.map_err(|failure| failure.with_usage(usage).with_request_id(id.as_deref()))?;
        let reply = if is_enveloped { open_envelope(reply) } else { reply };
        let tokens = spelled.map_or_else(Vec::new, |(whole, tokens)| tokens.within(&whole, reply.text()));
        Ok(cost.into_iter().fold(reply.with_token_probabilities(tokens), Reply::with_reported_cost))
    }

    /// Reads the body in its actual form: a server may not stream, or stream without a request for
    /// it.
    async fn read(
        &self,
        response: &mut Response,
        sink: Option<DeltaSink<'_>>,
    ) -> Result<Answer, ProviderFailure> {
        // It would do so again, and each of these replies costs as much as a readable one.
        if let Some(encoding) = response.encoding() {
            return Err(ProviderFailure::refused(format!(
                "the server compressed its response ({encoding}), although the request accepts only `identity`"
            )));
        }
        let kind = response.content_type();
        let is_lines = kind.contains("ndjson") || kind.contains("jsonl") || kind == FRAMES;
        let mut sink = sink.unwrap_or_else(|| DeltaSink::new(|_| {}));
        // Some servers and gateways answer with one body under the type of a stream.
        if is_lines || kind.contains("event-stream") && !response.begins_with_json().await? {
            response.as_stream();
            // In a box, because it would double the size of every request in flight.
            return Box::pin(self.read_events(response, Decoder::of(&kind), &mut sink)).await;
        }
        let body = response.whole().await?;
        if kind.contains("html") {
            let text = String::from_utf8_lossy(&body);
            let got = readable_body(&text);
            return Err(ProviderFailure::garbled(format!("expected application/json, got {kind}: {got}")));
        }
        let failure = match Collector::new(self.profile.wire).whole(&body) {
            Ok(answer) => {
                sink.send(&answer.text);
                return Ok(answer);
            }
            Err(failure) => failure,
        };
        // Events under another name.
        let is_events = serde_json::from_slice::<&serde_json::value::RawValue>(&body).is_err();
        if !is_events || failure.is_refusal() {
            return Err(failure);
        }
        match self.read_as_events(&body, &mut sink) {
            Ok(answer) if answer.is_whole(self.closing(response)) && !answer.is_nothing() => Ok(answer),
            Err(reported) if reported.kind() != AgentErrorKind::Garbled => Err(reported),
            _ => Err(failure),
        }
    }

    fn read_as_events(&self, mut body: &[u8], sink: &mut DeltaSink<'_>) -> Result<Answer, ProviderFailure> {
        let (mut events, mut collector) = (Decoder::of(""), Collector::new(self.profile.wire));
        while let Some(event) = events.next(&mut body)? {
            collector.event(&event, sink)?;
        }
        if let Some(event) = events.end()? {
            collector.event(&event, sink)?;
        }
        collector.flush(sink)?;
        Ok(collector.end())
    }

    async fn read_events(
        &self,
        response: &mut Response,
        events: Decoder,
        sink: &mut DeltaSink<'_>,
    ) -> Result<Answer, ProviderFailure> {
        let mut collector = Collector::new(self.profile.wire);
        let followed = follow(response, events, &mut collector, sink).await;
        let usage = collector.usage();
        followed.map_err(|failure| failure.with_usage(usage))?;
        let mut answer = collector.end();
        answer.is_repeating = sink.is_repeating();
        let is_whole = answer.is_whole(self.closing(response));
        if answer.is_repeating || is_whole && !answer.is_nothing() {
            return Ok(answer);
        }
        let failure = if is_whole {
            ProviderFailure::garbled("the stream holds no reply")
        } else {
            let message = "the stream ended without its end marker";
            ProviderFailure::new(AgentErrorKind::Transport, message)
        };
        Err(failure.with_usage(usage))
    }

    fn closing(&self, response: &Response) -> StreamClosing {
        match self.profile.wire {
            _ if !response.has_end() => StreamClosing::Unmarked,
            WireFormat::ChatCompletions => StreamClosing::HttpWithoutMarker,
            _ => StreamClosing::Http,
        }
    }

    fn to_reply(&self, mut answer: Answer, request: &Request) -> Result<Reply, ProviderFailure> {
        if let Some(prefill) = request.prefill.as_deref() {
            self.keep_addition(&mut answer, prefill);
        }
        if answer.is_out_of_turn() {
            return Err(ProviderFailure::garbled(
                "the server sent several replies, and the first one not first",
            ));
        }
        let (is_repeating, has_halves) = (answer.is_repeating, answer.halves > 0);
        let reply = answer.into_reply(&self.profile, request);
        let reply = if is_repeating { reply.finished(FinishReason::Repetition) } else { reply };
        if has_lost_bytes(&reply, &request.conversation) {
            let why = if has_halves { "the reply has half of a character" } else { "the reply is not UTF-8" };
            return Err(ProviderFailure::garbled(why));
        }
        check_whole_prompt(&self.name, &reply, &request.conversation)
            .map_err(|error| ProviderFailure::new(error.kind(), error.message()))?;
        Ok(reply)
    }

    /// Reduces a continued reply to its addition. Some servers repeat the beginning. Anthropic is
    /// not sent the white space at its end: a reply that does not begin with it may not continue
    /// from there, so it adds nothing.
    fn keep_addition(&self, answer: &mut Answer, prefill: &str) {
        if matches!(self.profile.prefill, Prefill::Prefix | Prefill::RepeatedLastTurn)
            && let Some(rest) = answer.text.strip_prefix(prefill)
        {
            answer.text = rest.to_owned();
        }
        if self.profile.wire == WireFormat::Messages {
            let blank = &prefill[prefill.trim_end().len()..];
            match answer.text.strip_prefix(blank) {
                Some("") if blank.is_empty() => {}
                Some(rest) => answer.text = rest.to_owned(),
                None => {
                    answer.text.clear();
                    answer.stops = vec!["not continued at the white space".to_owned()];
                }
            }
        }
    }
}

/// Passes the events of a stream to `collector`, until it has ended or only repeats itself.
async fn follow(
    response: &mut Response,
    mut events: Decoder,
    collector: &mut Collector,
    sink: &mut DeltaSink<'_>,
) -> Result<(), ProviderFailure> {
    loop {
        let next = match collector.stream_end() {
            StreamEnd::Open => response.chunk().await?,
            StreamEnd::Stopped => match timeout(AFTER_STOP, response.chunk()).await {
                Ok(Err(failure)) if failure.kind() == AgentErrorKind::Garbled => return Err(failure),
                Ok(next) => next.unwrap_or_default(),
                Err(_) => None,
            },
            StreamEnd::Done => {
                let _ = timeout(END, response.chunk()).await;
                return Ok(());
            }
        };
        let Some(bytes) = next else { break };
        let mut rest = &*bytes;
        while let Some(event) = events.next(&mut rest)? {
            collector.event(&event, sink)?;
            if sink.is_repeating() {
                return Ok(());
            }
            sink.pause().await;
        }
    }
    match events.end() {
        Ok(last) => last.map_or(Ok(()), |event| collector.event(&event, sink))?,
        // Half of the usage or of the end marker takes nothing of the reply.
        Err(_) if collector.ends_before_half_an_event() => {}
        Err(failure) => return Err(failure),
    }
    collector.flush(sink)
}
