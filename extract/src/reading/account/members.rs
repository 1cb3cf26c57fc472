//! What the prose around a value says about its members: another value for a key, a value for a key
//! that is absent, another count, or that the document does not have it.

use std::{
    cell::LazyCell,
    collections::{HashMap, HashSet},
};

use serde_json::Number;

use super::{
    Account, TextBeside,
    lists::{MAX_LIST, MAX_PARTS, MAX_QUESTION, MAX_ROWS, is_another_list},
    parts,
};
use crate::{
    document::CalendarDay,
    reading::{
        node::{Data, Entry, Node},
        parse::number::{is_group_separator, ungrouped},
        prose::{
            Given, MAX_NAME, NOTHING, NamePosition, Words, counted, ends_sentence, first_bytes, first_words,
            given, is_bulleted, is_one_word, is_scalar, lacks, last_bytes, members, says_nothing, unfounded,
            with_words_before, words,
        },
        shape::{ROOT, kind},
        spelling,
    },
};

/// Most sentences that are compared with the keys of a value; with more, it is refused.
const MAX_UNFOUNDED: usize = 64;

/// Most questions that are compared with a value.
const MAX_QUESTIONS: usize = 64;

/// Most bytes of a string that is compared with a cell.
const MAX_CELL: usize = 1 << 10;

/// Most bytes of a line in which a day is looked for.
const MAX_DAY: usize = 128;

/// Most allowed values of a member that are compared with a sentence.
const MAX_OPTIONS: usize = 32;

/// Words for a number, or for one that is not sure.
static NUMERALS: Words = Words::of(
    "about approximately eight eleven five four likely maybe nine one perhaps possibly probably seven six ten three twelve two
     unclear unsure zero",
);

/// Most keys that a word is compared with in any case.
const MAX_NAMES: usize = 64;

/// Most members of objects inside of a value that prose is compared with.
const MAX_NESTED: usize = 1 << 10;

/// Methods that change a list or a map.
const CHANGING: [&str; 9] = ["add", "append", "clear", "extend", "insert", "pop", "push", "remove", "update"];

impl Account<'_, '_> {
    /// Returns whether `text` has or states a member that changes the value.
    pub(super) fn gives_member(&self, text: &str, beside: TextBeside) -> bool {
        self.has_member(text, beside) || self.states_member(text, beside)
    }

    /// Returns whether `text` has a member of the contract's that the value does not have, or,
    /// if it is prose, has with another value.
    fn has_member(&self, text: &str, beside: TextBeside) -> bool {
        let is_prose = beside != TextBeside::OtherValue;
        let root = self.shapes.get(ROOT);
        let is_map = root.kinds == kind::OBJECT && !root.knows_names();
        let is_legend = LazyCell::new(|| self.is_legend(text));
        members(text).any(|(key, is_quoted, value)| {
            if is_map && is_prose && self.member(key).is_none() {
                return is_quoted || is_scalar(value);
            }
            let is_known = self.shapes.keys().has(key) || is_map && self.member(key).is_some();
            if !is_known {
                if is_prose && self.is_changed_by(key, value)
                    || beside == TextBeside::ProseAfter && self.is_other_score(value)
                {
                    return true;
                }
                // `Note: …` is often a remark, whatever the keys are.
                let is_given = || {
                    is_scalar(value)
                        || is_bulleted(value)
                        || self.is_list(key) && is_said(value)
                        || is_one_word(value) && !says_nothing(value)
                };
                return !is_quoted && self.is_absent(key) && is_given();
            }
            match self.member(key).or_else(|| self.nested(key).filter(|_| is_prose)) {
                None => {
                    (is_quoted || !is_prose || self.shapes.get(ROOT).names.contains(key))
                        && !says_nothing(value)
                }
                Some(node) => {
                    let is_value = is_quoted
                        || is_scalar(value)
                        || is_another_word(node, value) && !*is_legend
                        || is_another_list(node, value);
                    // `days: unclear`
                    let is_taken_back = || !is_quoted && !node.is_list() && says_nothing(value);
                    !is_same(node, value) && (is_value && !self.is_result(node, value) || is_taken_back())
                }
            }
        })
    }

