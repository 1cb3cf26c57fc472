//! Records details of a response while it arrives.

use std::sync::{Arc, Mutex, PoisonError};

use extract::{agent::provider::checked_name, metrics::ReplyOrigin};
use rig_core::observe::{
    Action, AdapterContext, AdapterEvent, AdapterObservation, Observation, Subject, Witness,
};

/// The headers with the request id that rig passes on. It has removed the keys of the request.
const HEADERS: [&str; 3] = ["x-request-id", "request-id", "x-goog-request-id"];

/// The origin of the response to one question, as known so far.
#[derive(Debug, Default)]
pub(super) struct SeenOrigin(Mutex<ReplyOrigin>);

impl SeenOrigin {
    /// The context of a request whose response is observed.
    pub(super) fn context(self: &Arc<Self>) -> AdapterContext {
        let witness: Arc<dyn Witness + Send + Sync> = Arc::<Self>::clone(self);
        AdapterContext::new(witness, Subject::default(), "extract")
    }

    pub(super) fn origin(&self) -> ReplyOrigin {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Witness for SeenOrigin {
    fn observe(&self, observation: Observation) {
        let Action::Adapter { observation } = observation.action else { return };
        let AdapterObservation { event, analysis, .. } = observation;
        let analysis = analysis.unwrap_or_default();
        let mut origin = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            AdapterEvent::Response { status } => {
                let headers = analysis.headers.unwrap_or_default();
                let request_id = HEADERS.iter().find_map(|header| checked_name(headers.get(*header)?));
                *origin = ReplyOrigin::default().with_status(status);
                origin.request_id = request_id;
            }
            AdapterEvent::Provider { verdict } => {
                origin.model = verdict.model.as_deref().and_then(checked_name).or(origin.model.take());
            }
            _ => {}
        }
        origin.response_id =
            analysis.response_id.as_deref().and_then(checked_name).or(origin.response_id.take());
    }
}
