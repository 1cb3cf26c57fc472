//! Locates the value in a reply.
//!
//! Replies surround the value with prose, code fences and reasoning. One rule skips all of that: a
//! value starts at a bracket outside reasoning. Fences need no rule of their own. For a contract
//! that takes scalars, the whole text is a candidate too.

mod candidate;
mod escaped;
mod list;
mod named;
pub(super) mod reasoning;
mod tagged;

use std::{collections::VecDeque, ops::Range};

pub(super) use self::{
    candidate::Candidate,
    named::{may_be_marked, named, only_number},
};
use self::{
    escaped::{QuoteEscapes, escaped_text},
    list::Run,
    named::place_of,
};
use super::{
    keys::Keys,
    node::Data,
    options::ReplyEnd,
    parse::{self, Unreadable},
    prose::unfenced,
    receipt::Note,
    slip,
};
use crate::vocabulary::change::{ChangeKind, Loss};

/// How often each byte may be looked at while brackets that start no value are tried. Prose stays
/// far below 1; an attack nests brackets that never close.
const MAX_LOOKS: usize = 4;

/// Looks that are free, for short replies.
const FREE_LOOKS: usize = 1 << 16;

/// Most values with escaped quotes. The escapes of all text after each are undone.
const MAX_ESCAPED: usize = 8;

/// The values found in a reply.
#[derive(Debug, Default)]
pub(super) struct Located<'t> {
    /// The last ones, which matter most, in the order of the reply.
    candidates: Vec<Candidate<'t>>,
    /// The spans of the earlier values. Once candidates are handed out, those of all values that are
    /// not prose.
    pub(super) passed: Vec<Range<usize>>,
    queue: Queue<'t>,
    /// The values that may form one list.
    run: Option<Run<'t>>,
    /// How many values there are.
    pub(super) count: usize,
    /// Whether there are more values than may be joined into one list.
    pub(super) is_too_many: bool,
    /// Why some value could not be read.
    pub(super) unreadable: Option<Unreadable>,
    /// Whether the reply ends inside its reasoning.
    pub(super) thinks_on: bool,
    /// Where the reasoning before the values ends.
    answer: usize,
    /// The reasoning.
    pub(super) reasoning: Vec<Range<usize>>,
    /// Where the reply ends and another turn begins.
    pub(super) end: Option<usize>,
    looks: usize,
    /// How many values with escaped quotes were looked for.
    escaped: usize,
    /// The byte up to which brackets are known to nest or not.
    checked: usize,
    wanted: Wanted<'t>,
}

/// Candidates that are still to be handed out.
#[derive(Debug, Default)]
struct Queue<'t> {
    candidates: VecDeque<Candidate<'t>>,
    /// Spans of the last candidates that are not whole values. Prose in brackets may hold the
    /// answer. A value inside another value belongs to the outer one, and taking it for the answer
    /// would lose the rest.
    prose: VecDeque<Range<usize>>,
    /// Whether the candidates come from inside prose.
    is_inside: bool,
}

/// The traits of a contract that affect where to look.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools, reason = "a set of what is wanted")]
pub(super) struct Wanted<'k> {
    /// A list and nothing else.
    pub(super) is_list: bool,
    /// An object that may be built from its only list.
    pub(super) is_around_list: bool,
    /// A value without brackets.
    pub(super) is_scalar: bool,
    pub(super) is_object: bool,
    /// How the agent says that the reply ended.
    pub(super) reply_end: ReplyEnd,
    pub(super) max_depth: usize,
    /// How many candidates are needed, at least one.
    pub(super) max_candidates: usize,
    /// The keys of the contract.
    pub(super) keys: Option<&'k Keys>,
}

