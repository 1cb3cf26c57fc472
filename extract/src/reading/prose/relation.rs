//! Judges the text between two objects: are they elements of one list, or drafts of one answer?

use std::ops::Range;

use super::{
    phrases::{PhraseMeaning, says},
    standing::{lead, leads_to},
    words::{Words, ends_sentence, first_bytes, last_bytes, words},
};
use crate::reading::envelope;

/// Words between two objects that withdraw the first one, offer another one or sum up. In doubt the
/// objects are not one list: a draft that becomes an element is a wrong value.
static REVISING: Words = Words::of(
    "actually again alternative alternatively analysis answer better but change changed check
     checking correct corrected correction draft else error example final finally fix fixed
     form format hence however if improved instead invalid meant mistake modified never nicht
     no non not now oder old oops or ou output rather reasoning reflection response result
     revised schema scratchpad should so sorry summary template than that therefore think
     thinking thought thus unless update updated version wait was would wrong",
);

/// Returns whether `sentence`, which breaks off, begins as one that withdraws the value before it:
/// `Checking it: `.
pub(crate) fn may_revise(sentence: &str) -> bool {
    let mut said = words(sentence).map(str::to_lowercase);
    let first = said.next().unwrap_or_default();
    REVISING.have(&first) || first == "on" && said.next().is_some_and(|next| next == "second")
}

/// Words that merely connect one element to the next.
static LEADING_ON: Words = Words::of(
    "also and another fifth first fourth is json last next number object one plus second sixth
     the then third three to two",
);

/// Bytes before an object that are examined.
const BEFORE: usize = 200;

/// The surroundings of the first of several objects.
#[derive(Debug, Default)]
pub(crate) struct First {
    /// The words before it on its line, without numbers.
    label: String,
    /// Whether the text before it says that it may not be meant.
    is_revised: bool,
}

impl First {
    /// The object that starts at byte `start`.
    pub(crate) fn at(reply: &str, start: usize) -> Self {
        let before = last_bytes(&reply[..start], BEFORE);
        Self { label: label(before), is_revised: REVISING.any_in(before) }
    }

    /// Returns whether the object at `span` is an element of the same list, judging by the text
    /// between it and the previous object, which ends at byte `end`.
    pub(crate) fn is_followed_by(&self, reply: &str, end: usize, span: &Range<usize>) -> bool {
        let between = &reply[end..span.start];
        if self.is_revised || between.contains('?') || REVISING.any_in(between) {
            return false;
        }
        words(between).all(|word| LEADING_ON.have(word))
            || between.contains('\n') && label(between) == self.label
            || self.label.is_empty() && stands_alone(reply, between, span.end)
    }
}

/// How an earlier value relates to a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// It is a draft, which the text replaces by the later one.
    Replaced,
    /// Nothing says so.
    Unclear,
}

/// Words that introduce another answer rather than a better one.
static OFFERING: Words = Words::of(
    "alternative alternatively another else example gold if oder or ou reference should than too unless would",
);

/// Words that introduce a better answer, even where another one is offered.
static PREFERRING: Words = Words::of("corrected correction rather");

/// Words that mark a value as a draft.
static DRAFTING: Words = Words::of(
    "analysis attempt draft example form format old previous reasoning schema scratchpad
     template thinking thought try wrong",
);

/// Relates the value at `one` of `reply` to the one at `other`, which follows it, by the text between
/// them and the label of the first.
pub(crate) fn relation(reply: &str, one: &Range<usize>, other: &Range<usize>) -> Relation {
    let between = &reply[one.end.min(other.start)..other.start];
    if are_in_twin_tags(between) || asks_anew(between) || is_outdated(between) || is_earlier(between) {
        return Relation::Unclear;
    }
    let (first, last) = (first_bytes(between, BEFORE), last_bytes(between, BEFORE));
    let has = |known: &Words| known.any_in(first) || known.any_in(last);
    let is_draft = is_drafted(&reply[..one.start], &DRAFTING);
    // Two values under one label are two answers, unless the text between them says more.
    let (before, of_other) = between.trim_end().rsplit_once('\n').unwrap_or(("", between));
    let of_one = label(last_bytes(&reply[..one.start], BEFORE).trim_end());
    if !of_one.is_empty()
        && of_one == label(last_bytes(of_other, BEFORE))
        && !REVISING.any_in(last_bytes(before, BEFORE))
    {
        return Relation::Unclear;
    }
    let is_said = || [first, last].iter().any(|part| says(part, &[PhraseMeaning::Final]));
    let is_offered = || has(&OFFERING) || between.contains('?');
    let is_replaced = has(&PREFERRING) || !is_offered() && (has(&REVISING) || is_said());
    if is_draft || is_replaced { Relation::Replaced } else { Relation::Unclear }
}

/// Labels of what another answer is about.
const QUESTIONS: [&str; 8] =
    ["document:", "input:", "passage:", "q:", "query:", "question:", "sentence:", "text:"];

