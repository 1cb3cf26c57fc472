//! Writes a schema as types, in the notation of TypeScript. It takes fewer tokens than JSON Schema,
//! and models have seen a lot of it.
//!
//! Names, literals, unions, lists and optional keys become types; constraints and descriptions
//! become comments beside them. Anything else stays JSON Schema in a comment. So nothing is lost
//! except `$schema`, `$comment`, bounds that only repeat the width of an integer type, and the
//! aliases of a field.

mod node;
mod outline;
mod type_text;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use serde_json::{Map, Value};

pub(crate) use self::outline::{OutlineOptions, outline};
use self::{
    node::NotationNode,
    type_text::{NotationNames, TypeText, bracketed},
};
use super::view::{REFERENCES, SchemaView};
use crate::schema::{replace_references, shown::drop_aliases};

/// Maximum depth of nested types; deeper ones stay JSON Schema. This bounds the work of indenting.
const MAX_DEPTH: usize = 32;

/// The result of [`types`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TypesNotation {
    /// The name of the root type.
    pub(crate) root: String,
    /// The definitions.
    pub(crate) text: String,
}

/// The paragraph of a prompt that describes `schema` as types.
pub(crate) fn described(schema: &Value) -> String {
    let TypesNotation { root, text } = types(schema);
    format!(
        "The answer must be of the type {root} (a key with `?` may be absent, keys that are not shown are not allowed):\n{text}"
    )
}

/// Writes `schema` as type definitions, the root type last.
pub(crate) fn types(schema: &Value) -> TypesNotation {
    let mut schema = schema.clone();
    drop_aliases(&mut schema);
    let view = SchemaView::of(&schema);
    let mut writer = TypesWriter { view: &view, names: NotationNames::new(&view), depth: 0 };
    let whole = writer.definition(0, &schema);
    let mut definitions = Vec::new();
    // Writing a definition may add more names.
    while let Some(target) = writer.names.target(definitions.len() + 1) {
        definitions.push(writer.definition(definitions.len() + 1, target));
    }
    definitions.push(whole);
    TypesNotation { root: writer.names.of(0).to_owned(), text: definitions.join("\n") }
}

struct TypesWriter<'s> {
    view: &'s SchemaView<'s>,
    names: NotationNames<'s>,
    depth: usize,
}

impl<'s> TypesWriter<'s> {
    fn definition(&mut self, index: usize, schema: &'s Value) -> String {
        let text = self.write(schema);
        let name = self.names.of(index);
        text.titled_unlike(name).line(&format!("type {name} = "))
    }

    /// Writes the type of `schema`.
    fn write(&mut self, schema: &'s Value) -> TypeText {
        match schema {
            Value::Bool(false) => TypeText::type_("never"),
            Value::Object(_) if self.depth >= MAX_DEPTH => self.as_json_schema(schema),
            Value::Object(object) => {
                self.depth += 1;
                let text = self.node(&mut NotationNode::new(object));
                self.depth -= 1;
                text
            }
            _ => TypeText::type_("unknown"),
        }
    }

    fn node(&mut self, node: &mut NotationNode<'s>) -> TypeText {
        let refinements = self.refinements(node);
        let mut parts = Vec::new();
        if refinements.is_empty() {
            parts.extend(self.own(node));
        }
        for keyword in REFERENCES {
            parts.extend(self.referenced(keyword, node));
        }
        for keyword in ["anyOf", "oneOf"] {
            parts.extend(self.branches(keyword, node));
        }
        for schema in node.list("allOf").unwrap_or_default() {
            parts.push(self.write(schema));
        }
        let mut text = TypeText::all_of(parts);
        node::write(node, &mut text);
        text.notes.extend(refinements);
        if let Some(mut rest) = node.rest() {
            self.rename(&mut rest);
            text.notes.push(format!("and by JSON Schema {rest}"));
        }
        text
    }

