//! The form of a schema: the field for each part of a value.
//!
//! A part that no field can express is edited as JSON, and so is a value that does not fit its
//! field. A form helps; the contract judges.

use std::collections::{BTreeMap, HashSet, btree_map::Entry};

use serde::Serialize;
use serde_json::{Map, Value};

/// Maximum number of fields. Parts beyond are edited as JSON.
const MOST_FIELDS: usize = 5_000;

/// Maximum depth of fields inside each other without a reference.
const MOST_LEVELS: usize = 64;

/// The form of a schema.
#[derive(Debug, Serialize)]
pub(super) struct ReviewForm {
    pub(super) root: Field,
    /// Fields that others refer to, by their reference.
    definitions: BTreeMap<String, Field>,
}

/// The field of a part of a value.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct Field {
    #[serde(flatten)]
    kind: FieldKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_nullable: bool,
}

#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum FieldKind {
    /// Anything, as JSON.
    #[default]
    Json,
    Text {
        #[serde(skip_serializing_if = "Option::is_none")]
        format: Option<String>,
        /// Whether it is copied from the text.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_quote: bool,
    },
    Number {
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_integer: bool,
    },
    Boolean,
    /// One of these values, each as JSON.
    Choice {
        options: Vec<String>,
    },
    List {
        item: Box<Field>,
    },
    Object {
        members: Vec<FormMember>,
        /// Whether it is a value with its quote.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_grounded: bool,
    },
    /// An object whose names are free.
    Map {
        value: Box<Field>,
    },
    Union {
        branches: Vec<Branch>,
    },
    /// The definition of this name.
    Reference {
        to: String,
    },
}

#[derive(Debug, PartialEq, Serialize)]
struct FormMember {
    name: String,
    is_required: bool,
    field: Field,
}

/// One alternative of a union, which the member `name` tells from the others: by its value, or by
/// being there.
#[derive(Debug, PartialEq, Serialize)]
struct Branch {
    label: String,
    name: String,
    /// The value of the member, as JSON; without it, the member is in no other alternative.
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
    field: Field,
}

/// Returns the form of a schema.
pub(super) fn of(schema: &Value) -> ReviewForm {
    let mut former = Former { root: schema, count: 0, wanted: Vec::new() };
    let root = former.field(schema, 0);
    let mut definitions = BTreeMap::new();
    while let Some(reference) = former.wanted.pop() {
        if let Entry::Vacant(definition) = definitions.entry(reference) {
            let target = former.target(definition.key());
            let field = target.map(|target| former.field(target, 0));
            definition.insert(field.unwrap_or_default());
        }
    }
    ReviewForm { root, definitions }
}

struct Former<'s> {
    root: &'s Value,
    count: usize,
    /// References whose fields are needed.
    wanted: Vec<String>,
}

impl<'s> Former<'s> {
    /// What a reference leads to; only JSON Pointers are followed.
    fn target(&self, reference: &str) -> Option<&'s Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }

    fn field(&mut self, schema: &Value, depth: usize) -> Field {
        self.count += 1;
        let Value::Object(schema) = schema else { return Field::default() };
        if self.count > MOST_FIELDS || depth > MOST_LEVELS {
            return Field::default();
        }
        let mut field = self.alone(schema, depth);
        let text = |name: &str| schema.get(name).and_then(Value::as_str).map(str::to_owned);
        field.title = text("title").or(field.title);
        field.description = text("description").or(field.description);
        field
    }

