//! Writes a schema as an outline: its keys with their descriptions and constraints, without types
//! and without values that need no explanation.
//!
//! It is for a model whose decoder is constrained to the schema. Such a model needs no types. It
//! needs to know which keys exist, in which order, and what they mean.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Map, Value};

use super::{
    MAX_DEPTH, node,
    node::NotationNode,
    type_text::{TypeText, sentence},
};
use crate::{
    schema::{
        dialect::UnenforcedConstraint,
        shown::drop_aliases,
        view::{
            SchemaView,
            keywords::{COMPOSING, is_annotation, list, named, says_of_null},
            reference,
        },
    },
    vocabulary::path::{Path, Segment},
};

/// Writes `schema` as lines; empty if there is nothing to say.
///
/// Each definition is described once, so the outline is longer than the schema by repeated names at
/// most.
pub(crate) fn outline(schema: &Value, options: OutlineOptions<'_>) -> String {
    let mut schema = schema.clone();
    drop_aliases(&mut schema);
    let view = SchemaView::of(&schema);
    let mut writer = OutlineWriter {
        view: &view,
        words: OutlineWords::new(options),
        shows_keys: options.shows_keys,
        known: HashMap::new(),
        deferred: VecDeque::new(),
        of_null: HashMap::new(),
        depth: 0,
    };
    let whole = writer.part(&schema, &Path::root(), "the answer");
    let mut sentences = whole.sentences(options.shows_keys);
    while let Some((target, path, name)) = writer.deferred.pop_front() {
        let part = writer.part(target, &path, &name);
        if !part.is_empty() {
            sentences.push(format!("{name} is {}.", part.text()));
        }
    }
    sentences.join("\n")
}

struct OutlineWriter<'s> {
    view: &'s SchemaView<'s>,
    words: OutlineWords<'s>,
    /// The name under which each definition is described, by address; `None` for definitions with
    /// nothing to say.
    known: HashMap<*const Value, Option<String>>,
    /// Definitions too deep to be described where they occur, with their names.
    deferred: VecDeque<(&'s Value, Path, String)>,
    shows_keys: bool,
    /// Whether each schema allows null, by address.
    of_null: HashMap<*const Value, Option<bool>>,
    /// How many references lead to the current schema.
    depth: usize,
}

impl<'s> OutlineWriter<'s> {
    /// Describes the values of `schema`, which is at `path`. `name` is the key that holds them.
    fn part(&mut self, schema: &'s Value, path: &Path, name: &str) -> OutlinePart {
        let Some(object) = schema.as_object() else { return OutlinePart::default() };
        let mut part = OutlinePart { words: self.words.of(object, path), ..self.own(object, path, name) };
        part = part.and(self.referenced(object, name));
        for keyword in COMPOSING {
            let path = path.clone().key(keyword);
            let schemas = list(object, keyword).enumerate();
            let parts: Vec<_> =
                schemas.map(|(i, schema)| self.part(schema, &path.clone().index(i), name)).collect();
            part = if keyword == "allOf" {
                parts.into_iter().fold(part, OutlinePart::and)
            } else {
                part.and(OutlinePart::any_of(parts))
            };
        }
        part
    }

    /// Describes the target of a reference, at its first occurrence only.
    fn referenced(&mut self, object: &'s Map<String, Value>, name: &str) -> OutlinePart {
        let Some((target, path)) = reference(object)
            .and_then(|(_, reference)| Some((self.view.target(reference)?, self.view.path(reference))))
        else {
            return OutlinePart::default();
        };
        let address = std::ptr::from_ref(target);
        if let Some(place) = self.known.get(&address) {
            return place.as_deref().map(OutlinePart::like).unwrap_or_default();
        }
        if self.depth == MAX_DEPTH {
            let name = match path.segments().last() {
                Some(Segment::Key(key)) => key.as_str().to_owned(),
                _ => name.to_owned(),
            };
            let part = OutlinePart::like(&name);
            self.known.insert(address, Some(name.clone()));
            self.deferred.push_back((target, path, name));
            return part;
        }
        self.known.insert(address, Some(name.to_owned()));
        self.depth += 1;
        let part = self.part(target, &path, name);
        self.depth -= 1;
        if part.is_empty() {
            self.known.insert(address, None);
        }
        part
    }

