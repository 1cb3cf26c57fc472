//! How a schema is sent to a server, and who enforces it.

use std::fmt;

use extract::schema::dialect::{Dialect, Projection};
use serde_json::{Map, Value};

/// How a schema is sent to a server, and who enforces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaSupport {
    /// The dialect of the server. `None` leaves the schema to the prompt.
    pub dialect: Option<Dialect>,
    /// The form of the schema in Chat Completions and Responses.
    pub form: SchemaForm,
    /// Who enforces it.
    pub enforcement: Enforcement,
    /// Keywords of the dialect that the server refuses.
    pub without: &'static [&'static str],
    /// Maximum properties of all objects together.
    pub max_properties: Option<usize>,
    /// Maximum levels of objects.
    pub max_levels: Option<usize>,
}

/// The form of a schema in Chat Completions and Responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaForm {
    /// `{"type": "json_schema", …}` with a name, and with `strict` where that is sent.
    JsonSchema {
        /// The value of `strict`, if it is sent.
        strict: Option<bool>,
    },
    /// `{"type": "json_object", "schema": …}`
    JsonObject,
}

/// Who ensures that a reply satisfies the schema that was sent, from the weakest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Enforcement {
    /// Nobody for certain: the schema is only a request, so the prompt describes it as well.
    Requested,
    /// A decoder that the model does not see.
    Decoder,
    /// The provider, which shows the schema to the model too.
    Provider,
}

impl fmt::Display for Enforcement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Provider => "provider",
            Self::Decoder => "decoder",
            Self::Requested => "nobody",
        })
    }
}

impl SchemaSupport {
    /// No schema is sent.
    pub const NONE: Self = Self {
        dialect: None,
        form: SchemaForm::JsonSchema { strict: None },
        enforcement: Enforcement::Requested,
        without: &[],
        max_properties: None,
        max_levels: None,
    };

    /// Enforced by the provider.
    pub const fn by_provider(dialect: Dialect) -> Self {
        Self { enforcement: Enforcement::Provider, ..Self::requested(dialect) }
    }

    /// Enforced by a decoder that the model does not see.
    pub const fn by_decoder(dialect: Dialect) -> Self {
        Self { enforcement: Enforcement::Decoder, ..Self::requested(dialect) }
    }

    /// Sent, and not known to be enforced.
    pub const fn requested(dialect: Dialect) -> Self {
        Self { dialect: Some(dialect), form: SchemaForm::JsonSchema { strict: Some(true) }, ..Self::NONE }
    }

    /// In another form.
    pub const fn in_form(self, form: SchemaForm) -> Self {
        Self { form, ..self }
    }

    /// Translates `schema` for the server; `None` if the server gets no schema. An error is the
    /// reason why it cannot be expressed.
    pub(crate) fn offer(&self, schema: &Value) -> Option<Result<Projection, String>> {
        let mut projection = match self.dialect?.offer(schema) {
            Ok(projection) => projection,
            Err(reason) => return Some(Err(reason.to_string())),
        };
        if !self.without.is_empty() {
            projection = projection.without(self.without);
        }
        Some(self.check(projection))
    }

    fn check(&self, projection: Projection) -> Result<Projection, String> {
        let mut sizes = Sizes::default();
        sizes.add(&projection.schema, 0);
        let limits = [
            ("properties", sizes.properties, self.max_properties),
            ("levels of objects", sizes.levels, self.max_levels),
        ];
        for (what, size, most) in limits {
            if let Some(most) = most.filter(|most| size > *most) {
                return Err(format!("{size} {what}, of which there may be {most}"));
            }
        }
        Ok(projection)
    }
}

/// Members of a schema that are schemas by name, schemas, or lists of schemas.
const NAMED: [&str; 2] = ["properties", "$defs"];
const SINGLE: [&str; 2] = ["items", "additionalProperties"];
const LISTED: [&str; 3] = ["anyOf", "oneOf", "prefixItems"];

/// How large a schema is.
#[derive(Default)]
struct Sizes {
    properties: usize,
    levels: usize,
}

impl Sizes {
    fn add(&mut self, schema: &Value, level: usize) {
        let Value::Object(members) = schema else { return };
        let own = members.get("properties").and_then(Value::as_object).map_or(0, Map::len);
        let level = level + usize::from(own > 0);
        self.properties += own;
        self.levels = self.levels.max(level);
        for name in NAMED {
            // A definition is as deep as its uses, which are not searched for: it counts from the
            // top.
            let from = if name == "$defs" { 0 } else { level };
            members
                .get(name)
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
                .for_each(|(_, inner)| self.add(inner, from));
        }
        SINGLE.iter().filter_map(|name| members.get(*name)).for_each(|inner| self.add(inner, level));
        let lists = LISTED.iter().filter_map(|name| members.get(*name)?.as_array());
        lists.flatten().for_each(|inner| self.add(inner, level));
    }
}

#[cfg(test)]
mod tests {
    use extract::schema::dialect::UnenforcedConstraint;
    use serde_json::json;

    use super::*;

    const NARROW: SchemaSupport = SchemaSupport {
        without: &["pattern", "minItems", "minimum"],
        max_properties: Some(4),
        max_levels: Some(2),
        ..SchemaSupport::by_provider(Dialect::OpenAi)
    };

    #[test]
    fn refused_keywords_are_removed_and_reported() {
        let schema = json!({
            "type": "object",
            "properties": {"pattern": {"type": "string", "pattern": "^a$"}, "n": {"type": "integer", "minimum": 0}},
            "required": ["pattern", "n"],
        });
        let projection = NARROW.offer(&schema).unwrap().unwrap();
        assert_eq!(projection.schema["properties"]["pattern"]["type"], "string");
        assert!(!projection.schema["properties"].to_string().contains("^a$"), "{}", projection.schema);
        let lines = UnenforcedConstraint::lines(&projection.unenforced);
        assert_eq!(
            lines,
            [
                "$.properties.pattern: `pattern` is not among the supported keywords",
                "$.properties.n: `minimum` is not among the supported keywords",
            ]
        );
        let list = json!({"type": "array", "minItems": 1, "items": {"type": "string", "pattern": "^a$"}});
        let projection = NARROW.offer(&list).unwrap().unwrap();
        assert!(projection.is_enveloped && !projection.schema.to_string().contains("minItems"));
        let lines = UnenforcedConstraint::lines(&projection.unenforced);
        assert_eq!(
            lines,
            [
                "$: `minItems` is not among the supported keywords",
                "$.items: `pattern` is not among the supported keywords",
            ]
        );
    }

    #[test]
    fn a_schema_beyond_the_limits_is_not_sent() {
        let object = |inner: Value| json!({"type": "object", "properties": {"a": inner}, "required": ["a"]});
        let text = json!({"type": "string"});
        assert!(NARROW.offer(&object(object(text.clone()))).unwrap().is_ok());
        let error = NARROW.offer(&object(object(object(text.clone())))).unwrap().unwrap_err();
        assert_eq!(error, "3 levels of objects, of which there may be 2");
        let names: Map<String, Value> =
            ["a", "b", "c", "d", "e"].map(|name| (name.to_owned(), text.clone())).into_iter().collect();
        let wide = json!({"type": "object", "properties": names, "required": ["a"]});
        assert_eq!(NARROW.offer(&wide).unwrap().unwrap_err(), "5 properties, of which there may be 4");
    }
}
