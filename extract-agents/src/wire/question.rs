//! Everything that decides the bytes of a request.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash as _, Hasher as _},
    sync::Arc,
};

use extract::{
    agent::{AgentErrorKind, Part, Request, Role, Turn, provider::ProviderFailure},
    schema::dialect::{Projection, UnenforcedConstraint},
};
use serde_json::{Map, Value, json};

use super::media::converse_format;
use crate::{
    format::{ReplyTransfer, WireFormat, claude},
    profile::{Media, Prefill, Profile, SchemaForm, SchemaSupport},
};

/// OpenAI accepts names of up to 64 characters (API reference, `response_format.json_schema.name`).
const LONGEST_NAME: usize = 64;

/// Stands for the request for log probabilities, which each format makes by another parameter.
pub(crate) const LOG_PROBABILITIES: &str = "logprobs";

/// The thoughts of Responses that are sent back with tool calls, which models without thoughts refuse.
pub(crate) const ENCRYPTED_REASONING: &str = "reasoning.encrypted_content";

/// The name of the breakpoints for a cache, in errors of servers that take none.
pub(crate) const CACHE_CONTROL: &str = "cache_control";

/// Settings for all requests of an agent.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestSettings {
    pub(crate) seed: Option<i64>,
    pub(crate) top_p: Option<f64>,
    /// More members of the body.
    pub(crate) body: Map<String, Value>,
    /// Whether breakpoints for the provider's cache are left out.
    pub(crate) is_uncached: bool,
    /// Whether log probabilities are asked for, where the server has them.
    pub(crate) asks_log_probabilities: bool,
    /// The length of the context in tokens, for servers that have to know it.
    pub(crate) context_length: Option<u32>,
}

/// A schema as it is sent to one server.
#[derive(Debug)]
pub(crate) struct Offered {
    /// The JSON of the part of the body that has the schema: `response_format` of Chat Completions,
    /// `text.format` of Responses, `output_config.format` of Messages, `outputConfig.textFormat` of
    /// Converse, otherwise the schema alone.
    pub(crate) format: Vec<u8>,
    pub(crate) unenforced: Vec<UnenforcedConstraint>,
    /// The unenforced constraints in words.
    pub(crate) note: Option<String>,
    /// Whether the reply is an object around the answer.
    pub(crate) is_enveloped: bool,
}

impl Offered {
    pub(crate) fn new(
        wire: WireFormat,
        support: &SchemaSupport,
        original: &Value,
        projection: Projection,
    ) -> Self {
        let (name, note) = (name_of(original), projection.note());
        let Projection { schema, unenforced, is_enveloped, .. } = projection;
        let format = match (wire, support.form) {
            (WireFormat::Responses, form) => {
                let mut format = json!({"type": "json_schema", "name": name, "schema": schema});
                add_strict(&mut format, form);
                format
            }
            (WireFormat::Messages, _) => json!({"type": "json_schema", "schema": schema}),
            (WireFormat::ChatCompletions, SchemaForm::JsonObject) => {
                json!({"type": "json_object", "schema": schema})
            }
            (WireFormat::ChatCompletions, form) => {
                let mut named = json!({"name": name, "schema": schema});
                add_strict(&mut named, form);
                json!({"type": "json_schema", "json_schema": named})
            }
            (WireFormat::GenerateContent | WireFormat::OllamaChat, _) => schema,
            (WireFormat::Converse, _) => {
                let schema = json!({"name": name, "schema": schema.to_string()});
                json!({"type": "json_schema", "structure": {"jsonSchema": schema}})
            }
        };
        Self { format: format.to_string().into_bytes(), unenforced, note, is_enveloped }
    }
}

fn add_strict(format: &mut Value, form: SchemaForm) {
    if let SchemaForm::JsonSchema { strict: Some(strict) } = form {
        format["strict"] = Value::Bool(strict);
    }
}

/// The title as a name of letters, digits, `_` and `-`.
fn name_of(schema: &Value) -> String {
    let title = schema.get("title").and_then(Value::as_str).unwrap_or("answer");
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let name: String =
        title.chars().map(|char| if is_plain(char) { char } else { '_' }).take(LONGEST_NAME).collect();
    if name.is_empty() { "answer".to_owned() } else { name }
}

/// Whether the provider should cache everything up to the end of a turn or part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CacheBreakpoint {
    None,
    End,
}

/// A request that is being built.
pub(crate) struct Question<'a> {
    pub(crate) profile: &'a Profile,
    /// The model's name, as the server knows it.
    pub(crate) model: &'a str,
    pub(crate) request: &'a Request,
    pub(crate) offered: Option<Arc<Offered>>,
    pub(crate) transfer: ReplyTransfer,
    pub(crate) settings: &'a RequestSettings,
    /// The name of the parameter that limits the tokens of the reply.
    pub(crate) token_limit: &'static str,
    /// Parameters that the server refused for this model.
    pub(crate) unsupported: &'a [String],
    /// The most tokens of a reply that the server takes for this model, if it has said so.
    pub(crate) most_output: Option<u64>,
}

