//! The list of violations, in a size that a model can work with. The rest is counted by place.

use std::fmt::{self, Write as _};

use serde_json::Value;

use crate::{
    attempt::Regression,
    schema::{part_at, shown},
    vocabulary::{
        grouped,
        path::Path,
        text::{counted, cut, said},
        violation::Violation,
    },
};

/// Violations that one message lists. Fixing these is enough for one attempt.
const MAX_LISTED: usize = 50;

/// Maximum number of characters of a quoted part of the schema. A longer part is already in the
/// conversation.
const MAX_SCHEMA_CHARS: usize = 400;

/// Maximum number of characters of a code; the library's codes are short.
const MAX_CODE_CHARS: usize = 60;

/// Default for the characters of all violations in one message. 50 of the usual length fit (217 in
/// the median).
pub(super) const MAX_FEEDBACK_CHARS: usize = 12_000;

const ANSWER_ONLY: &str = "Answer with the JSON only: no markdown fences, no explanation.";

const THINK_AND_ANSWER: &str =
    "First think between <think> and </think>, then answer with the JSON only: no markdown fences.";

/// How the next answer is given.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AnswerForm<'a> {
    /// The tool that submits it, if there is one.
    pub(crate) submit: Option<&'a str>,
    /// Whether the agent thinks first.
    pub(crate) thoughts: bool,
}

const WHOLE_SCHEMA_HEAD: &str = "\nThe JSON Schema of the whole answer:\n";

const SCHEMA_HEAD: &str = "\nThe JSON Schema of these places:\n";

const FIX_ALL: &str = "\nFix all of them and keep what was right.";

impl AnswerForm<'_> {
    /// The sentence that asks for an answer in this form.
    pub(super) fn request(self) -> String {
        match self {
            Self { submit: Some(submit), .. } => again(submit),
            Self { thoughts: true, .. } => THINK_AND_ANSWER.to_owned(),
            _ => ANSWER_ONLY.to_owned(),
        }
    }
}

/// Returns the next step after a call that was not accepted.
pub(crate) fn again(submit: &str) -> String {
    format!("Then call `{submit}` with the whole value.")
}

/// The list of violations, and nothing else.
pub(crate) fn listing(violations: &[Violation]) -> String {
    ViolationListing::of(violations).to_string()
}

/// The list of violations, and how to submit a better answer.
pub(super) fn request_repair(listing: &ViolationListing<'_>, form: AnswerForm<'_>) -> String {
    format!("{listing}{FIX_ALL} {}", form.request())
}

/// Returns the message that asks an agent to fix `violations`: one block for each, then what to do.
///
/// Warnings are omitted. Beyond 50 violations or 12,000 characters, the rest is only counted, by
/// path.
///
/// ```
/// use extract::{Code, feedback::build_repair_prompt, Path, Violation};
///
/// let violation = Violation::new(Path::root().key("total"), Code::WrongType, "wrong type")
///     .expected("a number")
///     .actual(r#"the string "12 EUR""#);
/// assert_eq!(
///     build_repair_prompt(&[violation]),
///     r#"Your answer was not accepted: 1 violation.
///
/// 1. path: $.total
///    code: WRONG_TYPE
///    error: wrong type
///    expected: a number
///    got: the string "12 EUR"
///
/// Fix all of them and keep what was right. Answer with the JSON only: no markdown fences, no explanation."#
/// );
/// ```
pub fn build_repair_prompt(violations: &[Violation]) -> String {
    request_repair(&ViolationListing::of(violations), AnswerForm::default())
}

/// A list of violations for an agent.
#[derive(Debug, Clone, Copy)]
pub(super) struct ViolationListing<'a> {
    pub(super) violations: &'a [Violation],
    pub(super) regressions: &'a [Regression],
    pub(super) schema: QuotedSchema<'a>,
    pub(super) max_chars: usize,
}

/// The part of the schema that a list of violations quotes.
#[derive(Debug, Clone, Copy)]
pub(super) enum QuotedSchema<'a> {
    Nothing,
    /// The parts for the listed paths.
    Parts(&'a Value),
    Whole(&'a Value),
}

impl fmt::Display for ViolationListing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let violations: Vec<_> = self.violations.iter().filter(|violation| !violation.is_warning()).collect();
        let head = format!("Your answer was not accepted: {}.\n", counted(violations.len(), "violation"));
        let numbered = violations.iter().take(MAX_LISTED).zip(1..);
        let blocks: Vec<_> = numbered.map(|(violation, number)| self.block(number, violation)).collect();
        let room = self.max_chars.saturating_sub(chars(&head));
        let (listed, room) = match room.checked_sub(blocks.iter().map(|block| chars(block)).sum()) {
            Some(room) if blocks.len() == violations.len() => (blocks.len(), room),
            _ => (fitting(&blocks, room.saturating_sub(rest_chars(&violations))), 0),
        };
        f.write_str(&head)?;
        blocks[..listed].iter().try_for_each(|block| f.write_str(block))?;
        if listed < violations.len() {
            writeln!(f, "\n{}", counted_by_place(&violations[listed..]))?;
        }
        match self.schema {
            QuotedSchema::Nothing => Ok(()),
            QuotedSchema::Parts(schema) => write_parts(f, schema, &violations[..listed], room),
            QuotedSchema::Whole(schema) => writeln!(f, "{WHOLE_SCHEMA_HEAD}{}", shown(schema)),
        }
    }
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// How many of `blocks` fit. One is always listed, however small the room.
fn fitting(blocks: &[String], mut room: usize) -> usize {
    let fits = |block: &&String| {
        let left = room.checked_sub(chars(block));
        room = left.unwrap_or(room);
        left.is_some()
    };
    blocks.iter().take_while(fits).count().max(1).min(blocks.len())
}

