//! Sensitive parts of a value, which must not be repeated: fields with `#[extract(sensitive)]`.

use serde_json::Value;

use super::{
    describe,
    nodes::{SchemaNodes, constants},
};
use crate::{
    schema::{
        SENSITIVE, is_marked_within,
        view::keywords::{type_of, types},
    },
    vocabulary::{
        path::{Path, Segment},
        redaction::{SensitiveValues, VALUE_MARKER},
        text::quoted,
        violation::{Code, Violation},
    },
};

/// The sensitive parts of a value. Everything inside a sensitive part is sensitive too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SensitiveParts<'s> {
    /// `None` if nothing is sensitive.
    schema: Option<&'s Value>,
}

impl<'s> SensitiveParts<'s> {
    /// The sensitive parts of what `schema` describes.
    pub(crate) fn of(schema: &'s Value) -> Self {
        Self { schema: is_marked_within(schema, SENSITIVE).then_some(schema) }
    }

    /// Returns whether nothing is sensitive.
    pub(crate) fn is_empty(self) -> bool {
        self.schema.is_none()
    }

    /// Returns whether the value at `path`, or one around it, is sensitive.
    pub(crate) fn is_sensitive(self, path: &Path) -> bool {
        self.schema.is_some_and(|root| nodes_at(root, path).1)
    }

    /// `path`, cut before the first unsafe key. A key is unsafe if the schema does not name it and
    /// it is part of a sensitive value or quotes one of `values`, or if the schema describes nothing
    /// there and it may be more than a name. Replacing the key instead would make the path lead nowhere.
    pub(crate) fn redacted_path(self, path: &Path, values: &SensitiveValues) -> Path {
        let Some(root) = self.schema else { return path.clone() };
        let mut nodes = SchemaNodes::of(root);
        let mut redacted = Path::root();
        let mut is_inside = false;
        for segment in path.segments() {
            is_inside |= nodes.are_marked(SENSITIVE);
            let next = nodes.step(segment);
            if let Segment::Key(key) = segment
                && nodes.property(key).is_none()
                && (is_inside || values.is_quoted_in(key) || next.is_unknown() && !is_name(key))
            {
                return redacted;
            }
            redacted = redacted.step(segment.clone());
            nodes = next;
        }
        redacted
    }

    /// The sensitive values inside `value`, including scalars where the schema expects a value with
    /// a sensitive part, and what it does not describe. Keys inside a sensitive value are included,
    /// unless the schema names them.
    pub(crate) fn values_in(self, value: &Value) -> SensitiveValues {
        self.values_at(&Path::root(), value)
    }

    /// Adds the values of [`values_in`](Self::values_in) to `values`.
    pub(crate) fn gather(self, value: &Value, values: &mut SensitiveValues) {
        if let Some(root) = self.schema {
            gather(&SchemaNodes::of(root), value, false, values);
        }
    }

    /// The same for a `value` at `path`.
    fn values_at(self, path: &Path, value: &Value) -> SensitiveValues {
        let mut values = SensitiveValues::default();
        if let Some(root) = self.schema {
            let (nodes, is_inside) = nodes_at(root, path);
            gather(&nodes, value, is_inside, &mut values);
        }
        values
    }

    /// Replaces every sensitive value inside `value` by a marker. Two more kinds of values are
    /// replaced, because they may be misplaced sensitive values: undescribed values, and scalars
    /// where the schema expects a value with a sensitive part. The value is at `path`.
    pub(crate) fn redact_places(self, path: &Path, value: &mut Value) {
        let Some(root) = self.schema else { return };
        let (nodes, is_inside) = nodes_at(root, path);
        if is_inside {
            *value = Value::from(VALUE_MARKER);
        } else {
            redact_places(&nodes, value);
        }
    }

    /// Redacts `value` at `path`: its sensitive parts, and every quote of one of `values`
    /// elsewhere.
    pub(crate) fn redact_at(self, path: &Path, value: &mut Value, values: &SensitiveValues) {
        self.redact_places(path, value);
        if let Some(root) = self.schema.filter(|_| !values.is_empty()) {
            redact_quotes(&nodes_at(root, path).0, value, values);
        }
    }
}

