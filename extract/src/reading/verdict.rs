//! Whether a reply ended before its value did, and the violations of a reply that has no value, or a
//! value that may not be used as it is.

use super::{
    align::Fitted,
    choose::Choice,
    doubt::Doubt,
    options::{Leniency, ReadingOptions, ReplyEnd},
    parse::{Unreadable, is_space, number::is_number_with_marks},
    prose::{ends_sentence, is_draft, last_line, last_name, may_revise},
    receipt::{JOINED, LIST_OF_IT, Note},
    shape::{ROOT, Shapes},
};
use crate::vocabulary::{
    change::{Change, ChangeKind, Loss},
    path::{Path, Segment},
    text::{counted, excerpt, ticked},
    violation::{Code, Violation},
};

/// The violation of a reply that was cut inside its value.
pub(crate) fn truncation(reply: &str) -> Violation {
    Violation::new(Path::root(), Code::Truncated, "the answer ends before it is complete")
        .expected("a complete JSON value")
        .actual(format!("{} and then nothing", counted(reply.chars().count(), "character")))
}

fn not_json(message: &'static str) -> Violation {
    Violation::new(Path::root(), Code::NotJson, message)
}

/// The violation of a reply without text, of which the thoughts have JSON.
pub(crate) fn in_thoughts() -> Violation {
    not_json("the answer is in the thoughts, which are not read")
        .expected("the answer as the reply, after the thoughts")
        .actual("thoughts and no reply")
}

/// The violation of a reply without text that calls the tool `name`, which takes no answer.
pub(crate) fn is_call(name: &str) -> Violation {
    not_json("the reply calls a tool that takes no answer")
        .expected("the answer as text, or in a call of `submit` if that is offered")
        .actual(format!("a call of {}", ticked(name)))
}

pub(super) fn too_long(reply: &str, options: &ReadingOptions) -> Violation {
    not_json("the answer is too long to be read")
        .expected(format!("at most {}", counted(options.max_bytes, "byte")))
        .actual(counted(reply.len(), "byte"))
}

fn unread(reason: Unreadable, options: &ReadingOptions) -> Violation {
    match reason {
        Unreadable::TooDeep => not_json("the answer is nested too deeply to be read")
            .expected(format!("at most {} of brackets", counted(options.depth(), "level"))),
        Unreadable::TooBroken => not_json("thousands of brackets, keys or values are missing in the answer")
            .expected("strict JSON"),
        Unreadable::MostlyUnknown => {
            not_json("tens of thousands of values under keys that were not asked for")
                .expected("only the keys that were asked for")
        }
    }
}

/// Why there is no value in `reply`.
pub(super) fn no_value(reply: &str, choice: &Choice<'_>, options: &ReadingOptions) -> Violation {
    if let Some(reason) = choice.located.unreadable {
        return unread(reason, options);
    }
    let thoughts = choice.located.reasoning.last().map_or(0, |last| last.end);
    if reply[thoughts..].trim_matches(is_space).is_empty() && reply[..thoughts].contains(['{', '[']) {
        return in_thoughts();
    }
    let text = reply.trim_matches(is_space);
    let violation = if text.is_empty() {
        not_json("the answer is empty").actual("nothing")
    } else {
        not_json("no JSON in the answer").actual(excerpt(text))
    };
    violation.expected("one JSON value")
}

/// The violation of a `value` that may not be the answer.
fn doubted(doubt: Doubt, value: &str) -> Violation {
    let message = match doubt {
        Doubt::NamesNothing => "the JSON value in the text has no key that was asked for",
        Doubt::Schema => "a JSON Schema instead of a value",
        Doubt::Example => "the example instead of a value",
        Doubt::Placeholder => "a JSON value with placeholders or marks of a chat template",
        Doubt::TakenIn => "a string with the whole value, or with what belongs beside it, in it",
        Doubt::Refusal => "a refusal instead of a value",
        Doubt::Preamble => "words to the reader before the text that was asked for",
        Doubt::Reference => "what is in brackets in the text reads like a reference, not like the answer",
        Doubt::Broken => "a bracket or comma is missing, left over or of the wrong kind",
        Doubt::Denied => "the text says that the JSON value in it is not the answer",
    };
    not_json(message).expected("the answer as one JSON value and nothing else").actual(excerpt(value))
}

