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

use std::{cell::LazyCell, collections::HashSet, ops::Range};

use super::{
    align::Fitted,
    choose::{Choice, Role},
    node::{Data, Entry, Node},
    parse::{
        is_space,
        number::{is_group_separator, ungrouped},
    },
    prose::{
        Given, MAX_NAME, NOTHING, NamePosition, PhraseMeaning, Words, changes_value, disowns_value,
        ends_sentence, first_bytes, first_words, given, is_bulleted, is_one_word, is_partial, is_retraction,
        is_scalar, lacks, last_name, last_paragraph, lead, leads_to_first, members, rows, says, says_nothing,
        says_scale, unfounded, will_go_on, words,
    },
    receipt::{self, Note},
    shape::{ROOT, Shapes, kind},
    spelling,
};
use crate::vocabulary::{
    change::{ChangeKind, Loss},
    path::Path,
};

/// Words before one more element.
static ADDING: Words = Words::of("also and et plus und y");

/// Words right after a list, on its line, that change which elements it has.
static BESIDE: Words = Words::of("and also aber except minus nor not ohne or plus sans times und without x");

/// What the sentences right before a value may say of it.
const BEFORE_VALUE: [PhraseMeaning; 2] = [PhraseMeaning::Part, PhraseMeaning::Sample];

/// Most sentences that are compared with the keys of a value; with more, it is refused.
const MAX_UNFOUNDED: usize = 64;

/// Most elements of a list that are compared with a line of prose.
const MAX_LISTED: usize = 64;

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

