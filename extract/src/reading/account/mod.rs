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

mod labels;
mod lists;
mod members;
mod verdicts;

use std::{
    cell::OnceCell,
    collections::{HashMap, HashSet},
    ops::Range,
};

use super::{
    choose::Choice,
    envelope::calls_another_tool,
    locate::{
        Candidate,
        reasoning::{closed, has_turn, opening},
    },
    node::{Entry, Node},
    parse::{is_space, number::ungrouped},
    prose::{
        CALLS, MAX_NAME, OR, PhraseMeaning, RemarkSubjects, Words, changes_value, dismisses, disowns_value,
        ends_sentence, fills_in, first_bytes, is_cut_short, is_followed_by_error, is_partial, is_scalar,
        is_unread, last_line, last_name, last_paragraph, lead, leads_to_first, leaves_out, names_page,
        reports_error, rows, says, says_scale, starts_like, takes_back, will_go_on,
    },
    receipt::{self, Note},
    shape::{ROOT, Shapes, kind},
};
use crate::vocabulary::{
    change::{ChangeKind, Loss},
    path::Path,
};

/// Words before one more element.
static ADDING: Words = Words::of("also and et plus und y");

/// Words right after a list, on its line, that change which elements it has.
static BESIDE: Words = Words::of("and also aber except minus nor not ohne or plus sans times und without x");

/// Most closing brackets before a value that are looked at.
const MAX_CLOSERS: usize = 64;

/// What the sentences right before a value may say of it.
const BEFORE_VALUE: [PhraseMeaning; 3] = [PhraseMeaning::Doubt, PhraseMeaning::Part, PhraseMeaning::Sample];

