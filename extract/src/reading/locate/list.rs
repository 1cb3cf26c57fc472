//! Several values that together may be the wanted list: consecutive ones, and elements without
//! brackets around them, one per line or all on one line.

use std::ops::Range;

use super::{
    super::{
        node::{Data, Node},
        parse::{self, Parsed, number},
        prose::{First, last_bytes, last_line, sets_apart},
        receipt::{self, JOINED, Note},
    },
    candidate::Candidate,
};
use crate::vocabulary::{
    change::{ChangeKind, Loss},
    path::Path,
};

/// Most values of one list: a fixed number, plus one for so many bytes of the reply. A line of JSON
/// is longer.
const FREE_ITEMS: usize = 1 << 11;
const BYTES_PER_ITEM: usize = 16;

/// Bytes before the first value that may be a mark.
const MAX_MARK: usize = 64;

/// Values separated only by punctuation, or objects that the text between them presents as one
/// list.
#[derive(Debug)]
pub(super) struct Run<'t> {
    /// Where the first one starts.
    pub(super) start: usize,
    /// The surroundings of the first one, if all are objects.
    first: Option<First>,
    /// Whether there are words between them.
    is_spread: bool,
    /// The values that are no longer candidates of their own.
    items: Vec<Node<'t>>,
    notes: Vec<Note>,
    /// The numbers of their lines, if each has one so far.
    numbers: Option<Vec<usize>>,
    most: usize,
    is_too_long: bool,
}

impl<'t> Run<'t> {
    pub(super) fn new(reply: &str) -> Self {
        let most = FREE_ITEMS + reply.len() / BYTES_PER_ITEM;
        let (items, notes, numbers) = (Vec::new(), Vec::new(), Some(Vec::new()));
        Self { start: 0, first: None, is_spread: false, items, notes, numbers, most, is_too_long: false }
    }

    /// Appends `candidate`, which follows a value that ended at `last`. If it does not belong to
    /// the values before, it starts a new run.
    pub(super) fn follow(&mut self, reply: &str, last: Option<usize>, candidate: &Candidate<'_>) {
        let start = candidate.span.start;
        let is_object = matches!(candidate.node.data, Data::Object(_));
        // Three dots stand for values that were not written.
        let is_whole = |text: &str| !text.contains("...") && !text.contains('…');
        let between =
            last.and_then(|end| Some((end, reply.get(end..start)?))).filter(|(_, text)| is_whole(text));
        let mark = last_line(last_bytes(&reply[..self.start], MAX_MARK));
        let is_adjacent = |text: &str| {
            let has_words = text.split("```json").any(|text| text.contains(char::is_alphabetic));
            !(has_words || is_object && sets_apart(text, mark))
        };
        match between {
            Some((_, text)) if is_adjacent(text) => self.first = self.first.take().filter(|_| is_object),
            Some((end, _)) if is_object && self.is_followed(reply, end, &candidate.span) => {
                self.is_spread = true;
                let between = Note::new(ChangeKind::Surroundings, Loss::Ignored, end..start);
                receipt::add(&mut self.notes, between.at(Path::root()));
            }
            _ => {
                let first = is_object.then(|| First::at(reply, start));
                *self = Self { start, first, most: self.most, ..Self::new("") };
            }
        }
        let number = number_of(last_line(last_bytes(&reply[..start], MAX_MARK)).trim_start());
        let numbers = self.numbers.take().filter(|numbers| numbers.len() < self.most);
        self.numbers = numbers.zip(number).map(|(mut numbers, number)| {
            numbers.push(number);
            numbers
        });
    }

    fn is_followed(&self, reply: &str, end: usize, span: &Range<usize>) -> bool {
        self.first.as_ref().is_some_and(|first| first.is_followed_by(reply, end, span))
    }