    /// The field without its title and description.
    fn alone(&mut self, schema: &Map<String, Value>, depth: usize) -> Field {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return self.reference(reference);
        }
        for name in ["anyOf", "oneOf"] {
            if let Some(parts) = schema.get(name).and_then(Value::as_array) {
                return self.alternatives(schema, parts, depth);
            }
        }
        if let Some([part]) = schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice)
            && !schema.contains_key("properties")
        {
            return self.field(part, depth + 1);
        }
        if schema.contains_key("allOf") {
            return Field::default();
        }
        if let Some(options) = options(schema) {
            return choice(&options);
        }
        let (types, is_nullable) = types(schema);
        let kind = match types[..] {
            ["string"] => FieldKind::Text {
                format: schema.get("format").and_then(Value::as_str).map(str::to_owned),
                is_quote: schema.get("x-quote") == Some(&Value::Bool(true)),
            },
            ["number"] | ["integer", "number"] | ["number", "integer"] => {
                FieldKind::Number { is_integer: false }
            }
            ["integer"] => FieldKind::Number { is_integer: true },
            ["boolean"] => FieldKind::Boolean,
            ["array"] => self.list(schema, depth),
            ["object"] => self.object(schema, depth),
            _ => FieldKind::Json,
        };
        Field { kind, is_nullable, ..Field::default() }
    }

    fn reference(&mut self, reference: &str) -> Field {
        if self.target(reference).is_none() {
            return Field::default();
        }
        self.wanted.push(reference.to_owned());
        Field { kind: FieldKind::Reference { to: reference.to_owned() }, ..Field::default() }
    }

    fn list(&mut self, schema: &Map<String, Value>, depth: usize) -> FieldKind {
        match schema.get("items") {
            Some(items @ Value::Object(_)) if !schema.contains_key("prefixItems") => {
                FieldKind::List { item: Box::new(self.field(items, depth + 1)) }
            }
            _ => FieldKind::Json,
        }
    }

    fn object(&mut self, schema: &Map<String, Value>, depth: usize) -> FieldKind {
        let empty = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        if let (true, Some(value @ Value::Object(_))) =
            (properties.is_empty(), schema.get("additionalProperties"))
        {
            return FieldKind::Map { value: Box::new(self.field(value, depth + 1)) };
        }
        if properties.is_empty() {
            return FieldKind::Json;
        }
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
        let member = |(name, part): (&String, &Value)| FormMember {
            name: name.clone(),
            is_required: is_required(name),
            field: self.field(part, depth + 1),
        };
        FieldKind::Object {
            members: properties.iter().map(member).collect(),
            is_grounded: schema.get("x-grounded") == Some(&Value::Bool(true)),
        }
    }

    /// A part that may be null, a choice, or a union whose alternatives can be told apart.
    fn alternatives(&mut self, schema: &Map<String, Value>, parts: &[Value], depth: usize) -> Field {
        let others: Vec<&Value> = parts.iter().filter(|part| !is_null(part)).collect();
        let is_nullable = others.len() < parts.len();
        if schema.contains_key("properties") {
            return Field::default();
        }
        if let [part] = others[..] {
            let field = self.field(part, depth + 1);
            return Field { is_nullable: is_nullable || field.is_nullable, ..field };
        }
        let all_options: Option<Vec<_>> =
            others.iter().map(|part| options(self.resolved(part).as_object()?)).collect();
        if let Some(all) = all_options {
            let field = choice(&all.concat());
            return Field { is_nullable: is_nullable || field.is_nullable, ..field };
        }
        let kind = match self.marks(&others) {
            Some(marks) => {
                let branch = |(part, (name, tag)): (&&Value, (String, Option<String>))| Branch {
                    label: label(self.resolved(part), &name, tag.as_deref()),
                    name,
                    tag,
                    field: self.field(part, depth + 1),
                };
                FieldKind::Union { branches: others.iter().zip(marks).map(branch).collect() }
            }
            None => FieldKind::Json,
        };
        Field { kind, is_nullable, ..Field::default() }
    }

    /// The schema that a part refers to, or the part itself.
    fn resolved<'p>(&self, part: &'p Value) -> &'p Value
    where
        's: 'p,
    {
        let target = part.get("$ref").and_then(Value::as_str).and_then(|reference| self.target(reference));
        target.unwrap_or(part)
    }

    /// Returns for each alternative the member that tells it from the others, and its value.
    fn marks(&self, parts: &[&Value]) -> Option<Vec<(String, Option<String>)>> {
        let properties: Vec<&Map<String, Value>> = parts
            .iter()
            .map(|part| self.resolved(part).get("properties").and_then(Value::as_object))
            .collect::<Option<_>>()?;
        let first = properties.first()?;
        let by_value = first.keys().find_map(|name| {
            let tags: Option<Vec<String>> = properties.iter().map(|one| tag(one.get(name)?)).collect();
            tags.filter(|tags| are_different(tags)).map(|tags| (name, tags))
        });
        if let Some((name, tags)) = by_value {
            return Some(tags.into_iter().map(|tag| (name.clone(), Some(tag))).collect());
        }
        // As serde writes enums: an object with one member, which has the name of the variant.
        let names: Option<Vec<String>> =
            properties.iter().map(|one| one.keys().next().filter(|_| one.len() == 1).cloned()).collect();
        let names = names.filter(|names| are_different(names))?;
        Some(names.into_iter().map(|name| (name, None)).collect())
    }
}

fn are_different(texts: &[String]) -> bool {
    texts.iter().collect::<HashSet<_>>().len() == texts.len()
}

/// The types of a schema without null, and whether null is one.
fn types(schema: &Map<String, Value>) -> (Vec<&str>, bool) {
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ if schema.contains_key("properties") => vec!["object"],
        _ => Vec::new(),
    };
    let others: Vec<&str> = types.iter().copied().filter(|name| *name != "null").collect();
    let is_nullable = others.len() < types.len() || schema.get("nullable") == Some(&Value::Bool(true));
    (others, is_nullable)
}

/// The only values that a schema allows.
fn options(schema: &Map<String, Value>) -> Option<Vec<Value>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => Some(vec![value.clone()]),
        (None, Some(Value::Array(values))) => Some(values.clone()),
        _ => None,
    }
}