    /// Returns whether `text` says what the keys mean, and not what they have: a number gets words, as in `id: number of
    /// the object`.
    fn is_legend(&self, text: &str) -> bool {
        let is_described = |(key, _, value): (&str, bool, &str)| {
            let node = self.root_key(key).and_then(|key| self.member(key));
            let starts = |known: &Words| words(value).next().is_some_and(|word| known.have(word));
            node.is_some_and(|node| node.data.number().is_some())
                && value.starts_with(char::is_alphabetic)
                && !says_nothing(value)
                && !starts(&NUMERALS)
        };
        members(text).take(MAX_ROWS).any(is_described)
    }

    /// Returns whether a question in `text` is about a member: it has the key and the string, or a colon after the
    /// key: `Is the city Rome or Milan?`, `city: Rome or Milan?`
    pub(super) fn is_asked(&self, text: &str) -> bool {
        let is_about = |question: &str| {
            let start = question.rfind(". ").map_or(0, |dot| dot + 2);
            let question = last_bytes(&question[start..], MAX_QUESTION);
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let mut rest = question;
            question.split(|c| !is_part(c)).any(|word| {
                rest = rest.split_once(word).map_or("", |(_, rest)| rest);
                let Some(node) = self.root_key(word).and_then(|key| self.member(key)) else { return false };
                let is_label = rest.trim_start_matches(['*', ' ']).starts_with([':', '：']);
                let is_meant = |value: &str| {
                    let is_named = || parts(question).any(|part| part == value);
                    is_label || value.len() > 3 && question.contains(value) || is_named()
                };
                node.text().map_or(is_label, |value| !value.contains(['?', '？']) && is_meant(value))
            })
        };
        let questions = text.split_inclusive(['\n', '?', '？']).filter(|part| part.ends_with(['?', '？']));
        questions.take(MAX_QUESTIONS).any(is_about)
    }

    /// Returns whether a table in `text`, or lines like its rows, have a string of the chosen object beside its key,
    /// and beside another key none of the words of its string: `| city | Rome |`. A table that describes the keys has
    /// none of the strings.
    pub(super) fn has_other_cell(&self, text: &str) -> bool {
        let is_mark = |c: char| matches!(c, '|' | '\t' | '–' | '—' | '→' | '，');
        let is_around = |c: char| matches!(c, ' ' | '*' | '"' | '`' | '-' | '•');
        let lines = text.lines().filter(|line| line.contains(is_mark));
        let known = lines.filter_map(|line| {
            let mut cells =
                line.trim().trim_matches('|').split(is_mark).map(|cell| cell.trim_matches(is_around));
            let node = self.root_key(cells.next()?).and_then(|key| self.member(key))?;
            Some((node, cells.map(|cell| first_bytes(cell, MAX_NAME)).filter(|cell| !says_nothing(cell))))
        });
        let (mut repeats, mut differs) = (false, false);
        for (node, mut cells) in known.take(MAX_ROWS) {
            let Some(value) = node.text().filter(|value| value.len() <= MAX_CELL) else {
                repeats |= node.data.number().is_some() && cells.any(|cell| self.is_written(node, cell));
                continue;
            };
            let words = || parts(value).filter(|part| part.len() > 1);
            let is_same = |cell: &str| {
                spelling::only(cell, &[value]).is_some()
                    || words().any(|word| parts(cell).any(|other| word.eq_ignore_ascii_case(other)))
            };
            let is_repeated = cells.any(is_same);
            repeats |= is_repeated;
            // A date or a time may be written otherwise.
            differs |= !is_repeated && value.contains(char::is_alphabetic);
        }
        repeats && differs
    }

    /// Returns whether a line of prose, `label: value`, changes the member whose key it spells in another
    /// way: `Target city: Rome`.
    fn is_changed_by(&self, label: &str, value: &str) -> bool {
        let key = if label.len() > MAX_NAME { return false } else { label.replace([' ', '-'], "_") };
        let Some(node) = self.member_called(&key) else { return false };
        match &node.data {
            Data::List(items) => is_another_list(node, value) || !items.is_empty() && says_nothing(value),
            Data::Object(_) => false,
            Data::Text(text) if is_spelled(value, text) => false,
            _ if is_something(node) && says_nothing(value) => true,
            _ => (is_scalar(value) || is_another_word(node, value)) && !self.is_result(node, value),
        }
    }