/// Returns the notes on the text around the value of a choice in `reply`, in the order of the
/// reply.
pub(super) fn surroundings(reply: &str, choice: &Choice<'_>, shapes: &Shapes) -> Vec<Note> {
    let Some(chosen) = &choice.chosen else { return Vec::new() };
    let settled = choice.others.iter().filter(|other| other.is_settled);
    let settled = settled.flat_map(|other| [other.span.start, other.span.end]).collect();
    let Candidate { node, span, .. } = &chosen.candidate;
    let mut account = Account {
        reply,
        shapes,
        node,
        span,
        value: &reply[span.clone()],
        is_part: choice.located.unreadable.is_some(),
        settled,
        words: OnceCell::new(),
        members: OnceCell::new(),
        has_list: OnceCell::new(),
        has_elements: OnceCell::new(),
        numbered: OnceCell::new(),
        nested: OnceCell::new(),
        verdict: OnceCell::new(),
        only_number: OnceCell::new(),
        texts: OnceCell::new(),
        notes: Vec::new(),
    };
    let mut parts: Vec<(Range<usize>, Part)> = vec![(span.clone(), Part::Value)];
    let role = |is_settled| if is_settled { Part::Other } else { Part::Rival };
    parts.extend(choice.others.iter().map(|other| (other.span.clone(), role(other.is_settled))));
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
    if shapes.get(ROOT).kinds.without(kind::NULL) == kind::TEXT {
        // As a text, code is all of itself: `print("hello")`, `5 // five`.
        let is_call = |text: &str| text.ends_with('(') && !text.starts_with("submit");
        let is_code = |note: &&Note| match note.kind {
            ChangeKind::Wrapper => is_call(&reply[note.span.clone()]),
            kind => kind == ChangeKind::Comment,
        };
        let code = chosen.candidate.notes.iter().filter(is_code).map(|note| note.span.clone());
        code.for_each(|span| account.add(Part::LeftOver, span));
    }
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

struct Account<'c, 't> {
    reply: &'t str,
    shapes: &'c Shapes,
    /// The chosen value, its bytes, and how it is written.
    node: &'c Node<'t>,
    span: &'c Range<usize>,
    value: &'t str,
    /// Whether it may be a part of one that could not be read, which is a violation anyway.
    is_part: bool,
    /// Where the values start and end that are settled.
    settled: Vec<usize>,
    /// The words and numbers of the chosen value, as they are written.
    words: OnceCell<HashSet<&'t str>>,
    /// The members of the chosen object; of several with one key the first.
    members: OnceCell<HashMap<&'c str, &'c Node<'t>>>,
    has_list: OnceCell<bool>,
    has_elements: OnceCell<bool>,
    /// The elements of lists that have a number, each with a string in it.
    numbered: OnceCell<Vec<(&'c str, &'c Node<'t>)>>,
    /// The members of the objects inside of the chosen one, by the bare form of their keys, if only one has it.
    nested: OnceCell<HashMap<String, Option<&'c Node<'t>>>>,
    /// The only member that is a verdict, by its key.
    verdict: OnceCell<Option<&'c Entry<'t>>>,
    only_number: OnceCell<Option<&'c Node<'t>>>,
    /// The texts of the chosen value.
    texts: OnceCell<HashSet<&'c str>>,
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
                self.gives_member(text, TextBeside::OtherValue)
                    || self.is_next_element(span)
                    || self.is_empty_answer(span)
                    // A patch (RFC 6902) with a path.
                    || text.contains("\"op\"") && text.contains("\"/")
                    // Two calls of tools, and nothing says which of them has the answer.
                    || calls_another_tool(text) && calls_another_tool(self.value)
                    || self.is_named(span.start)
                    || self.is_other_verdict(text)
                    || span.start >= self.span.end && says_cut(text)
                    || self.may_be_elements(span)
                    || self.has_elements()
                        && self.starts_line(span.start)
                        && (names_page(text) || is_cut_short(text.trim_matches(['[', ']'])))
            }
            // If it is open, what it says is said as after the value. It may take the value back.
            Part::Reasoning => {
                let open = opening(text).filter(|mark| closed(&text[mark.len()..], mark).is_none());
                let start = span.start + open.map_or(0, str::len);
                span.start >= self.span.end && self.is_left_over(&(start..span.end))
            }
            // A conversation, of which this is one answer of several.
            Part::AnotherTurn => text.contains(['{', '[']) && has_turn(&self.reply[..self.span.start]),
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
        let part = if self.is_left_over(&span) { Part::LeftOver } else { Part::Prose };
        self.add(part, span);
    }

    /// Returns whether the text at `span` has something that the contract asks for, or takes the
    /// value back.
    fn is_left_over(&self, span: &Range<usize>) -> bool {
        let (text, value) = (&self.reply[span.clone()], self.span);
        if self.has_number() && says_scale(text) {
            return true;
        }
        if span.end <= value.start {
            let is_next = span.end == value.start;
            let is_left_over_next = || {
                let led = last_paragraph(text);
                self.is_element_after_comma(&self.reply[..value.start])
                    || ends_another_value(&self.reply[..span.start], text)
                    || says(led, &BEFORE_VALUE)
                    || led.split(ends_sentence).any(|sentence| is_unread(sentence) || fills_in(sentence))
                    || reports_error(&self.reply[..value.start])
                    || self.has_elements() && (leads_to_first(lead(text)) || self.shows_part(led))
                    || self.follows_element(value.start)
                    || self.is_counted(led)
                    || self.is_rated_otherwise(led)
                    || changes_value(text)
                    || self.is_denied_part(led)
                    || self.has_other_text(led)
                    || is_short_sentence(led) && self.is_denied_flag(led)
                    || self.wants_strings() && ends_with_string(text)
                    || self.is_member()
                    || self.is_in_row()
                    || self.is_last_of_members()
                    || self.is_in_tag()
                    || self.is_inside_member()
                    || !self.is_part && self.is_element()
            };
            return is_next && is_left_over_next()
                || self.has_heading(text)
                || self.gives_member(text, TextBeside::ProseBefore)
                || self.has_rows(text);
        }
        if span.start == value.end && self.is_fenced_in_quotes(text) {
            return false;
        }
        span.start == value.end
            && (self.goes_on(text)
                || closes_more(&self.reply[..value.start], text)
                || self.ends_string(text)
                || self.is_said_in_call(text))
            || self.gives_member(text, TextBeside::ProseAfter)
            || self.has_heading(text)
            || self.has_element(text)
            || self.is_counted(text)
            || self.is_rated_otherwise(text)
            || self.is_denied_flag(text)
            || self.is_other_flag(text)
            || self.is_judged_badly(text)
            || self.is_said_otherwise(text)
            || self.is_superseded(text)
            || self.is_in_other_unit(text)
            || self.is_denied_part(text)
            || self.has_other_number(text)
            || self.has_other_text(text)
            || self.is_changed(span)
            || self.has_rows(text)
            || self.has_other_cell(text)
            || self.is_asked(text)
            || self.is_changed_option(text)
            || labels::has_footnote(text)
            || self.is_corrected_line(text)
            || self.assigns_part(text)
            || self.answers_anew(text)
            || self.gives_absent(text)
            || self.is_struck(text)
            || self.has_other_row(text)
            || self.numbers_element(text)
            || self.is_asked_anew(span)
            || span.end == self.reply.len() && ends_with_label(text)
            || self.node.is_list() && is_partial(text, self.node.items().len())
            || self.has_elements() && (leaves_out(text) || self.shows_part(text) || names_more(text))
            || will_go_on(text)
            || is_followed_by_error(text)
            || disowns_value(text)
            || self.is_unfounded(text)
            || text.lines().any(|line| line.trim() == "null")
            || self.is_taken_back(self.sentences(span))
    }

    /// Returns whether a sentence of `text` takes the value back, or corrects it.
    fn is_taken_back(&self, text: &str) -> bool {
        let is_part = |word: &str| self.root_key(word).is_some() || self.has_text(word);
        let is_denied = |word: &str| self.denies_flag(word);
        takes_back(text, &RemarkSubjects { is_part: &is_part, is_denied: &is_denied })
    }

    /// The text at `span` without the parts of sentences around values that are settled.
    fn sentences(&self, span: &Range<usize>) -> &str {
        let text = &self.reply[span.clone()];
        let is_settled = |at| self.settled.contains(&at);
        let start = if is_settled(span.start) { text.find(ends_sentence).unwrap_or(text.len()) } else { 0 };
        let text = &text[start..];
        if is_settled(span.end) { &text[..text.rfind(ends_sentence).unwrap_or(0)] } else { text }
    }

    /// Returns whether the value, a list without its bracket, begins with a comma, and so goes on from another reply:
    /// `, {…}]`.
    fn is_element_after_comma(&self, before: &str) -> bool {
        self.node.is_list() && self.value.starts_with('{') && before.trim_matches(is_format) == ","
    }

    /// Returns whether `text`, all that follows the value, closes a fence of three quotes around it, as Python has them:
    /// `"""json`.
    fn is_fenced_in_quotes(&self, text: &str) -> bool {
        let fence = text.trim();
        let before = self.reply[..self.span.start].trim_end();
        matches!(fence, "\"\"\"" | "'''")
            && self.span.end + text.len() == self.reply.len()
            && before.strip_suffix("json").unwrap_or(before) == fence
    }

    /// Returns whether `text` is a quote that nothing opened: the value, a text, is the end of a string.
    fn ends_string(&self, text: &str) -> bool {
        self.node.text().is_some()
            && matches!(text.trim_matches(is_format), "\"" | "”")
            && !self.reply[..self.span.start].contains(['"', '“', '„'])
    }

    /// Returns whether words are in `text` between the value, in the markup of a call, and the next mark, where no
    /// prose is: `<tool_call>{…}} or f</tool_call>`.
    fn is_said_in_call(&self, text: &str) -> bool {
        let (Some((_, opened)), Some((inside, _))) =
            (self.reply[..self.span.start].rsplit_once(['<', '[']), text.split_once(['<', '[']))
        else {
            return false;
        };
        let tag = first_bytes(opened, MAX_NAME).split(['>', ']']).next().unwrap_or_default();
        inside.contains(char::is_alphanumeric) && CALLS.any_in(tag)
    }

    /// Returns whether `text`, right after the value, continues it.
    fn goes_on(&self, text: &str) -> bool {
        // Also in a comment: `# and "c"`.
        let on_line = text.trim_start_matches([' ', '#', '/']);
        let follows_at_once = text.starts_with(char::is_alphabetic);
        // What is assigned to is a name: `[0] = "a"`. A question mark leaves the value open.
        let is_target = ["=", "?", "？", "!=", "≠", "%", "^", "+ ", "(?)"]
            .iter()
            .any(|sign| text.trim_start_matches(' ').starts_with(sign));
        let text = past_breaks(text);
        let rest = text.trim_start_matches([',', ';', ':']);
        let rest = past_breaks(rest).trim_start_matches(|c| is_format(c) || matches!(c, ',' | ';' | ':'));
        let is_closer = text.starts_with([']', '}']);
        let is_sign = text.starts_with([',', ':']);
        // A quote alone ends a string around the value.
        let is_alone = || self.reply[self.span.end..].trim_matches(is_format).len() == 1;
        let is_string = || {
            let (word, behind) = rest.split_at(rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len()));
            let rest = if ADDING.have(word) { behind.trim_start_matches([' ', ':', ',']) } else { text };
            self.wants_strings() && rest.starts_with('"') && !is_alone()
        };
        // A literal of Go, `[]string{"a"}`, or a unit: `[1, 2]k`.
        let is_type = || self.node.is_list() && follows_at_once;
        // A method of the value: `.append("c")`.
        let is_call = text.strip_prefix('.').is_some_and(|rest| {
            let after = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
            // Or a part of it: `.total`.
            let is_first = |c: char| c.is_lowercase() || c.is_uppercase() && self.node.is_list();
            let is_part = || self.value.ends_with(['}', ']']) && rest.starts_with(is_first);
            after.len() < rest.len() && (after.trim_start().starts_with(['(', '=']) || is_part())
        });
        let is_more = || {
            let first = |text: &str| text.split(|c: char| !c.is_alphabetic()).next().map(str::to_lowercase);
            let is_beside = first(on_line).is_some_and(|word| BESIDE.have(&word));
            self.node.is_list() && (is_beside || first(text).as_deref() == Some("plus"))
        };
        // A value that stands right behind this one, without a word, or a calculation: `× 10`.
        let is_bare = || {
            let signs = ["/", "->", "=>", "→", "×", "*", "+", "- ", "÷", "%"];
            let value = signs.iter().find_map(|sign| rest.strip_prefix(sign)).unwrap_or(rest).trim_start();
            value.starts_with(|c: char| c.is_ascii_digit()) && is_scalar(value)
        };
        // Another value for one in an object: `or Bradford`, `(or "Bradford"`, `-> Bradford`.
        let is_offered = || {
            let line = text.trim_start_matches(['(', '-', '—', '–', ',', ' ']);
            let (word, other) = line.split_at(line.find(|c: char| !c.is_alphabetic()).unwrap_or(line.len()));
            let other = other.trim_start().trim_start_matches("perhaps ").trim_start_matches("maybe ");
            let replaced = ["->", "=>", "→", "/"].iter().find_map(|sign| text.strip_prefix(sign));
            let is_text = |text: &str| text.trim_start().starts_with(|c: char| c.is_uppercase() || c == '"');
            self.value.starts_with('{') && (OR.have(word) && is_text(other) || replaced.is_some_and(is_text))
        };
        // A quote right after an object starts a key, unless a sentence begins with it.
        let is_quoted_word = || {
            let quoted = first_bytes(&text[1..], MAX_NAME).split_once('"');
            quoted.is_some_and(|(word, rest)| {
                !self.is_absent(word) && rest.trim_start().starts_with(char::is_alphabetic)
            })
        };
        let is_key =
            || self.value.starts_with('{') && text.starts_with('"') && !is_alone() && !is_quoted_word();
        is_closer
            || is_target
            || is_key()
            || is_bare()
            || is_more()
            || is_offered()
            || is_call
            || is_type()
            || is_string()
            || is_sign && (rest.starts_with(['"', '{', '[', ']', '}']) || self.starts_with_key(rest))
    }

    /// Returns whether an empty object or list at `span`, at the start of its line, follows the value: a later
    /// answer, which has nothing.
    fn is_empty_answer(&self, span: &Range<usize>) -> bool {
        let text = &self.reply[span.clone()];
        let inside = [('{', '}'), ('[', ']')]
            .into_iter()
            .find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
        inside.is_some_and(|inside| inside.trim().is_empty())
            && span.start >= self.span.end
            && self.starts_line(span.start)
    }

    fn starts_line(&self, at: usize) -> bool {
        self.reply[..at].trim_end_matches([' ', '\t']).chars().next_back().is_none_or(|c| c == '\n')
    }

    /// Returns whether code at `span` changes the value after it was given a name:
    /// `tags = [..]`, and then `tags.append("c")`.
    fn is_changed(&self, span: &Range<usize>) -> bool {
        let before = self.reply[..self.span.start].trim_end();
        let Some(before) = before.strip_suffix('=') else { return false };
        let name = last_name(before.trim_end(), &['_']);
        let text = &self.reply[span.clone()];
        let changes = |(at, _): (usize, &str)| {
            let (before, rest) = (&text[..at], &text[at + name.len()..]);
            let is_call = rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
            let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            is_word && (is_call || before.ends_with("del ") || rest.trim_start().starts_with(['+', '|', '=']))
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

    /// Returns whether `text` has a table of the contract's keys with a value that the chosen one
    /// does not have.
    fn has_rows(&self, text: &str) -> bool {
        let is_key =
            |cell: &str| self.shapes.keys().has(cell) || self.shapes.keys().has(&cell.to_lowercase());
        // `41 years` is in the value if 41 is, and `1 098 581` if 1098581 is.
        let is_known = |cell: &str| {
            cell.is_empty()
                || parts(cell).any(|part| self.has_part(part))
                || ungrouped(cell).is_some_and(|digits| self.has_part(&digits))
        };
        rows(text, is_key).any(|cell| !is_known(cell))
    }

    /// Returns whether `part` is one of the words and numbers of the chosen value.
    fn has_part(&self, part: &str) -> bool {
        self.words.get_or_init(|| parts(self.value).collect()).contains(part)
    }

    /// Returns whether `word` is a whole text of the chosen value.
    fn has_text(&self, word: &str) -> bool {
        self.texts.get_or_init(|| self.node.texts().collect()).contains(word)
    }

    /// Returns whether a number is in the chosen value as it is written.
    fn has_number(&self) -> bool {
        self.value.contains(|c: char| c.is_ascii_digit())
    }
}

/// Returns whether `text`, between what is `before` it and the value, has the end of a value that started in another
/// reply: `"b": 2}\n{…}`.
fn ends_another_value(before: &str, text: &str) -> bool {
    let is_element = |text: &str| text.ends_with(['"', '}', ']']) || text.ends_with(char::is_alphanumeric);
    // A bracket alone has nothing that could be lost, and in `:]` it closes no value.
    let is_end = |(at, _): (usize, &str)| {
        let rest = text[at..].trim_start_matches(['}', ']', ' ', '`']);
        is_element(text[..at].trim_end()) && (rest.is_empty() || rest.starts_with(['\n', '\r', ',']))
    };
    closes_more(before, text) && text.match_indices(['}', ']']).take(MAX_CLOSERS).any(is_end)
}

/// Returns whether `text` has a closing bracket without its opening one, in it or `before` it, and is no sentence.
fn closes_more(before: &str, text: &str) -> bool {
    if !text.contains('"') && !text.trim_end_matches(is_format).ends_with(['}', ']']) {
        return false;
    }
    [('{', '}'), ('[', ']')].into_iter().any(|(open, close)| {
        let mut opened = before.matches(open).count().saturating_sub(before.matches(close).count());
        text.chars().any(|c| {
            let closes_nothing = c == close && opened == 0;
            opened = if c == open { opened + 1 } else { opened.saturating_sub(usize::from(c == close)) };
            closes_nothing
        })
    })
}

/// Returns whether `text` is a note in brackets about the value before it: `[aborted]`, `[…]`.
fn says_cut(text: &str) -> bool {
    let said = text.trim_matches(['[', ']', ' ']);
    matches!(said, "…" | "...") || !said.contains('"') && (disowns_value(said) || dismisses(said))
}

/// Returns whether `text`, right after a value with a list, begins with another element of it, or is the number of a
/// page: `& co`, `Also "pan"`, `plus: pan`.
fn names_more(text: &str) -> bool {
    let said = text.trim_matches(is_format);
    ["& ", "also \"", "plus: ", "plus \""].iter().any(|start| starts_like(said, start))
        || names_page(said) && said.split_whitespace().count() <= MAX_PAGE
}

/// Most words of a line with the number of a page.
const MAX_PAGE: usize = 4;

/// Returns whether `text` is one short sentence: `The claim is not supported.`
fn is_short_sentence(text: &str) -> bool {
    text.split(ends_sentence).filter(|sentence| !sentence.trim().is_empty()).take(2).count() == 1
        && text.split_whitespace().take(MAX_SHORT + 1).count() <= MAX_SHORT
}

/// Most words of a short sentence.
const MAX_SHORT: usize = 10;

/// The words and numbers of `text`.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !c.is_alphanumeric() && c != '.').map(|part| part.trim_matches('.'));
    parts.filter(|part| !part.is_empty())
}

/// Returns whether `c` is white space, or a mark of a code fence.
fn is_format(c: char) -> bool {
    is_space(c) || c == '`'
}

/// `text` without format at its start, and without the line breaks of HTML.
fn past_breaks(text: &str) -> &str {
    let mut rest = text.trim_start_matches(is_format);
    while let Some(after) = ["<br>", "<br/>", "<br />"].iter().find_map(|tag| rest.strip_prefix(tag)) {
        rest = after.trim_start_matches(is_format);
    }
    rest
}

/// Returns whether the last line of `text` leads to a value that does not follow: `And for Rome:`. One word may be the
/// start of what a program adds: `Observation:`.
fn ends_with_label(text: &str) -> bool {
    let line = last_line(text.trim_end());
    line.ends_with([':', '：']) && line.trim().contains(' ')
}

/// Returns whether `text` ends with a string in quotes, or one and a comma.
fn ends_with_string(text: &str) -> bool {
    let text = text.trim();
    let text = text.strip_suffix(',').unwrap_or(text).trim_end();
    text.len() > 1 && text.ends_with('"')
}