/// One violation for each change that is not accepted, one for a search that stopped at its limit,
/// and one for doubt about the value.
pub(super) fn violations(
    reply: &str,
    changes: &[Change],
    choice: &Choice<'_>,
    options: &ReadingOptions,
    conforms: bool,
) -> Vec<Violation> {
    let accepted = accepted(options);
    // A string that is not one of the known names is allowed and stays unchanged.
    // Of a strict reply that conforms, only a change of its keys is a change of what it says.
    let is_refused = |change: &&Change| {
        let is_spelling = conforms && change.loss < Loss::Lossy && change.kind != ChangeKind::Name;
        let is_harmless = change.kind == ChangeKind::Other || is_spelling;
        Some(change.loss) > accepted && !is_harmless
    };
    let mut violations: Vec<_> = changes.iter().filter(is_refused).map(refused_change).collect();
    // The value that was read may be a part of the one that could not be read.
    violations.extend(choice.located.unreadable.map(|reason| unread(reason, options)));
    let does_fit = choice.chosen.as_ref().is_some_and(|chosen| chosen.misfit == 0);
    if choice.located.is_too_many || choice.located.count > options.max_candidates && !does_fit {
        let limit = format!("at most {}", counted(options.max_candidates, "JSON value"));
        let violation = not_json("more values than are looked at").expected(limit);
        violations.push(violation.actual(format!("{} of them", choice.located.count)));
    }
    let is_told = |doubt: &Doubt| *doubt != Doubt::NamesNothing || does_fit;
    if let Some(Fitted { doubt: Some(doubt), candidate, .. }) = &choice.chosen
        && is_told(doubt)
    {
        violations.push(doubted(*doubt, &reply[candidate.span.clone()]));
    }
    violations
}

/// The most loss that is accepted.
fn accepted(options: &ReadingOptions) -> Option<Loss> {
    match options.leniency {
        Leniency::Strict => None,
        Leniency::Faithful => Some(Loss::Ignored),
        Leniency::Lossy => Some(Loss::Lossy),
    }
}

/// The violations of `changes` to parts of an earlier reply that are kept.
pub(crate) fn refused(changes: &[Change], options: &ReadingOptions) -> Vec<Violation> {
    let is_refused = |change: &&Change| Some(change.loss) > accepted(options);
    changes.iter().filter(is_refused).map(refused_change).collect()
}

fn refused_change(change: &Change) -> Violation {
    let is_lossy = change.loss == Loss::Lossy;
    let is_outside = change.path == Path::root();
    let strict = if change.after.is_empty() { "strict JSON" } else { &change.after };
    let alone = "one JSON value and nothing else";
    let (code, message, expected) = match change.kind {
        ChangeKind::Missing => {
            (Code::MissingField, "a key without a value, or a value without a key", "a value for every key")
        }
        ChangeKind::Ellipsis => {
            (Code::InvalidValue, "an ellipsis instead of the rest", "everything written out")
        }
        ChangeKind::Duplicate => (Code::InvalidValue, "the same key with two values", "every key once"),
        ChangeKind::Number if is_lossy && change.before.contains(['e', 'E']) => {
            (Code::InvalidValue, "a number that is too large to be kept", "a number from -1.8e308 to 1.8e308")
        }
        ChangeKind::Number if is_lossy => (
            Code::InvalidValue,
            "an integer of more digits than can be kept",
            "an integer of at most 64 bits",
        ),
        ChangeKind::Surroundings | ChangeKind::AnotherTurn => {
            (Code::NotJson, "text beside the JSON value", alone)
        }
        ChangeKind::LeftOver if is_outside => (
            Code::LeftOver,
            "a part of the answer that is outside of its JSON value",
            "all of the answer in one JSON value, and nothing after it that changes it",
        ),
        ChangeKind::LeftOver => (
            Code::LeftOver,
            "a key that was not asked for, with what may belong elsewhere",
            "only the keys that were asked for",
        ),
        ChangeKind::Escape => (
            Code::InvalidValue,
            "backslashes that may be escapes or not",
            "every backslash of a string written as \\\\",
        ),
        ChangeKind::Quote if is_number(&change.before) => (
            Code::NotJson,
            "a number that is not written as in JSON",
            "digits without leading zeros or group separators, a dot before decimals, and neither NaN nor infinity",
        ),
        ChangeKind::Quote => (
            Code::NotJson,
            "a quote is missing, left over or not escaped",
            "every string in double quotes, with those inside of it escaped",
        ),
        ChangeKind::Comment => (Code::NotJson, "a comment with what may belong to the answer", strict),
        ChangeKind::Bracket => {
            (Code::NotJson, "a bracket is missing, left over or of the wrong kind", strict)
        }
        ChangeKind::OtherValue if is_lossy => (
            Code::LeftOver,
            "several JSON values in the text fit, and nothing says which of them is the answer",
            alone,
        ),
        ChangeKind::OtherValue => (Code::NotJson, "several JSON values", alone),
        ChangeKind::Others => (Code::NotJson, "more deviations than are listed", "strict JSON"),
        _ => (Code::NotJson, "not written as the contract asks for", strict),
    };
    Violation::new(change.path.clone(), code, message).expected(expected).actual(excerpt(&change.before))
}