    /// Returns whether `text` gives a value for a key that the chosen value does not have, or, after
    /// it or at the start of a sentence, has with another value: `the age is 41`, `Age = 41`, `<age>41</age>`.
    fn states_member(&self, text: &str, beside: TextBeside) -> bool {
        let is_after = beside == TextBeside::ProseAfter;
        given(text).flat_map(|given| with_words_before(text, given)).any(|given| {
            let starts = given.position == NamePosition::First;
            let is_told = || starts || is_after && given.is_scalar && given.position == NamePosition::Inside;
            let nested = || self.nested(given.name).filter(|_| is_told()).map(|node| (given.name, node));
            let (key, member) = match self.root_key(given.name) {
                Some(key) => (key, self.member(key)),
                None => match nested().or_else(|| self.verdict(given.name).filter(|_| starts)) {
                    Some((key, node)) => (key, Some(node)),
                    None => return false,
                },
            };
            match member {
                None => {
                    (given.is_scalar || self.is_null(key) && is_name(first_words(given.value)))
                        && !says_nothing(given.value)
                }
                // Reasoning before the value may come to it from another one.
                Some(_) if !is_after && given.position != NamePosition::First => false,
                Some(node) if self.is_result(node, given.value) => false,
                Some(node) if starts && node.is_list() && node.items().is_empty() => {
                    is_name(first_words(given.value).split(" and ").next().unwrap_or_default())
                }
                Some(_) if is_after && is_negated(given.value) => {
                    let denied = words(given.value).nth(1).unwrap_or_default();
                    given.position != NamePosition::Qualified && !self.denies_flag(denied)
                }
                // In a tag, too.
                Some(node) if given.is_scalar && given.is_assigned && node.text().is_some() => true,
                Some(node) if given.is_scalar => contradicts(node, given.value),
                Some(node) => self.is_other_text(node, key, given),
            }
        })
    }

    /// Returns whether `text` counts what a member counts, and always otherwise: `16 years` beside
    /// `{"years": 6}`.
    pub(super) fn is_counted(&self, text: &str) -> bool {
        if self.found_more(text) {
            return true;
        }
        let mut others = HashSet::new();
        let counts = counted(text).filter_map(|(name, number)| {
            let node = self.member_called(name).filter(|node| node.data.number().is_some())?;
            Some((self.root_key(name).unwrap_or(name), node, number))
        });
        let mut same = HashSet::new();
        for (key, node, number) in counts {
            if self.is_written(node, number) {
                same.insert(key)
            } else {
                others.insert(key)
            };
        }
        !others.is_subset(&same)
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
        let Some(text) = node.text() else { return false };
        if is_spelled(said, text) {
            return false;
        }
        let shape = self.shapes.get(ROOT).property(key);
        if let Some(options) = shape.and_then(|shape| self.shapes.options(shape)) {
            return spelling::only(said, &options).is_some() || is_another_option(said, text, &options);
        }
        given.is_assigned || is_name(said)
    }

    /// The key of the contract's root, or of a map, that prose calls `name`.
    pub(super) fn root_key(&self, name: &str) -> Option<&str> {
        let root = self.shapes.get(ROOT);
        let mut entries = self.node.entries().iter().take(MAX_NAMES);
        let mut entry = || entries.find(|entry| entry.key == name).map(|entry| &*entry.key);
        let of_map = || if root.knows_names() { None } else { entry() };
        let of_other_case = || {
            let mut properties = root.properties.iter().take(MAX_NAMES);
            properties.find(|known| known.name.eq_ignore_ascii_case(name)).map(|known| &known.name)
        };
        let known = root.names.get(name).or_else(|| root.names.get(&name.to_lowercase()));
        let of_words = || {
            let bare = spelling::bare(name);
            let spelled = |name: &str| root.spellings.get(name).filter(|names| names.len() == 1)?.first();
            spelled(&bare).or_else(|| spelled(&format!("is{bare}")))
        };
        known.or_else(of_other_case).or_else(of_words).map(String::as_str).or_else(of_map)
    }

    /// Returns whether `text` says of one of the values that the document does not have it. A null says
    /// the same.
    pub(super) fn is_unfounded(&self, text: &str) -> bool {
        let is_meant =
            |sentence: &str, entry: &Entry<'_>| is_something(&entry.value) && lacks(sentence, &entry.key);
        let mut sentences = unfounded(text);
        let is_one = |sentence| self.node.entries().iter().any(|entry| is_meant(sentence, entry));
        sentences.by_ref().take(MAX_UNFOUNDED).any(is_one) || sentences.next().is_some()
    }

