//! The feed of the stream: turns the events of an extraction, also the arguments of a call, into what
//! the screen shows now, with the violations of the complete parts.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Bound,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::Value;

use crate::{
    agent::Reply,
    contract::Contract,
    extraction::list_continuation::{ListContinuation, opened},
    judging::{
        ContinuationNotice, Event, JoinWatch, PartJudge, ReplyContinuation, ValueChecks,
        tools::{ToolKind, ToolSet},
    },
    reading::{GrowingAnswer, Mark, PartState, SharedMark, SharedTape, Sight, Snapshot},
    validation::{ClosedPart, SurroundingValues},
    vocabulary::{context::ErasedContext, violation::Violation},
};

/// An observer that shows the answer. Only the latest partial is made, so at most one step per
/// attempt and that partial wait for the consumer.
pub(super) struct PartialFeed {
    screen: Arc<PartialScreen>,
    /// The value that is on the screen.
    shown: Option<Arc<SharedTape>>,
    answer: GrowingAnswer,
    /// Set if the value may be submitted by calling a tool.
    submitting: Option<SubmittingCall>,
    /// The value of a reply that only validates it.
    validated: Option<Value>,
    only_validates: bool,
    attempt: u32,
    /// Restarts that the screen does not show yet.
    restarts: VecDeque<ScreenRestart>,
    /// The reply that was cut, if this one continues it.
    cut: Option<CutReply>,
}

/// A reply that was cut, while the next one continues it.
enum CutReply {
    /// The agent continues the text `there`. The addition is shown once it is known to continue the
    /// text.
    Text { there: String, added: JoinWatch, watch: JoinWatch, is_fresh: bool },
    /// The reply continues a list. `there` is the text up to its new elements.
    List { rest: Box<ListContinuation>, there: String },
    /// The reply continues something else, which is shown once it was read.
    Unshown,
}

impl CutReply {
    fn of(continuation: &ReplyContinuation, answer: &GrowingAnswer) -> Self {
        match continuation {
            ReplyContinuation::Text(prefill) => {
                let (there, watch) = (prefill.settled().to_owned(), prefill.watch());
                Self::Text { there, added: watch.clone(), watch, is_fresh: true }
            }
            ReplyContinuation::Rest(rest) => match ListContinuation::of(rest, answer).zip(opened(rest)) {
                Some((rest, there)) => Self::List { rest: Box::new(rest), there },
                None => Self::Unshown,
            },
        }
    }

    /// Returns whether the next reply has not begun.
    fn is_fresh(&self) -> bool {
        match self {
            Self::Text { is_fresh, .. } => *is_fresh,
            Self::List { rest, .. } => rest.is_fresh,
            Self::Unshown => false,
        }
    }

    /// Restarts the next reply, and returns the text before it.
    fn begin_again(&mut self) -> &str {
        match self {
            Self::Text { there, added, watch, is_fresh } => {
                *is_fresh = true;
                added.clone_from(watch);
                there
            }
            Self::List { rest, there } => {
                rest.begin_again();
                there
            }
            Self::Unshown => "",
        }
    }

    /// Adds the next part of the reply to `answer`.
    fn push(&mut self, text: &str, answer: &mut GrowingAnswer) {
        match self {
            Self::Text { added, is_fresh, .. } => {
                *is_fresh = false;
                answer.push(&added.push(text));
            }
            Self::List { rest, .. } => rest.push(text, |_, value| answer.push(&format!("{value},"))),
            Self::Unshown => {}
        }
    }
}

impl PartialFeed {
    /// `tool_set` is given if the value may be submitted by calling a tool.
    pub(super) fn new(answer: GrowingAnswer, tool_set: Option<ToolSet>, screen: Arc<PartialScreen>) -> Self {
        Self {
            screen,
            shown: None,
            answer,
            submitting: tool_set.map(SubmittingCall::new),
            validated: None,
            only_validates: false,
            attempt: 1,
            restarts: VecDeque::new(),
            cut: None,
        }
    }

    pub(super) fn observe(&mut self, event: &Event<'_>) {
        self.follow(event);
        self.show();
    }

    /// Shows what is known now.
    fn show(&mut self) {
        let sight = self.answer.sight();
        match (&sight, &self.shown) {
            (Some(sight), Some(shown)) if self.restarts.is_empty() && sight.is_of(shown) => {
                self.screen.go_on(sight.mark());
            }
            (None, None) if self.restarts.is_empty() => {}
            _ => {
                self.screen.change(&mut self.restarts, sight);
                self.shown = sight.map(|sight| Arc::clone(sight.tape()));
            }
        }
    }