    /// Describes what `object` itself says about the parts of a value, or its only value.
    fn own(&mut self, object: &'s Map<String, Value>, path: &Path, name: &str) -> OutlinePart {
        if let Some(only) = object.get("const").filter(|_| self.shows_keys) {
            return OutlinePart { value: only.to_string(), ..OutlinePart::default() };
        }
        let keys = self.keys(object, &path.clone().key("properties"));
        let inside =
            if keys.is_empty() { self.elements(object, path, name) } else { OutlineInside::Keys(keys) };
        OutlinePart { inside, ..OutlinePart::default() }
    }

    fn keys(&mut self, object: &'s Map<String, Value>, path: &Path) -> Vec<String> {
        let keys = named(object, "properties").filter_map(|(key, schema)| {
            let mut part = self.part(schema, &path.clone().key(key), key);
            // Without this, a small model invents values that the text does not state; see
            // `docs/decisions.md`.
            if self.shows_keys && self.takes_null(schema) {
                part.words.push("or null".to_owned());
            }
            (self.shows_keys || !part.is_empty()).then(|| part.behind(key))
        });
        keys.collect()
    }

    /// Returns whether `schema` explicitly allows null, directly or through references.
    fn takes_null(&mut self, schema: &'s Value) -> bool {
        let view = self.view;
        all(view.chain(schema).map(|schema| self.of_null(schema))) == Some(true)
    }

    /// Returns whether `schema` and its alternatives allow null, not counting references. Each
    /// definition is visited once, so many references to a long union cost no more than one.
    fn of_null(&mut self, schema: &'s Value) -> Option<bool> {
        let (view, object) = (self.view, schema.as_object()?);
        let own = |schema: &Value| says_of_null(schema.as_object()?);
        *self.of_null.entry(std::ptr::from_ref(schema)).or_insert_with(|| {
            let branches =
                ["anyOf", "oneOf"].into_iter().filter_map(|keyword| object.get(keyword)?.as_array());
            let unions =
                branches.map(|branches| any(branches.iter().map(|branch| all(view.chain(branch).map(own)))));
            all(unions.chain([own(schema)]))
        })
    }

    /// The elements of a list or a tuple, or the values of a map.
    fn elements(&mut self, object: &'s Map<String, Value>, path: &Path, name: &str) -> OutlineInside {
        let tuple = list(object, "prefixItems").enumerate();
        let of_tuple = path.clone().key("prefixItems");
        let mut parts: Vec<_> =
            tuple.map(|(i, schema)| self.part(schema, &of_tuple.clone().index(i), name)).collect();
        parts.extend(object.get("items").map(|items| self.part(items, &path.clone().key("items"), name)));
        if parts.iter().any(|part| !part.is_empty()) {
            let parts: Vec<_> = parts.into_iter().map(OutlinePart::text).collect();
            return OutlineInside::Other(format!("[{}]", parts.join(", ")));
        }
        let values = object.get("additionalProperties");
        let values = values.map(|values| self.part(values, &path.clone().key("additionalProperties"), name));
        match values {
            Some(part) if !part.is_empty() => OutlineInside::Other(format!("{{any key: {}}}", part.text())),
            _ => OutlineInside::Nothing,
        }
    }
}

/// Combines schemas that all apply: whether they allow null.
fn all(said: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    said.flatten().reduce(|one, other| one && other)
}

/// Combines alternatives: whether they allow null. `None` if none does and one does not say.
fn any(said: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut together = Some(false);
    for one in said {
        match one {
            Some(true) => return one,
            Some(false) => {}
            None => together = None,
        }
    }
    together
}

/// The text about one value.
#[derive(Debug, Default)]
struct OutlinePart {
    /// Its only allowed value.
    value: String,
    /// Description and constraints.
    words: Vec<String>,
    inside: OutlineInside,
}

/// The text about the parts of a value.
#[derive(Debug, Default)]
enum OutlineInside {
    #[default]
    Nothing,
    /// The keys of an object, each with its description.
    Keys(Vec<String>),
    Other(String),
}

