//! The text of a reply, and the arguments of its calls, while the agent writes them or repeats itself.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use super::{Agent, AgentError, Conversation, ReplyFuture, Request, Turn, cut_prompt::check_whole_prompt};
use crate::vocabulary::{
    repetition::{LoopWatch, StatedString},
    time_limit::yield_once,
};

/// A part of a reply, sent while the reply is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delta<'a> {
    /// The text since the previous delta of the reply or of the same call; never empty.
    pub text: &'a str,
    /// The tool call whose arguments contain the text; `None` for text of the reply.
    pub call: Option<CallDelta<'a>>,
    /// Whether a reply starts here. Earlier deltas then belong to a reply that failed, and are
    /// superseded.
    pub is_first: bool,
}

/// Which tool call a [`Delta`] belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallDelta<'a> {
    /// The number of the call within the reply, from 0.
    pub index: usize,
    /// The name of the tool.
    pub name: &'a str,
}

/// Receives the text of a reply and the arguments of its calls, delta by delta, from
/// [`Agent::stream`].
///
/// ```
/// use extract::agent::{Agent, Conversation, DeltaSink, Request};
/// use extract::testing::{ScriptedAgent, block_on};
///
/// let agent = ScriptedAgent::new(["[8]"]).streaming(["[", "8"]);
/// let request = Request::new(Conversation::new());
/// let mut deltas = Vec::new();
/// let sink = DeltaSink::new(|delta| deltas.push(delta.text.to_owned()));
/// let reply = block_on(agent.stream(&request, sink))?;
/// assert_eq!(reply.text(), "[8]");
/// assert_eq!(deltas, ["[", "8", "]"]);
/// # Ok::<(), extract::agent::AgentError>(())
/// ```
pub struct DeltaSink<'a> {
    // Boxed, because `restart` needs a shorter lifetime, which a reference could not have.
    receive: Box<dyn FnMut(Delta<'_>) + Send + 'a>,
    is_first: bool,
    /// Whether whoever reads the stream has something to take, if anybody does.
    has_news: Option<Arc<AtomicBool>>,
    watch: Option<RepetitionWatch<'a>>,
}