    fn follow(&mut self, event: &Event<'_>) {
        match event {
            Event::Asked { attempt, notice, .. } => {
                self.attempt = *attempt;
                self.cut =
                    notice.map(|ContinuationNotice(continuation)| CutReply::of(continuation, &self.answer));
                self.begin_again();
            }
            Event::Delta { text, is_first, .. } => {
                // The text before it is already shown.
                let is_fresh = self.cut.as_ref().is_some_and(CutReply::is_fresh);
                if *is_first && !is_fresh {
                    self.begin_again();
                }
                let has_submitted = self.submitting.as_ref().is_some_and(SubmittingCall::has_begun);
                match &mut self.cut {
                    _ if has_submitted => {}
                    Some(cut) => cut.push(text, &mut self.answer),
                    None => self.answer.push(text),
                }
            }
            Event::Arguments { call, name, text, is_first, .. } => {
                if *is_first {
                    self.begin_again();
                }
                if self.cut.is_none() {
                    self.push_arguments(*call, name, text);
                }
            }
            Event::TransportFailed { .. } => self.begin_again(),
            Event::Replied { reply, .. } => {
                self.answer.finish();
                let validates = |submitting: &SubmittingCall| submitting.only_validates(reply);
                self.only_validates = self.submitting.as_ref().is_some_and(validates);
            }
            Event::Read { reading, .. } if !reading.completeness.is_truncated() => {
                if let Some(value) = &reading.value {
                    if self.only_validates {
                        self.validated = Some(value.clone());
                    } else {
                        self.read(value);
                    }
                }
            }
            Event::Judged { .. } => {
                if let Some(value) = self.validated.take() {
                    self.read(&value);
                }
            }
            Event::FeedingBack { record, .. } => {
                self.attempt = record.number + 1;
                self.restart(record.violations.clone());
            }
            _ => {}
        }
    }

    /// Reads the next part of the arguments of a call.
    fn push_arguments(&mut self, call: usize, name: &str, text: &str) {
        let Some(submitting) = &mut self.submitting else { return };
        let Some(submitted) = submitting.push(call, name, text) else { return };
        if submitted.begins {
            // The value shown from the text of the reply is not the answer.
            self.forget();
        }
        self.answer.push(&submitted.text);
    }

    /// Shows the `value` that was read from the whole reply, unless it is already shown.
    fn read(&mut self, value: &Value) {
        let shown = self.answer.sight();
        let agrees = shown.as_ref().is_none_or(|shown| shown.agrees_with(value));
        if agrees && shown.is_some_and(|shown| shown.state("") == PartState::Done) {
            return;
        }
        let read = self.answer.read(value);
        if !agrees {
            self.forget();
        }
        self.answer = read;
    }

    /// Starts a reply from its first byte.
    fn begin_again(&mut self) {
        self.validated = None;
        if let Some(submitting) = &mut self.submitting {
            submitting.begin_again();
        }
        self.forget();
        if let Some(cut) = &mut self.cut {
            self.answer.push(cut.begin_again());
        }
    }

    /// Discards what was shown of the reply.
    fn forget(&mut self) {
        if self.screen.is_seen() {
            self.restart(Vec::new());
        } else {
            self.answer = self.answer.restarted();
        }
    }

    fn restart(&mut self, violations: Vec<Violation>) {
        self.answer = self.answer.restarted();
        self.screen.mark_unseen();
        self.restarts.push_back(ScreenRestart { attempt: self.attempt, violations });
    }
}

/// Maximum bytes that are searched for a wrapper around a value.
const LOOK: usize = 64;

/// Which call of a reply submits the value, and what is around the value in its arguments.
///
/// If there are several calls, the first `submit` is shown; a list in several calls is shown when it
/// was read. A value that is only validated is not shown while it is written: it is not the answer,
/// and the agent writes it again.
#[derive(Debug)]
struct SubmittingCall {
    tool_set: ToolSet,
    /// The number of the call that submits.
    call: Option<usize>,
    /// The start of the arguments, while it may still be a wrapper.
    start: Option<String>,
}

/// The next text of a value.
struct SubmittedText {
    pub(super) text: String,
    /// Whether the value begins here. This supersedes everything shown of the reply before.
    pub(super) begins: bool,
}

impl SubmittingCall {
    pub(super) fn new(tool_set: ToolSet) -> Self {
        Self { tool_set, call: None, start: None }
    }

    /// Starts another reply.
    pub(super) fn begin_again(&mut self) {
        (self.call, self.start) = (None, None);
    }

    /// Returns whether the value is in a call of this reply, and not in its text.
    pub(super) fn has_begun(&self) -> bool {
        self.call.is_some()
    }

