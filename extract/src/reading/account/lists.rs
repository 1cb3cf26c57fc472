//! Lists and rows beside the value: more elements for one of its lists, or other ones.

use std::ops::Range;

use super::{Account, BESIDE};
use crate::reading::{
    node::{Data, Entry, Node},
    prose::{
        MAX_NAME, after_bullet, counted, first_bytes, found_in_words, last_bytes, last_line, last_name,
        says_found, says_nothing, shows_part,
    },
    shape::{ROOT, kind},
};

/// Most elements of a list that are compared with prose.
const MAX_LISTED: usize = 64;

/// Most bytes of prose that are compared with the whole value.
pub(super) const MAX_LIST: usize = 1 << 10;

/// Most rows of tables that are compared with a value, and bytes of a question or a line.
pub(super) const MAX_ROWS: usize = 1 << 10;
pub(super) const MAX_QUESTION: usize = 256;

/// Most cells of a row, and names in the path of an assignment.
pub(super) const MAX_PARTS: usize = 8;

/// Most lists of an object that prose is compared with.
const MAX_LISTS: usize = 8;

impl Account<'_, '_> {
    /// Returns whether the list at byte `start` may be one of several in a list that lacks its bracket, or lack
    /// its own first elements.
    pub(super) fn follows_element(&self, start: usize) -> bool {
        let before = self.reply[..start].trim_end();
        let element = before.strip_suffix(',').map(str::trim_end);
        let last_line = element.unwrap_or(before).lines().next_back().unwrap_or_default().trim();
        let is_number = last_line.chars().all(|c| c.is_ascii_digit() || ".-".contains(c));
        let ends_element =
            |text: &str| is_number || text.ends_with([']', '}']) && !self.settled.contains(&text.len());
        self.node.is_list() && element.is_some_and(ends_element)
            || is_number && self.node.items().iter().any(|item| matches!(item.data, Data::Number(_)))
    }

    /// Returns whether the list at `span` follows the chosen value without a word between them, and so
    /// may hold more of its elements, or the value of a member.
    pub(super) fn is_next_element(&self, span: &Range<usize>) -> bool {
        let is_list = |text: &str| text.starts_with('[');
        let between = self.reply.get(self.span.end..span.start).filter(|text| text.len() < MAX_NAME);
        // A reference follows a space. After a list of numbers it is one number, in a sentence.
        let is_of_numbers =
            self.node.items().iter().any(|item| matches!(item.data, Data::Number(_) | Data::List(_)));
        let in_sentence = || self.reply[..self.span.start].contains(char::is_alphabetic);
        let may_be_reference = !is_of_numbers || in_sentence() && !self.reply[span.clone()].contains(',');
        let is_reference = |text: &str| !text.is_empty() && text.trim().is_empty() && may_be_reference;
        let has_words = |text: &str| text.contains(char::is_alphabetic) && !BESIDE.have(text.trim());
        between.is_some_and(|text| !has_words(text) && !is_reference(text))
            && is_list(&self.reply[span.clone()])
            && (is_list(self.value) || self.reply[span.clone()].contains('"'))
    }

