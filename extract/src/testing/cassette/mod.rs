//! Recorded conversations for tests.

mod deltas;
mod diff;
mod recording;
mod sensitive;

use std::{
    borrow::Cow,
    error::Error,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use regex::Regex;
use serde_json::Value;

pub use self::recording::CassetteError;
use self::{
    recording::{
        CassetteRecording, RecordedAnswer, RecordedExchange, RecordedRequest, StreamedDeltas, TextLines,
    },
    sensitive::SensitiveCassette,
};
use crate::{
    agent::{
        Agent, AgentError, AgentErrorKind, Capabilities, Constraint, ConstraintFuture, DeltaSink, Reply,
        ReplyFuture, Request, guard,
    },
    vocabulary::{
        redaction::{Keys, VALUE_MARKER},
        text::counted,
    },
};

const MODE: &str = "EXTRACT_CASSETTE";

/// A conversation with a real agent in a file: recorded once, then replayed in every test.
///
/// ```
/// use extract::testing::{Cassette, ScriptedAgent, block_on};
/// use extract::Extractable as _;
///
/// # let folder = std::env::temp_dir().join(format!("extract-doc-{}", std::process::id()));
/// # let path = folder.join("legs.json");
/// # let real_agent = ScriptedAgent::new(["eight", "[8]"]);
/// // Once, with the real agent. The file is for the repository, and for reading.
/// let cassette = Cassette::record(real_agent, &path);
/// block_on(Vec::<u8>::extract(&cassette, "How many legs has a spider?"))?;
///
/// // From then on. A request that differs from the recording fails, and the error shows the difference.
/// let cassette = Cassette::replay(&path)?;
/// let (legs, metrics) = block_on(Vec::<u8>::extract(&cassette, "How many legs has a spider?"))?;
/// assert_eq!((legs, metrics.attempts), (vec![8], 2));
/// cassette.assert_finished();
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`from_env`](Self::from_env) does both.
///
/// # Recording
///
/// Each exchange is written as soon as it is complete, and always as a whole file. So the file is
/// never half written, and a failing test leaves the exchanges so far. A new recording replaces the
/// file at its first exchange. Failures are recorded too, except those of kind
/// [`Unavailable`](AgentErrorKind::Unavailable), which concern this machine and not the
/// conversation. A dropped request is not recorded.
///
/// # Secrets
///
/// Before anything is written, `[redacted]` replaces secrets in requests, replies and failures:
///
/// - anything that looks like a key (of OpenAI, Anthropic, Google, GitHub, AWS, Slack and others,
///   tokens in headers and URLs, private keys)
/// - the values of variables whose name ends in `_KEY`, `_TOKEN`, `_SECRET` or `_PASSWORD`,
///   whenever they are set
/// - everything that [`redact`](Self::redact) and [`redact_matching`](Self::redact_matching) name
///
/// The values of variables and of `redact` are found in upper and lower case, with separators or
/// line breaks in them, escaped as by `Debug`, JSON, URLs and HTML, in base64, and in hexadecimal
/// digits. The prompt itself is recorded: only you know what else in it is secret.
///
/// Values that an extraction finds at fields marked with `#[extract(sensitive)]` are not written
/// either. In a reply, an example replaces them, so that the replay conforms as the recording did;
/// `(hidden)` replaces values that did not conform. Everywhere else, including the prompt,
/// `(hidden)` replaces the same strings and numbers; a strict replay lets it match anything. A
/// reply with such a value is recorded as the JSON that was read from it. A reply that was cut,
/// cannot be read or is a patch is recorded as `(hidden)`, and so are the words of a refusal;
/// replay feedback to it [`loosely`](Self::loosely).
///
/// Two things are not covered; use [`redact`](Self::redact) for both. A number of fewer than four
/// digits is kept elsewhere in the reply. Requests without an extraction ([`Agent::respond`], a
/// [`Toolkit`](crate::Toolkit)) are not checked.
///
/// # Replaying
///
/// Replay is strict unless set to [`loosely`](Self::loosely). A request gets the answer of the
/// first unused exchange with the same turns, schema, limit of output tokens, temperature and
/// thinking level. If there is none, the error shows the first difference from the next unused
/// exchange. Each exchange is used once; concurrent requests may come in any order. Both sides are
/// compared after redaction, so you can also redact values that change with each run, such as a
/// date. Nothing waits and nothing is random.
///
/// A reply that was [streamed](Agent::stream) when it was recorded is replayed in the same deltas,
/// each in a poll of its own, so that [partials](crate::partials) are the same. So is the text that
/// was streamed before a failure. The recording has the lengths of the deltas; where something was
/// redacted, they are cut at other positions. Arguments of calls are spelled as in the recording. A
/// reply that was not streamed is replayed as one delta.
///
/// # Format
///
/// Indented JSON. Texts of several lines are lists of lines, so that a changed prompt is a readable
/// diff. The file has a version; other versions are refused.
#[derive(Debug)]
pub struct Cassette {
    path: PathBuf,
    name: String,
    mode: CassetteMode,
    secrets: Keys,
    state: Mutex<CassetteState>,
}