    /// The part of the value in `text`, the next part of the arguments of a call.
    pub(super) fn push(&mut self, call: usize, name: &str, text: &str) -> Option<SubmittedText> {
        let begins = self.call.is_none() && self.tool_set.kind_of(name) == Some(ToolKind::Submit);
        if begins {
            (self.call, self.start) = (Some(call), Some(String::new()));
        }
        if self.call != Some(call) {
            return None;
        }
        let text = match &mut self.start {
            None => text.to_owned(),
            Some(start) => {
                start.push_str(text);
                match self.tool_set.argument().map(|key| behind_key(start, key)) {
                    Some(ArgumentWrapper::Unclear) if start.len() < LOOK => String::new(),
                    Some(ArgumentWrapper::Until(end)) => self.start.take().unwrap_or_default().split_off(end),
                    _ => self.start.take().unwrap_or_default(),
                }
            }
        };
        Some(SubmittedText { text, begins })
    }

    /// Returns whether `reply` only validates its value.
    fn only_validates(&self, reply: &Reply) -> bool {
        let mut kinds = reply.calls().iter().filter_map(|call| self.tool_set.kind_of(&call.name));
        kinds.clone().all(|kind| kind != ToolKind::Submit) && kinds.any(|kind| kind == ToolKind::Validate)
    }
}

/// The wrapper around a value.
enum ArgumentWrapper {
    Unclear,
    /// An object with one key, up to this byte.
    Until(usize),
    None,
}

/// Returns the wrapper at the start of `text`: an object whose first key is `key`.
fn behind_key(text: &str, key: &str) -> ArgumentWrapper {
    let mut rest = text;
    for token in ["{", "\"", key, "\"", ":"] {
        // The key is one token with its quotes.
        if token != key && !rest.starts_with(token) {
            rest = rest.trim_start();
        }
        match rest.strip_prefix(token) {
            Some(after) => rest = after,
            None if token.starts_with(rest) => return ArgumentWrapper::Unclear,
            None => return ArgumentWrapper::None,
        }
    }
    ArgumentWrapper::Until(text.len() - rest.len())
}

/// Connects the feed, which sets what is shown, with the stream, which reads it.
///
/// Most deltas only move the mark, which takes no lock. Everything else that is new waits in the
/// news.
#[derive(Debug, Default)]
pub(super) struct PartialScreen {
    mark: SharedMark,
    news: Mutex<ScreenNews>,
    has_news: AtomicBool,
    /// Whether the consumer has seen a partial of the shown value.
    is_seen: AtomicBool,
}

/// The value shown before no longer counts.
#[derive(Debug)]
pub(super) struct ScreenRestart {
    pub(super) attempt: u32,
    pub(super) violations: Vec<Violation>,
}

/// News that the stream has not seen yet.
#[derive(Debug, Default)]
pub(super) struct ScreenNews {
    /// The restarts that come before the next partial.
    pub(super) restarts: VecDeque<ScreenRestart>,
    /// The value that is shown; `None` if nothing is.
    pub(super) tape: Option<Arc<SharedTape>>,
}

impl PartialScreen {
    /// Shows more of the same value.
    fn go_on(&self, mark: Mark) {
        self.mark.store(mark);
    }

    /// Shows another value that the consumer has not seen, or nothing.
    pub(super) fn change(&self, restarts: &mut VecDeque<ScreenRestart>, sight: Option<Sight<'_>>) {
        let mut news = self.news.lock().unwrap_or_else(PoisonError::into_inner);
        news.restarts.append(restarts);
        self.mark.store(sight.map(|sight| sight.mark()).unwrap_or_default());
        news.tape = sight.map(|sight| Arc::clone(sight.tape()));
        self.has_news.store(true, Ordering::Release);
    }

    /// Takes the news besides the mark.
    #[inline]
    pub(super) fn news(&self) -> Option<ScreenNews> {
        self.has_news.load(Ordering::Acquire).then(|| self.take_news())
    }

    fn take_news(&self) -> ScreenNews {
        let mut news = self.news.lock().unwrap_or_else(PoisonError::into_inner);
        self.has_news.store(false, Ordering::Relaxed);
        ScreenNews { restarts: std::mem::take(&mut news.restarts), tape: news.tape.clone() }
    }

    #[inline]
    pub(super) fn mark(&self) -> Mark {
        self.mark.load()
    }

    fn is_seen(&self) -> bool {
        self.is_seen.load(Ordering::Relaxed)
    }

    pub(super) fn mark_seen(&self) {
        self.is_seen.store(true, Ordering::Relaxed);
    }

    fn mark_unseen(&self) {
        self.is_seen.store(false, Ordering::Relaxed);
    }
}

