//! Why a value that fits may still not be the answer.
//!
//! If all fields are optional or a short list is wanted, many values fit that were never meant as
//! an answer: the schema, an example, a form to be filled in, a reference such as `[1]`. The form of
//! the reply around a value decides nothing here, except whether brackets in running text are a
//! value at all.

use serde_json::Value;

use super::{
    addressee::{is_for_another, is_returned},
    gaps::{TYPES, is_gap, is_partial_list, is_rest, is_type, is_type_word, names_own_key, took_in},
    node::{Data, Entry, Node},
    parse,
    prose::{
        Standing, ends_sentence, first_bytes, has_preamble, is_denied, is_disclaimed, is_fenced_as_other,
        is_outdated, is_refusal, is_unread, leads_to, words,
    },
    shape::{Id, ROOT, Shapes, kind},
};

/// Why a value may not be the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// It has none of the keys that were asked for.
    NamesNothing,
    /// It is a JSON Schema.
    Schema,
    /// It is the example of the contract.
    Example,
    /// Some of its values are placeholders, such as `...`.
    Placeholder,
    /// A string took in what belongs beside it.
    TakenIn,
    /// It is a reference, a check box, a link or the name of a variable.
    Reference,
    /// It is a text that refuses to answer.
    Refusal,
    /// It is a text with words to the reader before the one that was asked for.
    Preamble,
    /// Its brackets or commas do not nest, and may be repaired in several ways or in none.
    Broken,
    /// The prose says that it is not the answer.
    Denied,
}

impl Doubt {
    /// Returns whether the value repeats what the question showed.
    pub(super) fn is_echo(self) -> bool {
        matches!(self, Self::Schema | Self::Example | Self::Placeholder)
    }
}

/// Bytes after a value in which phrases about it are looked for.
const MAX_AFTER: usize = 1 << 10;

/// A value in a reply.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<'r> {
    pub(super) reply: &'r str,
    /// The text before and after it, without reasoning.
    pub(super) before: &'r str,
    pub(super) after: &'r str,
    /// The end of the text before it, without the other values.
    pub(super) said: &'r str,
    pub(super) standing: Standing,
}

impl Found<'_> {
    /// Doubt about `node` as read, before alignment.
    pub(super) fn doubt(&self, node: &Node<'_>, shapes: &Shapes) -> Option<Doubt> {
        if shapes.is_schema(node) {
            return Some(Doubt::Schema);
        }
        let is_lead_to = leads_to(self.before) && !self.after.starts_with('(');
        if self.standing == Standing::Inline && !is_lead_to && self.is_reference(node) {
            return Some(Doubt::Reference);
        }
        // An object without keys says nothing itself, so the text around it counts.
        if matches!(&node.data, Data::Object(entries) if entries.is_empty())
            && self.standing != Standing::Alone
        {
            return Some(Doubt::NamesNothing);
        }
        if self.has_placeholder(node, shapes) {
            return Some(Doubt::Placeholder);
        }
        // What a string in quotes says is data.
        if let Some(text) = node.text().filter(|_| !self.is_quoted(node)) {
            if has_preamble(text) {
                return Some(Doubt::Preamble);
            }
            let first = text.split(ends_sentence).next().unwrap_or_default();
            if words(first).next().is_some_and(|word| matches!(word, "I" | "We")) && is_unread(first) {
                return Some(Doubt::Refusal);
            }
        }
        let has_variable = || node.any(&|node| node.text().is_some() && !self.is_quoted(node));
        // Not in the next object, whose keys may be `is_…`.
        let after = first_bytes(self.after, MAX_AFTER).split('{').next().unwrap_or_default();
        let is_denied = is_for_another(self.said, after)
            || is_returned(self.said) && has_variable()
            || is_outdated(self.said)
            || is_fenced_as_other(self.said)
            || is_disclaimed(self.said)
            || is_denied(self.said, after);
        is_denied.then_some(Doubt::Denied)
    }

    /// Returns whether it is `[1]`, `[x]`, `[ ]`, `[see above]`, `[1][2]` or `{name}`.
    fn is_reference(&self, node: &Node<'_>) -> bool {
        let items = match &node.data {
            // A reference follows what it is for.
            Data::List(items) if items.len() > 1 && self.before.trim().is_empty() => return false,
            Data::List(items) => items,
            Data::Object(entries) => {
                let is_name = |entry: &Entry<'_>| entry.value.is_null() && entry.value.span.is_empty();
                return !entries.is_empty() && entries.iter().all(is_name);
            }
            _ => return false,
        };
        items.iter().all(|item| match &item.data {
            Data::Number(number) => number.as_u64().is_some_and(|number| number < 1_000),
            Data::Text(_) => !self.is_quoted(item),
            Data::List(inner) => inner.len() < 2 && self.is_reference(item),
            _ => false,
        })
    }

    /// Returns whether a string is a gap left to fill, or all strings are an ellipsis. An ellipsis
    /// among other strings may be a right value.
    fn has_placeholder(&self, node: &Node<'_>, shapes: &Shapes) -> bool {
        let strings = self.strings(node, shapes);
        strings.gaps > 0
            || strings.ellipses > 0 && strings.ellipses == strings.all
            || strings.types > usize::from(!strings.is_in_object) && strings.types == strings.all
    }

    fn strings(&self, node: &Node<'_>, shapes: &Shapes) -> Strings {
        let mut strings = Strings { gaps: usize::from(shapes.is_gap_node(node)), ..Strings::default() };
        if let Some(text) = node.text() {
            let is_bare_type = !self.is_quoted(node) && text != "null" && is_type(text);
            strings.all = 1;
            strings.gaps += usize::from(is_bare_type || self.is_template(node));
            strings.ellipses = usize::from(text == "…" || is_rest(text));
            strings.types = usize::from(is_type_word(text));
        }
        node.parts().for_each(|part| strings.add(&self.strings(part, shapes)));
        if matches!(node.data, Data::Object(_)) {
            // One of ellipses alone stands for others.
            strings.gaps += usize::from(strings.all > 0 && strings.ellipses == strings.all);
            strings.is_in_object = true;
        }
        strings
    }

    /// Returns whether the string of JavaScript has another value in it: `Hello ${name}`.
    fn is_template(&self, node: &Node<'_>) -> bool {
        let text = self.reply.get(node.span.clone()).unwrap_or_default();
        text.starts_with('`') && text.contains("${")
    }

    fn is_quoted(&self, node: &Node<'_>) -> bool {
        let text = self.reply.get(node.span.clone()).unwrap_or_default();
        parse::starts_with_quote(text) || text.starts_with('\\')
    }
}

