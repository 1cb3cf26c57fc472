//! The account of a reply: what each part of it is.
//!
//! | part | beside an accepted value |
//! |---|---|
//! | value, with its repairs | yes |
//! | format: fences, white space, markers of chat templates | yes |
//! | reasoning that is closed | yes |
//! | prose with nothing that the contract asks for | yes |
//! | the same value again, a draft that the text replaces, the question's own example | yes, noted |
//! | another turn | yes, noted |
//! | left over: everything else | no |
//!
//! The receipt and the acceptance both come from it: what is left over is a lossy change, and so a
//! violation.

use std::ops::Range;

use super::{
    align::Fitted,
    choose::{Choice, Role},
    node::{Data, Node},
    note::{self, Note},
    parse::is_space,
    shape::{ROOT, Shapes, kind},
    words::{Words, ends_sentence, first_bytes},
};
use crate::vocabulary::{
    change::{ChangeKind, Loss},
    path::Path,
};

/// Words of a sentence that takes a value back or corrects it.
static RETRACTING: Words = Words::of(
    "actually correction disregard fehler ignore incorrect instead korrektur mistake oops
     retract scratch should sorry typo wait wrong falsch",
);

/// Words before one more element.
static ADDING: Words = Words::of("also and et plus und y");

/// Words of a sentence that only may take it back.
static CONDITIONAL: Words = Words::of("if falls si");

/// Returns the notes on the text around the value of a choice in `reply`, in the order of the
/// reply.
pub(super) fn surroundings(reply: &str, choice: &Choice<'_>, shapes: &Shapes) -> Vec<Note> {
    let Some(chosen) = &choice.chosen else { return Vec::new() };
    let settled = choice.others.iter().filter(|other| other.role == Role::Settled);
    let settled = settled.flat_map(|other| [other.span.start, other.span.end]).collect();
    let mut account = Account { reply, shapes, chosen, settled, notes: Vec::new() };
    let mut parts: Vec<(Range<usize>, Part)> = vec![(chosen.candidate.span.clone(), Part::Value)];
    parts.extend(choice.others.iter().map(|other| (other.span.clone(), Part::of(other.role))));
    parts.extend(choice.located.reasoning.iter().map(|span| (span.clone(), Part::Reasoning)));
    parts.push((choice.located.end.unwrap_or(reply.len())..reply.len(), Part::AnotherTurn));
    parts.sort_by_key(|(span, _)| (span.start, span.end));
    let mut unread = choice.unread.iter().peekable();
    let mut at = 0;
    for (span, part) in parts {
        while let Some(other) = unread.next_if(|other| other.start < span.start) {
            account.pass(&mut at, other, Part::Unread);
        }
        account.pass(&mut at, &span, part);
    }
    for other in unread {
        account.pass(&mut at, other, Part::Unread);
    }
    account.prose(at..reply.len());
    account.notes
}

/// The kind of a part of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Value,
    /// Another value, which is accounted for: the same again, a draft, an example.
    Other,
    /// Another value, which does not fit, or was not compared with the contract.
    Unread,
    /// Another value that may be the answer.
    Rival,
    Reasoning,
    Prose,
    AnotherTurn,
    LeftOver,
}

impl Part {
    fn of(role: Role) -> Self {
        match role {
            Role::Settled => Self::Other,
            Role::LeftOver => Self::Rival,
        }
    }
}

struct Account<'c, 't> {
    reply: &'t str,
    shapes: &'c Shapes,
    chosen: &'c Fitted<'t>,
    /// Where the values start and end that are settled.
    settled: Vec<usize>,
    notes: Vec<Note>,
}

impl Account<'_, '_> {
    /// Passes the part at `span`, and the prose from byte `at` up to it.
    fn pass(&mut self, at: &mut usize, span: &Range<usize>, part: Part) {
        if span.start < *at || span.is_empty() {
            return;
        }
        self.prose(*at..span.start);
        let text = &self.reply[span.clone()];
        let is_over = part == Part::Unread
            && (self.has_member(text, false) || self.is_next_element(span) || self.is_named(*at..span.start));
        self.add(if is_over { Part::LeftOver } else { part }, span.clone());
        *at = span.end;
    }

    fn add(&mut self, part: Part, span: Range<usize>) {
        if self.reply[span.clone()].trim().is_empty() {
            return;
        }
        let (kind, loss) = match part {
            Part::Value => return,
            Part::Other | Part::Unread => (ChangeKind::OtherValue, Loss::Ignored),
            Part::Rival => (ChangeKind::OtherValue, Loss::Lossy),
            Part::Reasoning | Part::Prose => (ChangeKind::Surroundings, Loss::Ignored),
            Part::AnotherTurn => (ChangeKind::AnotherTurn, Loss::Ignored),
            Part::LeftOver => (ChangeKind::LeftOver, Loss::Lossy),
        };
        note::add(&mut self.notes, Note::new(kind, loss, span).at(Path::root()));
    }