enum CassetteMode {
    Record(Box<dyn Agent>),
    Replay(ReplayMatch),
}

/// Which of the unused exchanges answers a request.
#[derive(Debug, Clone, Copy)]
enum ReplayMatch {
    /// The first with the same request.
    Same,
    /// The next, whatever its request is.
    Next,
}

#[derive(Debug, Default)]
struct CassetteState {
    exchanges: Vec<RecordedExchange>,
    /// Which exchanges were replayed.
    used: Vec<bool>,
    /// Requests that got no answer.
    complaints: Vec<String>,
    /// The sensitive values found in replies so far.
    sensitive: SensitiveCassette,
    /// How the recorded agent was constrained to each schema when it was last asked.
    constraints: Vec<(Arc<Value>, Constraint)>,
}

impl CassetteState {
    fn remember(&mut self, schema: &Arc<Value>, constraint: &Constraint) {
        self.constraints.retain(|(known, _)| known != schema);
        self.constraints.push((Arc::clone(schema), constraint.clone()));
    }

    fn remembered(&self, request: &Request) -> Option<Constraint> {
        let schema = request.schema.as_ref()?;
        let (_, constraint) = self.constraints.iter().find(|(known, _)| known == schema)?;
        Some(constraint).filter(|constraint| **constraint != Constraint::nothing()).cloned()
    }

    /// As recorded with the next question about `schema`, otherwise with the last one.
    fn recorded(&self, schema: &Value) -> Option<Constraint> {
        let about_it = |exchange: &&RecordedExchange| exchange.request.schema.as_ref() == Some(schema);
        let unused = self.exchanges.iter().zip(&self.used).filter(|(_, used)| !**used);
        let next = unused.map(|(exchange, _)| exchange).find(about_it);
        next.or_else(|| self.exchanges.iter().rev().find(about_it))?.constraint.clone()
    }
}

impl std::fmt::Debug for CassetteMode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Record(_) => f.write_str("Record"),
            Self::Replay(ReplayMatch::Same) => f.write_str("ReplayStrictly"),
            Self::Replay(ReplayMatch::Next) => f.write_str("ReplayLoosely"),
        }
    }
}

impl Cassette {
    /// Asks `agent`, and records requests and replies at `path`. Missing folders are created.
    pub fn record(agent: impl Agent + 'static, path: impl Into<PathBuf>) -> Self {
        let name = agent.name().into_owned();
        Self::new(path.into(), name, CassetteMode::Record(Box::new(agent)), Vec::new())
    }

    /// Replays the recording at `path`.
    ///
    /// # Errors
    ///
    /// If the file is missing, is not a cassette, has another version, or is larger than 64 MiB.
    pub fn replay(path: impl Into<PathBuf>) -> Result<Self, CassetteError> {
        let path = path.into();
        let tape = CassetteRecording::read(&path)?;
        Ok(Self::new(path, tape.agent, CassetteMode::Replay(ReplayMatch::Same), tape.exchanges))
    }

