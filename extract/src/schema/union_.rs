//! The schema of an enum.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::{
    flatten,
    keyword::{FieldKeyword, apply},
    marks::OTHER,
    mistakes::{buffer, mark_as_looking},
    shape::{FieldProperty, FieldsShape, deprecated},
};

/// How serde distinguishes the variants.
#[derive(Debug, Clone, Copy)]
pub enum EnumTagging<'a> {
    /// `"Unit"` or `{"Variant": content}`.
    External,
    /// `{"tag": "Variant", ...content}`.
    Internal(&'a str),
    /// `{"tag": "Variant", "content": content}`.
    Adjacent(&'a str, &'a str),
    /// The content alone.
    Untagged,
}

/// A variant, as the derive describes it.
#[derive(Debug, Clone, Copy)]
pub struct EnumVariant<'a> {
    names: &'a [&'a str],
    shape: FieldsShape<'a>,
    keywords: &'a [FieldKeyword<'a>],
    is_untagged: bool,
    is_other: bool,
}

impl<'a> EnumVariant<'a> {
    /// Creates a variant from its name, followed by the aliases that serde accepts.
    #[must_use]
    pub const fn new(names: &'a [&'a str], shape: FieldsShape<'a>) -> Self {
        Self { names, shape, keywords: &[], is_untagged: false, is_other: false }
    }

    /// Descriptions of the variant.
    #[must_use]
    pub const fn keywords(mut self, keywords: &'a [FieldKeyword<'a>]) -> Self {
        self.keywords = keywords;
        self
    }

    /// Marks a variant without a tag, whatever the enum declares.
    #[must_use]
    pub const fn untagged(mut self) -> Self {
        self.is_untagged = true;
        self
    }

    /// Marks a variant that accepts every tag of no other variant.
    #[must_use]
    pub const fn other(mut self) -> Self {
        self.is_other = true;
        self
    }

    fn description(&self) -> Option<&'a str> {
        self.keywords.iter().find_map(|keyword| match keyword {
            FieldKeyword::Description(text) => Some(*text),
            _ => None,
        })
    }
}