impl OutlinePart {
    fn is_empty(&self) -> bool {
        self.value.is_empty() && self.words.is_empty() && matches!(self.inside, OutlineInside::Nothing)
    }

    /// The text for a value whose definition is described at `place`.
    fn like(place: &str) -> Self {
        Self { inside: OutlineInside::Other(format!("like {place}")), ..Self::default() }
    }

    /// Combines two texts about the same value.
    fn and(mut self, other: Self) -> Self {
        if self.value.is_empty() {
            self.value = other.value;
        }
        for words in other.words {
            if !self.words.contains(&words) {
                self.words.push(words);
            }
        }
        self.inside = self.inside.and(other.inside);
        self
    }

    /// Combines alternatives. Values without a text are dropped: listing them is not the outline's
    /// purpose.
    fn any_of(mut parts: Vec<Self>) -> Self {
        let says = |part: &Self| !part.words.is_empty() || !matches!(part.inside, OutlineInside::Nothing);
        parts.retain(says);
        if parts.len() < 2 {
            return parts.pop().unwrap_or_default();
        }
        let texts: Vec<_> = parts.into_iter().map(Self::text).collect();
        Self { inside: OutlineInside::Other(texts.join(" or ")), ..Self::default() }
    }

    /// Returns `key` followed by the text, as in `key "value" (words) {inside}`.
    fn behind(self, key: &str) -> String {
        let text = self.text();
        if text.is_empty() { key.to_owned() } else { format!("{key} {text}") }
    }

    fn text(self) -> String {
        let words: Vec<_> = self.words.iter().map(String::as_str).collect();
        let words = if words.is_empty() {
            String::new()
        } else {
            format!("({})", sentence(&words).trim_end_matches('.'))
        };
        let parts = [self.value, words, self.inside.text()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// The sentences about the whole answer. `has_all_keys` says whether all of its keys are
    /// listed, or only those with a text.
    fn sentences(self, has_all_keys: bool) -> Vec<String> {
        let words: Vec<_> = self.words.iter().map(String::as_str).collect();
        let mut sentences = Vec::new();
        if !words.is_empty() {
            sentences.push(format!("The answer: {}.", sentence(&words).trim_end_matches('.')));
        }
        match self.inside {
            OutlineInside::Nothing => {}
            // On separate lines, because the 0.5B model then got as many fields right or more
            // (`docs/decisions.md`).
            OutlineInside::Keys(keys) => {
                let head =
                    if has_all_keys { "The object has these keys:" } else { "Also required of these keys:" };
                sentences.push(format!("{head}\n{}", keys.join("\n")));
            }
            OutlineInside::Other(text) => sentences.push(format!("The answer has the form {text}.")),
        }
        sentences
    }
}

impl OutlineInside {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, one) | (one, Self::Nothing) => one,
            (Self::Keys(keys), Self::Keys(more)) => Self::Keys([keys, more].concat()),
            (one, other) => Self::Other(format!("{} with {}", one.text(), other.text())),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Keys(keys) => format!("{{{}}}", keys.join(", ")),
            Self::Other(text) => text,
        }
    }
}

/// Options of an outline.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutlineOptions<'u> {
    /// Whether to name all keys, with their descriptions. Otherwise only keys with unenforced
    /// constraints are named.
    pub(crate) shows_keys: bool,
    /// The constraints to state. Their paths lead into the schema.
    pub(crate) unenforced: &'u [UnenforcedConstraint],
}

/// The words to write for each schema.
struct OutlineWords<'u> {
    shows_descriptions: bool,
    unenforced: HashMap<&'u Path, HashSet<&'u str>>,
}

impl<'u> OutlineWords<'u> {
    fn new(options: OutlineOptions<'u>) -> Self {
        let mut words = Self { shows_descriptions: options.shows_keys, unenforced: HashMap::new() };
        for one in options.unenforced {
            words.unenforced.entry(&one.path).or_default().insert(&one.keyword);
        }
        words
    }