/// Returns whether the unquoted `word` was meant as a number: `041`, `1,234`, `-Infinity`.
fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches(['-', '+']);
    ["nan", "inf", "infinity"].iter().any(|name| digits.eq_ignore_ascii_case(name))
        || !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        || is_number_with_marks(word)
}

/// Returns whether the end of `chosen`, or of the prose about it, is missing. `around` has the notes on that prose.
pub(super) fn is_cut(
    reply: &str,
    chosen: &Fitted<'_>,
    around: &[Note],
    thinks_on: bool,
    end: ReplyEnd,
) -> bool {
    let behind = &reply[chosen.candidate.span.end..];
    let after = without_fence(behind);
    // Prose about a whole value may break off, but not after a draft, nor where it begins to take the
    // value back.
    let goes_on = || {
        let last = after.rsplit(ends_sentence).next().unwrap_or_default();
        let is_revised = || is_draft(&reply[..chosen.candidate.span.start]) || may_revise(last);
        breaks_off(after) && (!is_closed(reply, chosen) || is_revised())
    };
    // `{…} and`, on one line, may lead to more of the answer.
    let is_followed = || {
        let line = behind.trim_start_matches([' ', '\t', '\r', '`']);
        !line.is_empty() && !line.starts_with('\n')
    };
    // What takes a whole value back, with or without a full stop, is reported itself.
    let is_taken_back = || {
        let is_after = |note: &Note| note.span.start >= chosen.candidate.span.end;
        is_closed(reply, chosen)
            && around.iter().any(|note| note.kind == ChangeKind::LeftOver && is_after(note))
    };
    match end {
        ReplyEnd::Whole => false,
        ReplyEnd::Unknown => chosen.candidate.is_guessed || thinks_on || goes_on() && !is_taken_back(),
        ReplyEnd::Cut => thinks_on || !is_closed(reply, chosen) || goes_on() || is_followed(),
    }
}

/// Returns whether `reply` ends where a member of the chosen value is given again, or another value begins: with a key
/// of the contract and its sign, or with an open fence.
pub(super) fn begins_member(reply: &str, chosen: &Fitted<'_>, shapes: &Shapes) -> bool {
    let after = reply[chosen.candidate.span.end..].trim_end();
    let last = last_line(after).trim_start_matches([' ', '-', '*', '•', '<', '#']);
    let label = last.strip_suffix([':', '=', '>']).filter(|label| !label.starts_with('/'));
    let label = label.map(|label| label.trim_end_matches([' ', '*']));
    let names = &shapes.get(ROOT).names;
    let is_key = |name: &str| names.contains(name) || names.contains(&name.to_lowercase());
    // Three backticks alone may close a fence that nothing opened.
    let opens_fence = last.strip_prefix("```").is_some_and(|label| label.starts_with(char::is_alphabetic));
    label.is_some_and(|label| is_key(last_name(label, &['_']))) || opens_fence
}

/// Returns whether the value is closed by its own brackets or quotes.
fn is_closed(reply: &str, chosen: &Fitted<'_>) -> bool {
    let text = &reply[chosen.candidate.span.clone()];
    let is_string = || text.starts_with('"') && serde_json::from_str::<String>(text).is_ok();
    let is_bracketed = || text.ends_with(['}', ']', ')']) && !text.starts_with('"');
    !chosen.candidate.is_guessed
        && (is_bracketed() || is_string())
        && !chosen.candidate.notes.iter().any(is_open)
}

/// Returns whether a bracket was missing, or the whole value became a list although it may be only
/// the first of several.
fn is_open(note: &Note) -> bool {
    let is_list = note.kind == ChangeKind::Wrapper && matches!(&*note.after, JOINED | LIST_OF_IT);
    let steps = note.path.as_ref().map_or(&[][..], Path::segments);
    note.kind == ChangeKind::Bracket || is_list && matches!(steps, [] | [Segment::Index(_)])
}

fn without_fence(after: &str) -> &str {
    let after = after.trim_matches(is_space);
    after.strip_prefix("```").unwrap_or(after).trim_start_matches(is_space)
}

/// Returns whether `prose` ends in the middle of a sentence.
fn breaks_off(prose: &str) -> bool {
    let goes_on = |c: char| {
        c.is_alphanumeric()
            || matches!(c, ',' | ':' | '(' | '[' | '{' | '<' | '-' | '–' | '—' | '/' | '&' | '=')
    };
    prose.contains(char::is_alphanumeric) && prose.ends_with(goes_on)
}