    /// Constraints that a node adds to members of the type it refers to. They become comments
    /// beside the type's name. A value with a quote has such constraints.
    fn refinements(&mut self, node: &mut NotationNode<'s>) -> Vec<String> {
        let has_any = |keywords: &[&str]| keywords.iter().any(|keyword| node.peek(keyword).is_some());
        let refers = has_any(&REFERENCES) || has_any(&["anyOf", "oneOf", "allOf"]);
        let is_object_of_its_own = has_any(&["type", "const", "enum", "required", "patternProperties"])
            || has_any(&["propertyNames", "additionalProperties", "unevaluatedProperties"]);
        let Some(members) = node.peek("properties").and_then(Value::as_object) else { return Vec::new() };
        if !refers || is_object_of_its_own {
            return Vec::new();
        }
        let words = members.iter().map(|(key, schema)| {
            let words = self.write(schema).only_words()?;
            Some(format!("{}: {words}", Value::from(key.as_str())))
        });
        let Some(words) = words.collect::<Option<Vec<_>>>() else { return Vec::new() };
        node.take("properties");
        words
    }

    fn referenced(&mut self, keyword: &str, node: &mut NotationNode<'s>) -> Option<TypeText> {
        let name = self.names.name(node.peek(keyword)?.as_str()?)?;
        node.take(keyword);
        Some(TypeText::type_(name))
    }

    fn branches(&mut self, keyword: &str, node: &mut NotationNode<'s>) -> Option<TypeText> {
        let branches = node.list(keyword)?;
        let mut union = TypeText::union(branches.iter().map(|branch| self.write(branch)).collect());
        if keyword == "oneOf" && !self.view.are_exclusive(branches) {
            union.notes.push("exactly one of these".to_owned());
        }
        Some(union)
    }

    /// Writes the node without references and branches.
    fn own(&mut self, node: &mut NotationNode<'s>) -> Option<TypeText> {
        let types = node.types();
        if let Some(only) = node.take("const") {
            return Some(TypeText::type_(only.to_string()));
        }
        if let Some(values) = node.list("enum") {
            return Some(TypeText::union(
                values.iter().map(|value| TypeText::type_(value.to_string())).collect(),
            ));
        }
        let types = if types.is_empty() { node.implied_types() } else { types };
        let text = types.iter().map(|name| self.of_type(name, node)).collect::<Vec<_>>();
        (!text.is_empty()).then(|| TypeText::union(text))
    }

    fn of_type(&mut self, name: &str, node: &mut NotationNode<'s>) -> TypeText {
        match name {
            "object" => self.object(node),
            "array" => self.list(node),
            name => TypeText::type_(name),
        }
    }

    /// Writes a schema that is nested too deeply as JSON Schema.
    fn as_json_schema(&mut self, schema: &Value) -> TypeText {
        let mut rest = schema.clone();
        self.rename(&mut rest);
        let mut text = TypeText::type_("unknown");
        text.notes.push(format!("by JSON Schema {rest}"));
        text
    }

    /// Replaces references by names, because the definitions have names here.
    fn rename(&mut self, schema: &mut Value) {
        replace_references(schema, &mut |reference| self.names.name(reference));
    }
}

impl<'s> TypesWriter<'s> {
    fn list(&mut self, node: &mut NotationNode<'s>) -> TypeText {
        if let Some(first) = node.list("prefixItems") {
            return self.tuple(first, node);
        }
        let items = node.take("items").map_or_else(|| TypeText::type_("unknown"), |items| self.write(items));
        TypeText::type_(format!("{}[]", items.operand()))
    }