    /// Returns whether the last value follows words and equals an earlier one: more likely it was
    /// repeated than meant twice.
    pub(super) fn repeats(&self, last: &[Candidate<'_>]) -> bool {
        let Some((last, before)) = last.split_last().filter(|_| self.is_spread) else { return false };
        let before = before.iter().map(|candidate| &candidate.node).chain(&self.items);
        before.into_iter().any(|node| node.is_same(&last.node))
    }

    /// Takes over a value that is no longer a candidate of its own.
    pub(super) fn pass(&mut self, candidate: Candidate<'t>) {
        if candidate.span.start < self.start {
            return;
        }
        self.is_too_long |= self.items.len() >= self.most;
        if self.is_too_long {
            self.items = Vec::new();
            return;
        }
        self.items.push(candidate.node);
        receipt::extend(&mut self.notes, candidate.notes);
    }

    /// Joins all values and the `last` ones into one list; `None` if there are too many, or their lines have numbers of
    /// which one is missing.
    pub(super) fn joined(mut self, last: &[Candidate<'t>]) -> Option<Candidate<'t>> {
        if self.numbers.as_ref().is_some_and(|numbers| !are_in_order(numbers)) {
            return None;
        }
        let span = self.start..last.last()?.span.end;
        let mut notes =
            vec![Note::new(ChangeKind::Wrapper, Loss::Lossless, span.clone()).after(JOINED).at(Path::root())];
        receipt::extend(&mut notes, self.notes);
        for candidate in last {
            self.items.push(candidate.node.clone());
            receipt::extend(&mut notes, candidate.notes.iter().cloned());
        }
        // The same values once more are more likely another answer than as many more elements.
        let (once, again) = self.items.split_at(self.items.len() / 2);
        let is_again =
            once.len() == again.len() && once.iter().zip(again).all(|(one, other)| one.is_same(other));
        if let Some(first) = again.first().filter(|_| is_again) {
            notes.push(
                Note::new(ChangeKind::OtherValue, Loss::Lossy, first.span.start..span.end).at(Path::root()),
            );
        }
        let node = Node::new(span.clone(), Data::List(self.items));
        let parsed = Parsed { node, notes, is_cut: false, is_guessed: false };
        let candidate = Candidate { is_doubtful: true, is_joined: true, ..Candidate::of(parsed) };
        (!self.is_too_long).then_some(candidate)
    }
}

/// The elements of the list in `reply` from byte `start` on, with the changes made to read them.
/// `None` if the text may be something else, such as prose or one number with commas.
pub(super) fn unbracketed(reply: &str, start: usize, max_depth: usize) -> Option<Parsed<'_>> {
    let places = without_introduction(reply, places(reply, start));
    let start = places.first()?.start;
    let whole = reply.get(start..)?.trim();
    if places.len() < 2 || whole.contains(['{', '[']) || is_one_number(whole) || has_groups(whole) {
        return None;
    }
    let are_marked = places.iter().all(|place| is_marked(reply, place));
    // `- a` and below it `  - b` are not of one list.
    let indent = |place: &Range<usize>| {
        let before = &reply[..place.start];
        before.len() - before.trim_end_matches([' ', '\t']).len()
    };
    if are_marked && places.iter().any(|place| indent(place) != indent(&places[0])) {
        return None;
    }
    if are_marked && lacks_number(reply, &places) {
        return None;
    }
    let span = places[0].start..places[places.len() - 1].end;
    let mut notes = vec![Note::new(ChangeKind::Bracket, Loss::Lossless, span.clone()).after("[…]")];
    let mut items = Vec::new();
    for place in &places {
        let place = if are_marked { unmarked(reply, place) } else { place.clone() };
        let parsed = parse::whole(&reply[..place.end], place.start, max_depth)?;
        let is_word = matches!(parsed.node.data, Data::Text(_)) && !is_quoted(&reply[place]);
        // Words alone are prose, unless every one is marked as an element.
        if parsed.is_cut || is_word && !are_marked {
            return None;
        }
        receipt::extend(&mut notes, parsed.notes);
        items.push(parsed.node);
    }
    Some(Parsed { node: Node::new(span, Data::List(items)), notes, is_cut: false, is_guessed: false })
}

/// Returns where the elements are: on lines, otherwise between commas.
fn places(reply: &str, start: usize) -> Vec<Range<usize>> {
    let parts = |separator: char| {
        let mut at = start;
        let mut places = Vec::new();
        for part in reply[start..].split(separator) {
            let text = part.trim().trim_end_matches(',').trim_end();
            let begin = at + (part.len() - part.trim_start().len());
            if !text.is_empty() {
                places.push(begin..begin + text.len());
            }
            at += part.len() + separator.len_utf8();
        }
        places
    };
    let lines = parts('\n');
    if lines.len() > 1 { lines } else { parts(',') }
}

/// `places` without a first line that leads to elements which all have a mark: `The colours are:`.
fn without_introduction(reply: &str, mut places: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let is_lead =
        |first: &Range<usize>| reply[first.clone()].ends_with([':', '：']) && !is_marked(reply, first);
    let leads =
        places.first().is_some_and(is_lead) && places[1..].iter().all(|place| is_marked(reply, place));
    if leads {
        places.remove(0);
    }
    places
}

/// Returns whether a bullet or a number is at the start of `place`.
fn is_marked(reply: &str, place: &Range<usize>) -> bool {
    unmarked(reply, place).start > place.start
}

/// `place` without a bullet or number at its start.
fn unmarked(reply: &str, place: &Range<usize>) -> Range<usize> {
    let text = &reply[place.clone()];
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match text.as_bytes().get(digits) {
        Some(b'.' | b')') if digits > 0 => digits + 1,
        Some(b'-' | b'*') if digits == 0 => 1,
        _ if text.starts_with('•') => '•'.len_utf8(),
        _ => return place.clone(),
    };
    let rest = &text[mark..];
    let length = rest.len() - rest.trim_start().len();
    if length == 0 || length == rest.len() { place.clone() } else { place.start + mark + length..place.end }
}

/// Returns whether the numbers before the elements skip one or start again: `1.`, `2.`, `5.`
fn lacks_number(reply: &str, places: &[Range<usize>]) -> bool {
    let numbers: Vec<usize> = places.iter().map_while(|place| number_of(&reply[place.clone()])).collect();
    numbers.len() == places.len() && !are_in_order(&numbers)
}

/// The number that `text` starts with, before a dot or a bracket.
fn number_of(text: &str) -> Option<usize> {
    text.split(['.', ')']).next().and_then(|number| number.parse().ok())
}

/// Returns whether `numbers` go up or down by one, or are all the same, as Markdown counts lines.
fn are_in_order(numbers: &[usize]) -> bool {
    let steps = |up: bool| {
        let pair = move |two: &[usize]| if up { (two[0], two[1]) } else { (two[1], two[0]) };
        numbers.windows(2).map(pair).all(|(one, next)| one.checked_add(1) == Some(next))
    };
    steps(true) || steps(false) || numbers.windows(2).all(|two| two[0] == two[1])
}

fn is_quoted(text: &str) -> bool {
    ['"', '\''].iter().any(|quote| text.len() > 1 && text.starts_with(*quote) && text.ends_with(*quote))
}

/// Returns whether some commas of the line `text` group digits, and others part elements: `1,000, 2,500`.
fn has_groups(text: &str) -> bool {
    let is_group = |part: &str| part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = || text.split(',').skip(1);
    !text.contains('\n')
        && parts().any(is_group)
        && parts().any(|part| part.starts_with(' ') || is_group(part) && part.starts_with('0'))
}

/// `1,250` and `12,5` may be one number.
fn is_one_number(text: &str) -> bool {
    let without = text.replace([',', '.'], "");
    let is_grouped = || number::grouped(text).is_some() || text.split(',').count() == 2;
    !text.contains('\n') && without.bytes().all(|byte| byte.is_ascii_digit()) && is_grouped()
}
