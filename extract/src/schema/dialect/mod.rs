//! Translates JSON Schema to the dialects that providers accept for native structured output.
//!
//! Providers compile a schema into a grammar that constrains the model, and each supports a
//! different subset of JSON Schema. A dialect is a projection: [`Dialect::project`] translates the
//! supported part and lists the rest, which the contract still enforces on the reply. If a type
//! cannot be expressed at all (an open map, where every object must be closed), the projection
//! fails instead of changing the meaning of the schema, and the schema stays in the prompt.
//! [`Dialect::offer`] wraps an answer into an object if a provider wants one.
//!
//! A value that satisfies the schema satisfies the projection too, if the dialect can express it at
//! all, with three exceptions: objects are closed to names that the schema does not mention,
//! deprecated names are not offered, and a schema without `type` is one of the
//! [types that it implies](implied_types). With [`Dialect::OpenAi`] and
//! [`Dialect::Ollama`] an absent optional property is written as `null`, which reading takes as
//! absent. Titles and descriptions are kept where the dialect allows them; other annotations
//! constrain nothing and are dropped.
//!
//! ```
//! use extract::schema::dialect::Dialect;
//!
//! let schema = serde_json::json!({
//!     "type": "object",
//!     "properties": {"name": {"type": "string", "minLength": 1}, "age": {"type": "integer"}},
//!     "required": ["name"],
//! });
//! let projection = Dialect::OpenAi.project(&schema)?;
//! assert_eq!(projection.schema["required"], serde_json::json!(["name", "age"]));
//! assert_eq!(projection.schema["properties"]["age"]["type"], serde_json::json!(["integer", "null"]));
//! assert_eq!(projection.unenforced[0].to_string(), "$.properties.name: `minLength` is not among the supported keywords");
//! # Ok::<(), extract::schema::dialect::Inexpressible>(())
//! ```
//!
//! # A decoder of your own
//!
//! An agent that constrains its model itself, for example with a grammar, has the same questions as
//! a dialect: whether `oneOf` may be written as `anyOf` ([`are_exclusive`]), what a reference
//! refers to ([`follow_references`]), which types a schema without `type` implies
//! ([`implied_types`]), which keywords and formats constrain nothing ([`is_annotation`],
//! [`is_judged_format`]). It collects what it does not enforce as [`UnenforcedConstraint`], and
//! lists that in a note of its reply ([`UnenforcedConstraint::lines`]). The crate
//! `extractable-local` is such an agent.
//!
//! # What each dialect enforces
//!
//! The constraint applies to a property. `yes`: the projection accepts no value that breaks it. `in
//! part` and `no`: it accepts some or all of them, and [`unenforced`](Projection::unenforced) names
//! it. `prompt`: the dialect cannot express the schema. A test compares the table with the
//! projections; whether a provider's decoder enforces what it is sent is up to the provider.
//!
#![doc = include_str!("constraints.md")]

mod about;
mod anthropic;
mod conjunction;
mod containers;
mod envelope;
mod failure;
mod format;
mod gemini;
mod graph;
mod kinds;
mod node;
mod ollama;
mod openai;
mod pattern;
mod presence;
mod projection;
mod rules;
mod same;
mod scopes;
#[cfg(test)]
mod tests;
mod unenforced;
mod unions;

use std::fmt;

use serde_json::Value;

pub(crate) use self::envelope::TOKENS_BEFORE;
pub use self::{
    about::{are_exclusive, follow_references, implied_types, is_annotation},
    format::is_judged_format,
    openai::REFUSED_BY_AZURE,
    projection::{Inexpressible, Projection},
    unenforced::UnenforcedConstraint,
};
use self::{node::SchemaProjector, rules::DialectRules};
use crate::vocabulary::path::Path;

/// The subset of JSON Schema that a provider supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI's structured outputs in strict mode, which many other servers support as well.
    /// Source: <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>
    OpenAi,
    /// Anthropic's structured outputs. Source:
    /// <https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations>
    Anthropic,
    /// Gemini's `responseJsonSchema`. Source:
    /// <https://ai.google.dev/api/generate-content#FIELDS.response_json_schema>
    Gemini,
    /// Ollama's `format`, which llama.cpp turns into a grammar. Source:
    /// <https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md#json-schemas--gbnf>
    Ollama,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// Translates `schema` (JSON Schema 2020-12, with references into itself only) to this dialect.
    ///
    /// # Errors
    ///
    /// [`Inexpressible`] names the first part that the dialect cannot express.
    pub fn project(self, schema: &Value) -> Result<Projection, Inexpressible> {
        let schema = node::one_document(schema)?;
        SchemaProjector::new(&schema, self.rules()).project()
    }

    /// Returns the schema that a provider of this dialect is sent: the [projection](Self::project)
    /// of `schema`. Some dialects, such as [`OpenAi`](Self::OpenAi), take only objects. For them,
    /// any other answer is wrapped into an object; [`Projection::is_enveloped`] is set then, and
    /// the answer has to be taken out of the reply. The paths of unenforced constraints refer to
    /// the answer.
    ///
    /// # Errors
    ///
    /// The errors of [`project`](Self::project). Wrapping also fails if the schema uses the
    /// object's key, which would make a reply ambiguous.
    ///
    /// ```
    /// use extract::schema::dialect::Dialect;
    ///
    /// let schema = serde_json::json!({"type": "array", "items": {"type": "integer"}});
    /// assert!(Dialect::OpenAi.project(&schema).is_err());
    /// let offered = Dialect::OpenAi.offer(&schema)?;
    /// assert!(offered.is_enveloped);
    /// assert_eq!(offered.schema["properties"]["answer"]["items"]["type"], "integer");
    /// # Ok::<(), extract::schema::dialect::Inexpressible>(())
    /// ```
    pub fn offer(self, schema: &Value) -> Result<Projection, Inexpressible> {
        match self.project(schema) {
            Err(reason) if self == Self::OpenAi => match self.enveloped(schema) {
                Err(_) if reason.reason != openai::NO_OBJECT => Err(reason),
                result => result,
            },
            result => result,
        }
    }

    fn enveloped(self, schema: &Value) -> Result<Projection, Inexpressible> {
        let document = node::one_document(schema)?;
        let enveloped = SchemaProjector::new(&document, self.rules()).project_under(envelope::KEY)?;
        if envelope::uses_key(schema) {
            let reason = format!("{}, and it uses the key of the object around it", openai::NO_OBJECT);
            return Err(Inexpressible::new(&Path::root(), reason));
        }
        Ok(Projection { is_enveloped: true, ..enveloped })
    }

    fn rules(self) -> &'static DialectRules {
        match self {
            Self::OpenAi => &openai::RULES,
            Self::Anthropic => &anthropic::RULES,
            Self::Gemini => &gemini::RULES,
            Self::Ollama => &ollama::RULES,
        }
    }
}

/// The name of the provider.
impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OpenAi => "OpenAI",
            Self::Anthropic => "Anthropic",
            Self::Gemini => "Gemini",
            Self::Ollama => "Ollama",
        })
    }
}