    /// `[A, B?, ...C[]]`: optional elements have a `?`, and three dots precede further ones.
    fn tuple(&mut self, first: &'s [Value], node: &mut NotationNode<'s>) -> TypeText {
        let count =
            |keyword| node.peek(keyword).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let (least, most) = (count("minItems").unwrap_or(0), count("maxItems").unwrap_or(usize::MAX));
        let mut elements = Vec::new();
        for (index, schema) in first.iter().enumerate() {
            let mark = if index < least { "" } else { "?" };
            let text = self.write(schema);
            elements.push(if mark.is_empty() { text.inline() } else { format!("{}{mark}", text.operand()) });
        }
        let more = node.take("items");
        if more != Some(&Value::Bool(false)) && most > first.len() {
            let more = more.map_or_else(|| TypeText::type_("unknown"), |more| self.write(more));
            elements.push(format!("...{}[]", more.operand()));
        }
        // The brackets imply the number of elements.
        if least == first.len() {
            node.take("minItems");
        }
        if most == first.len() {
            node.take("maxItems");
        }
        TypeText::type_(bracketed('[', &elements, ']'))
    }
}

impl<'s> TypesWriter<'s> {
    fn object(&mut self, node: &mut NotationNode<'s>) -> TypeText {
        let required = RequiredKeys::of(node);
        let mut lines = Vec::new();
        let properties = node.object("properties");
        for (key, schema) in properties.into_iter().flatten() {
            let mark = if required.contains(key) { "" } else { "?" };
            let text = self.write(schema).titled_unlike(key);
            lines.push(text.line(&format!("{}{mark}: ", written(key))));
        }
        lines.extend(required.unnamed(properties).map(|key| format!("{}: unknown", written(key))));
        lines.extend(self.entries(node));
        if lines.is_empty() {
            return TypeText::type_(if is_empty(node) { "{}" } else { "object" });
        }
        TypeText::type_(bracketed('{', &lines, '}'))
    }

    /// Keys without a name. `false` is not written: the notation allows only the keys that it
    /// shows.
    fn entries(&mut self, node: &mut NotationNode<'s>) -> Vec<String> {
        let mut lines = Vec::new();
        for (pattern, schema) in node.object("patternProperties").into_iter().flatten() {
            let key = format!("[key: string /* matches {} */]: ", type_text::in_comment(pattern));
            lines.push(self.write(schema).line(&key));
        }
        let names = node.take("propertyNames").map(|names| self.write(names).inline());
        let names = names.unwrap_or_else(|| "string".to_owned());
        // A key is a string without saying so.
        let names = match names.strip_prefix("unknown") {
            Some(constraints) => ["string", constraints].concat(),
            None => names,
        };
        for keyword in ["additionalProperties", "unevaluatedProperties"] {
            match node.take(keyword) {
                None | Some(Value::Bool(false)) => {}
                Some(schema) => lines.push(self.write(schema).line(&format!("[key: {names}]: "))),
            }
        }
        if lines.is_empty() && names != "string" {
            lines.push(format!("[key: {names}]: unknown"));
        }
        lines
    }
}

/// Returns whether no key is allowed.
fn is_empty(node: &NotationNode<'_>) -> bool {
    let no = |keyword| node.peek(keyword) == Some(&Value::Bool(false));
    no("additionalProperties") || no("unevaluatedProperties")
}

/// A key in quotes, as in the answer: small models omit quotes that they do not see.
fn written(key: &str) -> String {
    Value::from(key).to_string()
}

/// The required keys.
struct RequiredKeys<'s> {
    in_order: Vec<&'s str>,
    all: HashSet<&'s str>,
}

impl<'s> RequiredKeys<'s> {
    fn of(node: &mut NotationNode<'s>) -> Self {
        let in_order: Vec<_> =
            node.list("required").unwrap_or_default().iter().filter_map(Value::as_str).collect();
        Self { all: in_order.iter().copied().collect(), in_order }
    }

    fn contains(&self, key: &str) -> bool {
        self.all.contains(key)
    }

    /// Those that `properties` does not describe.
    fn unnamed(&self, properties: Option<&'s Map<String, Value>>) -> impl Iterator<Item = &'s str> {
        self.in_order.iter().copied().filter(move |key| properties.is_none_or(|all| !all.contains_key(*key)))
    }
}