/// What a text beside the value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextBeside {
    OtherValue,
    ProseBefore,
    ProseAfter,
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
        let is_over = match part {
            Part::Unread => {
                self.has_member(text, TextBeside::OtherValue)
                    || self.states_member(text, TextBeside::OtherValue)
                    || self.is_next_element(span)
                    || self.is_empty_answer(span)
                    || self.is_named(*at..span.start)
            }
            // It may take the value before it back.
            Part::Reasoning => span.start >= self.chosen.candidate.span.end && self.is_left_over(span),
            _ => false,
        };
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
        receipt::add(&mut self.notes, Note::new(kind, loss, span).at(Path::root()));
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
        if self.has_number() && says_scale(text) {
            return true;
        }
        if span.end <= value.start {
            let is_next = span.end == value.start;
            return is_next && (says(last_paragraph(text), &BEFORE_VALUE) || self.says_first(text))
                || self.has_member(text, TextBeside::ProseBefore)
                || self.has_rows(text)
                || self.states_member(text, TextBeside::ProseBefore)
                || is_next && (changes_value(text) || self.wants_strings() && ends_with_string(text));
        }
        span.start == value.end && self.goes_on(text)
            || self.has_member(text, TextBeside::ProseAfter)
            || self.has_element(text)
            || self.states_member(text, TextBeside::ProseAfter)
            || self.is_changed(span)
            || self.has_rows(text)
            || self.says_more(text)
            || will_go_on(text)
            || disowns_value(text)
            || self.is_unfounded(text)
            || text.lines().any(|line| line.trim() == "null")
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
        let follows_on_line = text.trim_start_matches(' ').starts_with(char::is_alphabetic);
        let text = text.trim_start_matches(is_format);
        let rest = text.trim_start_matches(|c| is_format(c) || matches!(c, ',' | ';' | ':'));
        let is_closer = text.starts_with([']', '}']);
        let is_sign = text.starts_with([',', ':']);
        // A quote alone ends a string around the value.
        let is_alone = || self.reply[self.chosen.candidate.span.end..].trim_matches(is_format).len() == 1;
        let is_string = || {
            let (word, behind) = rest.split_at(rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len()));
            let rest = if ADDING.have(word) { behind.trim_start_matches([' ', ':', ',']) } else { text };
            self.wants_strings() && rest.starts_with('"') && !is_alone()
        };
        // A method of the value: `.append("c")`.
        let is_call = text.strip_prefix('.').is_some_and(|rest| {
            let name = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
            name.len() < rest.len() && name.trim_start().starts_with(['(', '='])
        });
        let is_more = || {
            let word = text.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
            matches!(self.chosen.candidate.node.data, Data::List(_)) && BESIDE.have(word) && follows_on_line
        };
        // A value that stands right behind this one, without a word.
        let is_bare = || {
            let value = rest.strip_prefix('/').unwrap_or(rest).trim_start();
            value.starts_with(|c: char| c.is_ascii_digit()) && is_scalar(value)
        };
        is_closer
            || is_bare()
            || is_more()
            || is_call
            || is_string()
            || is_sign && (rest.starts_with(['"', '{', '[', ']', '}']) || self.starts_with_key(rest))
    }

    /// Returns whether the list at `span` follows the chosen value without a word between them, and so
    /// may hold more of its elements, or the value of a member.
    fn is_next_element(&self, span: &Range<usize>) -> bool {
        let is_list = |text: &str| text.starts_with('[');
        let between =
            self.reply.get(self.chosen.candidate.span.end..span.start).filter(|text| text.len() < MAX_NAME);
        // A reference follows a space.
        let is_reference = |text: &str| !text.is_empty() && text.trim().is_empty();
        let has_words = |text: &str| text.contains(char::is_alphabetic) && !BESIDE.have(text.trim());
        between.is_some_and(|text| !has_words(text) && !is_reference(text))
            && is_list(&self.reply[span.clone()])
            && (is_list(&self.reply[self.chosen.candidate.span.clone()])
                || self.reply[span.clone()].contains('"'))
    }

    /// Returns whether an empty object or list at `span`, alone on its line, follows the chosen one: a later
    /// answer, which has nothing.
    fn is_empty_answer(&self, span: &Range<usize>) -> bool {
        let is_alone = || {
            let before = self.reply[..span.start].trim_end_matches([' ', '\t']);
            let after = self.reply[span.end..].trim_start_matches([' ', '\t', '\r']);
            before.ends_with('\n') && (after.is_empty() || after.starts_with('\n'))
        };
        let text = &self.reply[span.clone()];
        let inside = [('{', '}'), ('[', ']')]
            .into_iter()
            .find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
        inside.is_some_and(|inside| inside.trim().is_empty())
            && span.start >= self.chosen.candidate.span.end
            && matches!(self.chosen.candidate.node.data, Data::Object(_))
            && is_alone()
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
        let text = &self.reply[span.clone()];
        let changes = |(at, _): (usize, &str)| {
            let (before, rest) = (&text[..at], &text[at + name.len()..]);
            let starts_line = before.trim_end_matches([' ', '\t']).is_empty() || before.ends_with('\n');
            let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let is_call = rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
            is_word
                && (is_call
                    || before.ends_with("del ")
                    || starts_line && rest.trim_start().starts_with(['+', '|', '=']))
        };
        // The brackets of `person["age"] = 41` are another value.
        let is_indexed = || last_name(text, &['_']) == name && self.reply[span.end..].starts_with('[');
        !name.is_empty() && (text.match_indices(name).any(changes) || is_indexed())
    }

    fn starts_with_key(&self, text: &str) -> bool {
        let (name, rest) =
            text.split_at(text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len()));
        self.shapes.keys().has(name) && rest.trim_start().starts_with(':')
    }

    /// Returns whether `text` has a member of the contract's that the value does not have, or,
    /// if it is prose, has with another value.
    fn has_member(&self, text: &str, beside: TextBeside) -> bool {
        let is_prose = beside != TextBeside::OtherValue;
        let root = self.shapes.get(ROOT);
        let is_map = root.kinds == kind::OBJECT && !root.knows_names();
        members(text).any(|(key, is_quoted, value)| {
            if is_map && is_prose && self.member(key).is_none() {
                return is_quoted || is_scalar(value);
            }
            if !self.shapes.keys().has(key) {
                if is_prose && self.is_changed_by(key, value) {
                    return true;
                }
                // `Note: …` is often a remark, whatever the keys are.
                let is_given =
                    || is_scalar(value) || is_bulleted(value) || self.is_list(key) && is_said(value);
                return !is_quoted && self.is_absent(key) && is_given();
            }
            match self.member(key) {
                None => (is_quoted || self.shapes.get(ROOT).names.contains(key)) && !says_nothing(value),
                Some(node) => {
                    let is_value = is_quoted
                        || is_scalar(value)
                        || is_another_word(node, value)
                        || is_another_list(node, value);
                    is_prose && is_value && !self.is_result(node, value)
                }
            }
        })
    }

    /// Returns whether a line of prose, `label: value`, changes the member whose key it spells in another
    /// way: `Target city: Rome`.
    fn is_changed_by(&self, label: &str, value: &str) -> bool {
        let key = if label.len() > MAX_NAME { return false } else { label.replace([' ', '-'], "_") };
        let Some(node) = self.root_key(&key).and_then(|key| self.member(key)) else { return false };
        match &node.data {
            Data::List(_) => is_another_list(node, value),
            Data::Object(_) => false,
            _ => (is_scalar(value) || is_another_word(node, value)) && !self.is_result(node, value),
        }
    }

    /// Returns whether `text` gives a value for a key that the chosen value does not have, or, after
    /// it or at the start of a sentence, has with another value: `the age is 41`, `Age = 41`, `<age>41</age>`.
    fn states_member(&self, text: &str, beside: TextBeside) -> bool {
        let is_after = beside == TextBeside::ProseAfter;
        given(text).any(|given| {
            let Some(key) = self.root_key(given.name) else { return false };
            match self.member(key) {
                None => given.is_scalar && !says_nothing(given.value),
                // Reasoning before the value may come to it from another one.
                Some(node)
                    if !(is_after || given.position == NamePosition::First)
                        || self.is_result(node, given.value) =>
                {
                    false
                }
                Some(_) if is_after && is_negated(given.value) => given.position != NamePosition::Qualified,
                Some(node) if given.is_scalar => contradicts(node, given.value),
                Some(node) => self.is_other_text(node, key, given),
            }
        })
    }

    /// Returns whether the words that prose gives `key` are another text than `node`: another allowed
    /// value, words after a sign, or a name. `the name is taken from the heading` says something else.
    fn is_other_text(&self, node: &Node<'_>, key: &str, given: Given<'_>) -> bool {
        let said = first_words(given.value);
        if let Data::Bool(value) = node.data {
            return matches!(
                (value, &*said.to_lowercase()),
                (true, "no" | "false") | (false, "yes" | "true")
            );
        }
        let Data::Text(text) = &node.data else { return false };
        if spelling::only(said, &[text]).is_some() {
            return false;
        }
        let property = self.shapes.get(ROOT).properties.iter().find(|property| property.name == key);
        if let Some(options) = property.and_then(|property| self.shapes.options(property.shape)) {
            return spelling::only(said, &options).is_some();
        }
        let are_few = said.split_whitespace().count() < 4;
        let is_name = said.split_whitespace().all(|word| word.starts_with(char::is_uppercase));
        are_few && (is_name || given.is_assigned)
    }

    /// The key of the contract's root that prose calls `name`.
    fn root_key(&self, name: &str) -> Option<&str> {
        let names = &self.shapes.get(ROOT).names;
        names.get(name).or_else(|| names.get(&name.to_lowercase())).map(String::as_str)
    }

    /// Returns whether `text` says of one of the values that the document does not have it. A null says
    /// the same.
    fn is_unfounded(&self, text: &str) -> bool {
        let Data::Object(entries) = &self.chosen.candidate.node.data else { return false };
        let names = &self.shapes.get(ROOT).names;
        let is_meant = |sentence: &str, entry: &Entry<'_>| {
            names.contains(&*entry.key) && is_something(&entry.value) && lacks(sentence, &entry.key)
        };
        let mut sentences = unfounded(text);
        let is_one = |sentence| entries.iter().any(|entry| is_meant(sentence, entry));
        sentences.by_ref().take(MAX_UNFOUNDED).any(is_one) || sentences.next().is_some()
    }

    /// Returns whether `key`, in any case, has a list at the root of the contract.
    fn is_list(&self, key: &str) -> bool {
        let properties = &self.shapes.get(ROOT).properties;
        let property = properties.iter().find(|property| property.name.eq_ignore_ascii_case(key));
        property.is_some_and(|property| self.shapes.get(property.shape).kinds & !kind::NULL == kind::LIST)
    }

    /// Returns whether `word` is a key at the root of the contract that the value does not have.
    fn is_absent(&self, word: &str) -> bool {
        self.root_key(word).is_some_and(|key| self.member(key).is_none())
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

    /// Returns whether `text` starts with `node`, or a sum on its first line ends with it: `2024 -
    /// 1983 = 41`.
    fn is_result(&self, node: &Node<'_>, text: &str) -> bool {
        let line = text.lines().next().unwrap_or_default();
        let result = line.rsplit_once('=').map(|(_, result)| result.trim_start_matches([' ', '*']));
        self.is_written(node, text) || result.is_some_and(|result| self.is_written(node, result))
    }

    /// Returns whether `text` starts with `node` as it is written in the reply.
    fn is_written(&self, node: &Node<'_>, text: &str) -> bool {
        let source = self.reply.get(node.span.clone()).unwrap_or_default();
        let is_quote = |c: char| matches!(c, '"' | '“' | '”');
        let (source, text) = (source.trim_matches(is_quote), text.trim_start_matches(is_quote));
        !source.is_empty() && text.starts_with(source)
            || node.data.number().is_some() && is_grouped(source, text)
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
        // An empty list beside a list in prose is not whole, whatever its elements are.
        let is_empty = matches!(&self.chosen.candidate.node.data, Data::List(items) if items.is_empty());
        self.wants_strings() && text.lines().any(is_element)
            || (is_empty || self.wants_strings()) && lines.next().is_some_and(is_bulleted)
    }

    /// Returns whether `text` has a table of the contract's keys with a value that the chosen one
    /// does not have.
    fn has_rows(&self, text: &str) -> bool {
        let is_key =
            |cell: &str| self.shapes.keys().has(cell) || self.shapes.keys().has(&cell.to_lowercase());
        let parts = |text: &'_ str| {
            let parts =
                text.split(|c: char| !c.is_alphanumeric() && c != '.').map(|part| part.trim_matches('.'));
            parts.filter(|part| !part.is_empty()).map(str::to_owned).collect::<HashSet<_>>()
        };
        let source = LazyCell::new(|| parts(&self.reply[self.chosen.candidate.span.clone()]));
        // `41 years` is in the value if 41 is.
        let is_known = |cell: &str| cell.is_empty() || parts(cell).iter().any(|part| source.contains(part));
        rows(text, is_key).any(|cell| !is_known(cell))
    }

    /// Returns whether `text` says that the chosen list has not all elements.
    fn says_more(&self, text: &str) -> bool {
        matches!(self.chosen.candidate.node.data, Data::List(_)) && is_partial(text)
    }

    /// Returns whether `text` leads to the first elements of a list only.
    fn says_first(&self, text: &str) -> bool {
        matches!(self.chosen.candidate.node.data, Data::List(_)) && leads_to_first(lead(text))
    }

    /// Returns whether a number is in the chosen value as it is written.
    fn has_number(&self) -> bool {
        self.reply[self.chosen.candidate.span.clone()].contains(|c: char| c.is_ascii_digit())
    }

    /// Returns whether a list of strings is asked for.
    fn wants_strings(&self) -> bool {
        let root = self.shapes.get(ROOT);
        root.kinds == kind::LIST
            && root.items.is_some_and(|id| self.shapes.get(id).kinds & !kind::NULL == kind::TEXT)
    }
}