/// Finds the values in `reply` by parsing them: only a parsed value says where it ends.
pub(super) fn candidates<'t>(reply: &'t str, wanted: Wanted<'t>) -> Located<'t> {
    let looks = FREE_LOOKS + MAX_LOOKS * reply.len();
    let run = (wanted.is_list || wanted.is_around_list).then(|| Run::new(reply));
    let mut located = Located { run, looks, wanted, ..Located::default() };
    let leading = reasoning::leading(reply);
    let start = leading.end;
    let mut at = start;
    for call in tagged::calls(reply, start) {
        let span = call.span.clone();
        located.scan(reply, at..span.start);
        located.add(reply, call);
        at = span.end;
    }
    located.scan(reply, at..reply.len());
    let later = reasoning::later(reply, start, |at| located.has_value_around(at));
    let is_answer = |span: &Range<usize>| !later.is_in_block(span.start);
    let first = located.first(|span| is_answer(span) && !wanted.is_scalar);
    let first = first.unwrap_or(reply.len() - reply[start..].trim_start_matches(parse::is_space).len() + 1);
    let turn = (later.end().max(first)..=reply.len())
        .find(|at| reply.is_char_boundary(*at))
        .and_then(|from| reasoning::turn_end(reply, from, |at| located.has_value_around(at)));
    located.end = turn;
    let open = later.open.filter(|open| turn.is_none_or(|turn| *open < turn));
    located.thinks_on = leading.is_open || open.is_some();
    let text = &reply[..open.or(turn).unwrap_or(reply.len())];
    located.reasoning = std::iter::once(0..start).chain(later.blocks.iter().cloned()).collect();
    located.reasoning.extend(open.map(|open| open..turn.unwrap_or(reply.len())));
    // A value in reasoning is a draft.
    located.retain(|span| span.start < text.len() && is_answer(span));
    located.answer = start.max(later.end());
    located.join();
    located.offer_whole(text, located.answer);
    located.begin();
    located
}

impl<'t> Located<'t> {
    /// Queues the last candidates, in the order of the reply.
    fn begin(&mut self) {
        self.count = self.passed.len() + self.candidates.len();
        let mut last = std::mem::take(&mut self.candidates);
        self.passed.extend(last.iter().filter(|one| !one.is_doubtful).map(|one| one.span.clone()));
        last.drain(..last.len().saturating_sub(self.wanted.max_candidates));
        self.queue.prose = last.iter().filter(|one| !one.is_value()).map(|one| one.span.clone()).collect();
        self.queue.candidates = last.into();
    }

