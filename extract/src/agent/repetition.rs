//! Replies that repeat themselves, while they are written.

use std::fmt;

use super::{Conversation, Request, Turn};
use crate::vocabulary::repetition::{LoopWatch, StatedString};

/// Watches a reply while it is written, and reports when it only repeats itself, as small models do
/// when they get stuck. For agents that see their reply as it arrives; a
/// [`DeltaSink`](super::DeltaSink) contains one.
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
