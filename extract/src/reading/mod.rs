//! From the text of a reply to a JSON value, with a receipt of every change.
//!
//! Two stages: [`locate`] finds the places where a value may stand, [`parse`] reads one of them strictly. Of
//! several values the one that fits the contract best is chosen, the last one on a tie.

mod change;
mod locate;
mod parse;

use serde_json::Value;

pub use self::change::{Change, ChangeKind, Loss};
use self::{locate::Candidate, parse::FailureKind};
use crate::{
    Code, Path, Violation,
    text::{counted, cut},
};

/// Values of one reply that are compared with the contract; the last ones count.
const MAX_CANDIDATES: usize = 32;

/// Characters of an unreadable reply that are quoted in the violation.
const EXCERPT_CHARS: usize = 200;

/// What was found in a reply.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Reading {
    /// The value, if one could be read.
    pub value: Option<Value>,
    /// Every departure of the reply from nothing but strict JSON.
    pub changes: Vec<Change>,
    /// Why there is no value.
    pub violations: Vec<Violation>,
    /// Whether the reply ended before its value did.
    pub completeness: Completeness,
}

/// Whether a reply ended before its value did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Completeness {
    /// The value, if there is one, ends where it should.
    Complete,
    /// The text ends inside the value.
    Truncated {
        /// Byte offset in the reply at which the text ends.
        at: usize,
    },
}

impl Completeness {
    /// Whether the text ends inside the value.
    pub fn is_truncated(self) -> bool {
        matches!(self, Self::Truncated { .. })
    }
}

/// Reads `reply`. `misfit` says how badly a value fits the contract; 0 is a perfect fit.
///
/// `max_bytes` bounds the size of the reply.
pub(crate) fn read(reply: &str, max_bytes: usize, misfit: impl Fn(&Value) -> usize) -> Reading {
    if reply.len() > max_bytes {
        return Reading::failed(
            Violation::new(Path::root(), Code::NotJson, "the answer is too long to be read")
                .expected(format!("at most {max_bytes} bytes"))
                .actual(format!("{} bytes", reply.len())),
            Completeness::Complete,
        );
    }
    // The common case, and the only work it costs: a reply that is nothing but JSON.
    if let Ok(value) = serde_json::from_str(reply) {
        return Reading {
            value: Some(value),
            changes: vec![],
            violations: vec![],
            completeness: Completeness::Complete,
        };
    }
    let (candidates, failure) = locate::candidates(reply);
    let failure = failure.map(|failure| failure.kind);
    let start = candidates.len().saturating_sub(MAX_CANDIDATES);
    let fits = candidates[start..].iter().map(|candidate| misfit(&candidate.value));
    // `min_by_key` takes the first of equals; reversed, that is the last in the reply.
    let best = fits.enumerate().collect::<Vec<_>>().into_iter().rev().min_by_key(|(_, misfit)| *misfit);
    match (best, failure) {
        // What follows the last whole value was cut, and may have been the answer itself.
        (Some((index, misfit)), Some(FailureKind::Unfinished { start: unfinished }))
            if misfit > 0 || unfinished > candidates[start + index].span.end =>
        {
            Reading::truncated(reply)
        }
        (Some((index, _)), _) => {
            let changes = receipt(reply, &candidates, start + index);
            let chosen = candidates.into_iter().nth(start + index);
            Reading {
                value: chosen.map(|candidate| candidate.value),
                changes,
                violations: vec![],
                completeness: Completeness::Complete,
            }
        }
        (None, Some(FailureKind::Unfinished { .. })) => Reading::truncated(reply),
        (None, failure) => Reading::failed(not_json(reply, failure), Completeness::Complete),
    }
}

impl Reading {
    fn failed(violation: Violation, completeness: Completeness) -> Self {
        Self { value: None, changes: vec![], violations: vec![violation], completeness }
    }

    fn truncated(reply: &str) -> Self {
        Self::failed(truncation(reply), Completeness::Truncated { at: reply.len() })
    }
}

/// The violation of a reply that ends before its value does.
pub(crate) fn truncation(reply: &str) -> Violation {
    Violation::new(Path::root(), Code::Truncated, "the answer ends before it is complete")
        .expected("a complete JSON value")
        .actual(format!("{} and then nothing", counted(reply.chars().count(), "character")))
}

fn not_json(reply: &str, failure: Option<FailureKind>) -> Violation {
    let message = match failure {
        _ if reply.trim().is_empty() => "the answer is empty".to_owned(),
        None | Some(FailureKind::Unfinished { .. }) => "no JSON in the answer".to_owned(),
        Some(FailureKind::Syntax { reason }) => format!("not valid JSON: {reason}"),
    };
    let violation = Violation::new(Path::root(), Code::NotJson, message).expected("one JSON value");
    if reply.trim().is_empty() {
        return violation.actual("nothing");
    }
    // As a JSON string, the excerpt cannot leave its quotes.
    violation.actual(Value::from(cut(reply.trim(), EXCERPT_CHARS)).to_string())
}