/// Characters of the line that counts the unlisted `violations`.
fn rest_chars(violations: &[&Violation]) -> usize {
    chars(&counted_by_place(violations)) + 2
}

impl<'a> ViolationListing<'a> {
    /// A list of `violations` and nothing else.
    fn of(violations: &'a [Violation]) -> Self {
        Self { violations, regressions: &[], schema: QuotedSchema::Nothing, max_chars: MAX_FEEDBACK_CHARS }
    }
}

impl ViolationListing<'_> {
    fn block(&self, number: usize, violation: &Violation) -> String {
        let mut text = format!(
            "\n{number}. path: {}\n   code: {}\n   error: {}\n",
            violation.path,
            cut(&said(violation.code.as_str()), MAX_CODE_CHARS),
            said(&violation.message_with_hint())
        );
        let mut line = |name: &str, value: Option<&str>| {
            if let Some(value) = value {
                let _ = writeln!(text, "   {name}: {}", said(value));
            }
        };
        line("expected", violation.expected.as_deref());
        line("got", violation.actual.as_deref());
        let regression = self.regressions.iter().find(|regression| regression.path == violation.path);
        line("was right before", regression.map(|regression| &*regression.before));
        text
    }
}

/// Writes the parts of `schema` for the listed paths, while there is room.
fn write_parts(
    f: &mut fmt::Formatter<'_>,
    schema: &Value,
    violations: &[&Violation],
    mut room: usize,
) -> fmt::Result {
    let mut parts: Vec<(String, Vec<&Path>)> = Vec::new();
    for violation in violations {
        let Some(part) = part_at(schema, &violation.path) else { continue };
        let text = shown(part);
        match parts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, paths)) if paths.contains(&&violation.path) => {}
            Some((_, paths)) => paths.push(&violation.path),
            None => parts.push((text, vec![&violation.path])),
        }
    }
    room = room.saturating_sub(SCHEMA_HEAD.len());
    let mut is_first = true;
    for (text, paths) in parts {
        let paths: Vec<_> = paths.iter().map(ToString::to_string).collect();
        let line = format!("{}: {text}", paths.join(", "));
        let chars = chars(&line) + 1;
        if text.chars().count() > MAX_SCHEMA_CHARS || chars > room {
            continue;
        }
        room -= chars;
        if std::mem::take(&mut is_first) {
            f.write_str(SCHEMA_HEAD)?;
        }
        writeln!(f, "{line}")?;
    }
    Ok(())
}

/// Maximum number of kinds of paths that are named.
const MAX_KINDS: usize = 10;

/// Maximum number of characters of each.
const MAX_COUNTED_CHARS: usize = 120;

/// `… and 7 more: $.lines[*].price (6), $.total`: how many there are, and where, with positions in
/// lists merged.
fn counted_by_place(violations: &[&Violation]) -> String {
    let kind = |one: &&Violation| cut(&one.path.without_positions(), MAX_COUNTED_CHARS);
    let mut kinds = grouped(violations.iter().map(kind).map(|kind| (kind.clone(), kind)));
    kinds.truncate(MAX_KINDS);
    let told: usize = kinds.iter().map(Vec::len).sum();
    let place = |same: Vec<String>| match same.len() {
        1 => same.concat(),
        count => format!("{} ({count})", same[0]),
    };
    let mut places: Vec<String> = kinds.into_iter().map(place).collect();
    if told < violations.len() {
        places.push("and elsewhere".to_owned());
    }
    format!("… and {} more: {}", violations.len(), places.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::{path::Path, violation::Code};

    fn told(paths: &[&str]) -> String {
        let violation = |path: &&str| Violation::new(Path::from(*path), Code::WrongType, "wrong type");
        let violations: Vec<_> = paths.iter().map(violation).collect();
        counted_by_place(&violations.iter().collect::<Vec<_>>())
    }

    #[test]
    fn says_where_the_rest_is() {
        assert_eq!(
            told(&["$.lines[3].qty", "$.lines[4].qty", "$.lines[4].price", "$[\"a b\"][0]", "$.total"]),
            r#"… and 5 more: $.lines[*].qty (2), $.lines[*].price, $["a b"][*], $.total"#
        );
    }

    #[test]
    fn names_no_more_than_a_few_kinds_of_places() {
        let paths: Vec<_> = (0..40).map(|index| format!("$.key{index}{}", "x".repeat(500))).collect();
        let text = told(&paths.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(text.ends_with(", and elsewhere") && text.len() < 2_000, "{text}");
    }
}
