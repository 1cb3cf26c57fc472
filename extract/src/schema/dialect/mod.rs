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

mod anthropic;
mod conjunction;
mod containers;
mod gemini;
mod graph;
mod kinds;
mod node;
mod ollama;
mod openai;
mod pattern;
mod projection;
mod rules;
mod scopes;
mod unions;

#[cfg(test)]
mod tests;

use std::fmt;

use serde_json::{Map, Value};

use self::{node::SchemaProjector, rules::DialectRules};
pub use self::{
    openai::REFUSED_BY_AZURE,
    projection::{Inexpressible, Projection, UnenforcedConstraint},
    rules::is_judged_format,
};
use crate::{
    schema::{
        any_within,
        view::{SchemaView, keywords},
    },
    vocabulary::path::Path,
};

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
        let enveloped = SchemaProjector::new(&document, self.rules()).project_under(ENVELOPE_KEY)?;
        if uses_envelope_key(schema) {
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

/// The only key of the object that an answer is wrapped into.
const ENVELOPE_KEY: &str = "answer";

/// The tokens of that object before the answer.
pub(crate) const TOKENS_BEFORE: [&str; 3] = ["{", "\"answer\"", ":"];

/// Returns whether a schema uses that key, which would make a reply ambiguous.
fn uses_envelope_key(schema: &Value) -> bool {
    any_within(schema, &|part| part.get(ENVELOPE_KEY).is_some())
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

/// Returns whether a keyword constrains nothing: an annotation of JSON Schema, such as `title` and
/// `$defs`, or a name that JSON Schema does not know, such as those of editors and generators.
///
/// ```
/// use extract::schema::dialect::is_annotation;
///
/// assert!(is_annotation("description") && is_annotation("x-order") && !is_annotation("pattern"));
/// ```
pub fn is_annotation(keyword: &str) -> bool {
    keywords::is_inert(keyword)
}

/// Returns the types that a schema without `type` implies, as the value of that keyword: the types
/// of its `const` or `enum`, else the type that its keywords apply to. `None` if it implies none.
/// Keywords that allow everything, such as `properties` without names, imply nothing.
///
/// ```
/// use extract::schema::dialect::implied_types;
/// use serde_json::json;
///
/// let implied = |schema: serde_json::Value| implied_types(schema.as_object().unwrap());
/// assert_eq!(implied(json!({"enum": [1, "a"]})), Some(json!(["number", "string"])));
/// assert_eq!(implied(json!({"maxLength": 3})), Some(json!("string")));
/// assert_eq!(implied(json!({"title": "Anything", "properties": {}})), None);
/// ```
pub fn implied_types(keywords: &Map<String, Value>) -> Option<Value> {
    keywords::implied_types(keywords)
}

/// Returns whether the types, tags and names of `branches` show that no value satisfies two of
/// them. Then `oneOf` means the same as `anyOf`, which more decoders support. References are looked
/// up in `root`.
///
/// ```
/// use extract::schema::dialect::are_exclusive;
/// use serde_json::json;
///
/// let root = json!({"oneOf": [{"type": "integer"}, {"type": "string"}]});
/// assert!(are_exclusive(root["oneOf"].as_array().unwrap(), &root));
/// assert!(!are_exclusive(&[json!({"minimum": 1}), json!({"maximum": 2})], &root));
/// ```
pub fn are_exclusive(branches: &[Value], root: &Value) -> bool {
    SchemaView::of(root).are_exclusive(branches)
}

/// Returns the first schema along the references of `schema` into `root` that says more than a
/// reference. That is `schema` itself if it is not a reference, or if the references lead nowhere
/// or in a circle.
///
/// ```
/// use extract::schema::dialect::follow_references;
/// use serde_json::json;
///
/// let root = json!({"$defs": {"Code": {"$ref": "#code"}, "Inner": {"$anchor": "code", "type": "string"}}});
/// assert_eq!(follow_references(&json!({"$ref": "#/$defs/Code"}), &root)["type"], "string");
/// ```
pub fn follow_references<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    SchemaView::of(root).meant(schema)
}
