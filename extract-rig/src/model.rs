//! Completion models of rig.

use std::{borrow::Cow, fmt, sync::Arc};

use extract::agent::{
    Agent, Capabilities, ConstraintFuture, DeltaSink, Reply, ReplyFuture, Request,
    provider::{ProviderFailure, open_envelope},
};
use rig_core::{DynModel, Model, driver::Transport, operation::Completion, wire::Wire};

use crate::{
    agent::guarded,
    convert::{self, RigRequest},
    error,
    seen::SeenOrigin,
    stream, structured, thinking,
};

/// A completion model of rig ([`Model`] or [`DynModel`]) as an agent.
///
/// The [crate](crate) says what is sent, what comes back, and which errors there are.
///
/// ```
/// use extract::agent::Agent;
/// use extract_rig::{RigModel, rig_core::providers::openai::OpenAI};
///
/// let agent = RigModel::from(OpenAI::new("my-key").completion("gpt-6-luna")).redacting("my-key");
/// assert_eq!(agent.name(), "openai/gpt-6-luna");
/// ```
#[derive(Clone)]
pub struct RigModel {
    model: DynModel<Completion>,
    name: String,
    secrets: Vec<String>,
    is_native: bool,
}

impl RigModel {
    /// Sets whether the model is offered the schema as native structured output; on by default. A
    /// server with the API of OpenAI but without `response_format` may refuse such a request.
    ///
    /// ```
    /// # use extract_rig::{RigModel, rig_core::providers::openai::OpenAI};
    /// let model = OpenAI::new("my-key").chat("my-model");
    /// let agent = RigModel::from(model).native_schema(false);
    /// # let _ = agent;
    /// ```
    pub fn native_schema(mut self, is_native: bool) -> Self {
        self.is_native = is_native;
        self
    }

    /// Redacts `secret` in every error; see [Keys](crate#keys).
    pub fn redacting(mut self, secret: impl Into<String>) -> Self {
        self.secrets.push(secret.into());
        self
    }

    /// The name of the provider, if the schema is to be sent.
    fn provider(&self) -> Option<&str> {
        self.is_native.then(|| self.model.name())
    }

    async fn ask(&self, request: &Request) -> Result<Reply, ProviderFailure> {
        let RigRequest { mut asked, note, is_enveloped } = convert::to_request(request, self.provider());
        let seen = Arc::<SeenOrigin>::default();
        let mut response = self.model.call_observed(asked.clone(), seen.context()).await;
        let without_level = thinking::left_out(&mut asked, request, response.as_ref().err());
        if without_level.is_some() {
            response = self.model.call_observed(asked, seen.context()).await;
        }
        let response = response.map_err(|error| error::of_model(&error))?;
        let reply = convert::of_model(&response, request, seen.origin())?;
        let reply = if is_enveloped { open_envelope(reply) } else { reply };
        Ok(thinking::noted(reply, [note, without_level, thinking::unknown(request)]))
    }
}

impl From<DynModel<Completion>> for RigModel {
    fn from(model: DynModel<Completion>) -> Self {
        let name = format!("{}/{}", model.name(), model.id().unwrap_or("model"));
        Self { model, name, secrets: Vec::new(), is_native: true }
    }
}

impl<W, T> From<Model<W, T>> for RigModel
where
    W: Wire<Op = Completion>,
    T: Transport<W>,
{
    fn from(model: Model<W, T>) -> Self {
        model.erase().into()
    }
}

impl Agent for RigModel {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        guarded(&self.name, &self.secrets, self.ask(request))
    }

    fn stream<'a>(&'a self, request: &'a Request, sink: DeltaSink<'a>) -> ReplyFuture<'a> {
        guarded(&self.name, &self.secrets, stream::ask(&self.model, self.provider(), request, sink))
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.name)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default().calling_tools().setting_thinking()
    }

    fn constraint<'a>(&'a self, request: &'a Request) -> ConstraintFuture<'a> {
        structured::constraint(self.provider(), request).known()
    }
}

/// The client holds keys, so `Debug` omits it.
impl fmt::Debug for RigModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("RigModel");
        shown.field("name", &self.name).field("native_schema", &self.is_native).finish_non_exhaustive()
    }
}