/// The strings of a value.
#[derive(Debug, Default)]
struct Strings {
    all: usize,
    /// Those that are gaps left to fill.
    gaps: usize,
    ellipses: usize,
    /// Those that are the word `string`.
    types: usize,
    is_in_object: bool,
}

impl Strings {
    fn add(&mut self, inside: &Self) {
        self.all += inside.all;
        self.gaps += inside.gaps;
        self.ellipses += inside.ellipses;
        self.types += inside.types;
        self.is_in_object |= inside.is_in_object;
    }
}

impl Shapes {
    /// Returns whether `node` itself is a gap, or a list or an object that lacks parts.
    fn is_gap_node(&self, node: &Node<'_>) -> bool {
        node.text().is_some_and(|text| is_gap(text, self))
            || is_partial_list(node.items())
            || node.entries().iter().any(|entry| self.is_gap_key(&entry.key) || names_own_key(entry))
    }

    /// Returns whether `value` may only repeat what the question showed, which needs a closer look.
    pub(super) fn may_be_echo(&self, value: &Value) -> bool {
        let is_word = |text: &str| text == "…" || is_rest(text) || is_type_word(text);
        Node::of(value).any(&|node| {
            self.is_gap_node(node) || node.text().is_some_and(is_word) || took_in(node, self.keys())
        })
    }

    /// Returns whether `key` stands for members that were not written, or for a key.
    fn is_gap_key(&self, key: &str) -> bool {
        let is_tag = key.starts_with('<') && key.ends_with('>');
        !self.keys().has(key) && (is_tag || key == "…" || is_gap(key, self))
    }

