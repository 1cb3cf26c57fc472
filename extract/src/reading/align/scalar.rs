//! Values of one type that are written as another.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde_json::Number;

use super::{Aligner, Step};
use crate::{
    document::CalendarDay,
    reading::{
        node::{Data, Entry, Node},
        parse::{self, number},
        prose::unfenced,
        receipt::{self, Note},
        shape::{Id, NullReading, Shape, kind},
    },
    vocabulary::{
        change::{ChangeKind, Loss},
        digits,
    },
};

/// The names of types of JSON Schema whose values are no objects.
const TYPES: [&str; 6] = ["string", "integer", "number", "boolean", "array", "null"];

/// Most bytes of a date in words.
const MAX_DATE: usize = 64;

impl<'a> Aligner<'a> {
    /// Converts a value of a forbidden type into an allowed one, if it can mean only that.
    pub(super) fn convert(&mut self, node: &mut Node<'a>, shape: &Shape) -> bool {
        let found = match &node.data {
            Data::Text(text) => match from_text(text, shape) {
                Some(data) => {
                    let is_rounded = data.number().is_some_and(|number| number::is_rounded(text, number));
                    let loss = if is_rounded { Loss::Ignored } else { Loss::Lossless };
                    Some((ChangeKind::Type, loss, data))
                }
                None => return self.embedded(node, shape) || self.wrap(node, shape),
            },
            Data::Number(_) | Data::Numeral(_) | Data::Bool(_) => {
                let json = self.json(node).filter(|_| shape.allows(kind::INTEGER));
                let integer = json.and_then(|json| integer(node.data.number()?, &json));
                let integer = integer.map(|number| (ChangeKind::Number, Data::Number(number)));
                let text = || shape.allows(kind::TEXT).then(|| (ChangeKind::Type, self.as_text(node)));
                integer.or_else(text).map(|(kind, data)| (kind, Loss::Lossless, data))
            }
            // `NONE` without quotes, where it is an allowed word and null is not.
            Data::Null => {
                let word = shape.choice(self.source(node)).filter(|word| *word == self.source(node));
                word.map(|word| (ChangeKind::Quote, Loss::Lossless, Data::Text(Cow::Owned(word.to_owned()))))
            }
            Data::List(_) => return self.unwrap(node, shape) || self.wrap(node, shape),
            Data::Object(_) => return self.out_of_typed(node, shape) || self.wrap(node, shape),
        };
        let Some((kind, loss, data)) = found else {
            if shape.allows(kind::INTEGER) {
                self.show_fraction(node);
            }
            return self.wrap(node, shape);
        };
        node.data = data;
        self.note(kind, loss, node, || node.clone().into_value().to_string());
        true
    }

