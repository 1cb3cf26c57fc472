//! Allowed values that a short reply names in prose: `The answer is **one**.`

use std::{borrow::Cow, ops::Range};

use super::{
    super::{
        node::{Data, Node},
        parse::{Parsed, is_space, number},
        prose::{Words, leads_to},
        receipt::Note,
        spelling,
    },
    candidate::Candidate,
};
use crate::vocabulary::change::{ChangeKind, Loss};

/// Most words of a short reply: one sentence. The style guide of gov.uk calls a sentence of more
/// than 25 words too long ("Sentence length", after the Oxford Guide to Plain English).
const MAX_WORDS: usize = 25;

/// Most bytes of a short reply, in case of an endless word.
const MAX_BYTES: usize = 400;

/// Most bytes of an explanation after a value that is alone on its line.
const MAX_EXPLANATION: usize = 4_000;

/// Words that deny a value, leave it open or offer another one. If any occurs, nothing is taken.
static DOUBTING: Words = Words::of(
    "although aucun barely be but can cannot choices choose could default depends doubt either
     example except false geen hardly if ikke incorrect instead inte invalid jamais kein keine
     least likely may maybe might must nao ne nein neither never ni nicht nie niet no non none
     nor not nothing nunca não oder opposite option options or other otherwise pas perhaps
     possibly previous probably question rather seems should than unclear unknown unless unlike
     unlikely unsure was were which without worst wrong yet",
);

/// Characters that may surround a word.
const AROUND: [char; 19] =
    ['.', ',', ';', ':', '!', '?', '(', ')', '"', '\'', '*', '_', '`', '“', '”', '‘', '’', '„', '…'];

/// The only one of `options` that `reply` names from byte `start` on: alone at its start, or in a
/// sentence.
pub(crate) fn named<'r>(reply: &'r str, start: usize, options: &[&str]) -> Option<Candidate<'r>> {
    let place = at_start(reply, start, options).or_else(|| in_sentence(reply, start, options))?;
    let text = &reply[place.clone()];
    let quotes = Note::new(ChangeKind::Quote, Loss::Lossless, place.clone()).after(format!("{text:?}"));
    let node = Node::new(place, Data::Text(Cow::Borrowed(text)));
    Some(Candidate::of(Parsed { node, notes: vec![quotes], is_cut: false, is_guessed: false }))
}

/// The option that is alone in a fence or on a line at the start of the reply. What follows explains
/// it, and names no other one.
fn at_start(reply: &str, start: usize, options: &[&str]) -> Option<Range<usize>> {
    let text = reply[start..].trim_start_matches(is_space);
    let fenced = text.strip_prefix("```").and_then(|text| text.split_once('\n')).map(|(_, text)| text);
    let (head, rest) = match fenced {
        Some(text) => text.split_once("```")?,
        None => text.split_once('\n')?,
    };
    let head = head.trim_matches(|c| is_space(c) || AROUND.contains(&c));
    let place = head.as_ptr() as usize - reply.as_ptr() as usize;
    let named = spelling::only(head, options)?;
    let others: Vec<&str> = options.iter().copied().filter(|option| *option != named).collect();
    let is_explained = rest.len() <= MAX_EXPLANATION && !rest.contains('?');
    (is_explained && mentions(reply, &word_spans(reply, rest), &others).next().is_none())
        .then(|| place..place + head.len())
}

/// The option that a short `reply` names exactly once and presents as the answer: after a verb or a
/// colon and at the end of a sentence, or as its heading.
fn in_sentence(reply: &str, start: usize, options: &[&str]) -> Option<Range<usize>> {
    let words = words(reply, start)?;
    let mut all = mentions(reply, &words, options);
    let place = all.next().filter(|_| all.next().is_none())?;
    let (before, after) = (&reply[start..place.start], &reply[place.end..]);
    let others = words.iter().filter(|word| word.end <= place.start || place.end <= word.start);
    let has_doubt = others.map(|word| &reply[word.clone()]).any(is_doubting) || reply[start..].contains('?');
    let led = before.trim_end_matches(['"', '\'', '“', '‘', '(', '_']);
    let is_stated = leads_to(led) && ends(after)
        || is_heading(before, after)
        || is_called_answer(after)
        || is_alone(before, after);
    (is_stated && !has_doubt).then_some(place)
}