    /// Returns whether a sentence of `text` says that a key with few allowed values changed to another one than the
    /// value has: `He changed his plea to guilty.`
    pub(super) fn is_changed_option(&self, text: &str) -> bool {
        static CHANGING: Words =
            Words::of("changed downgraded lowered moved raised revised switched updated upgraded");
        let sentences = text.split(ends_sentence).map(|sentence| first_bytes(sentence, MAX_QUESTION));
        let mut changed = sentences.filter(|sentence| CHANGING.any_in(sentence)).take(MAX_UNFOUNDED);
        let only = LazyCell::new(|| {
            let entries = self.node.entries().iter().take(MAX_NAMES);
            let mut only = entries.filter(|entry| self.has_options(&entry.key));
            only.next().filter(|_| only.next().is_none()).map(|entry| &*entry.key)
        });
        changed.any(|sentence| {
            let is_first = words(sentence).next().is_some_and(|word| CHANGING.have(word));
            let only = if is_first { *only } else { None };
            words(sentence).chain(only).any(|word| {
                let Some(key) = self.root_key(word) else { return false };
                let shape = self.shapes.get(ROOT).property(key);
                let Some(options) = shape.and_then(|shape| self.shapes.options(shape)) else { return false };
                let Some(chosen) = self.member(key).and_then(Node::text) else { return false };
                let mut others = options.into_iter().filter(|option| *option != chosen).take(MAX_OPTIONS);
                others.any(|other| becomes(sentence, other))
            })
        })
    }

    fn has_options(&self, key: &str) -> bool {
        let shape = self.shapes.get(ROOT).property(key);
        shape.is_some_and(|shape| self.shapes.options(shape).is_some())
    }

    /// Returns whether `text` strikes out a part of the value, marks it as wrong, or has an arrow or a sign of
    /// inequality after it or its key: `~~Oslo~~`, `3 → 5`, `days != 3`.
    pub(super) fn is_struck(&self, text: &str) -> bool {
        let has = |text: &str| parts(text).any(|part| self.has_part(part));
        let text = first_bytes(text, MAX_LIST);
        let mut struck = text.split("~~").skip(1).step_by(2);
        let is_replaced = |arrow: &str| {
            let mut pairs = text.lines().filter_map(|line| line.split_once(arrow));
            pairs.any(|(old, new)| {
                let old = old.split_whitespace().next_back().unwrap_or_default();
                let new = new.split_whitespace().next().unwrap_or_default();
                has(old) && !new.is_empty() && !has(new)
            })
        };
        let is_unequal = |line: &str| {
            let line = line.trim_start_matches([' ', '-', '*', '`']);
            let name = line.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            let rest = line[name.len()..].trim_start_matches([' ', '`', '*']);
            let signs =
                ["!=", "≠", "≥", "≤", ">=", "<=", "> ", "< ", "≈", "±", "++", "--", "isn't ", "is not "];
            let member = self.root_key(name).and_then(|key| self.member(key));
            signs.iter().any(|sign| rest.starts_with(sign))
                && member.is_some_and(|node| node.data.number().is_some() || rest.starts_with(['≠', '!']))
        };
        struck.any(has)
            || text.contains(['✗', '✘'])
            || ["→", "->", "=>"].into_iter().any(is_replaced)
            || text.lines().any(is_unequal)
    }