impl Question<'_> {
    pub(super) fn is_streamed(&self) -> bool {
        self.transfer == ReplyTransfer::Streamed
    }

    /// Returns whether the server refused a part of a request.
    pub(super) fn is_refused(&self, name: &str) -> bool {
        self.unsupported.iter().any(|refused| refused == name)
    }

    /// The breakpoint after turn `index`, of turns that end with the turn `last`.
    pub(super) fn breakpoint(&self, index: usize, last: Option<usize>) -> CacheBreakpoint {
        if self.has_breakpoints() && last == Some(index) {
            CacheBreakpoint::End
        } else {
            CacheBreakpoint::None
        }
    }

    /// The schema, if it is sent. A continued reply begins in the middle of the value, where no
    /// constraint to the whole schema could begin.
    pub(super) fn schema(&self) -> Option<&Offered> {
        self.offered.as_deref().filter(|_| self.prefill().is_none())
    }

    /// The beginning of the reply, if the server continues it.
    pub(super) fn prefill(&self) -> Option<&str> {
        self.request.prefill.as_deref().filter(|_| self.profile.prefill != Prefill::None)
    }

    /// The token limit, the temperature and top-p, which the format calls `top_p`.
    pub(super) fn sampling(&self, top_p: &str) -> Map<String, Value> {
        let members = [
            (self.token_limit, self.request.max_output_tokens.map(Value::from)),
            ("temperature", self.request.temperature.map(Value::from)),
            (top_p, self.settings.top_p.map(Value::from)),
        ];
        members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }

    /// Returns whether log probabilities are asked for.
    pub(super) fn asks_log_probabilities(&self) -> bool {
        self.wants_log_probabilities()
            && self.profile.log_probabilities
            && !self.is_refused(LOG_PROBABILITIES)
    }

    /// Returns whether thoughts are asked for in a form that can be sent back.
    pub(super) fn asks_encrypted_reasoning(&self) -> bool {
        self.profile.wire == WireFormat::Responses
            && self.request.tools.is_some()
            && !self.is_refused(ENCRYPTED_REASONING)
    }

    /// Returns a hash of what is asked for besides the conversation and the token limit. A server may refuse a
    /// parameter only in this combination.
    pub(crate) fn form(&self) -> u64 {
        let Self { request, settings, .. } = self;
        let bits = |number: Option<f64>| number.map(f64::to_bits);
        let sampling = (bits(request.temperature), bits(settings.top_p), settings.seed, &settings.body);
        let wants = (request.tools.is_some(), self.schema().is_some(), request.prefill.is_some());
        let mut hasher = DefaultHasher::new();
        (sampling, request.thinking, wants, self.is_streamed(), self.wants_log_probabilities())
            .hash(&mut hasher);
        hasher.finish()
    }

    fn wants_log_probabilities(&self) -> bool {
        self.settings.asks_log_probabilities || self.request.log_probabilities
    }

    /// Why log probabilities are not asked for, although they are wanted.
    pub(super) fn missing_log_probabilities(&self) -> Option<String> {
        let is_missing = self.wants_log_probabilities() && !self.asks_log_probabilities();
        is_missing.then(|| {
            if self.profile.log_probabilities {
                format!("`{}` refused to report log probabilities", self.model)
            } else {
                format!("{} is not known to report log probabilities", self.profile.title)
            }
        })
    }

    /// The note that the seed is not sent, if there is one.
    pub(super) fn seed_note(&self) -> Option<String> {
        self.settings.seed.map(|_| format!("{} takes no seed, so it is not sent", self.profile.title))
    }

    /// The turns of the system before all others.
    pub(super) fn system_turns(&self) -> &[Turn] {
        let turns = self.request.conversation.turns();
        let others = turns.iter().position(|turn| turn.role() != Role::System);
        &turns[..others.unwrap_or(turns.len())]
    }

    /// Returns whether the turns have breakpoints for the provider's cache.
    pub(super) fn has_breakpoints(&self) -> bool {
        !self.settings.is_uncached
            && !self.is_refused(CACHE_CONTROL)
            && match self.profile.wire {
                WireFormat::Messages => true,
                WireFormat::Converse => claude::is_cached_at_bedrock(self.model),
                _ => false,
            }
    }

    /// Refuses an image or a document that the format cannot express.
    pub(super) fn check_parts(&self) -> Result<(), ProviderFailure> {
        for turn in self.request.conversation.turns() {
            for part in &*turn.parts() {
                let others =
                    || (turn.role() != Role::User).then_some("takes images and documents from the user only");
                if let Some(why) = self.unsent(part).or_else(|| part.media_type().and_then(|_| others())) {
                    let message = format!("{} {why}, so {part} is not sent", self.profile.title);
                    return Err(ProviderFailure::new(AgentErrorKind::Refused, message));
                }
            }
        }
        Ok(())
    }

    fn unsent(&self, part: &Part) -> Option<&'static str> {
        let is_image = is_image(part);
        part.media_type()?;
        match self.profile.media {
            Media::Nothing => return Some("is not known to take anything but text"),
            Media::Images if !is_image => return Some("is not known to take anything but text and images"),
            _ => {}
        }
        match (self.profile.wire, part.as_url()) {
            (WireFormat::OllamaChat, Some(_)) => Some("takes images by their bytes only"),
            (WireFormat::Converse, Some(url)) if !url.starts_with("s3://") => {
                Some("takes images and documents by their bytes or from S3 only")
            }
            (WireFormat::Converse, _) if converse_format(part).is_none() => {
                Some("takes no images or documents of this type")
            }
            (WireFormat::OllamaChat, None) if !is_image => Some("takes images only"),
            (WireFormat::ChatCompletions, Some(url)) if !is_image && !is_file_id(url) => {
                Some("takes documents by their bytes or as a file id only")
            }
            _ => None,
        }
    }
}

pub(super) fn is_image(part: &Part) -> bool {
    part.media_type().and_then(|kind| kind.get(..6)).is_some_and(|start| start.eq_ignore_ascii_case("image/"))
}

/// Returns whether a part's URL is really the id of a file that the server has.
pub(super) fn is_file_id(url: &str) -> bool {
    !url.contains(':')
}

/// `data:image/png;base64,…`
pub(super) fn data_url(part: &Part) -> String {
    let kind = part.media_type().unwrap_or("application/octet-stream");
    ["data:", kind, ";base64,", &part.base64().unwrap_or_default()].concat()
}