/// The schemas of the value at `path`, and whether it is sensitive.
fn nodes_at<'s>(root: &'s Value, path: &Path) -> (SchemaNodes<'s>, bool) {
    let mut nodes = SchemaNodes::of(root);
    let mut is_inside = nodes.are_marked(SENSITIVE);
    for segment in path.segments() {
        nodes = nodes.step(segment);
        is_inside |= nodes.are_marked(SENSITIVE);
    }
    (nodes, is_inside)
}

fn gather(nodes: &SchemaNodes<'_>, value: &Value, is_inside: bool, values: &mut SensitiveValues) {
    // What the schema does not describe may be misplaced, too.
    let is_inside =
        is_inside || nodes.are_marked(SENSITIVE) || is_misplaced(nodes, value) || nodes.is_unknown();
    if is_inside && !value.is_array() && !value.is_object() {
        values.insert(value);
    }
    for (step, part) in Segment::parts(value) {
        if let Segment::Key(key) = &step
            && is_inside
            && nodes.property(key).is_none()
        {
            values.insert_string(key);
        }
        gather(&nodes.step(&step), part, is_inside, values);
    }
}

fn redact_places(nodes: &SchemaNodes<'_>, value: &mut Value) {
    if nodes.are_marked(SENSITIVE) || nodes.is_unknown() || is_misplaced(nodes, value) {
        *value = Value::from(VALUE_MARKER);
        return;
    }
    if let Value::Object(map) = value {
        let is_unsafe = |key: &str| !is_name(key) && nodes.step(&Segment::Key(key.into())).is_unknown();
        if map.keys().any(|key| is_unsafe(key)) {
            let shown = |key: String| if is_unsafe(&key) { VALUE_MARKER.to_owned() } else { key };
            *map = std::mem::take(map).into_iter().map(|(key, part)| (shown(key), part)).collect();
        }
    }
    for (step, part) in Segment::parts_mut(value) {
        redact_places(&nodes.step(&step), part);
    }
}

/// Removes `values` from strings and numbers, and from keys that the schema does not name.
fn redact_quotes(nodes: &SchemaNodes<'_>, value: &mut Value, values: &SensitiveValues) {
    match value {
        Value::Array(list) => {
            for (index, element) in list.iter_mut().enumerate() {
                redact_quotes(&nodes.step(&Segment::Index(index)), element, values);
            }
        }
        Value::Object(map) => {
            for (key, entry) in std::mem::take(map) {
                let mut entry = entry;
                redact_quotes(&nodes.step(&Segment::Key(key.as_str().into())), &mut entry, values);
                let is_name = nodes.property(&key).is_some();
                let key = if is_name { key } else { values.redact(&key).into_owned() };
                map.insert(key, entry);
            }
        }
        scalar => values.redact_scalar(scalar),
    }
}

/// Longest name of a key that is shown although the schema does not have it.
const MAX_NAME: usize = 32;

/// Returns whether `key` is no more than the name of a key: `pass`, but not `pin: 4711`.
fn is_name(key: &str) -> bool {
    key.len() <= MAX_NAME && key.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
}

/// Returns whether `value` is a scalar where the schema expects a value with a sensitive part.
fn is_misplaced(nodes: &SchemaNodes<'_>, value: &Value) -> bool {
    let is_scalar = !value.is_object() && !value.is_array() && !value.is_null();
    is_scalar && has_parts(nodes) && !nodes.all.iter().any(|node| takes(node, value))
}

/// Returns whether `nodes` describe something with a sensitive part.
fn has_parts(nodes: &SchemaNodes<'_>) -> bool {
    let mut seen: Vec<&Value> = Vec::new();
    let mut left = nodes.all.clone();
    while let Some(node) = left.pop() {
        if seen.iter().any(|other| std::ptr::eq(*other, node)) {
            continue;
        }
        seen.push(node);
        let inner = nodes.fresh(inside(node));
        if inner.are_marked(SENSITIVE) {
            return true;
        }
        left.extend(inner.all);
    }
    false
}