/// Words before a number that is not exact, or that is another one than was asked for.
static VAGUE: Words = Words::of(
    "about almost approximately around at between circa code confidence error etwa environ less line more
     nearly number over page roughly step ungefähr under up",
);

/// The only number that `reply` has from byte `start` on, if a short sentence presents it as the
/// answer: `**42**`, `The value is 12.5.`
pub(crate) fn only_number(reply: &str, start: usize) -> Option<Candidate<'_>> {
    let words = words(reply, start)?;
    let has_digit = |word: &&Range<usize>| reply[(*word).clone()].contains(char::is_numeric);
    let mut numbers = words.iter().filter(has_digit);
    let place = numbers.next().filter(|_| numbers.next().is_none())?.clone();
    let is_negative = reply[..place.start].ends_with(['-', number::MINUS]);
    let number = number::grouped(&reply[place.clone()]).filter(|_| !is_negative)?;
    let (before, after) = (&reply[start..place.start], &reply[place.end..]);
    let is_doubtful =
        |word: &Range<usize>| is_doubting(&reply[word.clone()]) || VAGUE.any_in(&reply[word.clone()]);
    let led = before.trim_end_matches(AROUND_NUMBER);
    // `7!` is a factorial.
    let is_stated = (led.trim().is_empty() || leads_to(led)) && ends(after) && !after.starts_with('!');
    if !is_stated || words.iter().any(is_doubtful) || reply[start..].contains('?') {
        return None;
    }
    let node = Node::new(place, Data::Number(number));
    Some(Candidate::of(Parsed { node, notes: Vec::new(), is_cut: false, is_guessed: false }))
}

/// Characters that may stand right before a number in a sentence.
const AROUND_NUMBER: [char; 4] = ['*', '_', '`', '"'];

/// Returns the spans of the words, without surrounding marks; `None` if there are too many.
fn words(reply: &str, start: usize) -> Option<Vec<Range<usize>>> {
    let text = reply[start..].trim();
    let parts = text.split(is_space).filter(|word| !word.is_empty());
    (text.len() <= MAX_BYTES && parts.take(MAX_WORDS + 1).count() <= MAX_WORDS)
        .then(|| word_spans(reply, text))
}

/// The spans in `reply` of the words of `text`, which is a part of it, without surrounding marks.
fn word_spans(reply: &str, text: &str) -> Vec<Range<usize>> {
    let place = |part: &str| {
        let at = part.as_ptr() as usize - reply.as_ptr() as usize;
        let plain = part.trim_start_matches(AROUND);
        let begin = at + part.len() - plain.len();
        begin..begin + plain.trim_end_matches(AROUND).len()
    };
    text.split(is_space).map(place).filter(|word| !word.is_empty()).collect()
}

/// The mentions of any of `options` among `words`. Of two options at the same word, the longer one is
/// meant.
fn mentions(reply: &str, words: &[Range<usize>], options: &[&str]) -> impl Iterator<Item = Range<usize>> {
    let longest = options.iter().map(|option| option.split([' ', '_', '-', '.']).count()).max().unwrap_or(0);
    let mut first = 0;
    std::iter::from_fn(move || {
        while first < words.len() {
            let mut lengths = (1..=longest.min(words.len() - first)).rev();
            let span = |length: usize| words[first].start..words[first + length - 1].end;
            let is_named = |length: &usize| spelling::only(&reply[span(*length)], options).is_some();
            let found = lengths.find(is_named);
            let mention = found.map(span);
            first += found.unwrap_or(1);
            if mention.is_some() {
                return mention;
            }
        }
        None
    })
}

/// Returns whether a sentence ends before `after`.
fn ends(after: &str) -> bool {
    let after = after.trim_start_matches(['*', '_', '`', '"', '\'', '”', '’', '“', '‘', ')']);
    after.is_empty()
        || after.starts_with('\n')
        || after.starts_with(['.', '!']) && !after[1..].starts_with(char::is_alphanumeric)
}

