//! Values that are not to be repeated: fields with `#[extract(sensitive)]`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{Code, Path, Violation, path::Segment};

/// The keyword that marks a value in the schema. Validators ignore what they do not know (JSON Schema 2020-12 core, section
/// 4.3.1), and it is not shown to agents.
pub(crate) const KEYWORD: &str = "x-sensitive";

/// What stands in the place of a sensitive value.
pub(crate) const MASK: &str = "(hidden)";

/// Which places of a value are sensitive. What is inside of a sensitive value is sensitive too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sensitive<'s> {
    /// `None` where nothing is.
    schema: Option<&'s Value>,
}

impl<'s> Sensitive<'s> {
    /// The sensitive places of what `schema` describes.
    pub(crate) fn of(schema: &'s Value) -> Self {
        Self { schema: is_marked_within(schema).then_some(schema) }
    }

    /// Whether no place is sensitive.
    pub(crate) fn is_empty(self) -> bool {
        self.schema.is_none()
    }

    /// Whether the value at `path`, or one around it, is sensitive.
    pub(crate) fn is_sensitive(self, path: &Path) -> bool {
        let Some(root) = self.schema else { return false };
        let mut nodes = Nodes::new(root, [root]);
        for segment in path.segments() {
            if nodes.is_marked() {
                return true;
            }
            nodes = nodes.step(segment);
        }
        nodes.is_marked()
    }

    /// Puts the mask in the place of every sensitive value inside of `value`, and of what the schema does not describe: it
    /// may be a sensitive value under a misspelt key.
    pub(crate) fn mask_value(self, value: &mut Value) {
        if let Some(root) = self.schema {
            let is_secret = |nodes: &Nodes<'_>| nodes.is_marked() || nodes.is_unknown();
            walk(&Nodes::new(root, [root]), value, &is_secret, &mut |secret| *secret = Value::from(MASK));
        }
    }

    /// Takes sensitive values out of what is said of `value`: what was found at such a place is masked, and their texts are
    /// masked wherever they are quoted.
    pub(crate) fn mask(self, violations: &mut [Violation], value: &Value) {
        let Some(root) = self.schema else { return };
        let mut secrets = BTreeSet::new();
        // The walk is one for both; here nothing is changed.
        let collect = &mut |secret: &mut Value| texts(secret, &mut secrets);
        walk(&Nodes::new(root, [root]), &mut value.clone(), &|nodes| nodes.is_marked(), collect);
        for violation in violations {
            if self.is_sensitive(&violation.path) {
                hide(violation);
            }
            // What they quote is none of the places that the schema knows.
            if matches!(violation.code, Code::UnknownField | Code::Patch) {
                hide_quotes(std::slice::from_mut(violation));
            }
            let texts =
                [Some(&mut violation.message), violation.expected.as_mut(), violation.actual.as_mut()];
            for text in texts.into_iter().flatten() {
                // The longest first: one secret may be part of another.
                for secret in secrets.iter().rev() {
                    *text = without(text, &secret.1);
                }
            }
        }
    }
}

/// Hides what violations quote of a reply of which no value is known, and so not what in it is sensitive.
pub(crate) fn hide_quotes(violations: &mut [Violation]) {
    for violation in violations.iter_mut().filter(|violation| violation.actual.is_some()) {
        violation.actual = Some(MASK.to_owned());
    }
}

/// Hides what a violation at a sensitive place tells of the value.
fn hide(violation: &mut Violation) {
    if violation.actual.is_some() {
        violation.actual = Some(MASK.to_owned());
    }
    match violation.code {
        // The words are the user's own.
        Code::Rule | Code::Rejected | Code::Custom(_) => {}
        // What the schema says has an expectation, and a guess at what was meant after it; what serde says quotes the value.
        _ if violation.expected.is_some() => {
            let end = violation.message.find(';').unwrap_or(violation.message.len());
            violation.message.truncate(end);
        }
        _ => "not accepted".clone_into(&mut violation.message),
    }
}

/// A text with its length, so that they are sorted by it.
pub(crate) type Secret = (usize, String);

