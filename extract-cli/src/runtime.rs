//! The async runtime of agents and servers.

use tokio::runtime::{Builder, Runtime};

use crate::error::{Exit, Failure};

/// Creates a runtime for agents and servers. Judging runs on the main thread, the network on the
/// others.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(|error| {
        Failure::new(Exit::Storage, format!("the system gives no threads or events: {error}"))
    })
}