    /// Returns whether `node` is a JSON Schema although the contract does not ask for one: it has
    /// keywords of a schema that are not keys of the contract, with values that only a schema has.
    fn is_schema(&self, node: &Node<'_>) -> bool {
        let (entries, root) = (node.entries(), self.get(ROOT));
        if !root.knows_names() && root.allows(kind::OBJECT) {
            return false;
        }
        // Of the contract's own keys, even if it asks for a `type` and `properties`.
        let properties = node.member("properties").map(Node::entries).unwrap_or_default();
        let is_remark = |key: &str| matches!(key, "title" | "description");
        let is_property = |entry: &Entry<'_>| {
            let mut parts = entry.value.entries().iter();
            root.names.contains(&*entry.key)
                && entry.value.member("type").is_some()
                && parts.all(|part| is_keyword(&part.key, &part.value.data) || is_remark(&part.key))
        };
        let is_object = node.member("type").and_then(Node::text) == Some("object");
        if is_object && !properties.is_empty() && properties.iter().all(is_property) {
            return true;
        }
        let is_asked_for = |key: &str| root.names.contains(key);
        let keyword =
            |entry: &&Entry<'_>| !is_asked_for(&entry.key) && is_keyword(&entry.key, &entry.value.data);
        // `{"properties": {"name": "Ann"}}`
        if let [Entry { key, value, .. }] = entries
            && key == "properties"
            && self.has_plain_member(value)
        {
            return false;
        }
        let is_only_type = entries.len() == 1 && entries.iter().any(|entry| entry.key == "type");
        let keywords = entries.iter().filter(keyword).count();
        let is_sure = entries.iter().any(|entry| {
            !is_asked_for(&entry.key)
                && (matches!(&*entry.key, "$schema" | "$defs")
                    || entry.key == "properties" && matches!(entry.value.data, Data::Object(_)))
        });
        // An answer with a `$schema` of its own, as some tools put into every file.
        let is_tagged = keywords == 1 && node.member("$schema").is_some_and(|value| value.text().is_some());
        let has_all = || root.required.iter().all(|name| node.member(name).is_some());
        let is_answer = is_tagged && !root.required.is_empty() && has_all();
        keywords > 0 && (is_sure || keywords > 1 || is_only_type) && !is_answer
    }

    /// Returns whether `node` has a member of the contract's that is not a schema.
    fn has_plain_member(&self, node: &Node<'_>) -> bool {
        let is_keyword = |entry: &Entry<'_>| is_keyword(&entry.key, &entry.value.data);
        let is_schema = |entry: &Entry<'_>| entry.value.entries().iter().any(is_keyword);
        node.entries().iter().any(|entry| {
            self.get(ROOT).names.contains(&*entry.key) && !matches!(entry.value.data, Data::Bool(_))
        }) && !node.entries().iter().any(is_schema)
    }

    /// Returns whether an object in `node` has a key that the shape `id` knows. Scalars and maps
    /// always pass, and so does an object without any key.
    pub(super) fn names_something(&self, node: &Node<'_>, id: Id) -> bool {
        let shape = self.get(id);
        match &node.data {
            Data::Object(entries) => {
                !shape.knows_names()
                    || shape.is_open
                    || entries.is_empty()
                    || entries.iter().any(|entry| shape.names.contains(&*entry.key))
            }
            Data::List(items) => shape
                .items
                .is_none_or(|id| items.is_empty() || items.iter().any(|item| self.names_something(item, id))),
            _ => true,
        }
    }

    /// Returns whether `node`, or one of its elements, has a key that the root of the contract
    /// knows.
    pub(super) fn names_key(&self, node: &Node<'_>) -> bool {
        let has_key = |node: &Node<'_>, id: Id| {
            node.entries().iter().any(|entry| self.get(id).names.contains(&*entry.key))
        };
        let has_key_of_items = |id| node.items().iter().any(|item| has_key(item, id));
        has_key(node, ROOT) || self.get(ROOT).items.is_some_and(has_key_of_items)
    }

    /// Doubt about `node` after alignment. The example alone is an answer: test doubles send it. Among
    /// other text it is only shown.
    pub(super) fn doubt_aligned(&self, node: &Node<'_>, standing: Standing) -> Option<Doubt> {
        if !self.names_something(node, ROOT) {
            return Some(Doubt::NamesNothing);
        }
        if self.is_schema(node) {
            return Some(Doubt::Schema);
        }
        if node.text().is_some_and(is_refusal) {
            return Some(Doubt::Refusal);
        }
        // Of a call, only the arguments are left, without its name.
        let is_other_text = |node: &Node<'_>| node.text().is_some_and(|text| !is_type_word(text));
        let has_type = |entry: &Entry<'_>| entry.value.text().is_some_and(is_type_word);
        let are_types = || node.entries().iter().any(has_type) && !node.any(&is_other_text);
        // Some part may have been read out of a string.
        if node.any(&|node| self.is_gap_node(node)) || are_types() {
            return Some(Doubt::Placeholder);
        }
        if node.any(&|node| took_in(node, self.keys())) {
            return Some(Doubt::TakenIn);
        }
        let is_example = || self.example().is_some_and(|example| node.is_value(example));
        (standing != Standing::Alone && is_example()).then_some(Doubt::Example)
    }
}

/// Returns whether the member `key` with the value `data` is a keyword of a JSON Schema.
fn is_keyword(key: &str, data: &Data<'_>) -> bool {
    match (key, data) {
        ("$schema" | "$id" | "$ref", Data::Text(_))
        | ("$defs" | "properties" | "items", Data::Object(_))
        | ("required" | "enum" | "anyOf" | "oneOf" | "allOf", Data::List(_)) => true,
        ("type", Data::Text(text)) => TYPES[..5].contains(&&**text) || matches!(&**text, "array" | "object"),
        _ => false,
    }
}