/// Returns whether the value starts the reply and a colon, dash or bracket follows: `k1: its description`.
fn is_heading(before: &str, after: &str) -> bool {
    let after = after.trim_start_matches(['*', '_', '`', '"', '\'']);
    let is_mark = |mark: &str| after.strip_prefix(mark).is_some_and(|rest| rest.starts_with([' ', '\n']));
    let is_marked = [":", ":**", " -", " –", " —"].into_iter().any(is_mark) || after.starts_with(" (");
    is_marked && before.chars().all(|c| is_space(c) || AROUND.contains(&c))
}

/// Returns whether the value is the first line, or all of the reply: `(B)`.
fn is_alone(before: &str, after: &str) -> bool {
    let (line, _) = after.split_once('\n').unwrap_or((after, ""));
    before.chars().chain(line.chars()).all(|c| is_space(c) || AROUND.contains(&c))
}

/// Returns whether the sentence continues by calling the value before it the answer: `is the best`.
fn is_called_answer(after: &str) -> bool {
    static ANSWERS: Words = Words::of("answer best choice closest correct most right");
    let after = after.trim_start_matches(['*', '_', '`', '"', '\'', '”', '’']);
    let mut words = after.split_whitespace();
    let is = after.starts_with(' ') && words.next() == Some("is");
    let sentence_ends = after.matches(['.', '!']).count();
    let last = words.by_ref().find(|word| !matches!(*word, "the" | "my"));
    let last = last.map(|word| word.trim_end_matches(['.', '!', ',']));
    is && sentence_ends <= 1 && last.is_some_and(|word| ANSWERS.have(word))
}

/// Returns whether `sentence` denies a value, leaves it open or offers another one.
pub(super) fn is_doubted(sentence: &str) -> bool {
    sentence.split_whitespace().any(is_doubting)
}

fn is_doubting(word: &str) -> bool {
    let word = word.to_lowercase().replace('’', "'");
    word.ends_with("n't") || DOUBTING.any_in(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'r>(reply: &'r str, options: &[&str]) -> Option<&'r str> {
        named(reply, 0, options).map(|candidate| &reply[candidate.span])
    }

    #[test]
    fn a_value_that_is_stated_once_is_found() {
        for (reply, options, expected) in [
            ("The answer is **one**", &["one", "two"][..], "one"),
            ("**one** is the answer", &["one", "two"], "one"),
            ("I would think k-2 is the best.", &["k-1", "k-2"], "k-2"),
            ("The answer is one.", &["one", "two"], "one"),
            ("Answer: \"Two\"!", &["one", "two"], "Two"),
            ("k1: its description", &["k1", "k2"], "k1"),
            ("**k1**: its description", &["k1", "k2"], "k1"),
            ("k2 - The second.", &["k1", "k2"], "k2"),
            ("The category is not spam.", &["spam", "not_spam"], "not spam"),
            ("The status is: In Progress", &["in_progress", "done"], "In Progress"),
            ("The grade is a A-.", &["A", "A-"], ""),
            ("The grade is A-", &["A", "A-"], "A-"),
        ] {
            assert_eq!(found(reply, options).unwrap_or_default(), expected, "{reply}");
        }
    }

    #[test]
    fn what_is_denied_open_or_only_spoken_of_is_not() {
        let long = format!("{} The answer is one.", "Well, then. ".repeat(13));
        for reply in [
            "It is not one.",
            "The answer isn't one.",
            "The answer isn’t: one",
            "It is never one",
            "The answer is one or two.",
            "one: two",
            "one: it is one",
            "Is the answer one? It is one.",
            "It might be: one",
            "The answer is one-way.",
            "The answer is one of them.",
            "The number one is lonely.",
            "one day it rained",
            "I cannot say. The default is one.",
            "Die Antwort ist nicht: one",
            "The opposite of the answer is one.",
            "The value has to be: one",
            "The answer is 1.one",
            "The answer is one.5",
            &long,
        ] {
            assert_eq!(found(reply, &["one", "two"]), None, "{reply}");
        }
        assert_eq!(found("This is a test.", &["A", "B"]), None);
        assert_eq!(found("It is not spam.", &["spam", "ham"]), None);
    }
}