    /// Adds the text at `span`, which no value and no reasoning is in.
    fn prose(&mut self, span: Range<usize>) {
        if span.is_empty() {
            return;
        }
        let part = if self.is_left_over(&span) { Part::LeftOver } else { Part::Prose };
        self.add(part, span);
    }

    /// Returns whether the text at `span` has something that the contract asks for, or takes the
    /// value back.
    fn is_left_over(&self, span: &Range<usize>) -> bool {
        let (text, value) = (&self.reply[span.clone()], &self.chosen.candidate.span);
        if span.end <= value.start {
            let is_next = span.end == value.start;
            return self.has_member(text, false) || is_next && self.wants_strings() && ends_with_string(text);
        }
        span.start == value.end && self.goes_on(text)
            || self.has_member(text, true)
            || self.has_element(text)
            || self.states_member(text)
            || self.is_changed(span)
            || is_retraction(self.sentences(span))
    }

    /// The text at `span` without the parts of sentences around values that are settled.
    fn sentences(&self, span: &Range<usize>) -> &str {
        let text = &self.reply[span.clone()];
        let is_settled = |at| self.settled.contains(&at);
        let start = if is_settled(span.start) { text.find(ends_sentence).unwrap_or(text.len()) } else { 0 };
        let text = &text[start..];
        if is_settled(span.end) { &text[..text.rfind(ends_sentence).unwrap_or(0)] } else { text }
    }