    /// Returns whether a line of `text` is code that changes a part of the value: `tags[1] = "b"`, `items.append(…)`,
    /// `result["city"] = "Rome"`.
    pub(super) fn assigns_part(&self, text: &str) -> bool {
        let changes = |line: &str| {
            let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '"' | '\'');
            let (path, rest) = line.split_at(line.find(|c| !is_path(c)).unwrap_or(line.len()));
            let value = rest.trim_start().strip_prefix("+=").or(rest.trim_start().strip_prefix('='));
            let parts: Vec<&str> = parts(path).flat_map(|part| part.split('.')).take(MAX_PARTS).collect();
            let [first, .., last] = parts[..] else { return false };
            let is_key = parts.iter().any(|part| self.root_key(part).is_some());
            let is_call = rest.starts_with('(') && CHANGING.contains(&last) && path.contains('.');
            let member = self.root_key(last).filter(|_| first != last).and_then(|key| self.member(key));
            let is_same = |value: &str| member.is_some_and(|node| self.is_result(node, value.trim_start()));
            is_key && (is_call || value.is_some_and(|value| !value.starts_with('=') && !is_same(value)))
        };
        text.lines().take(MAX_ROWS).any(|line| changes(line.trim()))
    }

    /// Returns whether `word` is a key at the root of the contract that the value does not have.
    pub(super) fn is_absent(&self, word: &str) -> bool {
        self.root_key(word).is_some_and(|key| self.member(key).is_none())
    }

    /// The value under `key` of the chosen object, if it is not null.
    pub(super) fn member(&self, key: &str) -> Option<&Node<'_>> {
        self.any_member(key).filter(|value| !value.is_null())
    }

    /// The value under `key` of the chosen object.
    pub(super) fn any_member(&self, key: &str) -> Option<&Node<'_>> {
        let members = self.members.get_or_init(|| {
            let entries = self.node.entries().iter().rev();
            entries.map(|entry| (&*entry.key, &entry.value)).collect()
        });
        members.get(key).copied()
    }

    /// The value that prose calls `name`: a member of the chosen object, or the only one so called inside of it.
    fn member_called(&self, name: &str) -> Option<&Node<'_>> {
        self.root_key(name).and_then(|key| self.member(key)).or_else(|| self.nested(name))
    }

    /// Returns whether the chosen object has null under `key`.
    fn is_null(&self, key: &str) -> bool {
        self.any_member(key).is_some_and(Node::is_null)
    }

    /// The value under `key`, in any spelling, of an object inside of the chosen one, if only one has it.
    fn nested(&self, key: &str) -> Option<&Node<'_>> {
        let nested = self.nested.get_or_init(|| {
            let mut nested = HashMap::new();
            let mut inside: Vec<&Node<'_>> = self.node.parts().collect();
            while let Some(node) = inside.pop() {
                for entry in node.entries().iter().take(MAX_NESTED.saturating_sub(nested.len())) {
                    let same = nested.entry(spelling::bare(&entry.key));
                    same.and_modify(|other| *other = None).or_insert(Some(&entry.value));
                }
                inside.extend(node.parts());
            }
            nested
        });
        if nested.is_empty() { None } else { nested.get(&spelling::bare(key)).copied().flatten() }
    }

    /// Returns whether `text` starts with `node`, or a sum on its first line ends with it: `2024 -
    /// 1983 = 41`.
    fn is_result(&self, node: &Node<'_>, text: &str) -> bool {
        if let Some(is_same) = says_day(node, text) {
            return is_same;
        }
        let line = first_bytes(text, MAX_CELL).lines().next().unwrap_or_default();
        let result = line.rsplit_once('=').map(|(_, result)| result.trim_start_matches([' ', '*']));
        // `3-5`, `3 ± 1`
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_range = node.data.number().is_some()
            && rest.len() < text.len()
            && rest
                .trim_start_matches(' ')
                .strip_prefix(['-', '–', '±'])
                .is_some_and(|rest| rest.trim_start_matches(' ').starts_with(|c: char| c.is_ascii_digit()));
        (!is_range || result.is_some())
            && (self.is_written(node, text) || result.is_some_and(|result| self.is_written(node, result)))
    }

    /// Returns whether `text` starts with `node` as it is written in the reply.
    pub(super) fn is_written(&self, node: &Node<'_>, text: &str) -> bool {
        let source = self.reply.get(node.span.clone()).unwrap_or_default();
        let is_quote = |c: char| matches!(c, '"' | '\'' | '“' | '”');
        let (source, text) = (source.trim_matches(is_quote), text.trim_start_matches(is_quote));
        // `Anna` is not `Ann`, and 15 not 1. Some scripts have no spaces between words, and a unit may follow a number.
        let is_number = node.data.number().is_some();
        let goes_on =
            |c: char| if is_number { c.is_ascii_digit() } else { c.is_alphanumeric() && c < '\u{2e80}' };
        // `Oslo/Bergen` are two.
        let is_one = |rest: &str| {
            is_number || !rest.strip_prefix('/').is_some_and(|rest| rest.starts_with(char::is_alphabetic))
        };
        let starts_with = |meant: &str| {
            text.strip_prefix(meant).is_some_and(|rest| !rest.starts_with(goes_on) && is_one(rest))
        };
        let is_meant = |meant: &str| {
            let meant = meant.trim_matches(is_quote);
            !meant.is_empty() && starts_with(meant)
        };
        !source.is_empty() && starts_with(source)
            || node.text().is_some_and(is_meant)
            || is_number && is_grouped(source, text)
    }
}

