//! Judges the text between two objects: are they elements of one list, or drafts of one answer?

use std::ops::Range;

use super::{
    Words, ends_sentence, first_bytes,
    introduction::{is_final_action, is_handed, is_label, is_outdated},
    last_bytes, last_line,
    phrases::{PhraseMeaning, says},
    standing::lead,
    starts_like,
    stated::after_bullet,
    words,
};

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

/// Marks between two objects that are not elements of one list.
const SETTING_APART: [&str; 15] =
    ["?", "~~", "!=", "≠", "→", "->", "=>", "⇒", "↓", "%", "❌", "✗", "✘", " = ", " | "];

/// Returns whether the text `between` two objects says that they are not elements of one list. `mark` is what the line
/// of the first one begins with.
pub(crate) fn sets_apart(between: &str, mark: &str) -> bool {
    // In a difference or in code, a line is marked as added or as no part of it.
    let own = last_line(last_bytes(between, BEFORE)).trim();
    let is_marked = matches!(own, "+" | "-" | "#" | "//" | "--" | "<" | ">") && own != mark.trim();
    is_marked && between.contains('\n') || SETTING_APART.iter().any(|mark| between.contains(mark))
}

/// Words of a label that several values have, of which one counts.
static TRYING: Words =
    Words::of("attempt candidate draft guess hypothesis iteration option round take try v variant version");

/// Returns whether a line of `between` is itself an element: `- Ben, 28`.
fn has_element(between: &str) -> bool {
    let is_element = |line: &str| {
        after_bullet(line.trim_start()).is_some_and(|element| element.starts_with(char::is_alphanumeric))
    };
    let (lines, _) = between.rsplit_once('\n').unwrap_or_default();
    lines.lines().skip(1).any(is_element)
}

/// The surroundings of the first of several objects.
#[derive(Debug, Default)]
pub(crate) struct First {
    /// The words before it on its line, without numbers.
    label: String,
    /// The line before it, which may be a mark.
    mark: String,
    /// Whether the text before it says that it may not be meant.
    is_revised: bool,
}

impl First {
    /// The object that starts at byte `start`.
    pub(crate) fn at(reply: &str, start: usize) -> Self {
        let before = last_bytes(&reply[..start], BEFORE);
        let label = label(before);
        let is_revised = REVISING.any_in(before) || TRYING.any_in(&label);
        Self { label, mark: last_line(before).trim().to_owned(), is_revised }
    }

    /// Returns whether the object at `span` is an element of the same list, judging by the text
    /// between it and the previous object, which ends at byte `end`.
    pub(crate) fn is_followed_by(&self, reply: &str, end: usize, span: &Range<usize>) -> bool {
        let between = &reply[end..span.start];
        if self.is_revised
            || sets_apart(between, &self.mark)
            || has_element(between)
            || REVISING.any_in(between)
        {
            return false;
        }
        words(between).all(|word| LEADING_ON.have(word))
            || between.contains('\n') && label(between) == self.label
            || self.label.is_empty() && stands_alone(reply, between, span.end)
    }
}

/// Words between two values that replace the first one by the second, or conclude with it. Of [`REVISING`], those
/// that say so by themselves: `That is all, no others are named.` does not.
static REPLACING: Words = Words::of(
    "actually answer better change changed checking correct corrected correction draft final finally fix fixed
     hence improved instead invalid korrektur korrigiert meant mistake modified oops output rather redone replaced
     replaces result revised should so sorry therefore thus update updated version wait wrong",
);

/// Words that take back what was said if nothing but a mark follows them.
static NO: Words = Words::of("nein nicht no non");

/// Returns whether a sentence of `text` takes back what was said: `No, wait:`, `That is not right.`
fn says_no(text: &str) -> bool {
    text.split(ends_sentence).any(|sentence| {
        let said = sentence.trim_start_matches(|c: char| !c.is_alphabetic());
        let (word, rest) = said.split_at(said.find(|c: char| !c.is_alphabetic()).unwrap_or(said.len()));
        let is_no = NO.have(word) && !rest.trim_start_matches(' ').starts_with(char::is_alphanumeric);
        let words: Vec<&str> = words(said).collect();
        is_no || words.windows(2).any(|two| matches!(two, ["not", "correct" | "right" | "true" | "what"]))
    })
}

/// Words that introduce another answer rather than a better one.
static OFFERING: Words = Words::of(
    "alternative alternatively another else example gold if oder or otherwise ou reference should than too unless would",
);

/// Words that introduce a better answer, even where another one is offered.
static PREFERRING: Words = Words::of("corrected correction rather");

/// The same, unless they ask.
static CORRECTING: Words =
    Words::of("corrección correction correzione correção korrektur oops wait исправление поправка 更正 訂正");

/// Words that mark a value as a draft.
static DRAFTING: Words = Words::of(
    "analysis attempt draft example form format old previous reasoning schema scratchpad
     template thinking thought try wrong",
);

