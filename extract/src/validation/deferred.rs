//! Async checks and rules.

use std::{
    fmt,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
};

use crate::vocabulary::{
    path::Path,
    rejection::{IntoRejections, Rejections},
    text::panic_message,
    violation::{Code, Violation},
};

/// The future that an `async_check` or an `async_rule` returns.
#[diagnostic::on_unimplemented(
    message = "`async_check` and `async_rule` take an `async fn` that returns `Result<(), E>`; this one returns `{Self}`",
    label = "returns `{Self}`",
    note = "a function that is not `async` is a `check` or a `rule`",
    note = "`E` implements `Display`, or is `extract::Rejection` or `extract::Rejections`"
)]
pub trait AwaitedCheck {
    /// Awaits the verdict.
    fn verdict(self) -> impl Future<Output = Result<(), Rejections>> + Send
    where
        Self: Send;
}

#[diagnostic::do_not_recommend]
impl<F: Future<Output = Result<(), E>>, E: IntoRejections> AwaitedCheck for F {
    async fn verdict(self) -> Result<(), Rejections>
    where
        Self: Send,
    {
        self.await.map_err(IntoRejections::into_rejections)
    }
}

/// A check or rule that has not run yet, and the path of its value.
pub(crate) struct DeferredCheck<'v> {
    path: Path,
    verdict: Pin<Box<dyn Future<Output = Result<(), Rejections>> + Send + 'v>>,
}

impl<'v> DeferredCheck<'v> {
    pub(super) fn new<F: AwaitedCheck + Send + 'v>(
        check: impl FnOnce() -> F + Send + 'v,
        path: Path,
    ) -> Self {
        // The function is called when the future is polled: it may do something before its first
        // `await`.
        Self { path, verdict: Box::pin(async move { check().verdict().await }) }
    }

    /// Runs it. `Err` holds the message of a panic.
    pub(crate) async fn ask(mut self) -> Result<Vec<Violation>, String> {
        let verdict = poll_fn(|context| {
            // After a panic the future is not polled again.
            let polled = catch_unwind(AssertUnwindSafe(|| self.verdict.as_mut().poll(context)));
            match polled {
                Ok(polled) => polled.map(Ok),
                Err(panic) => std::task::Poll::Ready(Err(panic_message(&*panic).to_owned())),
            }
        });
        match verdict.await? {
            Ok(()) => Ok(Vec::new()),
            Err(rejections) => Ok(rejections.into_violations(&self.path, &Code::Rule).collect()),
        }
    }
}

impl fmt::Debug for DeferredCheck<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a check of {}", self.path)
    }
}
