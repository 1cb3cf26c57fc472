//! Values that are not to be repeated: fields with `#[extract(sensitive)]`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    describe,
    nodes::{Nodes, constants},
};
use crate::{Code, Path, Violation, path::Segment, text::quoted};

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
            if is_sensitive(&nodes) {
                return true;
            }
            nodes = nodes.step(segment);
        }
        is_sensitive(&nodes)
    }

    /// `path`, cut before the first key that is itself a part of a sensitive value: one that the schema does not name.
    pub(crate) fn told(self, path: &Path) -> Path {
        let Some(root) = self.schema else { return path.clone() };
        let mut nodes = Nodes::new(root, [root]);
        let mut told = Path::root();
        let mut is_inside = false;
        for segment in path.segments() {
            is_inside |= is_sensitive(&nodes);
            match segment {
                Segment::Key(key) if is_inside && nodes.property(key).is_none() => return told,
                _ => told = told.step(segment.clone()),
            }
            nodes = nodes.step(segment);
        }
        told
    }

    /// Puts the mask in the place of every sensitive value inside of `value`, of what the schema does not describe, and of a
    /// scalar where something with a sensitive part should be: both may be a sensitive value in the wrong place.
    pub(crate) fn mask_value(self, value: &mut Value) {
        self.mask_value_at(&Path::root(), value);
    }

    /// As [`mask_value`](Self::mask_value), for a value that stands at `path`.
    pub(crate) fn mask_value_at(self, path: &Path, value: &mut Value) {
        let Some(root) = self.schema else { return };
        let mut nodes = Nodes::new(root, [root]);
        let mut is_inside = is_sensitive(&nodes);
        for segment in path.segments() {
            nodes = nodes.step(segment);
            is_inside |= is_sensitive(&nodes);
        }
        if is_inside {
            *value = Value::from(MASK);
            return;
        }
        let is_secret = |nodes: &Nodes<'_>, value: &Value| {
            let is_scalar = !value.is_object() && !value.is_array() && !value.is_null();
            let is_misplaced =
                || is_scalar && has_parts(nodes) && !nodes.all.iter().any(|node| takes(node, value));
            is_sensitive(nodes) || nodes.is_unknown() || is_misplaced()
        };
        walk(&nodes, value, &is_secret, &mut |secret| *secret = Value::from(MASK));
    }

    /// Takes sensitive values out of what is said of `value`: what was found at such a place is masked, and their texts are
    /// masked wherever the user's own words quote them.
    pub(crate) fn mask(self, violations: &mut [Violation], value: &Value) {
        if self.schema.is_none() || violations.is_empty() {
            return;
        }
        let secrets = self.texts_in(value);
        for violation in violations {
            self.mask_found(violation, value);
            if self.is_sensitive(&violation.path) {
                hide(violation);
            }
            violation.path = self.told(&violation.path);
            if violation.code == Code::Patch {
                // What it quotes is none of the places that the schema knows.
                hide_quotes(std::slice::from_mut(violation));
            }
            let is_own = matches!(violation.code, Code::Rule | Code::Rejected | Code::Custom(_));
            // What the schema expects is no secret; a short one would only be found in it by chance.
            let expected = violation.expected.as_mut().filter(|_| is_own);
            let texts = [Some(&mut violation.message), expected, violation.actual.as_mut()];
            for text in texts.into_iter().flatten() {
                mask_text(text, &secrets);
            }
        }
    }

    /// `text` without the sensitive values of `value`.
    pub(crate) fn mask_quoted(self, text: &mut String, value: &Value) {
        if self.schema.is_some() {
            mask_text(text, &self.texts_in(value));
        }
    }

    /// The texts that tell the sensitive values inside of `value`, with their lengths.
    fn texts_in(self, value: &Value) -> BTreeSet<(usize, String)> {
        let mut secrets = BTreeSet::new();
        if let Some(root) = self.schema {
            // The walk is one for both; here nothing is changed.
            let collect = &mut |secret: &mut Value| texts(secret, &mut secrets);
            let is_secret = |nodes: &Nodes<'_>, _: &Value| is_sensitive(nodes);
            walk(&Nodes::new(root, [root]), &mut value.clone(), &is_secret, collect);
        }
        secrets
    }

    /// Quotes the value of a violation again, masked, where it is quoted as it is.
    fn mask_found(self, violation: &mut Violation, value: &Value) {
        let Some(found) = violation.path.resolve(value) else { return };
        let mut masked = found.clone();
        self.mask_value_at(&violation.path, &mut masked);
        if masked == *found {
            return;
        }
        let requoted = match &violation.actual {
            Some(actual) if *actual == quoted(found) => quoted_masked(&masked),
            Some(actual) if *actual == describe::typed(found) => match masked.as_str() {
                Some(MASK) => MASK.to_owned(),
                _ => describe::typed(&masked),
            },
            _ => return,
        };
        violation.actual = Some(requoted);
    }
}

