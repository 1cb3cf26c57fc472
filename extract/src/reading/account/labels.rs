//! What the text around a value calls it: a member of what was asked for, or a part of something else.

use std::ops::Range;

use super::{
    Account, is_format,
    lists::{MAX_QUESTION, MAX_ROWS},
    members::{is_name, is_said},
    parts,
};
use crate::reading::{
    node::Node,
    prose::{MAX_NAME, Words, first_bytes, last_bytes, last_line, last_name, says_nothing, words},
    shape::{ROOT, kind},
};

/// Brackets of a value around another one, as many formats write them.
const BRACKETS: [(char, char); 3] = [('{', '}'), ('[', ']'), ('(', ')')];

/// Most lines that are compared with the value because they may correct it.
const MAX_CORRECTED: usize = 64;

/// Most lines before a value that are compared with the keys of the contract.
const MAX_LINES: usize = 64;

/// Marks of footnotes.
const FOOTNOTES: [char; 6] = ['*', '†', '‡', '¹', '²', '³'];

/// Most brackets in the text before or after a value that have no partner there.
const MAX_UNMATCHED: usize = 1 << 10;

impl Account<'_, '_> {
    /// Returns whether a line of `text` gives an answer that is not in the value: `Final answer: Rome`, `\boxed{5}`.
    pub(super) fn answers_anew(&self, text: &str) -> bool {
        static ANSWER: Words = Words::of("answer decision result verdict");
        let is_mark = |c: char| matches!(c, ' ' | '*' | '#' | '-' | '`' | '.' | '"' | '$');
        let is_new = |value: &str| {
            let value = value.trim_matches(is_mark);
            is_name(value)
                && !parts(value).any(|part| self.has_part(part) || self.has_part(&part.to_lowercase()))
        };
        let is_label = |label: &str| {
            let label: Vec<&str> = words(label).collect();
            matches!(label[..], [.., last] if ANSWER.have(last) && label.len() < 3)
        };
        text.lines().take(MAX_ROWS).map(|line| first_bytes(line, MAX_QUESTION)).any(|line| {
            let labelled = line.split_once(':').filter(|(label, _)| is_label(label)).map(|(_, value)| value);
            let between = |open: &str, close: &str| Some(line.split_once(open)?.1.split_once(close)?.0);
            let values = [labelled, between("\\boxed{", "}"), between("<answer>", "</answer>")];
            values.into_iter().flatten().any(is_new)
        })
    }

