//! What agents and servers run on.

use tokio::runtime::{Builder, Runtime};

use crate::error::{Exit, Failure};

/// A runtime for agents and servers. Judging happens on the thread of `main`, the network on the others.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(|error| {
        Failure::new(Exit::Storage, format!("the system gives no threads or events: {error}"))
    })
}