impl<'a> DeltaSink<'a> {
    /// Passes the deltas of one reply to `receive`.
    pub fn new(receive: impl FnMut(Delta<'_>) + Send + 'a) -> Self {
        Self { receive: Box::new(receive), is_first: true, has_news: None, watch: None }
    }

    /// Continues this sink; `observe` gets each delta first.
    pub(crate) fn observed<'s>(
        &'s mut self,
        mut observe: impl FnMut(Delta<'_>) + Send + 's,
    ) -> DeltaSink<'s> {
        let (is_first, has_news, watch) = (self.is_first, self.has_news.clone(), self.watch.take());
        let receive = &mut self.receive;
        let both = move |delta: Delta<'_>| {
            observe(delta);
            receive(delta);
        };
        DeltaSink { receive: Box::new(both), is_first, has_news, watch }
    }

    /// Continues this sink with the deltas that `map` makes of each delta.
    pub(crate) fn mapped(
        self,
        mut map: impl FnMut(Delta<'_>, &mut dyn FnMut(Delta<'_>)) + Send + 'a,
    ) -> Self {
        let Self { mut receive, is_first, has_news, watch } = self;
        Self { receive: Box::new(move |delta| map(delta, &mut *receive)), is_first, has_news, watch }
    }

    /// Watches for repetition in the reply to `request`; see [`is_repeating`](Self::is_repeating).
    #[must_use]
    pub fn watching(mut self, request: &'a Request) -> Self {
        self.watch = Some(RepetitionWatch::new(request));
        self
    }

    /// Pauses where `has_news` is set; see [`pause`](Self::pause).
    pub(crate) fn pausing(mut self, has_news: Option<Arc<AtomicBool>>) -> Self {
        self.has_news = has_news;
        self
    }

    /// Returns whether the text so far only repeats itself. The agent should then end the reply,
    /// with the text so far and [`FinishReason::Repetition`](super::FinishReason::Repetition),
    /// because it would continue up to the token limit. An agent that cannot end its reply
    /// continues.
    ///
    /// Only the sinks of extractions watch for repetition, unless
    /// [`end_repetition`](crate::Extraction::end_repetition) is off. [`RepetitionWatch`] defines
    /// what counts.
    pub fn is_repeating(&self) -> bool {
        self.watch.as_ref().is_some_and(RepetitionWatch::is_repeating)
    }

    /// Sends the text since the last call. An empty `text` is ignored.
    pub fn send(&mut self, text: &str) {
        if !text.is_empty() {
            if let Some(watch) = &mut self.watch {
                watch.push(text.as_bytes());
            }
            (self.receive)(Delta { text, call: None, is_first: std::mem::take(&mut self.is_first) });
        }
    }

    /// Sends the arguments of a tool call that were written since the last call for it, as the JSON
    /// text of the provider. `index` is the number of the tool call within the reply, from 0, and
    /// `name` is the name of the tool. An empty `text` is ignored.
    ///
    /// Streaming calls is optional: the calls in the reply count.
    ///
    /// ```
    /// use extract::agent::DeltaSink;
    ///
    /// let mut arguments = String::new();
    /// let mut sink = DeltaSink::new(|delta| {
    ///     if let Some(call) = delta.call {
    ///         assert_eq!((call.index, call.name), (0, "submit"));
    ///         arguments.push_str(delta.text);
    ///     }
    /// });
    /// sink.send("I submit it.");
    /// sink.send_arguments(0, "submit", "{\"legs\":");
    /// sink.send_arguments(0, "submit", " 8}");
    /// drop(sink);
    /// assert_eq!(arguments, "{\"legs\": 8}");
    /// ```
    pub fn send_arguments(&mut self, index: usize, name: &str, text: &str) {
        if !text.is_empty() {
            let (call, is_first) = (CallDelta { index, name }, std::mem::take(&mut self.is_first));
            (self.receive)(Delta { text, call: Some(call), is_first });
        }
    }

    /// Gives whoever reads the stream a turn, if the deltas so far brought something to take. An agent that
    /// may have several deltas at hand waits here after each: otherwise the first
    /// [item](crate::Extraction::items) or [partial](crate::Extraction::partials) comes with the last of
    /// them.
    ///
    /// ```
    /// # use extract::agent::{DeltaSink, Reply};
    /// async fn send_all(chunks: Vec<String>, mut sink: DeltaSink<'_>) -> Reply {
    ///     for chunk in &chunks {
    ///         sink.send(chunk);
    ///         sink.pause().await;
    ///     }
    ///     Reply::new(chunks.concat())
    /// }
    /// ```
    pub async fn pause(&mut self) {
        if self.has_news.as_ref().is_some_and(|news| news.swap(false, Ordering::Relaxed)) {
            yield_once().await;
        }
    }

    /// Restarts the stream for a retry or another agent. Its first delta supersedes everything sent
    /// before.
    pub fn restart(&mut self) -> DeltaSink<'_> {
        let watch = self.watch.as_ref().map(RepetitionWatch::restarted);
        let has_news = self.has_news.clone();
        DeltaSink { has_news, watch, ..DeltaSink::new(&mut self.receive) }
    }
}

impl fmt::Debug for DeltaSink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeltaSink").field("is_first", &self.is_first).finish_non_exhaustive()
    }
}

/// Watches a reply while it is written, and reports when it only repeats itself, as small models do
/// when they get stuck. For agents that see their reply as it arrives; a
/// [`DeltaSink`] contains one.
///
/// A reply repeats itself if it ends with copies of the same bytes, such as `"Ondricka", `. The
/// copies must cover at least 2 KiB (16 KiB of numbers, `null`, `true` and `false`). There must be
/// 64 of them, or at least 8 that together cover 4 KiB. One copy has at most 512 bytes. Anything
/// that the conversation states may be repeated twice as often; an image or a document counts as
/// stating everything 250 times. The watch takes time proportional to the reply, and 8 KiB of
/// memory.
///
/// ```
/// use extract::agent::{Conversation, RepetitionWatch, Request};
///
/// let request = Request::new(Conversation::new());
/// let mut watch = RepetitionWatch::new(&request);
/// assert!(!watch.push(br#"{"authors": ["Anna", "#));
/// assert!((0..1000).any(|_| watch.push(br#""Ondricka", "#)));
/// ```
#[derive(Clone)]
pub struct RepetitionWatch<'r> {
    /// `None` if the request does not allow replies to be ended.
    request: Option<&'r Request>,
    watch: LoopWatch,
}