/// Returns whether a value is a draft, which the text replaces by one after it, judging by the text `before` it
/// and `between` them.
pub(crate) fn is_replaced(before: &str, between: &str) -> bool {
    let was_submitted = is_final_action(before) && !between.contains("Observation");
    if was_submitted
        || are_in_twin_tags(between)
        || asks_anew(between)
        || is_outdated(between)
        || is_earlier(between)
    {
        return false;
    }
    let (first, last) = (first_bytes(between, BEFORE), last_bytes(between, BEFORE));
    let has = |known: &Words| known.any_in(first) || known.any_in(last);
    // Two values under one label are two answers, unless the text between them says more.
    let between = lead(between);
    let (rest, of_other) = between.rsplit_once('\n').unwrap_or(("", between));
    let of_one = label(lead(before));
    if !of_one.is_empty()
        && of_one == label(last_bytes(of_other, BEFORE))
        && !REVISING.any_in(last_bytes(rest, BEFORE))
    {
        return false;
    }
    let is_said = || [first, last].iter().any(|part| says(part, &[PhraseMeaning::Final]));
    let is_offered = || has(&OFFERING) || between.contains('?');
    // `That is wrong.` on a line of its own is said of what is before it.
    let line = before.trim_end();
    let is_of_earlier = || line.ends_with(ends_sentence) && before[line.len()..].contains('\n');
    is_drafted(before, &DRAFTING) && !is_of_earlier()
        || has(&PREFERRING)
        || has(&CORRECTING) && !between.contains('?')
        || !is_offered() && (has(&REPLACING) || says_no(first) || says_no(last) || is_said())
}

/// Labels of what another answer is about.
static QUESTIONS: Words =
    Words::of("document goal input instruction passage q query question sentence task text");

/// Words before such a label.
const ANOTHER: [&str; 4] = ["another ", "new ", "next ", "second "];

/// Returns whether a line of `between` is the next question: a model that does not stop goes on with
/// another example. It is a label, or in brackets, a tag or a heading: `Input: …`, `[GOAL]`, `## Input`, `<input>…`.
fn asks_anew(between: &str) -> bool {
    between.lines().any(|line| {
        let line = line.trim();
        let label = line.trim_start_matches([' ', '*', '#', '[', '<']);
        let is_marked = label.len() < line.len();
        let another = ANOTHER.into_iter().find(|start| starts_like(label, start)).map_or(0, str::len);
        let label = &label[another..];
        let (word, rest) = label.split_at(label.find(|c: char| !c.is_alphabetic()).unwrap_or(label.len()));
        let is_closed = rest
            .trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit())
            .starts_with([':', ']', '>', '*']);
        QUESTIONS.have(word) && (is_closed || is_marked && rest.is_empty())
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
    let line = last_line(lead(before));
    is_label(line) && (EARLIER.any_in(line) || words(line).last().is_some_and(|word| WAS.have(word)))
}

/// Returns whether the line `before` a value calls it a draft.
pub(crate) fn is_draft(before: &str) -> bool {
    is_drafted(before, &UNFINISHED)
}

fn is_drafted(before: &str, known: &Words) -> bool {
    known.any_in(last_line(last_bytes(before, BEFORE).trim_end()))
}

/// Words that show a value as an example, or offer it.
static EXAMPLES: Words = Words::of("beispiel ejemplo esempio example exemple instance instead prefer");

/// First words of what is right if something else is.
static OTHERWISE: Words = Words::of("else o oder or otherwise ou sinon sonst");

/// Returns whether the text around a value shows it as an example or offers it: "for example …",
/// "if you want … instead".
pub(crate) fn is_offered(before: &str, after: &str) -> bool {
    let said = lead(before).rsplit(ends_sentence).next().unwrap_or_default();
    // Not in the next value.
    let ends = |c: char| ends_sentence(c) || matches!(c, '{' | '[');
    let follows = first_bytes(after, BEFORE).split(ends).next().unwrap_or_default();
    let has = |known: &str| words(said).any(|word| word.eq_ignore_ascii_case(known));
    // `If I read it correctly:` is said of the answer.
    let is_hedged = || words(said).skip_while(|word| !word.eq_ignore_ascii_case("if")).nth(1) == Some("I");
    // `Alternatively, if you meant the box:` leaves open which one is right, and so does `{…} or, if it is late, {…}`.
    let starts_other = |text: &str| words(text).next().is_some_and(|word| OTHERWISE.have(word));
    let has_other = starts_other(first_bytes(after, BEFORE))
        || said.rsplit_once(['}', ']']).is_some_and(|(_, said)| starts_other(said));
    let is_conditional = has("if")
        && !has_other
        && !is_hedged()
        && !["alternatively", "else", "mean", "meant"].into_iter().any(has);
    // `Use this one instead:`
    let is_preferred = || words(said).next().is_some_and(|word| word.eq_ignore_ascii_case("use"));
    EXAMPLES.any_in(said) && !is_handed(said) && !is_preferred() || EXAMPLES.any_in(follows) || is_conditional
}

/// Returns whether each of the two objects is on lines of its own.
fn stands_alone(reply: &str, between: &str, end: usize) -> bool {
    let is_end = |text: &str| {
        let text = text.trim_start_matches([' ', '\t', '\r', ';', ',', '`']);
        text.is_empty() || text.starts_with('\n')
    };
    between.contains('\n') && is_end(between) && label(between).is_empty() && is_end(&reply[end..])
}

/// The words before an object on its line, without numbers, letters that count and marks: `invoice` of
/// `2. Invoice 2: {`. In the format of gpt-oss, a channel starts what counts as a line.
fn label(before: &str) -> String {
    let line = last_line(before);
    let line = line.rsplit("<|channel|>").next().unwrap_or_default();
    let words = words(line).filter(|word| word.len() > 1 && !LEADING_ON.have(word));
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