/// Returns the schema of an enum. `denies_unknown` applies to the keys beside a tag.
pub fn enum_(
    generator: &mut SchemaGenerator,
    tagging: EnumTagging<'_>,
    denies_unknown: bool,
    variants: &[EnumVariant<'_>],
    keywords: &[FieldKeyword<'_>],
) -> Schema {
    let mut union = UnionBuilder { generator, denies_unknown, tags: all_names(variants) };
    let mut branches = Vec::new();
    if matches!(tagging, EnumTagging::External) {
        branches.extend(names(variants.iter().filter(|v| v.shape.is_unit() && !v.is_untagged)));
    }
    for variant in variants {
        branches.extend(union.branch(tagging, variant).map(|mut branch| {
            apply(&mut branch, variant.keywords);
            branch.to_value()
        }));
    }
    let is_exclusive = !matches!(tagging, EnumTagging::Untagged) && !variants.iter().any(|v| v.is_untagged);
    let mut schema = join(branches, if is_exclusive { "oneOf" } else { "anyOf" });
    if !is_exclusive || matches!(tagging, EnumTagging::Internal(_)) {
        mark_as_looking(schema.ensure_object());
    }
    apply(&mut schema, keywords);
    schema
}

/// Joins branches into a union by `keyword`. A union of strings only becomes a list of values.
fn join(mut branches: Vec<Value>, keyword: &str) -> Schema {
    if let [Value::Object(only)] = &mut branches[..]
        && (only.get("type").is_some_and(|kind| kind == "string") || only.contains_key("anyOf"))
    {
        return Schema::from(std::mem::take(only));
    }
    json_schema!({ keyword: branches })
}

fn all_names(variants: &[EnumVariant<'_>]) -> Vec<Value> {
    let named = variants.iter().filter(|variant| !variant.is_other && !variant.is_untagged);
    named.flat_map(|variant| variant.names).map(|name| Value::from(*name)).collect()
}

/// The unit variants of an externally tagged enum: one list of strings, with their meanings in the
/// description. If one variant accepts all others, any string is allowed beside the list.
fn names<'a>(variants: impl Iterator<Item = &'a EnumVariant<'a>>) -> Option<Value> {
    let (others, named): (Vec<_>, Vec<_>) = variants.partition(|variant| variant.is_other);
    let named = listed(&named);
    let Some(other) = others.first() else { return named };
    let mut open = json!({ "type": "string", OTHER: true });
    if let Some(text) = other.description() {
        open["description"] = Value::from(text);
    }
    Some(match named {
        Some(named) => json!({ "anyOf": [named, open] }),
        None => open,
    })
}

fn listed(variants: &[&EnumVariant<'_>]) -> Option<Value> {
    let names: Vec<&str> = variants.iter().flat_map(|variant| variant.names).copied().collect();
    let meaning = |variant: &&EnumVariant<'_>| {
        Some(format!("- `{}`: {}", variant.names.first()?, variant.description()?))
    };
    let meanings: Vec<String> = variants.iter().filter_map(meaning).collect();
    if names.is_empty() {
        return None;
    }
    let mut schema = json!({ "type": "string", "enum": names });
    if !meanings.is_empty() {
        schema["description"] = Value::from(meanings.join("\n"));
    }
    Some(schema)
}

struct UnionBuilder<'g> {
    generator: &'g mut SchemaGenerator,
    denies_unknown: bool,
    /// Every name of a variant, for the variant that accepts all others.
    tags: Vec<Value>,
}

impl UnionBuilder<'_> {
    fn branch(&mut self, tagging: EnumTagging<'_>, variant: &EnumVariant<'_>) -> Option<Schema> {
        match tagging {
            EnumTagging::Untagged => Some(self.untagged(variant)),
            _ if variant.is_untagged => Some(self.untagged(variant)),
            EnumTagging::External if variant.shape.is_unit() => None,
            EnumTagging::External => Some(self.external(variant)),
            EnumTagging::Internal(tag) => Some(self.internal(tag, variant)),
            EnumTagging::Adjacent(tag, content) => Some(self.adjacent(tag, content, variant)),
        }
    }

    fn untagged(&mut self, variant: &EnumVariant<'_>) -> Schema {
        let mut schema = variant.shape.schema(self.generator);
        if let Some(schema) = schema.as_object_mut() {
            buffer(schema, "in an untagged enum");
        }
        schema
    }

    fn external(&mut self, variant: &EnumVariant<'_>) -> Schema {
        let content = variant.shape.schema(self.generator);
        let [name, aliases @ ..] = variant.names else { return Schema::from(false) };
        let mut properties = Map::new();
        properties.insert((*name).to_owned(), content.clone().to_value());
        for alias in aliases {
            properties.insert((*alias).to_owned(), deprecated(content.clone()));
        }
        let mut schema = json_schema!({
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
        });
        let (key, value) = match aliases {
            [] => ("required", json!([name])),
            _ => ("oneOf", variant.names.iter().map(|name| json!({ "required": [name] })).collect()),
        };
        schema.insert(key.to_owned(), value);
        schema
    }

    fn internal(&mut self, tag: &str, variant: &EnumVariant<'_>) -> Schema {
        let mut object = self.tag_object(tag, variant);
        let name = variant.names.first().copied().unwrap_or_default();
        match variant.shape {
            FieldsShape::Unit | FieldsShape::Tuple(_) => {}
            FieldsShape::Newtype(property) => match property.flat_schema(self.generator) {
                Some(content) => flatten::beside_tag(&mut object, (tag, name), content, self.generator),
                None => flatten::note_endless(&mut object, name),
            },
            FieldsShape::Named(..) => {
                let content = variant.shape.schema(self.generator);
                flatten::beside_tag(&mut object, (tag, name), content, self.generator);
            }
        }
        buffer(&mut object, "beside the tag of an enum");
        Schema::from(object)
    }

    fn adjacent(&mut self, tag: &str, content: &str, variant: &EnumVariant<'_>) -> Schema {
        let mut object = self.tag_object(tag, variant);
        let schema = variant.shape.schema(self.generator).to_value();
        if let Some(Value::Object(properties)) = object.get_mut("properties") {
            properties.insert(content.to_owned(), schema);
        }
        let is_optional = match variant.shape {
            FieldsShape::Unit => true,
            FieldsShape::Newtype(FieldProperty { source, .. }) => source.optional,
            _ => false,
        };
        if let (false, Some(Value::Array(required))) = (is_optional, object.get_mut("required")) {
            required.push(Value::from(content));
        }
        if self.denies_unknown {
            object.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
        Schema::from(object)
    }

    /// An object with only the tag.
    fn tag_object(&self, tag: &str, variant: &EnumVariant<'_>) -> Map<String, Value> {
        let value = match variant.names {
            _ if variant.is_other => json!({ "type": "string", "not": { "enum": self.tags }, OTHER: true }),
            [name] => json!({ "type": "string", "const": name }),
            names => json!({ "type": "string", "enum": names }),
        };
        let keywords =
            [("type", json!("object")), ("properties", json!({ tag: value })), ("required", json!([tag]))];
        keywords.map(|(keyword, value)| (keyword.to_owned(), value)).into_iter().collect()
    }
}