impl<'r> RepetitionWatch<'r> {
    /// Creates a watch for the reply to `request`. It never ends a reply if the request
    /// [forbids](Request::ends_repetition) that. A [prefill](Request::prefill) is part of the
    /// reply.
    pub fn new(request: &'r Request) -> Self {
        Self::of(Some(request).filter(|request| request.ends_repetition))
    }

    fn of(request: Option<&'r Request>) -> Self {
        let mut watch = Self { request, watch: LoopWatch::default() };
        if let Some(prefill) = request.and_then(|request| request.prefill.as_deref()) {
            watch.push(prefill.as_bytes());
        }
        watch
    }

    /// Adds the next bytes of the reply. Returns whether the reply repeats itself, and should be
    /// ended with [`FinishReason::Repetition`](super::FinishReason::Repetition).
    pub fn push(&mut self, bytes: &[u8]) -> bool {
        let Some(request) = self.request else { return false };
        self.watch.push(bytes, |stated| count(&request.conversation, stated))
    }

    /// Returns whether the reply repeats itself.
    pub fn is_repeating(&self) -> bool {
        self.watch.is_looping()
    }

    /// A new watch for a reply that restarts.
    pub(super) fn restarted(&self) -> Self {
        Self::of(self.request)
    }
}

/// How often an image or a document, which is not read here, counts as stating something: a table
/// of some pages.
const UNREAD: usize = 250;

/// How often something is stated in `conversation`.
pub(crate) fn count(conversation: &Conversation, stated: StatedString<'_>) -> usize {
    let turns = conversation.turns();
    let is_unread = |turn: &Turn| turn.parts().iter().any(|part| part.as_text().is_none());
    let unread = if turns.iter().any(is_unread) { UNREAD } else { 0 };
    turns.iter().map(|turn| stated.count(turn.text())).sum::<usize>() + unread
}

impl fmt::Debug for RepetitionWatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RepetitionWatch").field("is_repeating", &self.is_repeating()).finish_non_exhaustive()
    }
}

/// Asks `agent` without streaming, and sends its reply as one delta.
pub(crate) fn stream_whole<'a, A: Agent + ?Sized>(
    agent: &'a A,
    request: &'a Request,
    mut sink: DeltaSink<'a>,
) -> ReplyFuture<'a> {
    Box::pin(async move {
        let reply = agent.respond(request).await?;
        sink.send(reply.text());
        Ok(reply)
    })
}

/// Asks `agent`, streaming if there is a `sink`, as an agent around other agents does.
///
/// Every question of this library passes here, so the error of any agent, also of one that you
/// wrote, is without keys from here on: what looks like a key, and the keys in the environment, are
/// redacted. A reply to a prompt that was cut is an error here, before a layer keeps it.
///
/// ```
/// use extract::agent::{Agent, DeltaSink, Request, ReplyFuture, respond_or_stream};
///
/// /// Counts requests on standard error.
/// struct Logged<A>(A);
///
/// impl<A: Agent> Agent for Logged<A> {
///     fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
///         eprintln!("{} characters", request.conversation.chars());
///         respond_or_stream(&self.0, request, None)
///     }
///
///     fn stream<'a>(&'a self, request: &'a Request, sink: DeltaSink<'a>) -> ReplyFuture<'a> {
///         eprintln!("{} characters", request.conversation.chars());
///         respond_or_stream(&self.0, request, Some(sink))
///     }
/// }
/// ```
pub fn respond_or_stream<'a, A: Agent + ?Sized>(
    agent: &'a A,
    request: &'a Request,
    sink: Option<DeltaSink<'a>>,
) -> ReplyFuture<'a> {
    let responding = match sink {
        None => agent.respond(request),
        Some(sink) => agent.stream(request, sink),
    };
    Box::pin(async move {
        let reply = responding.await.map_err(AgentError::without_keys)?;
        if !agent.capabilities().omits_cached_input {
            check_whole_prompt(&agent.name(), &reply, &request.conversation)?;
        }
        Ok(reply)
    })
}
