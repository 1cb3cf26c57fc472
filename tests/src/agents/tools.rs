//! Requests, and futures that are polled by hand.

use std::{
    borrow::Cow,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
};

use extract::agent::{Agent, AgentError, Conversation, Reply, ReplyFuture, Request, Role};
use extract::testing::block_on;

pub(super) fn request(prompt: &str) -> Request {
    Request::new(Conversation::new().with(Role::User, prompt))
}

pub(super) fn ask(agent: &impl Agent, prompt: &str) -> Result<String, AgentError> {
    block_on(agent.respond(&request(prompt))).map(|reply| reply.text().to_owned())
}

/// Polls once, with a waker that does nothing.
pub(super) fn poll(future: &mut ReplyFuture<'_>) -> Poll<Result<Reply, AgentError>> {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// An agent whose requests never complete.
#[derive(Clone, Default)]
pub(super) struct Endless {
    under_way: Arc<AtomicUsize>,
}

struct UnderWay(Arc<AtomicUsize>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Endless {
    pub(super) fn under_way(&self) -> usize {
        self.under_way.load(Ordering::SeqCst)
    }
}

impl Agent for Endless {
    fn respond<'a>(&'a self, _request: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async {
            self.under_way.fetch_add(1, Ordering::SeqCst);
            let _under_way = UnderWay(Arc::clone(&self.under_way));
            std::future::pending().await
        })
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed("endless")
    }
}