/// Returns whether `value` in prose starts with another word for `node`, a flag or zero: `no (contains butter)`, `none`.
fn is_same(node: &Node<'_>, value: &str) -> bool {
    static NONE: Words = Words::of("keine never no none nothing zero");
    let word = first_bytes(value, MAX_NAME).split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    match node.data {
        Data::Bool(true) => word.eq_ignore_ascii_case("yes"),
        Data::Bool(false) => NONE.have(word),
        _ => NONE.have(word) && node.data.number().and_then(Number::as_f64) == Some(0.0),
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

/// Returns whether `said` starts with another of the `options` than `text`: `FAIL because …` beside `PASS`.
fn is_another_option(said: &str, text: &str, options: &[&str]) -> bool {
    let said = said.to_lowercase();
    let starts_with = |option: &str| {
        let rest = said.strip_prefix(&option.to_lowercase());
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_')))
    };
    !starts_with(text) && options.iter().any(|option| !option.is_empty() && starts_with(option))
}

/// Returns whether `sentence` says that something becomes `option`: `raised from P3 to P1`.
fn becomes(sentence: &str, option: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let (said, turned) = (sentence.to_lowercase(), format!(" to {}", option.to_lowercase()));
    said.match_indices(&turned).any(|(at, _)| !said[at + turned.len()..].starts_with(is_part))
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
        // `"in progress"` is `in_progress`.
        Data::Text(ref text) if is_spelled(value, text) => false,
        // A quote alone begins the text that has the value in it.
        Data::Text(_) => {
            value.len() > 1 && value.starts_with(['"', '“', '\'']) || is_another_word(node, value)
        }
        _ => false,
    }
}

/// Returns whether the first line of `text` says the day that `node` is, in any form; `None` if that cannot be
/// decided.
fn says_day(node: &Node<'_>, text: &str) -> Option<bool> {
    let line = first_bytes(text, MAX_DAY).lines().next().unwrap_or_default();
    CalendarDay::parse(node.text()?)?.is_in(line)
}

/// Returns whether `value` in prose starts with another spelling of `text`.
fn is_spelled(value: &str, text: &str) -> bool {
    let said = first_words(value).trim_matches(['"', '\'', '“', '”']);
    spelling::only(said, &[text]).is_some()
}

/// Returns whether `text` starts with the number `source` in groups of three digits, or with a decimal
/// comma: `315.000`, `£1,673.08`, `4,7`.
fn is_grouped(source: &str, text: &str) -> bool {
    let text = text.trim_start_matches(['$', '£', '€', '¥']);
    let end = text.find(|c: char| !c.is_ascii_digit() && !is_group_separator(c)).unwrap_or(text.len());
    let number = text[..end].trim_end_matches(is_group_separator);
    let is_integer = ungrouped(number).is_some_and(|digits| digits == source);
    let (whole, part) = source.split_once('.').unwrap_or((source, ""));
    let written = (!part.is_empty()).then(|| number.rsplit_once([',', '.'])).flatten();
    is_integer
        || written.is_some_and(|(before, after)| {
            after.trim_end_matches('0') == part.trim_end_matches('0')
                && ungrouped(before).is_some_and(|digits| digits == whole)
        })
}

/// Returns whether `said` in prose is a name: words that start with a capital or a digit.
pub(super) fn is_name(said: &str) -> bool {
    let mut said = said.split_whitespace().peekable();
    let is_part = |word: &str| word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    said.peek().is_some() && said.all(is_part)
}

/// Returns whether `node` is a text and `value` in prose is one word or another day.
fn is_another_word(node: &Node<'_>, value: &str) -> bool {
    node.text().is_some() && (is_one_word(value) || says_day(node, value) == Some(false))
}

/// Returns whether `text` says something other than that there is nothing.
pub(super) fn is_said(text: &str) -> bool {
    let line = first_bytes(text, MAX_CELL).lines().next().unwrap_or_default();
    let first = words(line).next().unwrap_or_default();
    !first.is_empty() && !NOTHING.have(first) && !["n", "unknown", "left"].contains(&&*first.to_lowercase())
}