/// [`quoted`], but for the mask, which is no text of the value.
pub(crate) fn quoted_masked(masked: &Value) -> String {
    if masked == MASK { MASK.to_owned() } else { quoted(masked) }
}

/// Masks every one of `secrets` in `text`.
fn mask_text(text: &mut String, secrets: &BTreeSet<(usize, String)>) {
    // The longest first: one secret may be part of another.
    for secret in secrets.iter().rev() {
        *text = without(text, &secret.1);
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

/// Bytes of a long secret that are looked for: it may be quoted in part.
const START_BYTES: usize = 32;

/// `text` with the mask for each `secret`, in whatever case, that is no part of a longer word.
pub(crate) fn without(text: &str, secret: &str) -> String {
    let mut end = secret.len().min(START_BYTES);
    while !secret.is_char_boundary(end) {
        end += 1;
    }
    let start = &secret[..end];
    let mut masked = String::new();
    let mut rest = text;
    let mut before = None;
    while let Some(at) = find_ignoring_case(rest, start) {
        let told = common_bytes(&rest[at..], secret);
        let end = at + told;
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let starts = rest[..at].chars().next_back().or(before);
        let is_part = told == secret.len()
            && (is_word(starts) && is_word(secret.chars().next())
                || is_word(rest[end..].chars().next()) && is_word(secret.chars().next_back()));
        masked.push_str(&rest[..at]);
        masked.push_str(if is_part { &rest[at..end] } else { MASK });
        before = secret.chars().next_back();
        rest = &rest[end..];
    }
    masked.push_str(rest);
    masked
}

fn find_ignoring_case(text: &str, wanted: &str) -> Option<usize> {
    let starts = |at: &usize| {
        let end = *at + wanted.len();
        text.get(*at..end).is_some_and(|part| part.eq_ignore_ascii_case(wanted))
    };
    (0..=text.len().checked_sub(wanted.len())?).find(starts)
}

/// How many bytes `text` and `secret` have in common at their start, up to a character.
fn common_bytes(text: &str, secret: &str) -> usize {
    let same = text.char_indices().zip(secret.chars()).take_while(|((_, a), b)| a.eq_ignore_ascii_case(b));
    same.last().map_or(0, |((at, last), _)| at + last.len_utf8())
}

fn walk(
    nodes: &Nodes<'_>,
    value: &mut Value,
    is_secret: &dyn Fn(&Nodes<'_>, &Value) -> bool,
    secret: &mut dyn FnMut(&mut Value),
) {
    if is_secret(nodes, value) {
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
                walk(&nodes.step(&Segment::Key(key.as_str().into())), entry, is_secret, secret);
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

/// Whether something inside of what `nodes` describe is sensitive.
fn has_parts(nodes: &Nodes<'_>) -> bool {
    let mut seen: Vec<&Value> = Vec::new();
    let mut left = nodes.all.clone();
    while let Some(node) = left.pop() {
        if seen.iter().any(|other| std::ptr::eq(*other, node)) {
            continue;
        }
        seen.push(node);
        let inner = Nodes::new(nodes.root, inside(node));
        if is_sensitive(&inner) {
            return true;
        }
        left.extend(inner.all);
    }
    false
}

/// Whether `node` says that it takes a scalar such as `value`.
fn takes(node: &Value, value: &Value) -> bool {
    let mut listed = constants(node).peekable();
    if listed.peek().is_some() {
        return listed.any(|listed| listed == value);
    }
    let is_type = |name: &Value| match value {
        Value::String(_) => name == "string",
        Value::Bool(_) => name == "boolean",
        Value::Number(number) => name == "number" || name == "integer" && !number.is_f64(),
        _ => false,
    };
    match node.get("type") {
        Some(Value::Array(names)) => names.iter().any(is_type),
        Some(name) => is_type(name),
        None => false,
    }
}

/// The schemas of what is inside of the values that `node` describes.
fn inside(node: &Value) -> Vec<&Value> {
    let named = ["properties", "patternProperties"]
        .into_iter()
        .filter_map(|keyword| node.get(keyword)?.as_object())
        .flat_map(|named| named.values());
    let listed = node.get("prefixItems").and_then(Value::as_array).into_iter().flatten();
    let rest = ["additionalProperties", "unevaluatedProperties", "items", "unevaluatedItems", "contains"];
    named.chain(listed).chain(rest.into_iter().filter_map(|keyword| node.get(keyword))).collect()
}

fn is_sensitive(nodes: &Nodes<'_>) -> bool {
    nodes.all.iter().copied().any(is_marked)
}

fn is_marked(schema: &Value) -> bool {
    schema.get(KEYWORD) == Some(&Value::Bool(true))
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
