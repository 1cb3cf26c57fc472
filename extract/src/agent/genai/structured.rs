//! Native structured output: the dialect of a provider, and the request in it.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash as _, Hasher as _},
    sync::{Mutex, PoisonError},
};

use genai::{
    Client, ModelIden, ModelSpec,
    adapter::AdapterKind,
    chat::{JsonSpec, ReasoningEffort},
    resolver::Endpoint,
};
use serde_json::Value;

use super::model::Model;
use crate::{
    agent::Request,
    schema::dialect::{Dialect, Projection, UnenforcedConstraint},
};

/// Maximum number of refused schemas that are remembered.
const REMEMBERED: usize = 64;

/// OpenAI accepts names of up to 64 characters (API reference, `response_format.json_schema.name`).
const LONGEST_NAME: usize = 64;

/// When to send the schema in the provider's native form, besides the prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StructuredOutput {
    /// In the native form if the provider has a [dialect](crate::schema::dialect::Dialect) that can
    /// express it. Otherwise only the prompt has the schema, and a
    /// [note](crate::agent::Reply::notes) says why.
    #[default]
    Auto,
    /// Only in the prompt.
    Off,
}

/// How a request with a schema is sent.
pub(super) enum Plan {
    /// In the provider's dialect.
    Native(Box<NativePlan>),
    /// Only in the prompt, for this reason.
    Prompt(String),
}

/// How a request is sent in the provider's dialect.
pub(super) struct NativePlan {
    pub(super) model: ModelSpec,
    pub(super) format: JsonSpec,
    /// The unenforced constraints.
    pub(super) note: Option<String>,
    /// Whether the reply is an object around the answer.
    pub(super) is_enveloped: bool,
}

/// Returns whether the provider itself shows the schema to the model; other decoders only enforce
/// it.
pub(super) fn shows_schema(kind: AdapterKind) -> bool {
    matches!(
        kind,
        AdapterKind::OpenAI
            | AdapterKind::OpenAIResp
            | AdapterKind::Anthropic
            | AdapterKind::Gemini
            | AdapterKind::GeminiIx
            | AdapterKind::Xai
    )
}

/// The dialect of the providers that document structured output for their models in general.
fn dialect(kind: AdapterKind) -> Option<Dialect> {
    match kind {
        AdapterKind::OpenAI
        | AdapterKind::OpenAIResp
        | AdapterKind::OpenRouter
        | AdapterKind::Groq
        | AdapterKind::Xai
        | AdapterKind::Mistral
        | AdapterKind::Fireworks
        | AdapterKind::Together => Some(Dialect::OpenAi),
        AdapterKind::Anthropic => Some(Dialect::Anthropic),
        AdapterKind::Gemini | AdapterKind::GeminiIx => Some(Dialect::Gemini),
        AdapterKind::Ollama => Some(Dialect::Ollama),
        _ => None,
    }
}

/// The constraints in the schema of `request` that are not enforced; `None` if the schema is not
/// sent. Ollama may turn out to have no endpoint for it.
pub(super) fn unenforced(
    model: &Model,
    request: &Request,
    refused: &Refused,
) -> Option<Vec<UnenforcedConstraint>> {
    let dialect = dialect(model.kind())?;
    let schema = request.schema.as_deref()?;
    if refused.has(schema) { None } else { request.unenforced(dialect) }
}

/// How `request` is sent; `None` if it offers no schema.
pub(super) async fn plan(
    client: &Client,
    model: &Model,
    request: &Request,
    refused: &Refused,
) -> Option<Plan> {
    let schema = request.schema.as_deref()?;
    let Some(dialect) = dialect(model.kind()) else {
        return Some(Plan::Prompt(format!(
            "`{}` is not known to take a schema; it is left to the prompt",
            model.name()
        )));
    };
    if refused.has(schema) {
        return Some(Plan::Prompt(format!(
            "`{}` has refused the schema before; it is left to the prompt",
            model.name()
        )));
    }
    let native = match request.native_schema(dialect)? {
        Ok(native) => native,
        Err(reason) => {
            return Some(Plan::Prompt(format!(
                "{dialect} cannot express the schema, so it is left to the prompt: {reason}"
            )));
        }
    };
    let target =
        if dialect == Dialect::Ollama { like_openai(client, model).await } else { Some(model.spec()) };
    Some(match target {
        Some(model) => {
            let note = native.note();
            let Projection { schema: native, is_enveloped, .. } = native;
            let format = JsonSpec::new(name_of(schema), native);
            Plan::Native(Box::new(NativePlan { model, format, note, is_enveloped }))
        }
        None => Plan::Prompt(format!(
            "the client leaves `{}` no way for the schema; it is left to the prompt",
            model.name()
        )),
    })
}

/// `genai` sends no schema over the API of Ollama, so it is sent over the OpenAI-compatible API
/// beside it, under `v1/`.
async fn like_openai(client: &Client, model: &Model) -> Option<ModelSpec> {
    if ReasoningEffort::from_model_name(model.bare_name()).0.is_some() {
        // For OpenAI's models this would be a setting; for Ollama's it is part of the name.
        return None;
    }
    let mut target = client.resolve_service_target(model.spec()).await.ok()?;
    let endpoint = format!("{}v1/", target.endpoint.base_url());
    target.endpoint = Endpoint::from_owned(endpoint.as_str());
    target.model = ModelIden::new(AdapterKind::OpenAI, model.bare_name());
    // A client that overrides all endpoints would take the request elsewhere.
    let arrived = client.resolve_service_target(ModelSpec::Target(target.clone())).await.ok()?;
    let is_kept =
        arrived.endpoint.base_url() == endpoint && arrived.model.adapter_kind == AdapterKind::OpenAI;
    is_kept.then_some(ModelSpec::Target(target))
}

/// The title as a name of letters, digits, `_` and `-`.
fn name_of(schema: &Value) -> String {
    let title = schema.get("title").and_then(Value::as_str).unwrap_or("answer");
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let name: String =
        title.chars().map(|char| if is_plain(char) { char } else { '_' }).take(LONGEST_NAME).collect();
    if name.is_empty() { "answer".to_owned() } else { name }
}

/// The schemas that the provider refused, so that they are not sent again.
#[derive(Default)]
pub(super) struct Refused(Mutex<RefusedSchemas>);

/// Hashes of schemas.
#[derive(Default)]
struct RefusedSchemas {
    known: Vec<u64>,
    /// A failure of the server came with these, which may have been about something else.
    suspected: Vec<u64>,
}

impl Refused {
    fn has(&self, schema: &Value) -> bool {
        let schemas = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // There are usually none, and the hash takes time.
        !schemas.known.is_empty() && schemas.known.contains(&hash(schema))
    }

    /// Remembers a schema without which the provider replied. If it `is_suspected` only, once is
    /// not enough.
    pub(super) fn remember(&self, schema: &Value, is_suspected: bool) {
        let hash = hash(schema);
        let RefusedSchemas { known, suspected } = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let list = if is_suspected && !suspected.contains(&hash) { suspected } else { known };
        if list.len() == REMEMBERED {
            list.remove(0);
        }
        list.push(hash);
    }

    /// Forgets a suspicion, because the provider replied with the schema.
    pub(super) fn clear(&self, schema: &Value) {
        let mut schemas = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !schemas.suspected.is_empty() {
            let hash = hash(schema);
            schemas.suspected.retain(|known| *known != hash);
        }
    }
}

fn hash(schema: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    schema.hash(&mut hasher);
    hasher.finish()
}