/// Returns whether a line of `between` is the next question: a model that does not stop goes on with
/// another example.
fn asks_anew(between: &str) -> bool {
    between.lines().any(|line| {
        let line = line.trim_start_matches([' ', '*', '#']);
        QUESTIONS
            .iter()
            .any(|label| line.get(..label.len()).is_some_and(|start| start.eq_ignore_ascii_case(label)))
    })
}

/// Returns whether `between` closes an element and opens one of the same name: `</answer><answer>`.
fn are_in_twin_tags(between: &str) -> bool {
    let tags = between.trim().strip_prefix("</").and_then(|rest| rest.split_once('>'));
    let opened =
        tags.and_then(|(name, rest)| Some((name, rest.trim().strip_prefix('<')?.strip_suffix('>')?)));
    opened.is_some_and(|(closed, opened)| closed == opened)
}

/// Words that call a value a draft, whatever follows it.
static UNFINISHED: Words = Words::of("attempt draft entwurf scratchpad try");

/// Words of a label that calls the value after it an earlier one, wherever they are in it.
static EARLIER: Words =
    Words::of("antes avant before earlier former old outdated previous previously prior vorher");

/// Last words of such a label.
static WAS: Words = Words::of("corrects era fue replaces supersedes war was were était был было");

/// Returns whether the label before a value calls it earlier than one before it: `The old one for comparison:`.
fn is_earlier(before: &str) -> bool {
    let line = lead(before).rsplit('\n').next().unwrap_or_default();
    is_label(line) && (EARLIER.any_in(line) || words(line).last().is_some_and(|word| WAS.have(word)))
}

/// Words of a label that calls a value something else than the answer.
static OUTDATED: Words = Words::of(
    "bad before default draft else entwurf expected falsch former formerly incorrect incorrecto input
     invalid lambda not observation old original otherwise previous previously prompt question
     rejected request undo wrong 错误",
);

/// Words that call a value outdated at the start of a longer label, too: `Old ticket for comparison:`
static OLD: Words = Words::of("former old outdated previous rejected");

/// Most words of such a label.
const MOST_OLD: usize = 6;

/// Words that call what they go with made up.
static SAMPLES: Words = Words::of(
    "arbitrary beispiel dummy ejemplo esempio example exemple fictional fictitious hypothetical
     hypothetically illustrative invented mock placeholder placeholders possible random sample template
     typical пример 示例",
);

/// Words for a value, after one of [`SAMPLES`].
static VALUES: Words = Words::of(
    "answer data for format guess json number object of only output outputs reply response result results showing
     value values",
);

/// Words before one of [`SAMPLES`] that speak of a text that was given.
static GIVEN: Words = Words::of("each every given that the these this those your");

/// Returns whether `said` has a value that is made up: `an example of the format`, but not `the sample
/// document`.
pub(crate) fn shows_sample(said: &[&str]) -> bool {
    said.iter().enumerate().any(|(at, word)| {
        let may_be_given = matches!(&*word.to_lowercase(), "example" | "sample");
        let is_given = may_be_given && at > 0 && GIVEN.have(said[at - 1]);
        let is_value = said.get(at + 1).is_none_or(|next| VALUES.have(next) || SAMPLES.have(next));
        SAMPLES.have(word) && is_value && !is_given
    })
}

/// Words that call the value after them the answer.
static ANSWERING: Words = Words::of("actual correct correcta corrected final real right");

/// Other words that hand the value over.
static HANDING: Words = Words::of("answer antwort data here hier mine respuesta risposta réponse voici");

/// The last of several clauses of `sentence`: `the right one is` of `The one above is an example, the right one is`.
fn last_clause(sentence: &str) -> &str {
    sentence.rsplit_once([',', ';', '，']).map_or("", |(_, clause)| clause)
}

/// Returns whether the sentence that leads to a value calls it made up, or supposes it:
/// `For example:`, `If there were one, it would be:`, `It could be`.
pub(crate) fn is_sample(before: &str) -> bool {
    let before = lead(before);
    let sentence = before.trim_end_matches([':', '：']).rsplit(ends_sentence).next().unwrap_or_default();
    let said: Vec<String> = words(sentence).map(str::to_lowercase).collect();
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    let has = |known: &str| said.contains(&known);
    let is_supposed = matches!(
        said[..],
        [.., "could" | "may" | "might", "be"]
            | [.., "could" | "may" | "might", "have", "been"]
            | [.., "something" | "look", "like"]
            | [.., "something" | "look", "like", "this"]
            | [.., "would", "answer" | "guess" | "say"]
            | [.., "for", "example" | "instance"]
            | [.., "format", "is"]
            | [.., "format", "should" | "would", "be"]
            // `if x: {…}` is code.
            | ["if", _]
    );
    // `It may be {…} or {…}`
    let has_both =
        |first: &[&str], next: &str| said.windows(2).any(|two| first.contains(&two[0]) && two[1] == next);
    let is_one_of_two = said.last() == Some(&"or") && has_both(&["could", "may", "might"], "be");
    let is_conditional = has("if") && (has("would") || has("might") || has("could"));
    let leads = leads_to(before) || is_label(before.rsplit('\n').next().unwrap_or_default());
    is_supposed
        || is_one_of_two
        || leads && (shows_sample(&said) && !ANSWERING.any_in(last_clause(sentence)) || is_conditional)
}