/// The texts that tell a secret.
pub(crate) fn texts(secret: &Value, all: &mut BTreeSet<Secret>) {
    let mut insert = |text: String| {
        if !text.is_empty() {
            all.insert((text.len(), text));
        }
    };
    match secret {
        Value::String(text) => {
            // As it is, and as it stands in JSON.
            let quoted = Value::from(text.as_str()).to_string();
            insert(quoted[1..quoted.len() - 1].to_owned());
            insert(text.clone());
        }
        Value::Number(number) => insert(number.to_string()),
        Value::Array(list) => list.iter().for_each(|inside| texts(inside, all)),
        Value::Object(map) => map.values().for_each(|inside| texts(inside, all)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// `text` with the mask for each `secret` that is no part of a longer word.
pub(crate) fn without(text: &str, secret: &str) -> String {
    let mut masked = String::new();
    let mut rest = text;
    let mut before = None;
    while let Some(at) = rest.find(secret) {
        let end = at + secret.len();
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let starts = rest[..at].chars().next_back().or(before);
        let is_part = is_word(starts) && is_word(secret.chars().next())
            || is_word(rest[end..].chars().next()) && is_word(secret.chars().next_back());
        masked.push_str(&rest[..at]);
        masked.push_str(if is_part { secret } else { MASK });
        before = secret.chars().next_back();
        rest = &rest[end..];
    }
    masked.push_str(rest);
    masked
}

fn walk(
    nodes: &Nodes<'_>,
    value: &mut Value,
    is_secret: &dyn Fn(&Nodes<'_>) -> bool,
    secret: &mut dyn FnMut(&mut Value),
) {
    if is_secret(nodes) {
        return secret(value);
    }
    match value {
        Value::Array(list) => {
            for (index, element) in list.iter_mut().enumerate() {
                walk(&nodes.step(&Segment::Index(index)), element, is_secret, secret);
            }
        }
        Value::Object(map) => {
            for (key, entry) in map {
                walk(&nodes.step(&Segment::Key(key.clone())), entry, is_secret, secret);
            }
        }
        _ => {}
    }
}

fn is_marked_within(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => is_marked(schema) || object.values().any(is_marked_within),
        Value::Array(list) => list.iter().any(is_marked_within),
        _ => false,
    }
}

fn is_marked(schema: &Value) -> bool {
    schema.get(KEYWORD) == Some(&Value::Bool(true))
}

/// The schemas that may describe one place.
struct Nodes<'s> {
    root: &'s Value,
    all: Vec<&'s Value>,
}

impl<'s> Nodes<'s> {
    /// `nodes`, and what they refer to and choose from. Each is taken once, so that recursion ends.
    fn new(root: &'s Value, nodes: impl IntoIterator<Item = &'s Value>) -> Self {
        let mut all: Vec<&Value> = Vec::new();
        let mut left: Vec<&Value> = nodes.into_iter().collect();
        while let Some(node) = left.pop() {
            if all.iter().any(|other| std::ptr::eq(*other, node)) {
                continue;
            }
            all.push(node);
            let pointer =
                node.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
            left.extend(pointer.and_then(|pointer| root.pointer(pointer)));
            for keyword in ["allOf", "anyOf", "oneOf"] {
                left.extend(node.get(keyword).and_then(Value::as_array).into_iter().flatten());
            }
            for keyword in ["if", "then", "else"] {
                left.extend(node.get(keyword));
            }
            left.extend(
                node.get("dependentSchemas")
                    .and_then(Value::as_object)
                    .into_iter()
                    .flat_map(|map| map.values()),
            );
        }
        Self { root, all }
    }

    fn is_marked(&self) -> bool {
        self.all.iter().copied().any(is_marked)
    }

    /// Whether no schema describes the place, or none allows it.
    fn is_unknown(&self) -> bool {
        self.all.iter().all(|node| **node == Value::Bool(false))
    }

    fn step(&self, segment: &Segment) -> Self {
        let next = self.all.iter().flat_map(|node| match segment {
            Segment::Key(key) => under_key(node, key),
            Segment::Index(index) => at_index(node, *index),
        });
        Self::new(self.root, next.collect::<Vec<_>>())
    }
}

/// Where a pattern of keys may be meant, it is taken to be: rather too much is hidden than too little.
fn under_key<'s>(node: &'s Value, key: &str) -> Vec<&'s Value> {
    if let Some(property) = node.get("properties").and_then(|properties| properties.get(key)) {
        return vec![property];
    }
    let patterns = node.get("patternProperties").and_then(Value::as_object);
    let patterns = patterns.into_iter().flat_map(|patterns| patterns.values());
    let rest = ["additionalProperties", "unevaluatedProperties"];
    patterns.chain(rest.iter().filter_map(|keyword| node.get(*keyword))).collect()
}