/// Returns whether `node` accepts a scalar such as `value`.
fn takes(node: &Value, value: &Value) -> bool {
    let mut listed = constants(node).peekable();
    if listed.peek().is_some() {
        return listed.any(|listed| listed == value);
    }
    let is_whole = value.is_number() && !value.is_f64();
    node.get("type").is_some_and(|names| {
        types(names).into_iter().any(|name| name == type_of(value) || name == "integer" && is_whole)
    })
}

/// The schemas of the parts of the values that `node` describes.
fn inside(node: &Value) -> Vec<&Value> {
    let named = ["properties", "patternProperties"]
        .into_iter()
        .filter_map(|keyword| node.get(keyword)?.as_object())
        .flat_map(|named| named.values());
    let listed = node.get("prefixItems").and_then(Value::as_array).into_iter().flatten();
    let rest = ["additionalProperties", "unevaluatedProperties", "items", "unevaluatedItems", "contains"];
    named.chain(listed).chain(rest.into_iter().filter_map(|keyword| node.get(keyword))).collect()
}

/// Replaces a message that may contain a sensitive value.
const UNSAFE_MESSAGE: &str = "not accepted; the reason is redacted, because it may repeat a sensitive value";

impl SensitiveParts<'_> {
    /// Removes the sensitive values of the `value` at `at` from `violations`: actual values at
    /// sensitive paths, and all quotes in messages of the user's code. The violations have paths
    /// from the root.
    pub(crate) fn redact_violations(self, at: &Path, violations: &mut [Violation], value: &Value) {
        if self.is_empty() || violations.is_empty() {
            return;
        }
        let values = self.values_at(at, value);
        for violation in violations {
            self.requote(violation, (at, value), &values);
            if self.is_sensitive(&violation.path) {
                redact(violation);
            }
            violation.path = self.redacted_path(&violation.path, &values);
            if matches!(violation.code, Code::Patch | Code::Continuation) {
                // It quotes the patch or the rest of a list, which are not parts of the value.
                redact(violation);
                violation.hint = None;
            }
            redact_words(violation, &values);
        }
    }

    /// Redacts all quotes in `violations` of a reply. They may be parts of another value than the one that was read,
    /// whose sensitive parts are unknown.
    pub(crate) fn redact_violations_of_reply(self, violations: &mut [Violation]) {
        for violation in violations.iter_mut().filter(|_| !self.is_empty()) {
            redact(violation);
            violation.path = self.redacted_path(&violation.path, &SensitiveValues::default());
        }
    }

    /// Removes the sensitive values of the `value` at `at` from `message`, which the user's code
    /// wrote.
    pub(crate) fn redact_message(self, at: &Path, message: &mut String, value: &Value) {
        self.values_at(at, value).redact_message(message, UNSAFE_MESSAGE);
    }

    /// Replaces the quoted value of a violation by its redacted form. This must happen before
    /// anything is cut: a search would not find a cut sensitive value.
    fn requote(self, violation: &mut Violation, (at, value): (&Path, &Value), values: &SensitiveValues) {
        let inside = violation.path.segments().strip_prefix(at.segments());
        let found = inside.and_then(|steps| steps.iter().try_fold(value, |value, step| step.within(value)));
        let Some(found) = found else { return };
        let mut redacted = found.clone();
        self.redact_at(&violation.path, &mut redacted, values);
        if redacted == *found {
            return;
        }
        let requoted = match &violation.actual {
            Some(actual) if *actual == quoted(found) => quoted_redacted(&redacted),
            Some(actual) if *actual == describe::typed(found) => match redacted.as_str() {
                Some(VALUE_MARKER) => VALUE_MARKER.to_owned(),
                _ => describe::typed(&redacted),
            },
            _ => return,
        };
        violation.actual = Some(requoted);
    }
}

/// [`quoted`], except for the marker, which is not a string of the value.
pub(crate) fn quoted_redacted(redacted: &Value) -> String {
    if redacted == VALUE_MARKER { VALUE_MARKER.to_owned() } else { quoted(redacted) }
}