    /// Returns whether the list at `span` may be elements of a list in the chosen object: it stands on a line of its
    /// own, after a sign or after a label, and is more than the number of a note.
    pub(super) fn may_be_elements(&self, span: &Range<usize>) -> bool {
        let text = &self.reply[span.clone()];
        let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let is_list = inside.is_some_and(|inside| inside.contains([',', '"']));
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        let is_member = |entry: &Entry<'_>| {
            let member = self.reply.get(entry.value.span.clone()).unwrap_or_default();
            member.len() <= text.len() * 2 && plain(member) == plain(text)
        };
        let line = last_line(last_bytes(&self.reply[..span.start], MAX_NAME)).trim_end();
        let after = &self.reply[span.end..];
        let between = self.reply.get(self.span.end..span.start);
        let is_behind = between.is_some_and(|between| {
            between.is_empty()
                || between.trim() == ","
                || between.trim().is_empty() && after.starts_with([']', '}'])
        });
        let is_led =
            is_behind || line.chars().all(|c| c.is_ascii_punctuation()) || line.ends_with([':', '=', '>']);
        // `tags[1] = "b"`
        let is_index = || self.root_key(last_name(&self.reply[..span.start], &['_'])).is_some();
        let is_assigned = ["=", "+="].iter().any(|sign| after.trim_start_matches(' ').starts_with(sign));
        is_assigned && is_index()
            || is_list
                && is_led
                && self.has_list()
                && !self.node.entries().iter().any(is_member)
                && !after.starts_with(['(', ':'])
    }

    /// Returns whether `text` has an element for the list of strings that is asked for, on a line
    /// of its own.
    pub(super) fn has_element(&self, text: &str) -> bool {
        let is_element = |line: &str| {
            let line = line.trim().trim_end_matches(',');
            line.len() > 2 && line.starts_with('"') && line.ends_with('"')
        };
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        // Not the words in italics of `*Extraction complete.*`
        let is_emphasis = |line: &str| line.ends_with('*') && !line.starts_with("* ");
        let is_bulleted =
            |line: &str| line.starts_with(['-', '*', '•']) && line.contains(' ') && !is_emphasis(line);
        // An empty list beside a list in prose is not whole, whatever its elements are.
        let is_empty = self.node.is_list() && self.node.items().is_empty();
        // Nor is one of objects with bullets, if another bullet follows them.
        let is_bare = self.node.is_list() && !self.value.starts_with('[');
        self.wants_strings() && (text.lines().any(is_element) || self.lists_others(text))
            || (is_empty || is_bare || self.wants_strings()) && lines.next().is_some_and(is_bulleted)
    }

    /// Returns whether a list of strings is asked for.
    pub(super) fn wants_strings(&self) -> bool {
        let root = self.shapes.get(ROOT);
        root.kinds == kind::LIST
            && root.items.is_some_and(|id| self.shapes.get(id).kinds.without(kind::NULL) == kind::TEXT)
    }

    /// Returns whether `text` lists the chosen strings and others, or not all of them: on a line, or on lines with
    /// bullets or numbers.
    pub(super) fn lists_others(&self, text: &str) -> bool {
        let text = first_bytes(text, MAX_LIST);
        let bulleted: Vec<&str> = text.lines().filter_map(element_on).collect();
        let is_other_line = |line: &str| line.contains(',') && is_another_list(self.node, line.trim());
        bulleted.len() > 1
            && self.node.items().len() <= MAX_LISTED
            && are_others(self.node.items(), &bulleted)
            || text.lines().any(is_other_line)
    }

    /// Returns whether `text` found more elements than the list has: `I found 3 issues` beside two.
    pub(super) fn found_more(&self, text: &str) -> bool {
        let is_more = |name: &str, count: usize| {
            let key = || self.root_key(name).or_else(|| self.root_key(&format!("{name}s")));
            let member = || key().and_then(|key| self.member(key));
            let list = if self.node.is_list() { Some(self.node) } else { member() };
            list.is_some_and(|list| list.is_list() && count > list.items().len())
        };
        found_in_words(text).any(|(name, count)| is_more(name, count))
            || counted(text).any(|(name, number)| {
                let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
                let count = number[..end].parse();
                let before = &text[..text.len() - number.len()];
                // `Quiz (5 questions)`
                let is_aside =
                    || before.ends_with('(') && number[end..].trim_start()[name.len()..].starts_with(')');
                count.is_ok_and(|count| is_more(name, count)) && (says_found(before) || is_aside())
            })
    }

    /// Returns whether `text` gives an element of a list, which it calls by a string in it, a number that the element
    /// does not have: `Desk: 3`, `Desk (3)`, `Desk x 3` beside `{"name": "Desk", "qty": 2}`.
    pub(super) fn numbers_element(&self, text: &str) -> bool {
        let is_number = |part: &Node<'_>| part.data.number().is_some();
        let elements = self.numbered.get_or_init(|| {
            let members = self.node.entries().iter().map(|entry| &entry.value);
            let lists = std::iter::once(self.node).chain(members).filter(|node| node.is_list());
            let elements = lists.flat_map(Node::items).take(MAX_LISTED);
            let numbered = elements.filter(|element| element.parts().any(is_number));
            let parts = numbered.flat_map(|element| element.parts().map(move |part| (part, element)));
            parts.filter_map(|(part, element)| Some((part.text()?, element))).collect()
        });
        let is_other = |(at, sign): (usize, &str)| {
            let called = text[..at].trim_end_matches([' ', '*', '`', '"']);
            let given = text[at + sign.len()..].trim_start_matches([' ', '*']);
            let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
            let number =
                given[..given.find(|c| !is_part(c)).unwrap_or(given.len())].trim_end_matches(['.', ',']);
            // `Desk: 3 drawers` counts something else.
            let after = given[number.len()..].trim_start_matches(['*', ' ']);
            let is_alone = after.is_empty() || after.starts_with([')', ',', ';', '.', '\n', '\r', '|']);
            let is_meant = |(name, element): &(&str, &Node<'_>)| {
                let before = called.strip_suffix(name);
                before.is_some_and(|before| !before.ends_with(char::is_alphanumeric))
                    && !element.parts().any(|part| is_number(part) && self.is_written(part, number))
            };
            !number.is_empty() && is_alone && elements.iter().any(is_meant)
        };
        !elements.is_empty() && text.match_indices([':', '：', '(', '=', 'x', '×']).any(is_other)
    }

    /// Returns whether a value in it may have more elements or members than it has: a list, or the root of a map.
    pub(super) fn has_elements(&self) -> bool {
        let root = self.shapes.get(ROOT);
        let is_map = || root.kinds == kind::OBJECT && (self.shapes.keys().takes_any || !root.knows_names());
        *self.has_elements.get_or_init(|| is_map() || self.node.any(&|node| node.is_list()))
    }

    /// Returns whether one of the members is a list.
    pub(super) fn has_list(&self) -> bool {
        *self.has_list.get_or_init(|| self.node.entries().iter().any(|entry| entry.value.is_list()))
    }

    /// Returns whether a line of `text` has a cell for each member of a flat object, and one of them is another one:
    /// `Rome,5`, `| Rome | 5 |`, `Trip("Rome", 5)`.
    pub(super) fn has_other_row(&self, text: &str) -> bool {
        let members = self.node.entries();
        let is_number = |entry: &Entry<'_>| entry.value.data.number().is_some();
        let is_flat = members.iter().all(|entry| is_number(entry) || entry.value.text().is_some());
        if !(2..=MAX_PARTS).contains(&members.len()) || !is_flat || !members.iter().any(is_number) {
            return false;
        }
        let is_of = |entry: &Entry<'_>, cell: &str| {
            let mut said = cell.split_whitespace();
            let starts_number = cell.starts_with(|c: char| c.is_ascii_digit());
            if is_number(entry) {
                starts_number && said.count() == 1
            } else {
                !starts_number && said.nth(3).is_none()
            }
        };
        let is_other = |line: &str, mark: char| {
            let is_around = |c: char| matches!(c, ' ' | '|' | '"' | '\'' | '`' | '*');
            let cells: Vec<&str> = line.split(mark).map(|cell| cell.trim_matches(is_around)).collect();
            cells.len() == members.len()
                && members.iter().zip(&cells).all(|(entry, cell)| !cell.is_empty() && is_of(entry, cell))
                && members.iter().zip(&cells).any(|(entry, cell)| !self.is_written(&entry.value, cell))
        };
        text.lines().take(MAX_ROWS).any(|line| {
            let line = first_bytes(line, MAX_QUESTION).trim();
            let inside = line.strip_suffix(')').and_then(|line| Some(line.split_once('(')?.1));
            let row = inside.unwrap_or(line).trim_matches('|');
            ['|', ',', '\t', ';'].into_iter().any(|mark| is_other(row, mark))
        })
    }

    /// Returns whether `key`, in any case, has a list at the root of the contract.
    pub(super) fn is_list(&self, key: &str) -> bool {
        let properties = &self.shapes.get(ROOT).properties;
        let property = properties.iter().find(|property| property.name.eq_ignore_ascii_case(key));
        property
            .is_some_and(|property| self.shapes.get(property.shape).kinds.without(kind::NULL) == kind::LIST)
    }

    /// Returns whether `text` says that the list, or one in the chosen object, has only some of all elements.
    pub(super) fn shows_part(&self, text: &str) -> bool {
        let members = self.node.entries().iter().map(|entry| &entry.value);
        let lists = std::iter::once(self.node).chain(members).filter(|node| node.is_list());
        lists.take(MAX_LISTS).any(|list| shows_part(text, list.items().len()))
    }
}

