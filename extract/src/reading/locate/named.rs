//! Allowed values and numbers that a reply presents in prose: `The answer is **one**.`, `Label: one`

use std::{borrow::Cow, ops::Range};

use super::{
    super::{
        node::{Data, Node},
        parse::{Parsed, is_space, number},
        prose::{ANSWERS, Words, ends_paragraph, first_bytes, last_bytes, last_line, leads_to, words},
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

/// Most words of a label before a value: `My final classification of this text`.
const MOST_LABEL: usize = 6;

/// Words that leave open the value that a text explains.
static HEDGING: Words = Words::of(
    "could either instead likely may maybe might or otherwise perhaps possibly probably question rather unclear
     unknown unsure wrong",
);

/// Words of a label for how sure a value is.
static SURENESS: Words = Words::of("certainty confidence likelihood probability");

/// Most bytes of an explanation, before or after a value that is alone on its line, that are compared.
const MAX_EXPLANATION: usize = 4_000;

/// Words that deny a value or offer another one. If any of them or of [`HEDGING`] occurs, nothing is taken.
static DENYING: Words = Words::of(
    "although aucun barely be but can cannot choices choose default depends doubt example
     except false geen hardly if ikke incorrect inte invalid jamais kein keine least must nao
     ne nein neither never ni nicht nie niet no non none nor not nothing nunca não oder
     opposite option options other pas previous seems should than unless unlike unlikely was
     were which without worst yet",
);

/// Characters that may surround a word.
const AROUND: [char; 26] = [
    '.', ',', ';', ':', '!', '?', '(', ')', '"', '\'', '*', '_', '`', '“', '”', '‘', '’', '„', '…', '「',
    '」', '『', '』', '«', '»', '。',
];

/// The only one of `options` that `reply` names from byte `start` on: alone at its start or its end, or
/// in a sentence.
pub(crate) fn named<'r>(reply: &'r str, start: usize, options: &[&str]) -> Option<Candidate<'r>> {
    let is_option = |text: &&str| spelling::only(text.trim_matches(AROUND), options).is_some();
    let place = at_start(reply, start, options)
        .or_else(|| at_end(reply, start, options))
        .or_else(|| in_sentence(reply, start, options))
        .or_else(|| Some(place_of(reply, concluded(reply, start).filter(is_option)?.trim_matches(AROUND))))?;
    let text = &reply[place.clone()];
    let quotes = Note::new(ChangeKind::Quote, Loss::Lossless, place.clone()).after(format!("{text:?}"));
    let span = with_box(reply, &place);
    let node = Node::new(place, Data::Text(Cow::Borrowed(text)));
    let candidate = Candidate::of(Parsed { node, notes: vec![quotes], is_cut: false, is_guessed: false });
    Some(Candidate { span, ..candidate })
}

/// The option that is alone in a fence or on a line at the start of the reply, perhaps after a label, or before a
/// comma or a full stop. What follows explains it, and names no other one.
fn at_start(reply: &str, start: usize, options: &[&str]) -> Option<Range<usize>> {
    let (line, rest) = first_block(&reply[start..])?;
    let (head, named, rest) = on_line(line, options)
        .map(|(head, named)| (head, named, rest))
        .or_else(|| before_explanation(reply, line, options))?;
    let others: Vec<&str> = options.iter().copied().filter(|option| *option != named).collect();
    let is_explained = rest.len() <= MAX_EXPLANATION && !reply[start..].contains('?');
    // An explanation under its own label may say why the others are not right.
    let is_labelled = || labelled(line).is_some_and(|(label, _)| is_of_answer(label)) && is_explanation(rest);
    let is_labelled = is_explained && is_labelled();
    let is_other = |place: Range<usize>| !is_labelled || is_stated(reply, &place);
    (is_explained && !mentions(reply, &word_spans(reply, rest), &others).any(is_other))
        .then(|| place_of(reply, head))
}