/// Returns whether `line` is the label of a value: it ends with a colon or a tag, or is a heading or in
/// bold.
fn is_label(line: &str) -> bool {
    line.ends_with([':', '>', '：']) || line.starts_with('#') || line.starts_with("**")
}

/// Returns whether the label before a value, `Old: `, says that it is not the answer.
pub(crate) fn is_outdated(before: &str) -> bool {
    let before = lead(before);
    let line = before.rsplit('\n').next().unwrap_or_default();
    let count = words(line).count();
    let is_old = || count <= MOST_OLD && words(line).next().is_some_and(|word| OLD.have(word));
    let is_label = is_label(line) && (count <= 3 || is_old()) || line == "not";
    let is_article =
        |word: &&str| ["a", "action", "an", "the"].iter().any(|known| word.eq_ignore_ascii_case(known));
    let says_so = words(line).find(|word| !is_article(word)).is_some_and(|word| OUTDATED.have(word));
    // The format of LangChain's agents.
    let is_final = || {
        before
            .lines()
            .rev()
            .nth(1)
            .and_then(|line| line.strip_prefix("Action:"))
            .is_some_and(envelope::is_final)
    };
    is_label && !is_final() && (says_so || line.ends_with("<tool_response>")) || before.ends_with('❌')
}

/// Returns whether the line `before` a value calls it a draft.
pub(crate) fn is_draft(before: &str) -> bool {
    is_drafted(before, &UNFINISHED)
}

fn is_drafted(before: &str, known: &Words) -> bool {
    known.any_in(last_bytes(before, BEFORE).trim_end().rsplit('\n').next().unwrap_or_default())
}

/// Words that show a value as an example, or offer it.
static EXAMPLES: Words = Words::of("beispiel ejemplo esempio example exemple instance instead prefer");

/// Returns whether the text around a value shows it as an example or offers it: "for example …",
/// "if you want … instead".
pub(crate) fn is_offered(before: &str, after: &str) -> bool {
    let said = lead(before).rsplit(ends_sentence).next().unwrap_or_default();
    let follows = first_bytes(after, BEFORE).split(ends_sentence).next().unwrap_or_default();
    let has = |known: &str| words(said).any(|word| word.eq_ignore_ascii_case(known));
    // `Alternatively, if you meant the box:` leaves open which one is right.
    let is_conditional = has("if") && !["alternatively", "else", "mean", "meant"].into_iter().any(has);
    let clause = last_clause(said);
    let is_handed = || ANSWERING.any_in(clause) || HANDING.any_in(clause);
    EXAMPLES.any_in(said) && !is_handed() || EXAMPLES.any_in(follows) || is_conditional
}

/// Returns whether each of the two objects is on lines of its own.
fn stands_alone(reply: &str, between: &str, end: usize) -> bool {
    let is_end = |text: &str| {
        let text = text.trim_start_matches([' ', '\t', '\r', ';', ',', '`']);
        text.is_empty() || text.starts_with('\n')
    };
    between.contains('\n') && is_end(between) && label(between).is_empty() && is_end(&reply[end..])
}

/// The words before an object on its line, without numbers and marks: `invoice` of
/// `2. Invoice 2: {`.
fn label(before: &str) -> String {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let words = words(line).filter(|word| !LEADING_ON.have(word));
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether the objects in `reply`, each written `{}`, are one list.
    fn are_elements(reply: &str) -> bool {
        let places: Vec<usize> = reply.match_indices("{}").map(|(at, _)| at).collect();
        let first = First::at(reply, places[0]);
        places.windows(2).all(|two| first.is_followed_by(reply, two[0] + 2, &(two[1]..two[1] + 2)))
    }

    #[test]
    fn what_is_counted_joined_or_on_lines_of_its_own_is_one_list() {
        for reply in [
            "First {} and then {}.",
            "1. {}\n2. {}\n3. {}",
            "1. First one: {}\n2. Second one: {}",
            "Invoice 1: {}\nInvoice 2: {}",
            "Two people:\n```json\n{}\n```\nand\n```json\n{}\n```",
            "**Ann**\n{}\n\n**Bo**, who is her brother:\n{}\n",
        ] {
            assert!(are_elements(reply), "{reply}");
        }
    }

    #[test]
    fn what_is_taken_back_offered_or_summed_up_is_none() {
        for reply in [
            "Draft: {}. Final: {}",
            "{} no, {}",
            "{}\nWait, that is wrong.\n{}",
            "For example:\n{}\nAnn is 5.\n{}",
            "{} or {}",
            "Is it {}? {}",
            "{}\n</think>\n{}",
            "Ann said {} when Bo came with {}",
            "{}\nSo the answer is:\n{}",
            "Ann: {}\nBo: {}",
        ] {
            assert!(!are_elements(reply), "{reply}");
        }
    }
}
