//! Objects: keys, optional keys, and maps.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    TypesWriter,
    node::NotationNode,
    type_text::{TypeText, bracketed},
};

impl<'s> TypesWriter<'s> {
    pub(super) fn object(&mut self, node: &mut NotationNode<'s>) -> TypeText {
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
            let key = format!("[key: string /* matches {} */]: ", super::type_text::in_comment(pattern));
            lines.push(self.write(schema).line(&key));
        }
        let names = node.take("propertyNames").map(|names| self.write(names).inline());
        let names = names.unwrap_or_else(|| "string".to_owned());
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