fn at_index(node: &Value, index: usize) -> Vec<&Value> {
    let fixed = node.get("prefixItems").and_then(|items| items.get(index));
    let rest = ["items", "unevaluatedItems"].iter().filter_map(|keyword| node.get(*keyword));
    match fixed {
        Some(fixed) => vec![fixed],
        None => rest.chain(node.get("contains")).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "$defs": {
                "Person": {
                    "type": "object",
                    "properties": {
                        "name": { "type": "string" },
                        "pin": { "type": "integer", "x-sensitive": true },
                        "friends": { "type": "array", "items": { "$ref": "#/$defs/Person" } },
                        "keys": { "additionalProperties": { "$ref": "#/$defs/Secret" } },
                        "pair": { "prefixItems": [{}, { "$ref": "#/$defs/Secret" }], "items": {} },
                    },
                },
                "Secret": { "x-sensitive": true, "properties": { "inside": {} } },
            },
            "anyOf": [{ "$ref": "#/$defs/Person" }, { "type": "null" }],
        })
    }

    #[test]
    fn finds_what_is_sensitive_through_references_and_unions() {
        let schema = schema();
        let sensitive = Sensitive::of(&schema);
        for (path, expected) in [
            ("$", false),
            ("$.name", false),
            ("$.pin", true),
            ("$.friends[3].friends[0].pin", true),
            ("$.friends[3].name", false),
            ("$.keys.a", true),
            ("$.keys.a.inside[0]", true),
            ("$.pair[0]", false),
            ("$.pair[1]", true),
            ("$.pair[2]", false),
            ("$.unknown", false),
        ] {
            assert_eq!(sensitive.is_sensitive(&Path::from(path)), expected, "{path}");
        }
        assert!(Sensitive::of(&json!({ "type": "string" })).is_empty());
    }

    #[test]
    fn references_in_a_circle_end() {
        let schema = json!({ "$defs": { "A": { "$ref": "#/$defs/B" }, "B": { "$ref": "#/$defs/A", "items": { "x-sensitive": true } } }, "$ref": "#/$defs/A" });
        assert!(Sensitive::of(&schema).is_sensitive(&Path::root().index(0)));
    }

    #[test]
    fn a_masked_value_keeps_its_form() {
        let schema = schema();
        let mut value = json!({ "name": "Anna", "pin": 1234, "friends": [{ "pin": 1 }], "keys": { "a": { "inside": 2 } } });
        Sensitive::of(&schema).mask_value(&mut value);
        let expected =
            json!({ "name": "Anna", "pin": MASK, "friends": [{ "pin": MASK }], "keys": { "a": MASK } });
        assert_eq!(value, expected);
    }

    #[test]
    fn nothing_that_is_said_repeats_a_secret() {
        let schema = schema();
        let value = json!({ "name": "Anna", "pin": "se\"cret", "keys": { "a": 12 } });
        let at = |path: &str, code, message: &str| Violation::new(Path::from(path), code, message);
        let mut violations = [
            at("$.pin", Code::WrongType, "wrong type")
                .expected("an integer")
                .actual(r#"the string "se\"cret""#),
            at("$.pin", Code::InvalidValue, r#"not an allowed value; did you mean "secret"?"#)
                .expected("x")
                .actual("y"),
            at("$.pin", Code::InvalidValue, "invalid value: string \"se\\\"cret\", expected u8"),
            at("$.pin", Code::Rule, "se\"cret is no pin, not even se\"cretary").actual("se\"cret"),
            at("$", Code::Rule, "12 is not 120").actual(r#"{"pin":"se\"cret","keys":{"a":12}}"#),
        ];
        Sensitive::of(&schema).mask(&mut violations, &value);
        let said: Vec<String> = violations.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "[WRONG_TYPE] $.pin: wrong type (expected an integer, got (hidden))",
                "[INVALID_VALUE] $.pin: not an allowed value (expected x, got (hidden))",
                "[INVALID_VALUE] $.pin: not accepted",
                "[RULE] $.pin: (hidden) is no pin, not even se\"cretary (got (hidden))",
                r#"[RULE] $: (hidden) is not 120 (got {"pin":"(hidden)","keys":{"a":(hidden)}})"#,
            ]
        );
    }
}