fn choice(options: &[Value]) -> Field {
    let is_nullable = options.iter().any(Value::is_null);
    let options: Vec<String> =
        options.iter().filter(|option| !option.is_null()).map(Value::to_string).collect();
    let kind = if options.len() > MOST_FIELDS { FieldKind::Json } else { FieldKind::Choice { options } };
    Field { kind, is_nullable, ..Field::default() }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null") || schema.get("const").is_some_and(Value::is_null)
}

/// The only value of a member, as JSON.
fn tag(schema: &Value) -> Option<String> {
    match &options(schema.as_object()?)?[..] {
        [value @ Value::String(_)] => Some(value.to_string()),
        _ => None,
    }
}

/// What a union calls an alternative.
fn label(schema: &Value, name: &str, tag: Option<&str>) -> String {
    let title = schema.get("title").and_then(Value::as_str).map(str::to_owned);
    let tag = tag.and_then(|tag| serde_json::from_str(tag).ok());
    tag.or(title).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form(schema: &Value) -> Value {
        serde_json::to_value(of(schema)).unwrap()
    }

    fn member(schema: &Value) -> Value {
        form(&json!({"type": "object", "properties": {"m": schema}}))["root"]["members"][0]["field"].clone()
    }

    #[test]
    fn each_type_has_its_field() {
        for (schema, field) in [
            (json!({"type": "string", "format": "date"}), json!({"kind": "text", "format": "date"})),
            (
                json!({"type": ["integer", "null"]}),
                json!({"kind": "number", "is_integer": true, "is_nullable": true}),
            ),
            (
                json!({"anyOf": [{"type": "number"}, {"type": "null"}]}),
                json!({"kind": "number", "is_nullable": true}),
            ),
            (json!({"type": "boolean", "title": "T"}), json!({"kind": "boolean", "title": "T"})),
            (
                json!({"enum": ["a", 1.5, null]}),
                json!({"kind": "choice", "options": ["\"a\"", "1.5"], "is_nullable": true}),
            ),
            (
                json!({"oneOf": [{"const": "a"}, {"const": "b"}]}),
                json!({"kind": "choice", "options": ["\"a\"", "\"b\""]}),
            ),
            (
                json!({"type": "object", "additionalProperties": {"type": "string"}}),
                json!({"kind": "map", "value": {"kind": "text"}}),
            ),
            (json!({"type": "string", "x-quote": true}), json!({"kind": "text", "is_quote": true})),
        ] {
            assert_eq!(member(&schema), field, "{schema}");
        }
    }

    #[test]
    fn what_no_field_expresses_is_json() {
        for schema in [
            json!(true),
            json!({}),
            json!({"type": ["string", "integer"]}),
            json!({"anyOf": [{"type": "string"}, {"type": "object", "properties": {"a": {}}}]}),
            json!({"type": "array", "prefixItems": [{}], "items": {"type": "string"}}),
            json!({"type": "object"}),
            json!({"$ref": "other.json"}),
            json!({"allOf": [{"type": "object"}, {"type": "object"}]}),
        ] {
            assert_eq!(member(&schema)["kind"], "json", "{schema}");
        }
    }

    #[test]
    fn alternatives_are_told_apart_by_their_tag() {
        let shape = |kind: &str| json!({"type": "object", "properties": {"kind": {"const": kind}, "r": {"type": "number"}}});
        let union = member(&json!({"oneOf": [shape("circle"), shape("square"), {"type": "null"}]}));
        assert_eq!((&union["kind"], &union["is_nullable"]), (&json!("union"), &json!(true)));
        assert_eq!(union["branches"][1]["tag"], "\"square\"");
        let variant = |name: &str| json!({"type": "object", "properties": {name: {"type": "number"}}});
        let union = member(&json!({"anyOf": [variant("Circle"), variant("Square")]}));
        assert_eq!(
            (&union["branches"][1]["name"], union["branches"][1].get("tag")),
            (&json!("Square"), None)
        );
    }

    #[test]
    fn a_type_inside_itself_is_one_definition() {
        let node = json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}});
        let form = form(&json!({"$defs": {"n": node}, "$ref": "#/$defs/n"}));
        assert_eq!(form["root"], json!({"kind": "reference", "to": "#/$defs/n"}));
        assert_eq!(form["definitions"].as_object().unwrap().len(), 1);
    }

    #[test]
    fn a_form_is_bounded() {
        let mut schema = json!({"type": "string"});
        for _ in 0..5_000 {
            schema = json!({"type": "array", "items": schema});
            if schema.to_string().len() > 3_000 {
                break;
            }
        }
        assert!(form(&schema).to_string().len() < 10_000);
        // Each level is twice in the one above.
        let two = |to: usize| json!({"type": "object", "properties": {"a": {"$ref": format!("#/$defs/{to}")}, "b": {"$ref": format!("#/$defs/{to}")}}});
        let definitions: Map<String, Value> =
            (0..60).map(|number| (number.to_string(), two(number + 1))).collect();
        let form = form(&json!({"$defs": definitions, "$ref": "#/$defs/0"}));
        assert!(form.to_string().len() < 50_000);
    }
}