/// Returns whether `value` lists some of the strings of `node` and others, or not all of them: in a line, or in
/// lines with bullets.
pub(super) fn is_another_list(node: &Node<'_>, value: &str) -> bool {
    let items = node.items();
    let start = first_bytes(value, MAX_LIST);
    let line = start.lines().next().unwrap_or_default().trim_end_matches(['.', ' ']);
    let listed: Vec<&str> = if line.is_empty() {
        start.lines().skip(1).map_while(element_on).collect()
    } else {
        first_bytes(line, MAX_NAME).split([',', ';', '、', '，']).map(str::trim).collect()
    };
    node.is_list() && items.len() <= MAX_LISTED && are_others(items, &listed)
}

/// Returns whether some of the strings among `items` are `listed`, and others, or not all of them.
fn are_others(items: &[Node<'_>], listed: &[&str]) -> bool {
    let is_listed = |text: &&str| listed.iter().any(|one| one.eq_ignore_ascii_case(text));
    let shared = items.iter().filter_map(Node::text).filter(is_listed).count();
    let are_short = listed.iter().all(|one| one.split_whitespace().count() < 4);
    let is_new = items.is_empty() && listed.iter().any(|one| !one.is_empty() && !says_nothing(one));
    are_short && (is_new || shared > 0 && (shared < items.len() || listed.len() > shared))
}

/// The element of a list on `line`, after its bullet or number.
fn element_on(line: &str) -> Option<&str> {
    let line = line.trim();
    let element = after_bullet(line).or_else(|| line.strip_prefix("+ "));
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.strip_prefix(['.', ')']).filter(|_| rest.len() < line.len())
    };
    let is_mark = |c: char| matches!(c, ' ' | '*' | '"' | '`' | '.' | ',');
    element.or_else(numbered).map(|element| element.trim_matches(is_mark))
}