/// The option before the first comma, bracket or full stop of `line`, its name, and all that follows it in `reply`.
fn before_explanation<'r, 'o>(
    reply: &'r str,
    line: &'r str,
    options: &[&'o str],
) -> Option<(&'r str, &'o str, &'r str)> {
    let line = first_bytes(line, MAX_BYTES);
    let (head, named) = alone(&line[..line.find(['.', ',', '!', ')', '。', '，'])?], options)?;
    let rest = &reply[place_of(reply, head).end..];
    if rest.len() > MAX_EXPLANATION {
        return None;
    }
    // `No. 5` counts something, and `Yes, but only partly` leaves it open.
    let is_sentence = named.contains(char::is_alphabetic)
        && rest.trim_start_matches(AROUND).trim_start().starts_with(char::is_alphabetic);
    (is_sentence && !QUALIFYING.any_in(rest)).then_some((head, named, rest))
}

/// Words after a value that leave it open.
static QUALIFYING: Words = Words::of(
    "aber actually although aunque but correct correction depends determine doch except false however if incorrect know
     maar mais mas men might nur only partially partly perhaps pero possibly probably rather solo sorry sure tell though
     true unknown unless unsure wait while yet но 但 不对",
);

/// Returns whether `text` starts with a label for the reasons of a value, and takes nothing back.
fn is_explanation(text: &str) -> bool {
    static REASONS: Words =
        Words::of("begründung explanation explicación explication justification rationale reason reasoning");
    let label = text.trim_start().split_once([':', '：']).map_or("", |(label, _)| label);
    words(label).count() == 1 && REASONS.any_in(label) && !QUALIFYING.any_in(text)
}

/// Returns whether the text around `place` states what is there.
fn is_stated(reply: &str, place: &Range<usize>) -> bool {
    leads_to(reply[..place.start].trim_end_matches(AROUND)) && ends(&reply[place.end..])
}

/// The option that is alone in a fence or on a line at the end of the reply, perhaps after a label:
/// `Answer: **one**`. What precedes it leads to it, and states no other one.
fn at_end(reply: &str, start: usize, options: &[&str]) -> Option<Range<usize>> {
    let (before, line) = last_block(&reply[start..])?;
    let (value, named) = on_line(line, options)?;
    let previous = last_line(before.trim_end());
    let is_apart = labelled(line).is_some() || ends_paragraph(before) || line.starts_with("**");
    let is_one_of_several =
        on_line(previous, options).is_some() || starts_with_bullet(line) || line.contains('?');
    let is_doubtful = !previous.ends_with('.') && is_doubted(previous);
    let is_other = |place: &Range<usize>| spelling::only(&reply[place.clone()], options) != Some(named);
    let before = last_bytes(before, MAX_EXPLANATION);
    if mentions(reply, &word_spans(reply, before), options).filter(is_other).any(|one| is_stated(reply, &one))
    {
        return None;
    }
    (is_apart && !is_one_of_several && !is_doubtful).then(|| place_of(reply, value))
}

/// What the reply comes to in its last sentence, if that is said once: of `So the answer is 7.` and
/// `$\boxed{7}$`, the `7`.
fn concluded(reply: &str, start: usize) -> Option<&str> {
    static CONCLUDING: Words = Words::of("accordingly consequently finally hence so therefore thus");
    static LEADING: Words = Words::of("final my our the");
    let text = reply[start..].trim_end_matches(|c| is_space(c) || matches!(c, '.' | '$' | '*' | '!'));
    if text.contains('?') {
        return None;
    }
    // As in the exercises that models are measured with.
    let text =
        text.strip_suffix("I hope it is correct").map_or(text, |text| text.trim_end_matches([' ', '.', '$']));
    if let Some((before, boxed)) = text.rsplit_once(BOX) {
        let value = boxed.strip_suffix('}').filter(|value| !value.contains(['{', '}', '\\']))?;
        return (!before.contains(BOX)).then_some(value);
    }
    if let Some((before, value)) = ["答案是", "答案为", "答案："].iter().find_map(|is| text.rsplit_once(is))
    {
        let is_only = !before.contains("答案") && before.chars().count() <= MOST_LABEL;
        return is_only.then(|| value.trim_end_matches('。'));
    }
    if let Some((before, value)) = text.rsplit_once(". The answer: ") {
        return (!before.contains("answer")).then_some(value);
    }
    let (before, value) = text.rsplit_once(" answer is ")?;
    let sentence = before.rsplit('\n').next()?.rsplit(". ").next()?;
    let said: Vec<&str> = words(sentence).collect();
    let is_conclusion = said.split_first().is_some_and(|(first, rest)| {
        CONCLUDING.have(first) && rest.len() < MOST_LABEL && rest.iter().all(|word| LEADING.have(word))
    });
    (is_conclusion && !before.contains(" answer is ")).then_some(value)
}

/// The text that is alone on `line`, perhaps after a label, without the marks around it, and the one of
/// `options` that it names.
fn on_line<'t, 'o>(line: &'t str, options: &[&'o str]) -> Option<(&'t str, &'o str)> {
    if line.len() > MAX_BYTES {
        return None;
    }
    alone(line, options).or_else(|| {
        let (label, value) = labelled(line)?;
        let is_other = is_doubted(label) || SURENESS.any_in(label) || words(label).last() == Some("be");
        let is_label = !is_other && alone(label, options).is_none();
        alone(value, options).filter(|_| is_label)
    })
}