    /// Returns whether a line of `text` gives a value to a key that is absent, which starts its label: `Phone number:
    /// 030 123`. Or more elements to a list, which ends it: `Suggested tags: law, news`.
    pub(super) fn gives_absent(&self, text: &str) -> bool {
        static MORE: Words = Words::of("additional further more other");
        let is_mark = |c: char| !c.is_alphanumeric();
        text.lines().take(MAX_ROWS).any(|line| {
            let Some((label, value)) = first_bytes(line, MAX_QUESTION).split_once(':') else { return false };
            let label: Vec<&str> = label.trim_matches(is_mark).split_whitespace().take(4).collect();
            let is_given = || value.contains(|c: char| c.is_ascii_digit()) || is_said(value);
            let is_name = |word: &&str| word.starts_with(char::is_alphabetic);
            let list = label.last().and_then(|word| self.root_key(word)).and_then(|key| self.member(key));
            let adds = |list: &Node<'_>| {
                list.is_list()
                    && (list.items().is_empty() || label.len() > 1 && MORE.have(label[0]))
                    && is_said(value)
            };
            if list.is_some_and(adds) {
                return true;
            }
            matches!(label[..], [_, _] | [_, _, _])
                && label.iter().all(is_name)
                && self.is_absent(label[0])
                && !says_nothing(value)
                && is_given()
        })
    }

    /// Returns whether the other value at byte `start` follows the name of a key that the chosen value does not
    /// have: `and the tags:`.
    pub(super) fn is_named(&self, start: usize) -> bool {
        member_name(&self.reply[..start]).is_some_and(|name| self.is_absent(name))
    }

    /// Returns whether the text before the value names it as a member, so it is not all that was asked for:
    /// `children: [`, `result['children'] = [`.
    pub(super) fn is_member(&self) -> bool {
        let Some(name) = member_name(&self.reply[..self.span.start]) else { return false };
        let root = self.shapes.get(ROOT);
        let Some(key) = self.root_key(name) else {
            return self.value.starts_with('[') && self.is_asked_key(name);
        };
        let kinds = root.property(key).map(|shape| self.shapes.get(shape).kinds);
        let written = if self.value.starts_with('[') { kind::LIST } else { kind::OBJECT };
        // Unless the value was read as that member.
        let is_apart = |node: &Node<'_>| written == kind::LIST && node.span != *self.span;
        kinds.is_some_and(|kinds| kinds.without(kind::NULL) == written)
            && self.any_member(key).is_none_or(is_apart)
    }

    /// Returns whether the value begins in a cell of a table that names keys of the contract: `| body | {…} |`.
    pub(super) fn is_in_row(&self) -> bool {
        let is_mark = |c: char| matches!(c, ' ' | '*' | '`' | '"');
        let has_key = |line: &str| line.split('|').any(|cell| self.is_asked_key(cell.trim_matches(is_mark)));
        // A cell that is open has the words before the value, too.
        let is_open = |line: &str| !line.ends_with('|') && line.contains(char::is_alphabetic);
        let (before, _) = self.before_fence();
        let mut rows =
            before.lines().rev().map(str::trim).take(MAX_LINES).take_while(|line| line.starts_with('|'));
        let is_below = before.ends_with('\n');
        rows.next().is_some_and(|line| (!is_below || is_open(line)) && (has_key(line) || rows.any(has_key)))
    }

    /// Returns whether the text right before the value gives it to one key of the contract, and begins an earlier line
    /// with another, or has other words for the key: `title: How to build` and below it `body: {…}`.
    pub(super) fn is_last_of_members(&self) -> bool {
        let (before, is_below) = self.before_fence();
        let mut lines = before.trim_end().lines().rev().take(MAX_LINES).map(labelled);
        let Some((name, said)) = lines.next() else { return false };
        let Some(key) = self.root_key(name) else { return false };
        let is_alone = said.trim_matches(|c: char| !c.is_alphanumeric()).is_empty();
        let leads = !is_below || is_alone || said.trim_end().ends_with([':', '：', '=']);
        let is_given = said.trim_start_matches([' ', '*']).starts_with(':') && said.trim().contains(' ');
        let has_words = key == name && is_given && self.any_member(key).is_some();
        leads && (has_words || lines.any(|(name, _)| self.root_key(name).is_some_and(|other| other != key)))
    }

    /// The text before the value and its fence, and whether the value begins a line after it.
    fn before_fence(&self) -> (&str, bool) {
        let before = self.reply[..self.span.start].trim_end_matches(' ');
        let opened = before.trim_end().trim_end_matches(char::is_alphanumeric).strip_suffix("```");
        (opened.unwrap_or(before), opened.is_some() || before.ends_with('\n'))
    }

    /// Returns whether `name` is a key that was asked for.
    fn is_asked_key(&self, name: &str) -> bool {
        self.root_key(name).is_some() || self.shapes.keys().has(name)
    }

    /// Returns whether the value is in the text between the tags of a key of the contract, after words of that text:
    /// `<body>It says {…}</body>`.
    pub(super) fn is_in_tag(&self) -> bool {
        let (before, after) = (&self.reply[..self.span.start], &self.reply[self.span.end..]);
        let Some((_, closed)) = after.split_once("</") else { return false };
        let name = first_bytes(closed, MAX_NAME).split('>').next().unwrap_or_default();
        if !self.shapes.keys().has(name) {
            return false;
        }
        let inside = before.rsplit_once(&format!("<{name}>")).map_or("", |(_, inside)| inside);
        inside.trim_matches(is_format).trim_end_matches("json").contains(char::is_alphabetic)
    }

    /// Returns whether a heading in `text` is a key that the value does not have: `## tags`.
    pub(super) fn has_heading(&self, text: &str) -> bool {
        let is_mark = |c: char| matches!(c, ' ' | '#' | '*' | '`' | ':');
        let mut headings = text.lines().map(str::trim).filter(|line| line.starts_with('#'));
        headings.any(|line| self.is_absent(line.trim_matches(is_mark)))
    }

    /// Returns whether the value is an element of one that is not read: a bracket right before it, or before its
    /// name, is not closed right after it, or another element and a comma are before its name: `[Item {…}, Item {…}`.
    pub(super) fn is_element(&self) -> bool {
        let all = self.reply[..self.span.start].trim_end();
        let name = last_name(all, &['_']);
        // The brackets of a function's body are not those of a value.
        let is_type = name.starts_with(char::is_uppercase);
        let before = if is_type { all[..all.len() - name.len()].trim_end() } else { all };
        let before = before.trim_end_matches(['%', '@', '#']);
        let after = self.reply[self.span.end..].trim_start();
        let is_in_bracket = [('[', ']'), ('{', '}')].into_iter().any(|(open, close)| {
            let outside = before.strip_suffix(open);
            outside.is_some_and(|outside| !outside.ends_with(open)) && !after.starts_with(close)
        });
        // Without a name, the other is a value, and compared.
        let other = before.strip_suffix(',').filter(|_| before.len() < all.len()).map(str::trim_end);
        let follows = |other: &str| other.ends_with(['}', ')']) && !self.settled.contains(&other.len());
        is_in_bracket || other.is_some_and(follows)
    }

    /// Returns whether a line of `text` corrects the value as people do in a chat: `s/30/90/`, `*Hoffmann`.
    pub(super) fn is_corrected_line(&self, text: &str) -> bool {
        let is_replaced = |line: &str| {
            let replaced = line.strip_prefix("s/").and_then(|line| line.split_once('/'));
            replaced.is_some_and(|(old, _)| self.value.contains(old))
        };
        let is_starred = |line: &str| {
            let word = line.strip_prefix('*').unwrap_or_default();
            !word.is_empty() && word.chars().all(char::is_alphanumeric)
        };
        let lines = text.lines().map(str::trim).filter(|line| line.starts_with(['s', '*']));
        lines.take(MAX_CORRECTED).any(|line| is_replaced(line) || is_starred(line))
    }

    /// Returns whether the text at `span` ends the reply with the label of the value, and no value after it:
    /// an example was repeated, and its question was not answered.
    pub(super) fn is_asked_anew(&self, span: &Range<usize>) -> bool {
        let label = last_line(self.reply[..self.span.start].trim_end()).trim();
        span.end == self.reply.len()
            && label.ends_with(':')
            && label == last_line(self.reply[span.clone()].trim_end()).trim()
    }

    /// Returns whether the value is inside of brackets that are no JSON, with a key of the contract in or before
    /// them: `Item(name='a', parts=[Item(name='b')])`. With too many brackets it may be.
    pub(super) fn is_inside_member(&self) -> bool {
        let (before, after) = (&self.reply[..self.span.start], &self.reply[self.span.end..]);
        let (Some((mut opened, _)), Some((_, closing))) = (unmatched(before), unmatched(after)) else {
            return true;
        };
        let mut closing = closing.into_iter();
        let is_unclosed = !opened.is_empty();
        let mut around = None;
        while let Some((open, start)) = opened.pop() {
            let closes = |(close, _): &(char, usize)| BRACKETS.contains(&(open, *close));
            let Some((_, end)) = closing.next().filter(closes) else { break };
            around = Some((start, end));
        }
        let is_known = |name: &str| self.shapes.keys().has(name);
        let has_known = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_known);
        if let Some((start, end)) = around {
            return member_name(&before[..start]).is_some_and(is_known)
                || has_known(&before[start..])
                || has_known(&after[..end]);
        }
        // A member of one that was cut, or a value in a string of it.
        let named = member_name(before).filter(|name| is_unclosed && is_known(name));
        named.and_then(|name| before.rsplit_once(name)).is_some_and(|(outside, _)| {
            before.ends_with(['"', '\'']) || outside.trim_end().ends_with(['(', '{', ','])
        })
    }
}