    /// Takes a value out of an object that has nothing else but its type, as some models write each member:
    /// `{"type": "string", "value": "Ada"}`.
    fn out_of_typed(&mut self, node: &mut Node<'a>, shape: &Shape) -> bool {
        let entries = node.entries();
        let names_type = |entry: &Entry<'_>| {
            entry.key == "type" && entry.value.text().is_some_and(|name| TYPES.contains(&name))
        };
        let value = entries.iter().find(|entry| entry.key == "value");
        let Some(value) = value.map(|entry| &entry.value).filter(|value| shape.allows(super::kind_of(value)))
        else {
            return false;
        };
        // An element may be one that the list was made for.
        let is_element = matches!(self.path.last(), Some(Step::Index(_)));
        if is_element
            || entries.len() > 2
            || !entries.iter().all(|entry| entry.key == "value" || names_type(entry))
        {
            return false;
        }
        let value = value.clone();
        self.note(ChangeKind::Wrapper, Loss::Ignored, node, || "its value");
        *node = value;
        true
    }

    /// Makes a string of a number that is an integer only as a double. It would count as an integer
    /// in validation, with other digits than the reply's.
    fn show_fraction(&self, node: &mut Node<'a>) {
        let is_rounded = |json: &str| {
            let double = node.data.number().and_then(Number::as_f64);
            double.is_some_and(|double| double.fract() == 0.0) && !digits::is_whole(json)
        };
        if let Some(json) = self.json(node).filter(|json| is_rounded(json)) {
            node.data = Data::Text(Cow::Owned(json));
        }
    }

    /// A number or constant as written in the reply.
    fn as_text(&self, node: &Node<'a>) -> Data<'a> {
        let is_meant = |(number, source): &(&Number, &str)| number::tolerant(source).as_ref() == Some(number);
        let spelled = node.spelled(self.reply).filter(is_meant).map(|(_, source)| source.to_owned());
        Data::Text(Cow::Owned(spelled.unwrap_or_else(|| node.clone().into_value().to_string())))
    }

    /// A number in the notation of JSON, with the digits of the reply.
    pub(super) fn json(&self, node: &Node<'a>) -> Option<String> {
        node.spelled(self.reply).map(|(number, source)| number::in_json(number, source))
    }

    fn source(&self, node: &Node<'a>) -> &'a str {
        let reply: &'a str = self.reply;
        reply.get(node.span.clone()).unwrap_or_default()
    }

    /// Turns the number of a decimal into a string of its digits, because a double would round it.
    /// Writes out a string that is a number in another notation.
    pub(super) fn keep_digits(&mut self, node: &mut Node<'a>) {
        let (kind, digits) = match &node.data {
            Data::Text(text) if digits::is_written_out(text) => return,
            Data::Text(text) => match number::grouped_spelled(text) {
                Some(json) => (ChangeKind::Type, decimal(json)),
                None => return,
            },
            data if !data.number().is_some_and(Number::is_f64) => return,
            _ => match self.json(node) {
                Some(json) => (ChangeKind::Number, decimal(json)),
                None => return,
            },
        };
        self.note(kind, Loss::Lossless, node, || format!("\"{digits}\""));
        node.data = Data::Text(Cow::Owned(digits));
    }

    /// Writes the date that a string is in the notation of RFC 3339, which schemas ask for.
    pub(super) fn write_date(&mut self, node: &mut Node<'a>) {
        let Data::Text(text) = &node.data else { return };
        let around = self.around.iter().flat_map(|shape| shape.unions.iter().flatten());
        let mut around = around.map(|branch| self.shapes.get(*branch));
        let mut takes_any = || around.any(|shape| shape.allows(kind::TEXT) && !shape.is_date);
        if text.len() > MAX_DATE || CalendarDay::parse(text).is_some() || takes_any() {
            return;
        }
        let Some(day) = CalendarDay::written_as(text) else { return };
        self.note(ChangeKind::CalendarDate, Loss::Lossless, node, || format!("\"{day}\""));
        node.data = Data::Text(Cow::Owned(day.to_string()));
    }

    /// Notes that a number or a constant is spelled so that readers may take it for another value: with more
    /// digits than a double keeps, beyond its range, closer to zero than it can be, with zeros before it, or as a word that is also an allowed
    /// text. Where the schema allows any number, lost digits are only precision; where it requires an integer,
    /// they matter.
    pub(super) fn note_spelling(&mut self, node: &Node<'a>, id: Id) {
        // As a text, a number without quotes has all its digits. Where only a number is allowed, a text is a violation.
        let is_beyond = |node: &Node<'_>| {
            node.text().is_some_and(|text| number::is_beyond_double(text) && self.source(node) == text)
        };
        let shape = self.shapes.get(id);
        let is_described = shape.knows_names() || shape.items.is_some();
        let has_beyond = || if is_described { is_beyond(node) } else { node.any(&is_beyond) };
        if shape.allows(kind::NUMBER) && shape.allows(kind::TEXT) && has_beyond() {
            self.note(ChangeKind::Number, Loss::Lossy, node, || "");
            return;
        }
        let is_rounded = |node: &Node<'_>| {
            node.spelled(self.reply).is_some_and(|(number, source)| number::is_rounded(source, number))
        };
        // `007` is a number or a text, if both are allowed, and `010` is eight in some languages.
        let source = self.source(node);
        let is_padded =
            source.len() > 1 && source.starts_with('0') && source.bytes().all(|byte| byte.is_ascii_digit());
        let may_be_octal =
            || source.trim_start_matches('0').len() > 1 && source.bytes().all(|byte| byte < b'8');
        let is_unclear = is_padded && (self.shapes.get(id).allows(kind::TEXT) || may_be_octal());
        if is_unclear && matches!(node.data, Data::Number(_)) {
            self.note(ChangeKind::Quote, Loss::Lossy, node, || format!("\"{source}\""));
            return;
        }
        // `NONE` without quotes is null, or the text of that name, if both are allowed.
        let is_word =
            matches!(node.data, Data::Null | Data::Bool(_)) && !matches!(source, "true" | "false" | "null");
        if is_word && self.shapes.allows_word(id, source) {
            self.note(ChangeKind::Literal, Loss::Lossy, node, || format!("\"{source}\""));
            return;
        }
        let is_noted = |note: &Note| {
            note.kind == ChangeKind::Number
                && note.span.start >= node.span.start
                && note.span.end <= node.span.end
        };
        if self.notes.last().is_some_and(is_noted) {
            return;
        }
        let loss = if shape.allows(kind::NUMBER) { Loss::Ignored } else { Loss::Lossy };
        // Nothing else looks at the parts of a value of any kind.
        let parts = node.all().take(if is_described { 1 } else { usize::MAX });
        for number in parts.filter(|part| is_rounded(part)) {
            self.note(ChangeKind::Number, loss, number, || number.clone().into_value().to_string());
        }
    }

    /// Notes that the JSON `text` of `node` is in single quotes beside double ones. Python undoes its escapes, a
    /// shell does not.
    fn note_literal(&mut self, node: &Node<'a>, text: &str) {
        let Some(raw) = self.source(node).strip_prefix('\'').and_then(|raw| raw.strip_suffix('\'')) else {
            return;
        };
        let before = self.reply[..node.span.start].trim_end().trim_end_matches(':').trim_end();
        if raw != text && before.ends_with('"') && serde_json::from_str::<IgnoredAny>(raw).is_ok() {
            self.note(ChangeKind::Escape, Loss::Lossy, node, || "");
        }
    }

    /// Parses a string that holds the JSON of a list or an object.
    fn embedded(&mut self, node: &mut Node<'a>, shape: &Shape) -> bool {
        let Data::Text(text) = &node.data else { return false };
        let text = unfenced(text);
        let is_bracket = text.starts_with(['{', '[']);
        if !is_bracket || !shape.allows(kind::OBJECT | kind::LIST) || self.looks < text.len() / 4 {
            return false;
        }
        self.looks -= text.len() / 4;
        let Some(parsed) = parse::whole(text, 0, self.max_depth.saturating_sub(self.path.len())) else {
            return false;
        };
        if parsed.is_cut
            || !parsed.notes.iter().all(|note| note.is_notation(text))
            || !shape.allows(super::kind_of(&parsed.node))
        {
            return false;
        }
        self.note_literal(node, text);
        let span = node.span.clone();
        let (inner, notes) = (parsed.node.moved_to(&span, text), parsed.notes);
        self.note(ChangeKind::EmbeddedJson, Loss::Lossless, node, || inner.clone().into_value().to_string());
        let here = self.here();
        let moved = notes.into_iter().map(|note| Note { span: span.clone(), ..note }.at(here.clone()));
        receipt::extend(&mut self.notes, moved);
        *node = inner;
        true
    }
}