/// `text` without the marks and pictures around it, and the one of `options` that it names.
fn alone<'t, 'o>(text: &'t str, options: &[&'o str]) -> Option<(&'t str, &'o str)> {
    // The blocks of arrows, symbols and emoji begin there.
    let is_picture = |c: char| c > '\u{2190}' && !c.is_alphanumeric();
    let text = text.trim_matches(|c| is_space(c) || AROUND.contains(&c));
    [text, text.trim_start_matches(|c| is_picture(c) || c == ' ')]
        .into_iter()
        .find_map(|text| spelling::only(text, options).map(|named| (text, named)))
}

/// The first line of `text`, or the content of a fence at its start, and what follows.
fn first_block(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_matches(is_space);
    match text.strip_prefix("```").and_then(|text| text.split_once('\n')) {
        Some((_, text)) => text.split_once("```"),
        None => Some(text.split_at(text.find('\n').unwrap_or(text.len()))),
    }
}

/// The last line of `text`, or the content of a fence at its end, and what precedes it.
fn last_block(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_matches(is_space);
    match text.strip_suffix("```") {
        Some(text) => {
            let (before, block) = text.rsplit_once("```")?;
            Some((before, block.split_once('\n')?.1.trim_matches(is_space)))
        }
        None => Some(text.split_at(text.rfind('\n').map_or(0, |at| at + 1))),
    }
}

/// The label of `line` and its value: `Final answer: one`.
fn labelled(line: &str) -> Option<(&str, &str)> {
    let (label, value) = line.rsplit_once([':', '：'])?;
    // What has a label of its own is another value.
    let is_label = words(label).count() <= MOST_LABEL && !label.contains([':', '：']);
    is_label.then_some((label, value))
}