/// Levels of the value whose parts are judged when they close. Deeper ones are judged with the part
/// around them. A part is judged with everything inside it, so each byte is judged at most this
/// often.
const MAX_DEPTH: usize = 4;
/// Number of violations after which no part is judged.
const MAX_VIOLATIONS: usize = 1_000;

/// One value and the violations of its parts, which all its partials share.
pub(super) struct PartialViolations<T> {
    tape: Arc<SharedTape>,
    /// Judges parts on demand. `None` if parts are judged when they are shown, because their rules
    /// need a context that a partial may outlive.
    judge: Option<PartJudge<'static, T>>,
    found: Mutex<PartViolations>,
}

#[derive(Default)]
struct PartViolations {
    /// How many of the complete parts were judged.
    judged: usize,
    /// By JSON Pointer, so that nested parts follow the part around them. Each violation has the
    /// number of parts that were complete when it was found.
    violations: BTreeMap<String, Vec<(usize, Violation)>>,
    count: usize,
}

impl<T> PartialViolations<T> {
    /// Returns the part of the value that is known at `mark`.
    pub(super) fn sight(&self, mark: Mark) -> Sight<'_> {
        Snapshot::new(&self.tape, mark)
    }

    /// Returns the violations at `pointer` and inside it that are known at `mark`.
    pub(super) fn violations(&self, pointer: &str, mark: Mark) -> Vec<Violation> {
        let snapshot = self.sight(mark);
        if let Some(judge) = &self.judge {
            self.judge(snapshot, judge);
        }
        let found = self.found();
        let inside = format!("{pointer}/");
        let start = (Bound::Included(inside.as_str()), Bound::Unbounded);
        let behind = found.violations.range::<str, _>(start);
        let inside = behind.take_while(|(at, _)| at.starts_with(&inside)).map(|(_, list)| list);
        let lists = found.violations.get(pointer).into_iter().chain(inside);
        let known = lists.flatten().filter(|(done, _)| *done <= snapshot.closed_count());
        known.map(|(_, violation)| violation.clone()).collect()
    }

    /// Judges the parts that are complete at `snapshot` and were not judged before. The rules of
    /// users run without a lock, so they may ask for violations themselves.
    fn judge(&self, snapshot: Sight<'_>, judge: &PartJudge<'_, T>) {
        let next = {
            let mut found = self.found();
            let from = found.judged;
            found.judged = from.max(snapshot.closed_count());
            from..found.judged
        };
        for index in next {
            if self.found().count >= MAX_VIOLATIONS {
                return;
            }
            let Some(closed) = snapshot.closed(index, MAX_DEPTH) else { continue };
            let around = |depth: usize, key: &str| closed.scalar_around(depth, key);
            let around = SurroundingValues::new(&around);
            let part = ClosedPart { path: &closed.path, value: &closed.value, around };
            match judge.judge(part) {
                Ok(findings) if findings.is_certain => self.found().add(index + 1, findings.violations),
                // The judgement of the whole knows the reason, and reports the panic of a rule.
                Ok(_) | Err(_) => {}
            }
        }
    }

    fn found(&self) -> MutexGuard<'_, PartViolations> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PartViolations {
    fn add(&mut self, done: usize, violations: Vec<Violation>) {
        for violation in violations {
            let list = self.violations.entry(violation.path.to_pointer()).or_default();
            // The part around it reports the same violation again.
            let is_known = list.iter().any(|(_, known)| *known == violation);
            if !is_known && self.count < MAX_VIOLATIONS {
                list.push((done, violation));
                self.count += 1;
            }
        }
    }
}

/// Judges the parts of the values that are shown.
pub(super) struct PartialJudge<'a, T> {
    contract: Contract,
    checks: ValueChecks<T>,
    context: ErasedContext<'a>,
}

impl<'a, T> PartialJudge<'a, T> {
    pub(super) fn new(contract: Contract, checks: ValueChecks<T>, context: ErasedContext<'a>) -> Self {
        Self { contract, checks, context }
    }

    /// The violations on the value on `tape`: none yet.
    pub(super) fn violations(&self, tape: Arc<SharedTape>) -> Arc<PartialViolations<T>> {
        let judge = (!self.context.is_some()).then(|| self.judge_within(ErasedContext::default()));
        Arc::new(PartialViolations { tape, judge, found: Mutex::default() })
    }

    /// Judges the parts that are complete at `mark`, unless partials can do so later.
    #[inline]
    pub(super) fn judge(&self, violations: &PartialViolations<T>, mark: Mark) {
        if violations.judge.is_none() {
            violations.judge(violations.sight(mark), &self.judge_within(self.context));
        }
    }

    fn judge_within<'c>(&self, context: ErasedContext<'c>) -> PartJudge<'c, T> {
        PartJudge::new(self.contract.clone(), self.checks, context)
    }
}
