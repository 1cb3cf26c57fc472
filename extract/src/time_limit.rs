//! Waiting no longer than a limit, under any async runtime.

use std::{future::poll_fn, pin::pin, task::Poll, time::Duration};

use futures_timer::Delay;

/// What `future` returns, or `None` when it takes longer than `limit`. The future is dropped then.
pub(crate) async fn within<F: Future>(limit: Option<Duration>, future: F) -> Option<F::Output> {
    let Some(limit) = limit else {
        return Some(future.await);
    };
    let (mut future, mut limit_reached) = (pin!(future), pin!(Delay::new(limit)));
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => limit_reached.as_mut().poll(context).map(|()| None),
    })
    .await
}