/// Returns whether `line` is an element of a list.
fn starts_with_bullet(line: &str) -> bool {
    let line = line.trim_start();
    let is_mark = |mark: &str| line.starts_with(mark);
    ["- ", "* ", "+ ", "•"].into_iter().any(is_mark)
        || line
            .split_once(['.', ')'])
            .is_some_and(|(number, _)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The span in `reply` of `part`, which is a part of it.
pub(super) fn place_of(reply: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - reply.as_ptr() as usize;
    start..start + part.len()
}

/// The option that a short `reply` names exactly once and presents as the answer: after a verb or a
/// colon and at the end of a sentence, in bold or quotes, or as its heading.
fn in_sentence(reply: &str, start: usize, options: &[&str]) -> Option<Range<usize>> {
    let words = short(reply, start)?;
    let mut all = mentions(reply, &words, options);
    let place = all.next().filter(|_| all.next().is_none())?;
    let (before, after) = (&reply[start..place.start], &reply[place.end..]);
    let others = words.iter().filter(|word| word.end <= place.start || place.end <= word.start);
    let mut others = others.map(|word| &reply[word.clone()]);
    let line = last_line(before);
    if reply[start..].contains('?') || SURENESS.any_in(line) {
        return None;
    }
    if is_heading(before, after) {
        let is_denied = others.next().is_some_and(is_doubting);
        return (!is_denied && !others.any(|word| HEDGING.any_in(word))).then_some(place);
    }
    let led = before.trim_end_matches(['"', '\'', '“', '‘', '(', '_']);
    let is_end = ends(after) || explains(after);
    let is_stated = (leads_to(led) || led.ends_with(" as ") || is_marked(before, after)) && is_end
        || is_called_answer(after);
    (is_stated && !others.any(is_doubting)).then_some(place)
}

/// Returns whether the value is in bold, in quotes or marked as code.
fn is_marked(before: &str, after: &str) -> bool {
    ["**", "`", "\""].into_iter().any(|mark| before.ends_with(mark) && after.starts_with(mark))
}

/// Words before a number that is not exact, or that is another one than was asked for.
static VAGUE: Words = Words::of(
    "about almost approximately around at between circa code confidence error etwa environ less line more
     nearly number over page roughly step ungefähr under up",
);

/// The number that `reply` presents as the answer from byte `start` on: alone at its start or its end,
/// or as the only one in a short sentence: `**42**`, `The value is 12.5.`
pub(crate) fn only_number(reply: &str, start: usize) -> Option<Candidate<'_>> {
    let place = number_at_start(reply, start)
        .or_else(|| number_at_end(reply, start))
        .or_else(|| Some(place_of(reply, lone_number(concluded(reply, start)?)?)))
        .or_else(|| number_in_sentence(reply, start))?;
    let number = number::grouped(&reply[place.clone()])?;
    let span = with_box(reply, &place);
    let node = Node::new(place, Data::Number(number));
    let candidate = Candidate::of(Parsed { node, notes: Vec::new(), is_cut: false, is_guessed: false });
    Some(Candidate { span, ..candidate })
}

/// The span of the value at `place` with the box around it: `\boxed{7}`.
fn with_box(reply: &str, place: &Range<usize>) -> Range<usize> {
    let is_boxed = reply[..place.start].ends_with(BOX) && reply[place.end..].starts_with('}');
    if is_boxed { place.start - BOX.len()..place.end + 1 } else { place.clone() }
}

/// What opens a box of LaTeX, in which answers to exercises are.
const BOX: &str = "\\boxed{";

/// The number that is alone on the first line. What follows has no other one.
fn number_at_start(reply: &str, start: usize) -> Option<Range<usize>> {
    let (head, rest) = first_block(&reply[start..])?;
    let head = lone_number(head)?;
    let is_other = |word: &str| word.contains(|c: char| c.is_ascii_digit()) && word != head;
    let mut numbers =
        rest.split(|c: char| !c.is_ascii_digit() && c != '.').map(|word| word.trim_matches('.'));
    let is_explained = !rest.is_empty() && rest.len() <= MAX_EXPLANATION && !rest.contains('?');
    (is_explained && !numbers.any(is_other)).then(|| place_of(reply, head))
}

/// Other words that mark what follows them as the answer.
static RESULTS: Words = Words::of("ergebnis result resultado résultat risultato результат 結果 结果");

/// Returns whether `label` marks what follows it as the answer.
fn is_of_answer(label: &str) -> bool {
    words(label).last().is_some_and(|word| ANSWERS.have(word) || RESULTS.have(word)) && !is_doubted(label)
}

/// Returns whether the last line of `text` may be marked as the answer.
pub(crate) fn may_be_marked(text: &str) -> bool {
    let line = last_line(text.trim_end());
    line.starts_with("#### ") || line.starts_with("**") || ANSWERS.any_in(line) || RESULTS.any_in(line)
}

/// The number that is alone on the last line and marked as the answer: `#### 391`, `Answer: 72`.
fn number_at_end(reply: &str, start: usize) -> Option<Range<usize>> {
    let (before, line) = last_block(&reply[start..])?;
    let (value, is_final) = match labelled(line) {
        Some((label, value)) => (value, is_of_answer(label)),
        None => (line, line.starts_with("#### ") || ends_paragraph(before) && line.starts_with("**")),
    };
    let number = lone_number(value).filter(|_| is_final)?;
    // The answer on an earlier line is another one.
    let is_other = |line: &str| {
        let earlier = labelled(line).filter(|(label, _)| is_of_answer(label));
        earlier.and_then(|(_, value)| lone_number(value)).is_some_and(|other| other != number)
    };
    let is_only = !last_bytes(before, MAX_EXPLANATION).lines().any(is_other);
    is_only.then(|| place_of(reply, number))
}

/// `line` without marks around it, if it is a number.
fn lone_number(line: &str) -> Option<&str> {
    let line = line.trim_matches(|c| is_space(c) || matches!(c, '*' | '_' | '`' | '#' | '"'));
    let line = line.strip_suffix('.').unwrap_or(line);
    number::grouped(line).map(|_| line)
}

fn number_in_sentence(reply: &str, start: usize) -> Option<Range<usize>> {
    let words = short(reply, start)?;
    let has_digit = |word: &&Range<usize>| reply[(*word).clone()].contains(char::is_numeric);
    let mut numbers = words.iter().filter(has_digit);
    let place = numbers.next().filter(|_| numbers.next().is_none())?.clone();
    let is_negative = reply[..place.start].ends_with(['-', number::MINUS]);
    let (before, after) = (&reply[start..place.start], &reply[place.end..]);
    let is_doubtful =
        |word: &Range<usize>| is_doubting(&reply[word.clone()]) || VAGUE.any_in(&reply[word.clone()]);
    let led = before.trim_end_matches(AROUND_NUMBER);
    // `7!` is a factorial, and `>= 3` a bound.
    let is_bound = led.trim_start().starts_with(['<', '>', '≤', '≥', '~', '≈', '!']);
    let is_stated =
        (led.trim().is_empty() || leads_to(led)) && ends(after) && !after.starts_with('!') && !is_bound;
    let has_doubt = words.iter().any(is_doubtful) || reply[start..].contains('?');
    (is_stated && !is_negative && !has_doubt).then_some(place)
}

/// Characters that may stand right before a number in a sentence.
const AROUND_NUMBER: [char; 4] = ['*', '_', '`', '"'];

/// Returns the spans of the words of a short reply, without surrounding marks.
fn short(reply: &str, start: usize) -> Option<Vec<Range<usize>>> {
    let text = reply[start..].trim();
    let parts = text.split(is_space).filter(|word| !word.is_empty());
    (text.len() <= MAX_BYTES && parts.take(MAX_WORDS + 1).count() <= MAX_WORDS)
        .then(|| word_spans(reply, text))
}

/// The spans in `reply` of the words of `text`, which is a part of it, without surrounding marks.
fn word_spans(reply: &str, text: &str) -> Vec<Range<usize>> {
    let place = |part: &str| place_of(reply, part.trim_matches(AROUND));
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
        || after.starts_with(['\n', '\r'])
        || after.starts_with(['.', '!']) && !after[1..].starts_with(char::is_alphanumeric)
}

/// Returns whether `after` gives the reason for the value before it: `, because …`, ` (CVSS 8.1)`
fn explains(after: &str) -> bool {
    let inside =
        after.strip_prefix(" (").and_then(|after| after.trim_end_matches(['.', '*']).strip_suffix(')'));
    if inside.is_some_and(|inside| !inside.contains(['(', ')', '\n'])) {
        return true;
    }
    let after = after.trim_start_matches(['*', '_', '`', '"', '\'', '”', '’', ',']);
    ["because", "since"]
        .iter()
        .any(|word| after.strip_prefix(' ').is_some_and(|after| after.starts_with(word)))
}

/// Returns whether the value starts the reply and a colon, dash or bracket follows: `k1: its description`.
fn is_heading(before: &str, after: &str) -> bool {
    let after = after.trim_start_matches(['*', '_', '`', '"', '\'']);
    let is_mark = |mark: &str| after.strip_prefix(mark).is_some_and(|rest| rest.starts_with([' ', '\n']));
    let is_marked = [":", ":**", " -", " –", " —"].into_iter().any(is_mark) || after.starts_with(" (");
    is_marked && before.chars().all(|c| is_space(c) || AROUND.contains(&c))
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
    word.ends_with("n't") || DENYING.any_in(&word) || HEDGING.any_in(&word)
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
            ("one\n\nIt is not the largest.", &["one", "two"], "one"),
            ("```json\n\"one\"\n```\nThe smallest.", &["one", "two"], "one"),
            ("Neither two nor three fits.\n\nLabel: **one**", &["one", "two"], "one"),
            ("It counts from zero.\n\n```\none\n```", &["one", "two"], "one"),
            ("分類結果：one", &["one", "two"], "one"),
            ("I would classify it as `one`.", &["one", "two"], "one"),
            ("It is one, because it fits.", &["one", "two"], "one"),
            ("A closer look at two things. So the answer is one.", &["one", "two"], "one"),
        ] {
            assert_eq!(found(reply, options).unwrap_or_default(), expected, "{reply}");
        }
    }

    #[test]
    fn a_number_that_is_alone_or_marked_as_the_answer_is_found() {
        let number = |reply| only_number(reply, 0).map(|candidate| candidate.node.data);
        let is = |reply, expected: u64| matches!(number(reply), Some(Data::Number(found)) if found == expected.into());
        assert!(is("34\n\nThe patient is a 34-year-old woman.", 34));
        assert!(is("17 * 23 = 340 + 51\n\n#### 391", 391));
        assert!(is("36 - 8 = 28\n\n**28**", 28));
        assert!(is("48 + 24 = 72.\n\nFinal answer: 72", 72));
        assert!(is("3 apples and 4 pears make 7 fruits. So the answer is 7.", 7));
        assert!(is("Thus $3 + 4 = \\boxed{7}$.", 7));
        for reply in ["B says that the answer is 7. So the answer is 8.", "\\boxed{7} or \\boxed{8}"] {
            assert!(number(reply).is_none(), "{reply}");
        }
        for reply in ["34\n\nOr 35.", "Step 1: 5\nStep 2: 6", "5\n6", "a is 5\n\n6", "Not the answer: 6"] {
            assert!(number(reply).is_none(), "{reply}");
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
            "one\n\nOr rather two.",
            "one?\n\nIt fits.",
            "one\ntwo",
            "- one\n- two",
            "The number is two.\n\n**one**",
            "It is not:\n\none",
            "Not the label: one",
            "Confidence: one\n\nIt fits.",
            &long,
        ] {
            assert_eq!(found(reply, &["one", "two"]), None, "{reply}");
        }
        for reply in ["A-", "-A", "Label: A-", "It fits.\n\nA+"] {
            assert_eq!(found(reply, &["A", "B"]), None, "a sign makes another name: {reply}");
        }
        assert_eq!(found("This is a test.", &["A", "B"]), None);
        assert_eq!(found("It is not spam.", &["spam", "ham"]), None);
    }
}