    /// The description of `schema`, which is at `path`, and its unenforced constraints.
    fn of(&self, schema: &Map<String, Value>, path: &Path) -> Vec<String> {
        let mut node = NotationNode::new(schema);
        let unenforced = self.unenforced.get(path);
        let is_said = |keyword: &str| unenforced.is_some_and(|all| all.contains(keyword));
        node.take_all(|keyword| !(is_said(keyword) || self.shows_descriptions && is_annotation(keyword)));
        let mut text = TypeText::default();
        node::write(&mut node, &mut text);
        let mut words: Vec<_> = text.description.into_iter().chain(text.notes).collect();
        words.extend(node.rest().map(|rest| format!("by JSON Schema {rest}")));
        words
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{OutlineOptions, outline};
    use crate::{schema::dialect::UnenforcedConstraint, vocabulary::path::Path};

    fn reads(schema: &Value, expected: &str) {
        assert_eq!(outline(schema, OutlineOptions { shows_keys: true, unenforced: &[] }), expected);
    }

    fn unenforced(places: &[(&str, &str)]) -> Vec<UnenforcedConstraint> {
        let one = |(pointer, keyword): &(&str, &str)| {
            UnenforcedConstraint::new(Path::from_pointer(pointer).unwrap(), *keyword, "is beyond a grammar")
        };
        places.iter().map(one).collect()
    }

    #[test]
    fn keys_are_named_with_their_descriptions_and_nothing_else() {
        reads(
            &json!({
                "title": "Invoice",
                "description": "An invoice, as printed.",
                "type": "object",
                "properties": {
                    "number": {"type": "string", "pattern": r"^INV-\d{4}$", "description": "Printed at the top right."},
                    "currency": {"enum": ["EUR", "USD"]},
                    "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}, "minItems": 1},
                    "seller": {"type": ["object", "null"], "properties": {"name": {"type": "string"}}},
                },
                "$defs": {"Line": {"properties": {"quantity": {"minimum": 1}, "price": {"description": "net"}}}},
            }),
            "The answer: An invoice, as printed.\n\
         The object has these keys:\n\
         number (Printed at the top right)\ncurrency\nlines [{quantity, price (net)}]\nseller (or null) {name}",
        );
    }

    #[test]
    fn a_key_may_be_null_behind_a_reference_too() {
        reads(
            &json!({
                "properties": {
                    "a": {"$ref": "#/$defs/MaybeName"},
                    "b": {"$ref": "#/$defs/Alias"},
                    "c": {"anyOf": [{"$ref": "#/$defs/Nothing"}, {"type": "string"}]},
                    "d": {"$ref": "#/$defs/MaybeName", "type": "string"},
                    "f": {"oneOf": [{"type": "string"}, {}]},
                    "g": {"type": ["string", "null"], "anyOf": [{"minLength": 1}, {"pattern": "^x"}]},
                },
                "$defs": {
                    "MaybeName": {"type": ["string", "null"]},
                    "Alias": {"$ref": "#/$defs/MaybeBoth"},
                    "MaybeBoth": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                    "Nothing": {"const": null},
                },
            }),
            "The object has these keys:\na (or null)\nb (or null)\nc (or null)\nd\nf\ng (or null)",
        );
    }

    #[test]
    fn a_union_shows_its_tags_and_the_meanings_of_its_values() {
        reads(
            &json!({"oneOf": [
                {"properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}},
                {"properties": {"kind": {"const": "dot"}}, "description": "no size"},
            ]}),
            r#"The answer has the form {kind "circle", r} or (no size) {kind "dot"}."#,
        );
        reads(
            &json!({"properties": {
                "plain": {"enum": ["a", "b"]},
                "told": {"oneOf": [{"const": "a", "description": "first"}, {"const": "b", "description": "second"}]},
                "part": {"oneOf": [{"const": "a"}, {"const": "b", "description": "second"}]},
            }}),
            "The object has these keys:\nplain\ntold \"a\" (first) or \"b\" (second)\npart \"b\" (second)",
        );
    }

    #[test]
    fn a_definition_is_described_once() {
        let address = json!({"description": "postal", "properties": {"street": {}, "city": {}}});
        let tree = json!({"properties": {"value": {}, "next": {"$ref": "#/$defs/Tree"}}});
        reads(
            &json!({
                "properties": {
                    "from": {"$ref": "#/$defs/Address"},
                    "to": {"anyOf": [{"$ref": "#/$defs/Address"}, {"type": "null"}]},
                    "tree": {"$ref": "#/$defs/Tree"},
                    "size": {"$ref": "#/$defs/Size"},
                    "other": {"$ref": "#/$defs/Size"},
                },
                "$defs": {"Address": address, "Tree": tree, "Size": {"type": "integer"}},
            }),
            "The object has these keys:\nfrom (postal) {street, city}\nto (or null) like from\ntree {value, next like tree}\nsize\nother",
        );
    }

    #[test]
    fn lists_maps_and_tuples_are_described_by_what_they_hold() {
        reads(&json!({"items": {"properties": {"a": {}}}}), "The answer has the form [{a}].");
        reads(&json!({"type": "array", "items": {"type": "string"}}), "");
        reads(
            &json!({"properties": {
                "prices": {"additionalProperties": {"description": "net"}},
                "range": {"prefixItems": [{"description": "from"}, {"description": "to"}]},
                "texts": {"items": {"type": "string"}},
            }}),
            "The object has these keys:\nprices {any key: (net)}\nrange [(from), (to)]\ntexts",
        );
    }

    #[test]
    fn only_constraints_that_are_not_enforced_are_said() {
        let schema = json!({
            "properties": {
                "number": {"type": "string", "pattern": "^A", "description": "top right"},
                "lines": {"items": {"$ref": "#/$defs/Line"}, "minItems": 2},
                "note": {"type": "string"},
            },
            "$defs": {"Line": {"properties": {"quantity": {"minimum": 1, "not": {"const": 7}}}}},
        });
        let unenforced = unenforced(&[
            ("/properties/number", "pattern"),
            ("/$defs/Line/properties/quantity", "minimum"),
            ("/$defs/Line/properties/quantity", "not"),
        ]);
        let outlined = |shows_keys| outline(&schema, OutlineOptions { shows_keys, unenforced: &unenforced });
        assert_eq!(
            outlined(true),
            "The object has these keys:\nnumber (top right; matches ^A)\n\
         lines [{quantity (at least 1; by JSON Schema {\"not\":{\"const\":7}})}]\nnote"
        );
        assert_eq!(
            outlined(false),
            "Also required of these keys:\nnumber (matches ^A)\n\
         lines [{quantity (at least 1; by JSON Schema {\"not\":{\"const\":7}})}]"
        );
        assert_eq!(outline(&schema, OutlineOptions { shows_keys: false, unenforced: &[] }), "");
    }

    /// 500 keys, 40 levels of references, and definitions that would double at each level if written
    /// out every time.
    #[test]
    fn a_large_contract_has_an_outline_shorter_than_itself() {
        let mut definitions = serde_json::Map::new();
        for level in 0..40 {
            let next = json!({"$ref": format!("#/$defs/L{}", level + 1)});
            definitions.insert(format!("L{level}"), json!({"properties": {"a": next, "b": next}}));
        }
        definitions.insert("L40".to_owned(), json!({"properties": {"leaf": {"description": "the end"}}}));
        let keys: serde_json::Map<_, _> =
            (0..500).map(|n| (format!("key_{n}"), json!({"type": "string"}))).collect();
        let schema = json!({"properties": {"deep": {"$ref": "#/$defs/L0"}, "wide": {"properties": keys}}, "$defs": definitions});
        let text = outline(&schema, OutlineOptions { shows_keys: true, unenforced: &[] });
        assert!(text.len() < schema.to_string().len(), "{} of {}", text.len(), schema.to_string().len());
        assert!(text.contains("key_499") && text.contains("leaf (the end)"), "{text}");
    }

    /// Each level names the next one twice, and none has a text.
    #[test]
    fn definitions_without_words_are_looked_at_once() {
        let mut definitions = serde_json::Map::new();
        for level in 0..200 {
            let next = json!({"$ref": format!("#/$defs/L{}", level + 1)});
            definitions.insert(format!("L{level}"), json!({"prefixItems": [next, next]}));
        }
        let schema = json!({"$ref": "#/$defs/L0", "$defs": definitions});
        let text = outline(&schema, OutlineOptions { shows_keys: true, unenforced: &[] });
        assert!(text.len() < schema.to_string().len(), "{text}");
    }
}
