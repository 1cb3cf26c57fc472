//! The value that is shown now, for the stream that passes it to the consumer.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    reading::{Mark, SharedMark, SharedTape, Sight},
    vocabulary::violation::Violation,
};

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
    pub(super) fn go_on(&self, mark: Mark) {
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

    pub(super) fn is_seen(&self) -> bool {
        self.is_seen.load(Ordering::Relaxed)
    }

    pub(super) fn mark_seen(&self) {
        self.is_seen.store(true, Ordering::Relaxed);
    }

    pub(super) fn mark_unseen(&self) {
        self.is_seen.store(false, Ordering::Relaxed);
    }
}