    /// Records if the variable `EXTRACT_CASSETTE` is `record`, and replays if it is `replay` or not
    /// set. `agent` is called only to record, so that a replay needs no key.
    ///
    /// With [`deny_real_agents`](super::deny_real_agents), recording has to be allowed:
    /// `EXTRACT_CASSETTE=record EXTRACT_ALLOW_REAL_AGENTS=1 cargo test`.
    ///
    /// ```no_run
    /// use extract::testing::Cassette;
    ///
    /// # fn real_agent() -> Result<extract::testing::ScriptedAgent, extract::agent::AgentError> { unimplemented!() }
    /// let cassette = Cassette::from_env("tests/cassettes/legs.json", real_agent)?;
    /// # Ok::<(), extract::testing::CassetteError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`replay`](Self::replay), the error of `agent`, or an unknown value of the variable.
    pub fn from_env<A: Agent + 'static, E: Into<Box<dyn Error + Send + Sync>>>(
        path: impl Into<PathBuf>,
        agent: impl FnOnce() -> Result<A, E>,
    ) -> Result<Self, CassetteError> {
        let mode = std::env::var_os(MODE).unwrap_or_default();
        Self::in_mode(&mode.to_string_lossy(), path.into(), agent)
    }

    fn in_mode<A: Agent + 'static, E: Into<Box<dyn Error + Send + Sync>>>(
        mode: &str,
        path: PathBuf,
        agent: impl FnOnce() -> Result<A, E>,
    ) -> Result<Self, CassetteError> {
        match mode.trim() {
            "" | "replay" => Self::replay(path),
            "record" => Ok(Self::record(agent().map_err(|error| CassetteError::Agent(error.into()))?, path)),
            other => Err(CassetteError::Mode(other.to_owned())),
        }
    }

    fn new(path: PathBuf, name: String, mode: CassetteMode, exchanges: Vec<RecordedExchange>) -> Self {
        let used = vec![false; exchanges.len()];
        let state = Mutex::new(CassetteState { exchanges, used, ..CassetteState::default() });
        Self { path, name, mode, secrets: Keys::of_environment(), state }
    }

    /// Replays the exchanges in order, no matter what the requests are. It has no effect on
    /// recording.
    pub fn loosely(mut self) -> Self {
        if let CassetteMode::Replay(matching) = &mut self.mode {
            *matching = ReplayMatch::Next;
        }
        self
    }

    /// Also redacts `text`, in all the [forms](Self#secrets) above. Needed for recording and for
    /// replaying. An empty string redacts nothing.
    pub fn redact(mut self, text: impl AsRef<str>) -> Self {
        self.secrets.insert(text.as_ref());
        self
    }

    /// Also redacts text that matches `pattern`, in the syntax of the crate
    /// [`regex`](https://docs.rs/regex/#syntax). Needed for recording and for replaying.
    ///
    /// # Errors
    ///
    /// If the pattern is not valid.
    pub fn redact_matching(mut self, pattern: &str) -> Result<Self, CassetteError> {
        let pattern = Regex::new(pattern).map_err(|error| CassetteError::Pattern(error.to_string()))?;
        self.secrets.insert_pattern(pattern);
        Ok(self)
    }

    /// Number of exchanges not yet replayed; 0 when recording.
    pub fn unused(&self) -> usize {
        self.locked().used.iter().filter(|used| !**used).count()
    }

    /// Checks that the replay matched the recording: every exchange was replayed, and every request
    /// had an answer. When recording, checks that something was recorded.
    ///
    /// # Errors
    ///
    /// [`CassetteError::Unfinished`], which lists the deviations.
    pub fn finish(&self) -> Result<(), CassetteError> {
        let unused = self.unused();
        let state = self.locked();
        let mut complaints = state.complaints.clone();
        if matches!(self.mode, CassetteMode::Record(_)) && state.exchanges.is_empty() {
            complaints.push("nothing was recorded; what is in the file is older".to_owned());
        }
        if unused > 0 {
            let first = state.used.iter().position(|used| !used).unwrap_or_default() + 1;
            let were = if unused == 1 { "was" } else { "were" };
            let unused = counted(unused, "exchange");
            complaints.push(format!(
                "{unused} of {} {were} never asked for, first number {first}",
                state.used.len()
            ));
        }
        if complaints.is_empty() {
            return Ok(());
        }
        Err(CassetteError::Unfinished { path: self.path.clone(), complaints })
    }

    /// Fails the test unless everything went as recorded.
    ///
    /// # Panics
    ///
    /// With the error of [`finish`](Self::finish).
    #[track_caller]
    pub fn assert_finished(&self) {
        if let Err(error) = self.finish() {
            panic!("{error}");
        }
    }

    fn locked(&self) -> MutexGuard<'_, CassetteState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ask_and_record(
        &self,
        agent: &dyn Agent,
        request: &Request,
        sink: Option<DeltaSink<'_>>,
    ) -> Result<Reply, AgentError> {
        let mut streamed = StreamedDeltas::default();
        let answer = match sink {
            None => agent.respond(request).await,
            Some(mut sink) => stream_and_record(agent, request, &mut sink, &mut streamed).await,
        };
        if let Err(error) = &answer {
            let is_denied = error.kind() == AgentErrorKind::Refused && guard::check(&self.name).is_err();
            if is_denied || error.kind() == AgentErrorKind::Unavailable {
                return answer;
            }
        }
        let mut exchange = RecordedExchange {
            request: self.asked(request),
            constraint: self.locked().remembered(request),
            sets_thinking: request.thinking.is_some() && agent.capabilities().sets_thinking,
            answer: RecordedAnswer::of(&answer, streamed, &self.secrets),
        };
        // Held while the file is written, so that no older state overwrites a newer one.
        let mut state = self.locked();
        if let (Ok(reply), RecordedAnswer::Reply(said)) = (&answer, &mut exchange.answer)
            && let Some(redacted) = state.sensitive.redacted(reply, request)
        {
            said.text = TextLines(self.secrets.redact(&redacted).into_owned());
        }
        if let RecordedAnswer::Reply(said) = &mut exchange.answer
            && request.marked_schema.is_some()
        {
            for call in &mut said.calls {
                if let Some(redacted) = state.sensitive.redacted_arguments(&call.arguments, request) {
                    call.arguments = redacted;
                }
            }
            // Only the agent knows what this data contains.
            said.provider_data = None;
            // It may quote the prompt.
            said.refusal = said.refusal.take().map(|_| TextLines(VALUE_MARKER.to_owned()));
        }
        if let RecordedAnswer::Failure(failed) = &mut exchange.answer
            && request.marked_schema.is_some()
        {
            // A part of a reply cannot be checked.
            failed.text = failed.text.take().map(|_| TextLines(VALUE_MARKER.to_owned()));
        }
        state.exchanges.push(exchange);
        let CassetteState { exchanges, sensitive, .. } = &mut *state;
        sensitive.take_out_of(exchanges);
        let written = recording::write(&self.path, &self.name, &state.exchanges);
        match written {
            Ok(()) => answer,
            Err(error) => {
                let message = format!("the reply came, but {error}");
                state.complaints.push(message.clone());
                Err(AgentError::unavailable(message).with_source(error))
            }
        }
    }

    /// The request as it is written and compared.
    fn asked(&self, request: &Request) -> RecordedRequest {
        let mut asked = RecordedRequest::of(request, &self.secrets);
        if request.marked_schema.is_some() {
            sensitive::without_replies(&mut asked);
        }
        asked
    }

    fn look_up(&self, request: &Request, matching: ReplayMatch) -> Result<RecordedAnswer, AgentError> {
        let asked = self.asked(request);
        let mut state = self.locked();
        let Some(next) = state.used.iter().position(|used| !used) else {
            let all = counted(state.used.len(), "exchange");
            return Err(self.complain(&mut state, &format!("has {all}, and this is one question more")));
        };
        let recorded = |exchange: &RecordedExchange| {
            let recorded = exchange.request.clone().redacted(&self.secrets);
            if request.marked_schema.is_some() { sensitive::agreeing(recorded, &asked) } else { recorded }
        };
        let same = |exchange: &RecordedExchange| recorded(exchange) == asked;
        let unused = |index: &usize| !state.used[*index];
        let found = match matching {
            ReplayMatch::Same => {
                (next..state.used.len()).filter(unused).find(|index| same(&state.exchanges[*index]))
            }
            ReplayMatch::Next => Some(next),
        };
        let Some(found) = found else {
            let difference = diff::of(&recorded(&state.exchanges[next]), &asked);
            let what = format!("has no such question; from number {} it differs in {difference}", next + 1);
            return Err(self.complain(&mut state, &what));
        };
        state.used[found] = true;
        Ok(state.exchanges[found].answer.clone())
    }

    fn complain(&self, state: &mut CassetteState, what: &str) -> AgentError {
        let path = self.path.display();
        let cure = format!("record it again with `{MODE}=record` if that is meant");
        let complaint = format!("the cassette `{path}` {what}\n{cure}");
        state.complaints.push(complaint.clone());
        AgentError::unavailable(complaint)
    }
}

