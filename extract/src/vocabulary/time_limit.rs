//! Time and its limits, under any async runtime.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) use std::time::Instant;
use std::{future::poll_fn, pin::pin, task::Poll, time::Duration};

use futures_timer::Delay;
/// `Instant` of the standard library panics in a browser.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) use web_time::Instant;

/// The result of `future`, or `None` if it takes longer than `limit`; the future is then dropped.
pub(crate) async fn within<F: Future>(limit: Option<Duration>, future: F) -> Option<F::Output> {
    let Some(limit) = limit else {
        return Some(future.await);
    };
    let started = Instant::now();
    let (mut future, mut limit_reached) = (pin!(future), pin!(Delay::new(limit)));
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        // The timer may not have been polled if the future blocked the thread.
        Poll::Pending if started.elapsed() >= limit => Poll::Ready(None),
        Poll::Pending => limit_reached.as_mut().poll(context).map(|()| None),
    })
    .await
}

/// Yields once before something is asked again, so that a time limit around this future is checked
/// now, whether it is ours or the runtime's. A future that never waits could not be interrupted
/// otherwise. There is no need to yield before the first question, and it would be costly: with many
/// futures in flight, `FuturesUnordered` ends its turn after two that yield.
pub(crate) async fn yield_once() {
    let mut has_yielded = false;
    poll_fn(|context| {
        if std::mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
