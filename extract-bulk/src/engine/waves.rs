//! Drives the batches of a job.

use std::task::{Context, Poll};

use extract::WithContext;

use super::{JobEngine, JobStop};
use crate::{batches::WaveEnd, journal::JournalError};

impl<'a, T: WithContext<C> + Send + 'a, C: 'a> JobEngine<'a, T, C> {
    /// How many documents wait for an answer of a batch.
    pub(super) fn parked(&self) -> usize {
        self.asking.waves.as_ref().map_or(0, |waves| waves.documents())
    }

    pub(super) fn is_wave_full(&self) -> bool {
        self.asking.waves.as_ref().is_some_and(|waves| waves.is_full())
    }

    /// Lets the wave be sent if no document can go on without it, and polls the batches.
    pub(super) fn poll_waves(&mut self, context: &mut Context<'_>) -> Result<bool, JournalError> {
        let (Some(waves), Some(driver)) = (&self.asking.waves, &mut self.driver) else { return Ok(false) };
        let state = &self.state;
        match driver.as_mut().poll(context) {
            Poll::Pending => {
                let is_read = self.source.is_none() && state.admitted.is_empty() || waves.is_full();
                let is_quiet =
                    is_read && state.committing.is_empty() && state.running.len() == waves.documents();
                // After the poll, which may have added requests to the next wave.
                return Ok(is_quiet && waves.set_ready());
            }
            Poll::Ready(Err(WaveEnd::Journal(error))) => return Err(error),
            Poll::Ready(Err(WaveEnd::Waiting)) => self.stop(JobStop::Waiting),
            Poll::Ready(Err(WaveEnd::Unreachable)) => self.stop(JobStop::Unreachable),
            Poll::Ready(Err(WaveEnd::Refused(message))) => self.stop(JobStop::Agent(message)),
            Poll::Ready(Ok(never)) => match never {},
        }
        Ok(true)
    }
}