/// Returns whether `text` has a footnote to the value or to a string in it: `{…}*`, and below it `* in feet`.
pub(super) fn has_footnote(text: &str) -> bool {
    let is_marked =
        |mark: char| mark != '*' || text.strip_prefix(mark).is_some_and(|rest| !rest.starts_with(mark));
    let starts_line = |mark: char| text.lines().skip(1).any(|line| line.trim_start().starts_with(mark));
    FOOTNOTES.into_iter().any(|mark| starts_line(mark) && is_marked(mark))
}

/// The first word of `line` after the marks of lists and headings, and the rest.
fn labelled(line: &str) -> (&str, &str) {
    let line = line.trim_start_matches([' ', '\t', '-', '*', '•', '#', '>']);
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let line = numbered.strip_prefix(['.', ')']).filter(|_| numbered.len() < line.len()).unwrap_or(line);
    let line = line.trim_start_matches([' ', '*']);
    line.split_at(line.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len()))
}

/// A bracket and its place.
type Bracket = (char, usize);

/// The brackets that `text` leaves open, and those that close none of its own. `None` if they are too many.
fn unmatched(text: &str) -> Option<(Vec<Bracket>, Vec<Bracket>)> {
    let (mut opened, mut closing) = (Vec::new(), Vec::new());
    for (at, c) in text.char_indices() {
        if BRACKETS.iter().any(|(open, _)| *open == c) {
            opened.push((c, at));
        } else if BRACKETS.iter().any(|(_, close)| *close == c) {
            let closes = |(open, _): &mut Bracket| BRACKETS.contains(&(*open, c));
            if opened.pop_if(closes).is_none() {
                closing.push((c, at));
            }
        }
        if opened.len().max(closing.len()) > MAX_UNMATCHED {
            return None;
        }
    }
    Some((opened, closing))
}

/// The name at the end of `text`, before a sign that gives it a value or in a heading: `and the *tags*: `,
/// `result['tags'] = `, `## Tags`.
fn member_name(text: &str) -> Option<&str> {
    let is_mark = |c: char| is_format(c) || matches!(c, '*' | '"' | '\'');
    let text = last_bytes(text, MAX_NAME * 2).trim_end_matches(is_mark);
    let text = text.strip_suffix("```json").unwrap_or(text).trim_end_matches(is_mark);
    // `<tags>`
    if let Some((_, tag)) = text.strip_suffix('>').and_then(|text| text.rsplit_once('<')) {
        return Some(tag);
    }
    let is_heading = || text.lines().next_back().is_some_and(|line| line.trim_start().starts_with('#'));
    let signed = text.strip_suffix([':', '：', '=']).or_else(|| text.strip_suffix("=>"));
    let named = signed.or_else(|| is_heading().then_some(text))?;
    let name = last_name(named.trim_end_matches(|c| is_mark(c) || c == ']'), &['_']);
    (!name.is_empty()).then_some(name)
}
