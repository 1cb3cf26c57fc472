//! Pauses that need no timer.

use std::{
    future,
    task::{Context, Poll},
};

/// Returns pending once, and wakes itself at once.
pub(super) async fn next_poll() {
    let mut is_first = true;
    let poll = |context: &mut Context<'_>| {
        if !std::mem::take(&mut is_first) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    };
    future::poll_fn(poll).await;
}