fn redact_words(violation: &mut Violation, values: &SensitiveValues) {
    let Violation { message, hint, expected, actual, .. } = violation;
    if is_own(&violation.code) {
        values.redact_message(message, UNSAFE_MESSAGE);
        for text in [hint, expected, actual].into_iter().flatten() {
            values.redact_message(text, VALUE_MARKER);
        }
        return;
    }
    // The expectations of the schema are not secret. A short sensitive value would occur in them
    // only by chance.
    for text in [Some(message), hint.as_mut(), actual.as_mut()].into_iter().flatten() {
        *text = values.redact(text).into_owned();
    }
}

/// Returns whether the message comes from the user's code.
fn is_own(code: &Code) -> bool {
    matches!(code, Code::Rule | Code::Rejected | Code::Custom(_))
}

/// Redacts a violation at a sensitive path.
fn redact(violation: &mut Violation) {
    if violation.actual.is_some() {
        violation.actual = Some(VALUE_MARKER.to_owned());
    }
    if violation.code == Code::NotInQuote {
        // The quote is inside of the sensitive part.
        violation.expected = Some("a value that is in it".to_owned());
    }
    if is_own(&violation.code) {
        return;
    }
    violation.hint = None;
    if violation.expected.is_none() {
        // serde's message quotes the value. A violation of the schema has an expectation.
        "not accepted".clone_into(&mut violation.message);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::vocabulary::{
        redaction::VALUE_MARKER,
        violation::{Code, Violation},
    };

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
        let sensitive = SensitiveParts::of(&schema);
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
        assert!(SensitiveParts::of(&json!({ "type": "string" })).is_empty());
    }

    #[test]
    fn references_in_a_circle_end() {
        let schema = json!({ "$defs": { "A": { "$ref": "#/$defs/B" }, "B": { "$ref": "#/$defs/A", "items": { "x-sensitive": true } } }, "$ref": "#/$defs/A" });
        assert!(SensitiveParts::of(&schema).is_sensitive(&Path::root().index(0)));
    }

    #[test]
    fn a_redacted_value_keeps_its_form() {
        let schema = schema();
        let mut value = json!({ "name": "Anna", "pin": 1234, "friends": [{ "pin": 1 }], "keys": { "a": { "inside": 2 } } });
        SensitiveParts::of(&schema).redact_places(&Path::root(), &mut value);
        let expected = json!({ "name": "Anna", "pin": VALUE_MARKER, "friends": [{ "pin": VALUE_MARKER }], "keys": { "a": VALUE_MARKER } });
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
            at("$.pin", Code::InvalidValue, "not an allowed value")
                .hint(r#"did you mean "secret"?"#)
                .expected("x")
                .actual("y"),
            at("$.pin", Code::NotInQuote, "is not in its quote")
                .expected(r#"a value that is in "my se\"cret""#)
                .actual("se\"cre"),
            at("$.pin", Code::InvalidValue, "invalid value: string \"se\\\"cret\", expected u8"),
            at("$.pin", Code::Rule, "se\"cret is no pin, not even se\"cretary").actual("se\"cret"),
            at("$", Code::Rule, "12 is not 120").actual(r#"{"pin":"se\"cret","keys":{"a":12}}"#),
        ];
        SensitiveParts::of(&schema).redact_violations(&Path::root(), &mut violations, &value);
        let said: Vec<String> = violations.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "[WRONG_TYPE] $.pin: wrong type (expected an integer, got (hidden))",
                "[INVALID_VALUE] $.pin: not an allowed value (expected x, got (hidden))",
                "[NOT_IN_QUOTE] $.pin: is not in its quote (expected a value that is in it, got (hidden))",
                "[INVALID_VALUE] $.pin: not accepted",
                "[RULE] $.pin: (hidden) is no pin, not even (hidden)ary (got (hidden))",
                r#"[RULE] $: (hidden) is not 120 (got {"pin":"(hidden)","keys":{"a":(hidden)}})"#,
            ]
        );
    }
}
