//! Test doubles: scripted agents, recorded conversations, a guard against asking real agents by
//! accident, and a way to await without a runtime.
//!
//! | to test | use |
//! |---|---|
//! | what your program does with an answer, a failure, a slow agent | [`ScriptedAgent`]: replies, failures, delays, and expectations of its requests |
//! | behaviour that depends on the question | an async closure: it is an agent |
//! | your types and prompts against replies of a real model | [`Cassette`]: recorded once, replayed from then on |
//! | that a type's schema, example, serde and rules agree | [`assert_extractable`]; without `Serialize`, [`assert_extractable_one_way`] |
//! | that no test asks a real agent by accident | [`deny_real_agents`], or the variable that [`guard`] names |
//!
//! ```
//! use extract::{Extractable as _, testing::{ScriptedAgent, block_on, deny_real_agents}};
//!
//! deny_real_agents();
//! let agent = ScriptedAgent::new(["eight", "[8]"]);
//! let (legs, metrics) = block_on(Vec::<u8>::extract(&agent, "How many legs has a spider?"))?;
//! assert_eq!((legs, metrics.attempts), (vec![8], 2));
//! agent.assert_finished();
//! # Ok::<(), extract::ExtractionError>(())
//! ```

mod assert_extractable;
mod cassette;
mod scripted;

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

pub use self::{
    assert_extractable::{assert_extractable, assert_extractable_one_way},
    cassette::{Cassette, CassetteError},
    scripted::ScriptedAgent,
};
pub use crate::agent::guard::{self, allow_real_agents, deny_real_agents};

/// Runs a future, or an [`Extraction`](crate::Extraction), to completion on this thread, which
/// sleeps while it waits.
///
/// For tests, examples and programs without an async runtime. Agents that need their own runtime,
/// such as HTTP clients, need that runtime instead.
///
/// ```
/// assert_eq!(extract::testing::block_on(async { 1 + 1 }), 2);
/// ```
pub fn block_on<F: IntoFuture>(future: F) -> F::Output {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future.into_future());
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}
