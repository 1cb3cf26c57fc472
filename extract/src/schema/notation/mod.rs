//! A schema as types, in the notation of TypeScript: fewer tokens than JSON Schema, and what models have read most of.
//!
//! Names, literals, unions, lists and optional keys are written as types, constraints and descriptions as comments beside
//! them. What neither can say stays JSON Schema, in a comment where it applies, so that nothing is left out but
//! `$schema`, `$comment`, bounds that only repeat the width of an integer type, and the other names of a field.

mod list;
mod names;
mod node;
mod notes;
mod object;
mod outline;
mod said;
#[cfg(test)]
mod tests;

use serde_json::Value;

pub(crate) use self::outline::{OutlineOptions, outline};
use self::{names::Names, node::Node, said::Said};
use super::{
    aliases::drop_aliases,
    view::{REFERENCES, View},
};

/// Types inside each other; what lies deeper stays JSON Schema. It bounds the work of indenting.
const MAX_DEPTH: usize = 32;

/// What [`types`] wrote.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Types {
    /// The name of the whole value's type.
    pub(crate) root: String,
    /// The definitions.
    pub(crate) text: String,
}

/// The paragraph of a prompt that describes `schema` as types.
pub(crate) fn described(schema: &Value) -> String {
    let Types { root, text } = types(schema);
    format!(
        "The answer must be of the type {root} (a key with `?` may be absent, keys that are not shown are not allowed):\n{text}"
    )
}

/// `schema` as type definitions, the last of which is the type of the whole value.
pub(crate) fn types(schema: &Value) -> Types {
    let mut schema = schema.clone();
    drop_aliases(&mut schema);
    let view = View::of(&schema);
    let mut writer = Writer { view: &view, names: Names::new(&view), depth: 0 };
    let whole = writer.definition(0, &schema);
    let mut definitions = Vec::new();
    // Writing a definition may find more names.
    while let Some(target) = writer.names.target(definitions.len() + 1) {
        definitions.push(writer.definition(definitions.len() + 1, target));
    }
    definitions.push(whole);
    Types { root: writer.names.of(0).to_owned(), text: definitions.join("\n") }
}

struct Writer<'s> {
    view: &'s View<'s>,
    names: Names<'s>,
    depth: usize,
}

impl<'s> Writer<'s> {
    fn definition(&mut self, index: usize, schema: &'s Value) -> String {
        let said = self.said(schema);
        let name = self.names.of(index);
        said.titled_unlike(name).line(&format!("type {name} = "))
    }

    /// What `schema` allows.
    fn said(&mut self, schema: &'s Value) -> Said {
        match schema {
            Value::Bool(false) => Said::type_("never"),
            Value::Object(_) if self.depth >= MAX_DEPTH => self.unsaid(schema),
            Value::Object(object) => {
                self.depth += 1;
                let said = self.node(&mut Node::new(object));
                self.depth -= 1;
                said
            }
            _ => Said::type_("unknown"),
        }
    }

    fn node(&mut self, node: &mut Node<'s>) -> Said {
        let mut parts = Vec::new();
        parts.extend(self.own(node));
        for keyword in REFERENCES {
            parts.extend(self.referenced(keyword, node));
        }
        for keyword in ["anyOf", "oneOf"] {
            parts.extend(self.branches(keyword, node));
        }
        for schema in node.list("allOf").unwrap_or_default() {
            parts.push(self.said(schema));
        }
        let mut said = Said::all_of(parts);
        notes::write(node, &mut said);
        if let Some(mut rest) = node.rest() {
            self.rename(&mut rest);
            said.notes.push(format!("and by JSON Schema {rest}"));
        }
        said
    }

    fn referenced(&mut self, keyword: &str, node: &mut Node<'s>) -> Option<Said> {
        let name = self.names.name(node.peek(keyword)?.as_str()?)?;
        node.take(keyword);
        Some(Said::type_(name))
    }

    fn branches(&mut self, keyword: &str, node: &mut Node<'s>) -> Option<Said> {
        let branches = node.list(keyword)?;
        let mut union = Said::union(branches.iter().map(|branch| self.said(branch)).collect());
        if keyword == "oneOf" && !self.view.are_exclusive(branches) {
            union.notes.push("exactly one of these".to_owned());
        }
        Some(union)
    }

    /// What the node says besides references and branches.
    fn own(&mut self, node: &mut Node<'s>) -> Option<Said> {
        let types = node.types();
        if let Some(only) = node.take("const") {
            return Some(Said::type_(only.to_string()));
        }
        if let Some(values) = node.list("enum") {
            return Some(Said::union(values.iter().map(|value| Said::type_(value.to_string())).collect()));
        }
        let types = if types.is_empty() { node.implied_types() } else { types };
        let said = types.iter().map(|name| self.of_type(name, node)).collect::<Vec<_>>();
        (!said.is_empty()).then(|| Said::union(said))
    }

    fn of_type(&mut self, name: &str, node: &mut Node<'s>) -> Said {
        match name {
            "object" => self.object(node),
            "array" => self.list(node),
            name => Said::type_(name),
        }
    }

    /// What lies too deep.
    fn unsaid(&mut self, schema: &Value) -> Said {
        let mut rest = schema.clone();
        self.rename(&mut rest);
        let mut said = Said::type_("unknown");
        said.notes.push(format!("by JSON Schema {rest}"));
        said
    }

    /// References become names, because that is where the definitions stand.
    fn rename(&mut self, schema: &mut Value) {
        match schema {
            Value::Object(object) => {
                for (key, value) in object {
                    match key.as_str() {
                        "const" | "enum" | "default" | "examples" => {}
                        "$ref" | "$dynamicRef" => {
                            let name = value.as_str().and_then(|reference| self.names.name(reference));
                            if let Some(name) = name {
                                *value = Value::String(name);
                            }
                        }
                        _ => self.rename(value),
                    }
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|value| self.rename(value)),
            _ => {}
        }
    }
}
