//! Drives the batches of a job.

use std::{
    sync::Arc,
    task::{Context, Poll},
};

use extract::WithContext;

use super::{Active, JobEngine, JobStop, flight::UNWRITTEN};
use crate::{
    asking::Task,
    batches::WaveEnd,
    journal::{InFlight, JournalError, Write},
    writer::MOST_IN_FLIGHT,
};

impl<'a, T: WithContext<C> + Send + 'a, C: 'a> JobEngine<'a, T, C> {
    /// How many documents wait for an answer of a batch.
    pub(super) fn parked(&self) -> usize {
        self.asking.waves.as_ref().map_or(0, |waves| waves.documents())
    }

    /// How many documents may be in flight, besides those that wait for an answer.
    pub(super) fn most_in_flight(&self) -> usize {
        let least = if self.asking.waves.is_some() { MOST_IN_FLIGHT } else { 0 };
        self.options.concurrent.max(least)
    }

    /// Writes to the journal which documents are about to start or to go on. One write for many
    /// costs less than an intent for each.
    pub(super) fn put_in_flight(&mut self) -> bool {
        let most = self.most_in_flight();
        let Some(waves) = &self.asking.waves else { return false };
        let (state, outbox) = (&mut self.state, self.writer.outbox());
        let is_new = |(number, _): &(u64, Task)| *number == UNWRITTEN;
        let has_new = state.admitted.front().is_some_and(is_new);
        if state.flight.released.is_some() || !has_new && !waves.has_resolved() {
            return false;
        }
        let in_flight = state.running.len() + state.committing.len() - waves.documents();
        let room = most.saturating_sub(in_flight);
        let gets_room = !state.committing.is_empty() && room < most / 2;
        let gets_documents = state.is_reading && !waves.has_resolved() && state.admitted.len() < room;
        if gets_room || gets_documents {
            // Soon one write does for more.
            return false;
        }
        let (ids, released): (Vec<_>, Vec<_>) = waves.take_resolved(room).into_iter().unzip();
        let room = most.min(waves.room()).saturating_sub(in_flight + ids.len());
        let mut started: Vec<_> = state.admitted.iter_mut().take(room).collect();
        if ids.is_empty() && started.is_empty() {
            return false;
        }
        let keys = &mut state.flight.keys;
        keys.retain(|key| state.active.contains_key(&**key));
        waves.retain_going(keys);
        keys.extend(released);
        keys.extend(started.iter().map(|(_, task)| Arc::from(&*task.doc.key)));
        let mut in_flight = InFlight::default();
        for key in &*keys {
            if let Some(Active { question, crashes, crowded, .. }) = state.active.get(&**key) {
                in_flight.push(key, question, (*crashes, *crowded));
            }
        }
        let number = outbox.push(Write::InFlight(in_flight));
        for (admitted, _) in &mut started {
            *admitted = number;
        }
        state.flight.released = Some((number, ids));
        true
    }

    /// Lets documents go on that are in the journal as in flight.
    pub(super) fn wake(&mut self, committed: u64) -> bool {
        let is_committed = |(number, _): &mut (u64, _)| *number <= committed;
        let Some((_, ids)) = self.state.flight.released.take_if(is_committed) else { return false };
        self.asking.waves.iter().for_each(|waves| waves.wake(&ids));
        true
    }

    /// Returns whether no document can go on without an answer.
    fn is_quiet(&self) -> bool {
        let (state, Some(waves)) = (&self.state, &self.asking.waves) else { return false };
        let is_read = self.source.is_none() && state.admitted.is_empty() && state.suspects.is_empty();
        (is_read || waves.room() == 0)
            && state.committing.is_empty()
            && state.flight.released.is_none()
            && state.running.len() == waves.documents()
            && !waves.has_resolved()
    }

    /// Lets the wave be sent if no document can go on without it, and polls the batches.
    pub(super) fn poll_waves(&mut self, context: &mut Context<'_>) -> Result<bool, JournalError> {
        let (Some(waves), Some(driver)) = (&self.asking.waves, &mut self.driver) else { return Ok(false) };
        let was_resolved = waves.has_resolved();
        match driver.as_mut().poll(context) {
            // The poll may have resolved requests, or added some to the next wave.
            Poll::Pending => {
                let is_resolved = waves.has_resolved() && !was_resolved;
                return Ok(is_resolved || self.is_quiet() && waves.set_ready());
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