/// Asks `agent`, and keeps what it streams to `sink`.
async fn stream_and_record(
    agent: &dyn Agent,
    request: &Request,
    sink: &mut DeltaSink<'_>,
    streamed: &mut StreamedDeltas,
) -> Result<Reply, AgentError> {
    agent.stream(request, sink.observed(|delta| streamed.add(delta))).await
}

impl Cassette {
    fn ask<'a>(&'a self, request: &'a Request, mut sink: Option<DeltaSink<'a>>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let matching = match &self.mode {
                CassetteMode::Record(agent) => return self.ask_and_record(&**agent, request, sink).await,
                CassetteMode::Replay(matching) => *matching,
            };
            let answer = self.look_up(request, matching)?;
            if let Some(sink) = &mut sink {
                answer.send(sink).await;
            }
            answer.into_result()
        })
    }
}

#[diagnostic::do_not_recommend]
impl Agent for Cassette {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        self.ask(request, None)
    }

    fn stream<'a>(&'a self, request: &'a Request, sink: DeltaSink<'a>) -> ReplyFuture<'a> {
        self.ask(request, Some(sink))
    }

    /// The name of the recorded agent.
    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.name)
    }

    /// Returns the capabilities of the recorded agent that the recording shows.
    fn capabilities(&self) -> Capabilities {
        match &self.mode {
            CassetteMode::Record(agent) => agent.capabilities(),
            CassetteMode::Replay { .. } => {
                let exchanges = &self.locked().exchanges;
                let calls_tools = exchanges.iter().any(|exchange| exchange.request.tools.is_some());
                let sets_thinking = exchanges.iter().any(|exchange| exchange.sets_thinking);
                let continues_replies = exchanges.iter().any(|exchange| exchange.request.prefill.is_some());
                Capabilities { calls_tools, sets_thinking, continues_replies, ..Capabilities::default() }
            }
        }
    }

    /// Returns the constraint of the recorded agent, if the recording shows it.
    fn constraint<'a>(&'a self, request: &'a Request) -> ConstraintFuture<'a> {
        Box::pin(async move {
            match (&self.mode, &request.schema) {
                (_, None) => Constraint::nothing(),
                (CassetteMode::Record(agent), Some(schema)) => {
                    let constraint = agent.constraint(request).await;
                    self.locked().remember(schema, &constraint);
                    constraint
                }
                (CassetteMode::Replay { .. }, Some(schema)) => {
                    self.locked().recorded(schema).unwrap_or_default()
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ScriptedAgent;

    #[test]
    fn the_agent_is_made_to_record_only() {
        let path = || std::env::temp_dir().join("extract-no-such-cassette.json");
        let broken = || Err::<ScriptedAgent, _>("no key");
        let mode = |mode| Cassette::in_mode(mode, path(), broken).unwrap_err();
        for replaying in ["", "replay"] {
            let message = mode(replaying).to_string();
            assert!(message.contains("`EXTRACT_CASSETTE=record`"), "{message}");
        }
        assert_eq!(mode("record").to_string(), "the agent to record could not be made: no key");
        assert_eq!(mode("rec").to_string(), "`EXTRACT_CASSETTE` is `rec`; expected `record` or `replay`");
        let cassette =
            Cassette::in_mode("record", path(), || Ok::<_, String>(ScriptedAgent::default())).unwrap();
        assert!(matches!(cassette.mode, CassetteMode::Record(_)));
    }
}