    /// Returns whether `text`, right after the value, continues it.
    fn goes_on(&self, text: &str) -> bool {
        let is_format = |c: char| is_space(c) || c == '`';
        let text = text.trim_start_matches(is_format);
        let rest = text.trim_start_matches(|c| is_format(c) || matches!(c, ',' | ';' | ':'));
        let is_closer = text.starts_with([']', '}']);
        let is_sign = text.starts_with([',', ':']);
        // A quote alone ends a string around the value.
        let is_alone = || self.reply[self.chosen.candidate.span.end..].trim_matches(is_format).len() == 1;
        let is_string = || {
            let (word, rest) = text.split_at(text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len()));
            let rest = if ADDING.have(word) { rest.trim_start_matches([' ', ':', ',']) } else { text };
            self.wants_strings() && rest.starts_with('"') && !is_alone()
        };
        // A method of the value: `.append("c")`.
        let is_call = text.strip_prefix('.').is_some_and(|rest| {
            let name = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
            name.len() < rest.len() && name.starts_with('(')
        });
        is_closer
            || is_call
            || is_string()
            || is_sign && (rest.starts_with(['"', '{', '[', ']', '}']) || self.starts_with_key(rest))
    }

    /// Returns whether the list at `span` follows the list that was chosen without a word between
    /// them, and so may hold more of its elements.
    fn is_next_element(&self, span: &Range<usize>) -> bool {
        let is_list = |text: &str| text.starts_with('[');
        let between =
            self.reply.get(self.chosen.candidate.span.end..span.start).filter(|text| text.len() < MAX_NAME);
        // A reference follows a space.
        let is_reference = |text: &str| !text.is_empty() && text.trim().is_empty();
        between.is_some_and(|text| !text.contains(char::is_alphabetic) && !is_reference(text))
            && is_list(&self.reply[self.chosen.candidate.span.clone()])
            && is_list(&self.reply[span.clone()])
    }

    /// Returns whether the prose at `span` ends by naming a key that the value does not have, and so
    /// names what follows: `and the tags:`.
    fn is_named(&self, span: Range<usize>) -> bool {
        let is_format = |c: char| is_space(c) || matches!(c, '`' | '*' | '"' | '\'');
        let text = self.reply[span].trim_end_matches(is_format);
        let text = text.strip_suffix("```json").unwrap_or(text).trim_end_matches(is_format);
        let Some(text) = text.strip_suffix([':', '=']) else { return false };
        self.is_absent(last_name(text.trim_end_matches(is_format), &['_']))
    }

    /// Returns whether code at `span` changes the value after it was given a name:
    /// `tags = [..]`, and then `tags.append("c")`.
    fn is_changed(&self, span: &Range<usize>) -> bool {
        let before = self.reply[..self.chosen.candidate.span.start].trim_end();
        let Some(before) = before.strip_suffix('=') else { return false };
        let name = last_name(before.trim_end(), &['_']);
        let changes = |line: &str| {
            let rest = line.trim_start().strip_prefix(name).unwrap_or_default();
            rest.starts_with('.') || rest.trim_start().starts_with(['+', '|', '='])
        };
        let text = &self.reply[span.clone()];
        // The brackets of `person["age"] = 41` are another value.
        let is_indexed = || {
            let last = text.lines().next_back().unwrap_or_default();
            last.trim_start() == name && self.reply[span.end..].starts_with('[')
        };
        !name.is_empty() && (text.lines().any(changes) || is_indexed())
    }

    fn starts_with_key(&self, text: &str) -> bool {
        let (name, rest) =
            text.split_at(text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len()));
        self.shapes.keys().has(name) && rest.trim_start().starts_with(':')
    }

    /// Returns whether `text` has a member of the contract's that the value does not have, or,
    /// after the value, has with another value.
    fn has_member(&self, text: &str, is_behind: bool) -> bool {
        members(text).any(|(key, is_quoted, value)| {
            if !self.shapes.keys().has(key) {
                // `Note: …` is often a remark, whatever the keys are.
                return !is_quoted && self.is_absent(key) && (is_scalar(value) || is_bulleted(value));
            }
            match self.member(key) {
                None => is_quoted || self.shapes.get(ROOT).names.contains(key),
                Some(node) => is_behind && (is_quoted || is_scalar(value)) && !self.is_written(node, value),
            }
        })
    }

    /// Returns whether a sentence of `text` gives a number or a quoted string for a key that the
    /// value does not have: `the age is 41`, `Age = 41`, `<age>41</age>`.
    fn states_member(&self, text: &str) -> bool {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut rest = text;
        while let Some(start) = rest.find(is_part) {
            let word = &rest[start..];
            let (word, behind) = word.split_at(word.find(|c| !is_part(c)).unwrap_or(word.len()));
            rest = behind;
            let is_tag =
                || text[..text.len() - behind.len() - word.len()].ends_with('<') && closes_tag(behind, word);
            if (is_given(behind) || is_tag()) && self.is_absent(word) {
                return true;
            }
        }
        false
    }

    /// Returns whether `word` is a key at the root of the contract that the value does not have.
    fn is_absent(&self, word: &str) -> bool {
        let (names, lower) = (&self.shapes.get(ROOT).names, word.to_lowercase());
        [word, &lower].into_iter().any(|name| names.contains(name) && self.member(name).is_none())
    }

    /// The value under `key` of the chosen object, if it is not null.
    fn member(&self, key: &str) -> Option<&Node<'_>> {
        match &self.chosen.candidate.node.data {
            Data::Object(entries) => {
                let entry = entries.iter().find(|entry| entry.key == key);
                entry.map(|entry| &entry.value).filter(|value| !value.is_null())
            }
            _ => None,
        }
    }

    /// Returns whether `text` starts with `node` as it is written in the reply.
    fn is_written(&self, node: &Node<'_>, text: &str) -> bool {
        let source = self.reply.get(node.span.clone()).unwrap_or_default();
        !source.is_empty() && text.starts_with(source)
    }

    /// Returns whether `text` has an element for the list of strings that is asked for, on a line
    /// of its own.
    fn has_element(&self, text: &str) -> bool {
        let is_element = |line: &str| {
            let line = line.trim().trim_end_matches(',');
            line.len() > 2 && line.starts_with('"') && line.ends_with('"')
        };
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let is_bulleted = |line: &str| line.starts_with(['-', '*', '•']) && line.contains(' ');
        self.wants_strings() && (text.lines().any(is_element) || lines.next().is_some_and(is_bulleted))
    }

    /// Returns whether a list of strings is asked for.
    fn wants_strings(&self) -> bool {
        let root = self.shapes.get(ROOT);
        root.kinds == kind::LIST
            && root.items.is_some_and(|id| self.shapes.get(id).kinds & !kind::NULL == kind::TEXT)
    }
}

/// Returns whether `text` ends with a string in quotes, or one and a comma.
fn ends_with_string(text: &str) -> bool {
    let text = text.trim();
    let text = text.strip_suffix(',').unwrap_or(text).trim_end();
    text.len() > 1 && text.ends_with('"')
}

/// The members that are written in `text`: each key with whether it is quoted, and the text of its
/// value. An unquoted key starts a line.
fn members(text: &str) -> impl Iterator<Item = (&str, bool, &str)> {
    text.match_indices(':').filter_map(|(colon, _)| {
        let before = text[..colon].trim_end_matches([' ', '*']);
        let value = text[colon + 1..].trim_start_matches([' ', '*']);
        if let Some(name) = before.strip_suffix(['"', '\'']) {
            let start = name.rfind(['"', '\'']).filter(|start| name.len() - start <= MAX_NAME)?;
            return Some((&name[start + 1..], true, value));
        }
        let name = last_name(before, &['_', '-']);
        let lead = before[..before.len() - name.len()]
            .trim_end_matches([' ', '\t', '-', '*', '•', '{', ',', '–', '—']);
        // `Note: age: 42` and `(age: 42)` give it, too.
        let starts_line = lead.is_empty() || lead.ends_with(['\n', ':', '(']);
        let is_value = !value.is_empty() && !value.starts_with(['\n', '\r']) || is_bulleted(value);
        (!name.is_empty() && starts_line && is_value).then_some((name, false, value))
    })
}