/// Returns whether `node` is a value that has to come from somewhere.
fn is_something(node: &Node<'_>) -> bool {
    static UNKNOWN: Words = Words::of(
        "desconhecido desconocido inconnu na nicht no none not null sconosciuto unbekannt unknown неизвестно 不明 未知 없음",
    );
    match &node.data {
        Data::Text(text) => text.contains(char::is_alphanumeric) && !UNKNOWN.any_in(text),
        Data::List(items) => !items.is_empty(),
        Data::Number(_) | Data::Numeral(_) => true,
        _ => false,
    }
}

/// Returns whether `said`, of a name in prose, denies it a value: `not hers`, but not `not only …`.
fn is_negated(said: &str) -> bool {
    let mut said = words(first_words(said));
    said.next().is_some_and(|word| word.eq_ignore_ascii_case("not"))
        && !said.next().is_some_and(|word| matches!(word, "directly" | "explicitly" | "only"))
}

/// Returns whether `value` in prose may be another value than `node`: a number or a constant for
/// one. A sentence may have more words for a text than its value.
fn contradicts(node: &Node<'_>, value: &str) -> bool {
    match node.data {
        // `5 %` is 0.05.
        Data::Number(_) | Data::Numeral(_) | Data::Bool(_) => {
            !value.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ' ')).starts_with('%')
        }
        Data::Text(_) => value.starts_with(['"', '“']) || is_another_word(node, value),
        _ => false,
    }
}