fn from_text(text: &str, shape: &Shape) -> Option<Data<'static>> {
    let word = text.trim();
    if shape.allows(kind::INTEGER | kind::NUMBER)
        && let Some(json) = number::grouped_spelled(word)
        && let Some(number) = number::strict(&json)
    {
        let is_whole = !number.is_f64() || shape.allows(kind::NUMBER);
        return if is_whole { Some(number) } else { integer(&number, &json) }.map(Data::Number);
    }
    let word = word.trim_end_matches(['.', '!']).to_ascii_lowercase();
    match word.as_str() {
        "true" | "yes" if shape.allows(kind::BOOL) => Some(Data::Bool(true)),
        "false" | "no" if shape.allows(kind::BOOL) => Some(Data::Bool(false)),
        "null" | "none" | "nil" if shape.allows(kind::NULL) => Some(Data::Null),
        _ => None,
    }
}

/// A number of JSON without its exponent. One that is too long for that keeps it, and does not
/// conform.
fn decimal(json: String) -> String {
    digits::written_out(&json).map(Cow::into_owned).unwrap_or(json)
}

/// Turns `1.0` into `1`; never rounds. `None` for a number that already is an integer. `json` is
/// its spelling: a double does not distinguish `0.99999999999999999999` from `1.0`.
fn integer(number: &Number, json: &str) -> Option<Number> {
    if number.is_f64() { digits::integer(json) } else { None }
}

impl<'a> Aligner<'a> {
    /// Reads `node` as null if it is a string that means null here. `id` must describe the whole
    /// position: one part may allow null where the others do not.
    pub(super) fn null_string(&mut self, node: &mut Node<'a>, id: Id) {
        let Data::Text(text) = &node.data else { return };
        if self.null_reading == NullReading::Text || !self.shapes.get(id).null_strings.contains(&&**text) {
            return;
        }
        // Not every reader would take this string for null: it may be a name.
        self.note(ChangeKind::NullString, Loss::Ignored, node, || "null");
        node.data = Data::Null;
        self.has_read_null = true;
    }
}