/// The letters, digits and `signs` at the end of `text`, at most [`MAX_NAME`].
fn last_name<'t>(text: &'t str, signs: &[char]) -> &'t str {
    let is_part = |c: &char| c.is_alphanumeric() || signs.contains(c);
    let length: usize = text.chars().rev().take(MAX_NAME).take_while(is_part).map(char::len_utf8).sum();
    &text[text.len() - length..]
}

/// Returns whether the first line of `text` is empty and the next one is an element of a list.
fn is_bulleted(text: &str) -> bool {
    let line = text.strip_prefix('\r').unwrap_or(text).strip_prefix('\n').map(str::trim_start);
    line.is_some_and(|line| ["- ", "* ", "• "].iter().any(|bullet| line.starts_with(bullet)))
}

/// Returns whether `text`, after a name, gives its value: a sign or a verb, and a number or a
/// string.
fn is_given(text: &str) -> bool {
    let is_mark = |c: char| c == ' ' || matches!(c, '*' | '`' | '"' | '\'');
    let text = text.trim_start_matches(is_mark);
    let signs = ["=", "→", "->", "|", "is ", "was ", "ist ", "est "];
    let Some(value) = signs.iter().find_map(|sign| text.strip_prefix(sign)) else { return false };
    let value = value.trim_start_matches([' ', '*', '`', '-', '$', '€', '£']);
    value.starts_with(|c: char| c.is_ascii_digit()) || value.starts_with(['"', '“'])
}

/// Returns whether `text`, after `<` and `name`, starts with a value and the closing tag.
fn closes_tag(text: &str, name: &str) -> bool {
    let inside = text.strip_prefix('>').and_then(|text| first_bytes(text, MAX_SCALAR).split_once("</"));
    inside.is_some_and(|(value, tag)| !value.trim().is_empty() && tag.starts_with(name))
}

/// Most bytes of a value that is compared with prose.
const MAX_SCALAR: usize = 256;

/// Most characters of a key that is looked for in prose.
const MAX_NAME: usize = 128;

/// Returns whether the first line of `text` is a number, a constant or a string in quotes, and
/// nothing else.
fn is_scalar(text: &str) -> bool {
    let start = first_bytes(text, MAX_SCALAR);
    let line = start.lines().next().unwrap_or_default();
    if line.len() == start.len() && start.len() < text.len() {
        return false;
    }
    let line = line.trim().trim_end_matches([',', '}', ')', '*', ' ']);
    serde_json::from_str::<serde_json::Value>(line).is_ok_and(|value| !value.is_array() && !value.is_object())
}

/// Returns whether a sentence of `text` takes the value before it back, or corrects it.
fn is_retraction(text: &str) -> bool {
    text.split(['.', '!', '\n']).any(|sentence| {
        RETRACTING.any_in(sentence) && !CONDITIONAL.any_in(sentence) && !sentence.contains('?')
    })
}

/// Words of a comment that stands for elements or members that were not written.
static OMITTING: Words = Words::of(
    "abbreviated additional continue continued continues etc further more omitted other others
     remaining repeat rest similar skipped so truncated usw",
);

/// Marks the comments inside of `chosen` that hold a member of the contract's, which was skipped, or
/// that stand for parts of the value.
pub(super) fn check_comments(reply: &str, chosen: &mut Fitted<'_>, shapes: &Shapes) {
    for note in chosen.candidate.notes.iter_mut().filter(|note| note.kind == ChangeKind::Comment) {
        let text = reply.get(note.span.clone()).unwrap_or_default();
        let has_member = members(text).any(|(key, is_quoted, _)| is_quoted && shapes.keys().has(key));
        if has_member || stands_for_parts(reply, &note.span) {
            note.loss = Loss::Lossy;
        }
    }
}

/// Returns whether the comment at `span` stands for parts of the value: it has an ellipsis, or it
/// is where an element or a member would be and says that there are more.
fn stands_for_parts(reply: &str, span: &Range<usize>) -> bool {
    let (before, text, after) = (&reply[..span.start], &reply[span.clone()], &reply[span.end..]);
    if text.contains("...") || text.contains('…') {
        return true;
    }
    let starts_line = before.trim_end_matches([' ', '\t']).ends_with('\n');
    let is_last = after.trim_start_matches(is_space).starts_with([']', '}']);
    (starts_line || is_last) && OMITTING.any_in(text)
}
