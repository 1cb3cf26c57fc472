//! A page that shows a running job, on this machine only: `run --status 127.0.0.1:0`.
//!
//! `state` has what is known, and `page` renders it.

mod page;
mod state;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use extract_bulk::{DeadLetter, Progress};

use self::state::JobState;
use crate::{
    error::{Exit, Failure},
    loopback::LoopbackServer,
};

/// How long the program waits at its end for an open page to look.
const LAST_LOOK: Duration = Duration::from_millis(2_500);

/// The page of a job, which is served as long as this value lives.
pub(crate) struct JournalStatus {
    state: Arc<JobState>,
    server: LoopbackServer,
}

impl JournalStatus {
    /// Serves the page of the job called `title`.
    pub(crate) fn serve(address: SocketAddr, title: String) -> Result<Self, Failure> {
        let state = Arc::new(JobState::new(title));
        let server = LoopbackServer::start(address, Arc::clone(&state)).map_err(|error| {
            Failure::new(Exit::Storage, format!("no page can be served at `{address}`: {error}"))
                .help("`--status 127.0.0.1:0` takes a free port")
        })?;
        Ok(Self { state, server })
    }

    /// The address of the page.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.server.address())
    }

    /// A handle that receives news of the job.
    pub(crate) fn told(&self) -> Told {
        Told(Arc::clone(&self.state))
    }

    /// Says how the job ended, and gives open pages a moment to see it before they are closed.
    pub(crate) fn end(self, ended: &str) {
        self.state.end(ended);
        self.state.wait_for_look(LAST_LOOK);
    }
}

/// Receives news of the job.
#[derive(Clone)]
pub(crate) struct Told(Arc<JobState>);

impl Told {
    pub(crate) fn progress(&self, progress: &Progress) {
        self.0.progress(progress);
    }

    pub(crate) fn failed(&self, letter: &DeadLetter) {
        self.0.failed(&letter.key, &letter.failure.name, &letter.failure.message);
    }
}