    /// The next candidate: first the last ones, then the values inside those that are prose.
    /// `is_settled` says that no better one can follow, which skips the latter.
    pub(super) fn next(&mut self, reply: &'t str, is_settled: bool) -> Option<Candidate<'t>> {
        loop {
            if let Some(candidate) = self.queue.candidates.pop_front() {
                let answer = if self.answer <= candidate.span.start { self.answer } else { 0 };
                return Some(Candidate { answer, end: self.end.unwrap_or(usize::MAX), ..candidate });
            }
            if is_settled && !self.queue.is_inside {
                return None;
            }
            self.queue.is_inside = true;
            let span = self.queue.prose.pop_front()?;
            let mut found = self.inside(reply, &span);
            self.queue.candidates =
                found.split_off(found.len().saturating_sub(self.wanted.max_candidates)).into();
        }
    }

    /// The only one of `options` that the reply names in a few words; see [`named`].
    pub(super) fn named(&self, reply: &'t str, options: &[&str]) -> Option<Candidate<'t>> {
        self.apart(named(reply, self.answer, options))
    }

    /// The only number that the reply presents in a few words; see [`only_number`].
    pub(super) fn only_number(&self, reply: &'t str) -> Option<Candidate<'t>> {
        self.apart(only_number(reply, self.answer))
    }

    /// The object whose members are alone in the reply, without brackets; see [`members`](tagged::members).
    pub(super) fn members(&self, reply: &'t str, is_key: impl Fn(&str) -> bool) -> Option<Candidate<'t>> {
        let is_whole = self.wanted.reply_end == ReplyEnd::Whole && self.end.is_none();
        self.apart(tagged::members(reply, self.answer, is_whole, is_key))
    }

    fn apart(&self, found: Option<Candidate<'t>>) -> Option<Candidate<'t>> {
        Some(Candidate { answer: self.answer, ..found.filter(|_| !self.thinks_on)? })
    }

    /// Adds the values that start with a bracket in `range`.
    fn scan(&mut self, reply: &'t str, range: Range<usize>) {
        let Wanted { max_depth, keys, .. } = self.wanted;
        let mut at = range.start;
        while self.looks > 0 && at < range.end {
            let bytes = reply.as_bytes()[at..range.end].iter();
            let Some(offset) = bytes.clone().position(|byte| matches!(byte, b'{' | b'[' | b'(')) else {
                return;
            };
            let bracket = at + offset;
            if is_mentioned(&reply[range.start..range.end], bracket - range.start)
                || is_box(&reply[bracket..range.end])
            {
                at = bracket + 1;
                continue;
            }
            if let Some(length) = slip::words_in_braces(&reply[bracket..]) {
                at = bracket + length;
                continue;
            }
            if reply.as_bytes()[bracket] == b'(' {
                at = self.call(reply, bracket, range.start);
                continue;
            }
            if let Some(candidate) = self.escaped(reply, bracket) {
                at = candidate.span.end.max(bracket + 1);
                self.add(reply, candidate);
                continue;
            }
            let is_earnest = candidate::is_earnest(reply, bracket);
            match parse::bracketed(reply, bracket, max_depth, !is_earnest, keys) {
                Ok(parsed) => {
                    let mut candidate = Candidate { is_earnest, ..Candidate::of(parsed) };
                    if bracket >= self.checked && (is_earnest || candidate::may_be_slip(reply, bracket)) {
                        // A value that does not close in the range is read to where it does.
                        self.check_slips(&reply[..range.end.max(candidate.span.end)], &mut candidate);
                    }
                    at = candidate.span.end.max(bracket + 1);
                    self.add(reply, candidate);
                }
                Err(reason) => {
                    self.unreadable = self.unreadable.max(Some(reason));
                    self.looks = self.looks.saturating_sub(reply.len() - bracket);
                    if reason == Unreadable::MostlyUnknown {
                        return;
                    }
                    at = bracket + 1;
                }
            }
        }
    }

    /// Finds the slips that `candidate` in `text` may have, and where it ends by its brackets.
    fn check_slips(&mut self, text: &str, candidate: &mut Candidate<'_>) {
        let Range { start, end } = candidate.span;
        let is_clean = candidate.notes.is_empty() && !candidate.is_cut;
        if is_clean && slip::ends_at(text, end) && !candidate.node.has_stray_quote(text) {
            self.checked = end;
            return;
        }
        let (slips, checked) = slip::slips(text, start, self.wanted.reply_end);
        self.checked = checked;
        if let Some(end) = slips.as_ref().filter(|slips| slips.is_one()).map(|slips| slips.end) {
            // The text after it is read again.
            self.looks = self.looks.saturating_sub(candidate.span.end.saturating_sub(end));
            candidate.span.end = end;
        }
        candidate.slips = slips;
    }

    /// Adds the call with its bracket at byte `bracket`, if its arguments have names:
    /// `Invoice(total=1)`. Returns where to continue.
    fn call(&mut self, reply: &'t str, bracket: usize, start: usize) -> usize {
        let Some(name) = parse::keyword_call(reply, bracket).filter(|name| *name >= start) else {
            return bracket + 1;
        };
        match parse::whole_call(reply, name, self.wanted.max_depth) {
            Some(parsed) if !parsed.is_cut => {
                let end = parsed.node.span.end;
                // Brackets are common in prose.
                self.add(reply, Candidate { is_doubtful: true, ..Candidate::of(parsed) });
                end.max(bracket + 1)
            }
            _ => {
                self.looks = self.looks.saturating_sub(reply.len() - bracket);
                bracket + 1
            }
        }
    }

    /// Where the first value ends that `is_meant`.
    fn first(&self, is_meant: impl Fn(&Range<usize>) -> bool) -> Option<usize> {
        let found = self.candidates.iter().map(|candidate| &candidate.span);
        self.passed.iter().chain(found).find(|span| is_meant(span)).map(|span| span.end)
    }

    fn retain(&mut self, is_kept: impl Fn(&Range<usize>) -> bool) {
        self.candidates.retain(|candidate| is_kept(&candidate.span));
        self.passed.retain(is_kept);
    }

    fn add(&mut self, reply: &str, candidate: Candidate<'t>) {
        if let Some(run) = &mut self.run {
            let last = self.candidates.last().map(|last| last.span.end);
            run.follow(reply, last, &candidate);
        }
        self.candidates.push(candidate);
        // Collect twice as many before dropping any, so that dropping stays cheap.
        let kept = self.wanted.max_candidates;
        if self.candidates.len() > kept.saturating_mul(2) {
            let first = self.candidates.len() - kept;
            for candidate in self.candidates.drain(..first) {
                self.passed.push(candidate.span.clone());
                if let Some(run) = &mut self.run {
                    run.pass(candidate);
                }
            }
        }
    }

    /// Returns whether byte `at` is inside one of the values.
    fn has_value_around(&self, at: usize) -> bool {
        let passed = self.passed.partition_point(|span| span.start <= at);
        let found = self.candidates.partition_point(|candidate| candidate.span.start <= at);
        match (found.checked_sub(1), passed.checked_sub(1)) {
            (Some(last), _) => self.candidates[last].span.contains(&at),
            (None, Some(last)) => self.passed[last].contains(&at),
            (None, None) => false,
        }
    }

    /// The values inside a candidate that is not a value itself.
    fn inside(&mut self, reply: &'t str, outer: &Range<usize>) -> Vec<Candidate<'t>> {
        self.looks = self.looks.saturating_sub(outer.len());
        let passed = self.passed.len();
        let first = reply[outer.start..].chars().next().map_or(0, char::len_utf8);
        self.scan(reply, outer.start + first..outer.end);
        self.passed.truncate(passed);
        let mut found = std::mem::take(&mut self.candidates);
        for candidate in &mut found {
            candidate.is_doubtful = true;
        }
        found
    }

    fn escaped(&mut self, reply: &'t str, bracket: usize) -> Option<Candidate<'t>> {
        let text = &reply[bracket..];
        let escapes = QuoteEscapes::of(text)?;
        if self.escaped == MAX_ESCAPED {
            self.unreadable = self.unreadable.max(Some(Unreadable::TooBroken));
            return None;
        }
        self.escaped += 1;
        let plain = escapes.undone(text);
        let parsed = parse::bracketed(&plain, 0, self.wanted.max_depth, false, self.wanted.keys).ok()?;
        let is_notation = parsed.notes.iter().all(|note| note.is_notation(&plain));
        let mut candidate = escapes.candidate(text, bracket, &plain, parsed)?;
        let Range { start, end } = candidate.span;
        if reply[..start].ends_with('"') {
            // The value is all that the string holds.
            let rest = reply[end..].trim_start_matches("\\n");
            candidate.span = start - 1..reply.len() - rest.strip_prefix('"')?.len();
        }
        // The text of a string is read on its own again.
        if !is_notation && serde_json::from_str::<String>(&reply[candidate.span.clone()]).is_err() {
            candidate.notes.push(Note::new(ChangeKind::Escape, Loss::Lossy, candidate.span.clone()));
        }
        Some(candidate)
    }

    /// Offers consecutive values as one list, such as one object per line. Of the single values,
    /// only the last few are kept.
    fn join(&mut self) {
        let Some(run) = self.run.take() else { return };
        let first = self.passed.first().or(self.candidates.first().map(|candidate| &candidate.span));
        let is_all = first.is_some_and(|span| span.start == run.start);
        let is_cut = self.candidates.last().is_some_and(|candidate| candidate.is_cut);
        let are_several = is_all && !is_cut && self.passed.len() + self.candidates.len() >= 2;
        let joined = (are_several && !run.repeats(&self.candidates)).then(|| run.joined(&self.candidates));
        let alone = self.candidates.len().saturating_sub(self.wanted.max_candidates);
        self.passed.extend(self.candidates.drain(..alone).map(|candidate| candidate.span));
        match joined {
            Some(Some(joined)) => self.candidates.push(joined),
            Some(None) => self.is_too_many = self.wanted.is_list,
            None => {}
        }
    }

    /// Offers the text from `start` on as one value, if it may be a scalar.
    fn offer_whole(&mut self, reply: &'t str, start: usize) {
        let Wanted { is_list, is_scalar, is_object, max_depth, .. } = self.wanted;
        let Range { start, end } = unfenced_span(reply, start);
        let text: &'t str = &reply[..end];
        if is_list && let Some(parsed) = list::unbracketed(text, start, max_depth) {
            return self.candidates.insert(0, Candidate { is_doubtful: true, ..Candidate::of(parsed) });
        }
        let body = text[start..].trim_start();
        let first = body.chars().next();
        // A string of escaped JSON.
        if first == Some('"') && self.candidates.iter().any(|one| one.span.start == text.len() - body.len()) {
            return;
        }
        let is_needed = is_scalar || first == Some('"') || self.candidates.is_empty();
        if !is_needed || matches!(first, None | Some('{' | '[')) {
            return;
        }
        if let Some(found) = escaped_text(text, start, max_depth) {
            return self.candidates.insert(0, found);
        }
        if is_object && let Some(parsed) = parse::unopened(text, start, max_depth) {
            return self.candidates.push(Candidate::of(parsed));
        }
        if is_scalar
            && let Some(span) = fenced_scalar(text, start)
            && let Some(parsed) = parse::whole(&text[..span.end], span.start, max_depth)
        {
            return self.candidates.insert(0, Candidate::of(parsed));
        }
        if is_object && self.candidates.first().is_some_and(|first| starts_with_words(text, start, first)) {
            return;
        }
        let Some(parsed) = parse::whole(text, start, max_depth) else { return };
        let is_words = matches!(parsed.node.data, Data::Text(_))
            && !text[parsed.node.span.start..].starts_with(['"', '\'', '“', '‘', '`']);
        if is_words && is_object && self.candidates.iter().any(Candidate::is_value) {
            // Words around an object are not an answer of their own.
            return;
        }
        // A value in brackets takes precedence over the text around it.
        self.candidates.insert(0, Candidate { is_doubtful: is_words, ..Candidate::of(parsed) });
    }
}

/// Returns whether the string that `text` starts with at byte `start` ends before the `first` value and has no bracket
/// in it: `"Every Friday" means {…}`. Then the value is not inside of it.
fn starts_with_words(text: &str, start: usize, first: &Candidate<'_>) -> bool {
    let before = text.get(start..first.span.start).unwrap_or_default();
    let quoted = before.trim_start().strip_prefix('"').and_then(|text| text.split_once('"'));
    quoted.is_some_and(|(words, rest)| !words.contains(['{', '[']) && rest.contains(char::is_alphabetic))
}

/// Returns whether the bracket at byte `at` of `text` is only mentioned: a pair of quotes has nothing
/// else in it.
fn is_mentioned(text: &str, at: usize) -> bool {
    let quote = text[..at].bytes().next_back().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    quote.is_some() && text.as_bytes().get(at + 1).copied() == quote
}

/// Boxes at the start of a line to tick.
pub(super) const BOXES: [&str; 3] = ["[ ]", "[x]", "[X]"];

/// Returns whether `text` starts with the box of a line to tick: `[ ] Ida`
fn is_box(text: &str) -> bool {
    let rest = BOXES.iter().find_map(|mark| text.strip_prefix(mark)?.strip_prefix(' '));
    rest.is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
}

/// The content of the only fence in `text` from byte `start` on, if it is a string, a number or a constant of
/// strict JSON.
fn fenced_scalar(text: &str, start: usize) -> Option<Range<usize>> {
    let mut fences = text[start..].match_indices("```").map(|(at, _)| start + at);
    let (Some(open), Some(close), None) = (fences.next(), fences.next(), fences.next()) else { return None };
    let block = &text[open + 3..close];
    let body = &block[block.find('\n')?..];
    let inside = body.trim();
    let value: serde_json::Value = serde_json::from_str(inside).ok()?;
    let start = close - body.trim_start().len();
    (!value.is_object() && !value.is_array()).then(|| start..start + inside.len())
}

/// The span of the text from byte `start` on without a code fence around all of it.
fn unfenced_span(reply: &str, start: usize) -> Range<usize> {
    let inside = unfenced(&reply[start..]);
    let is_fenced = inside.len() < reply[start..].trim().len();
    if is_fenced { place_of(reply, inside) } else { start..reply.len() }
}