/// One change for each part of the reply that is not the chosen value.
fn receipt(reply: &str, candidates: &[Candidate], chosen: usize) -> Vec<Change> {
    let span = &candidates[chosen].span;
    let mut changes = Vec::new();
    let mut ignore = |kind, start: usize, end: usize| {
        let before = &reply[start..end];
        if !before.trim().is_empty() {
            changes.push(Change::ignored(kind, start..end, before));
        }
    };
    let mut at = 0;
    for (index, candidate) in candidates.iter().enumerate() {
        ignore(ChangeKind::Surroundings, at, candidate.span.start);
        if index != chosen {
            ignore(ChangeKind::OtherValue, candidate.span.start, candidate.span.end);
        }
        at = candidate.span.end;
    }
    ignore(ChangeKind::Surroundings, at.max(span.end), reply.len());
    changes
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const LIMIT: usize = 1 << 20;

    fn wants_total(value: &Value) -> usize {
        usize::from(value.get("total").is_none())
    }

    fn read_total(reply: &str) -> Reading {
        read(reply, LIMIT, wants_total)
    }

    #[test]
    fn nothing_but_json_is_read_without_a_change() {
        let reading = read_total(" {\"total\": 1}\n");
        assert_eq!(reading.value, Some(json!({"total": 1})));
        assert!(reading.changes.is_empty());
    }

    #[test]
    fn finds_the_value_in_what_surrounds_it() {
        for reply in [
            "```json\n{\"total\": 1}\n```",
            "```\n{\"total\": 1}",
            "Sure! Here it is: {\"total\": 1} Anything else?",
            "The set {a, b} has a total: {\"total\": 1}",
            "<think>a {\"total\": 7} maybe</think>{\"total\": 1}",
            "<think>\none\n</think>\n<reasoning>{\"total\": 7}</reasoning>\n\n{\"total\": 1}",
            "so it is {\"total\": 7}?\n</think>\n{\"total\": 1}",
            "{\"example\": true} and now {\"total\": 1}",
            "{\"total\": 7} no, {\"total\": 1}",
            "\u{feff}{\"total\": 1}",
            "[see note] {\"total\": 1} [1]",
        ] {
            let reading = read_total(reply);
            assert_eq!(reading.value, Some(json!({"total": 1})), "{reply}");
            assert!(reading.changes.iter().all(|change| change.loss == Loss::Ignored), "{reply}");
            assert!(!reading.changes.is_empty(), "{reply}");
        }
    }

    #[test]
    fn the_receipt_accounts_for_every_byte_that_is_not_the_value() {
        let reply = "Draft: {\"total\": 7}. Final: {\"total\": 1}. Done.";
        let reading = read_total(reply);
        let left_out: String = reading.changes.iter().map(|change| &reply[change.span.clone()]).collect();
        assert_eq!(left_out, "Draft: {\"total\": 7}. Final: . Done.");
    }

    #[test]
    fn a_tag_inside_a_string_is_text() {
        for text in ["<think>x</think>", "a</think>b"] {
            let value = json!({"total": text});
            assert_eq!(read_total(&format!("Here: {value}")).value, Some(value));
        }
    }

    #[test]
    fn a_cut_reply_is_never_taken_for_a_whole_one() {
        for reply in [
            "{\"total\": 1",
            "{\"total\": 1, \"lines\": [{\"qty\": 2}, {\"qty\"",
            "{\"total\": \"unfin",
            "```json\n{\"total\": 1,",
            "{\"draft\": 1} {\"total\": ",
            "{\"total\": 7} No: {\"total\": ",
        ] {
            let reading = read_total(reply);
            assert_eq!(reading.completeness, Completeness::Truncated { at: reply.len() }, "{reply}");
            assert_eq!(reading.value, None, "{reply}");
            assert_eq!(reading.violations[0].code, Code::Truncated);
        }
    }

    #[test]
    fn says_what_is_wrong_when_there_is_no_value() {
        for (reply, message) in [
            ("", "the answer is empty"),
            (" \n", "the answer is empty"),
            ("I cannot do that.", "no JSON in the answer"),
            ("{\"total\": }", "not valid JSON: expected value at line 1 column 11"),
            ("<think>hm", "no JSON in the answer"),
        ] {
            let reading = read_total(reply);
            assert_eq!(reading.violations[0].code, Code::NotJson, "{reply}");
            assert_eq!(reading.violations[0].message, message, "{reply}");
            assert!(!reading.completeness.is_truncated(), "{reply}");
        }
    }

    #[test]
    fn hostile_replies_end_in_a_violation() {
        let mib = 1 << 17;
        for reply in [
            "[".repeat(mib),
            "{".repeat(mib),
            "{\"a\":".repeat(mib / 5),
            "[\"".repeat(mib / 2),
            "\\\"".repeat(mib / 2),
            "{} ".repeat(mib / 3),
            "[1,".repeat(mib / 3),
            "<think>".repeat(mib / 7),
        ] {
            let reading = read(&reply, 2 * mib, |_| 1);
            assert!(reading.value.is_some() || !reading.violations.is_empty());
        }
    }

    #[test]
    fn the_size_is_bounded() {
        let reading = read("[1, 2, 3]", 8, |_| 0);
        assert_eq!(
            reading.violations[0].to_string(),
            "[NOT_JSON] $: the answer is too long to be read (expected at most 8 bytes, got 9 bytes)"
        );
    }
}