/// Returns whether `text` starts with the integer `source`, in groups of three digits: `315.000`.
fn is_grouped(source: &str, text: &str) -> bool {
    let end = text.find(|c: char| !c.is_ascii_digit() && !is_group_separator(c)).unwrap_or(text.len());
    ungrouped(text[..end].trim_end_matches(is_group_separator)).is_some_and(|digits| digits == source)
}

/// Returns whether `node` is a text and `value` in prose is one word.
fn is_another_word(node: &Node<'_>, value: &str) -> bool {
    matches!(node.data, Data::Text(_)) && is_one_word(value)
}

/// Returns whether `value` lists some of the strings of `node` and others, or not all of them.
fn is_another_list(node: &Node<'_>, value: &str) -> bool {
    let Data::List(items) = &node.data else { return false };
    let line = first_bytes(value, MAX_NAME).lines().next().unwrap_or_default().trim_end_matches(['.', ' ']);
    let listed: Vec<&str> = line.split([',', ';', '、', '，']).map(str::trim).collect();
    let is_listed = |item: &Node<'_>| matches!(&item.data, Data::Text(text) if listed.iter().any(|one| one.eq_ignore_ascii_case(text)));
    if items.len() > MAX_LISTED {
        return false;
    }
    let shared = items.iter().filter(|item| is_listed(item)).count();
    let are_short = listed.iter().all(|one| one.split_whitespace().count() < 4);
    let is_other = shared > 0 && are_short && (shared < items.len() || listed.len() > shared);
    is_other && line.len() < MAX_NAME
}

/// Returns whether `text` ends with a string in quotes, or one and a comma.
fn ends_with_string(text: &str) -> bool {
    let text = text.trim();
    let text = text.strip_suffix(',').unwrap_or(text).trim_end();
    text.len() > 1 && text.ends_with('"')
}

/// Returns whether `text` says something other than that there is nothing.
fn is_said(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let first = words(line).next().unwrap_or_default();
    !first.is_empty() && !NOTHING.have(first) && !["n", "unknown", "left"].contains(&&*first.to_lowercase())
}
