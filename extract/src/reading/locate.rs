//! Where in a reply the value may stand.
//!
//! Replies surround the value with prose, code fences and reasoning. All of that is skipped by one rule:
//! a value starts at a bracket, outside reasoning, from which strict JSON can be read. Fences need no
//! rule of their own.

use std::ops::Range;

use serde_json::Value;

use super::parse::{self, Failure};

/// How often every byte may be looked at in trying brackets that turn out to start no value. Prose stays far below
/// 1; an attack nests brackets that never close.
const MAX_LOOKS: usize = 4;

/// Looks that are free, for short replies.
const FREE_LOOKS: usize = 1 << 16;

/// Tags in which models think aloud.
const REASONING: [&str; 5] = ["think", "thinking", "reasoning", "thought", "reflection"];

/// A JSON value in a reply.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub(super) value: Value,
    pub(super) span: Range<usize>,
}

/// The values in `reply` in their order, and the first failure that says something about the rest.
pub(super) fn candidates(reply: &str) -> (Vec<Candidate>, Option<Failure>) {
    let start = leading_reasoning(reply);
    let (mut found, failure) = scan(reply, start);
    if found.is_empty() && failure.is_none() && start > 0 {
        // Nothing after the reasoning: some models put the answer inside it.
        return scan(&reply[..start], 0);
    }
    let end = unopened_reasoning(reply, &found);
    if found.iter().any(|candidate| candidate.span.start >= end) {
        found.retain(|candidate| candidate.span.start >= end);
    }
    (found, failure)
}

fn scan(reply: &str, start: usize) -> (Vec<Candidate>, Option<Failure>) {
    let mut found = Vec::new();
    let mut failure = None;
    let mut at = start;
    let mut looks = FREE_LOOKS + MAX_LOOKS * reply.len();
    while looks > 0 {
        let Some(offset) = reply[at..].find(['{', '[']) else { break };
        let bracket = at + offset;
        match parse::value_at(reply, bracket) {
            Ok((value, span)) => {
                at = span.end;
                found.push(Candidate { value, span });
            }
            Err(why) => {
                at = bracket + 1;
                looks = looks.saturating_sub(why.cost);
                note(&mut failure, why, reply, bracket);
            }
        }
    }
    if found.is_empty() {
        found.extend(scalar(reply, start));
    }
    (found, failure)
}

/// Keeps the failure that explains most: a value that looks begun in earnest and never ends, else the first
/// syntax error at a place that looks like a value.
fn note(failure: &mut Option<Failure>, why: Failure, reply: &str, bracket: usize) {
    let next = reply[bracket + 1..].trim_start().chars().next();
    let is_earnest = match reply.as_bytes()[bracket] {
        b'{' => matches!(next, Some('"' | '}') | None),
        _ => matches!(next, Some('"' | '{' | '[' | ']' | '-' | '0'..='9' | 't' | 'f' | 'n') | None),
    };
    if is_earnest && failure.is_none() {
        *failure = Some(why);
    }
}

/// A reply that is a bare scalar after its reasoning: a contract may ask for one.
fn scalar(reply: &str, start: usize) -> Option<Candidate> {
    let text = reply[start..].trim();
    let begin = start + (reply[start..].len() - reply[start..].trim_start().len());
    let value = serde_json::from_str(text).ok()?;
    Some(Candidate { value, span: begin..begin + text.len() })
}

/// Where the reasoning blocks end that the reply starts with; without a closing tag all of it is reasoning.
///
/// Only blocks at the start count, so that a tag inside a string of the answer stays what it is.
fn leading_reasoning(reply: &str) -> usize {
    let mut start = 0;
    loop {
        let rest = &reply[start..];
        let text = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}' || c == '\u{200b}');
        let Some(tag) = REASONING.iter().find(|tag| opens(text, tag)) else { return start };
        let close = closing(tag);
        match rest.find(&close) {
            Some(end) => start += end + close.len(),
            None => return reply.len(),
        }
    }
}

/// Where reasoning ends whose opening tag was part of the prompt: behind a closing tag that stands in no value.
fn unopened_reasoning(reply: &str, found: &[Candidate]) -> usize {
    let ends = REASONING.iter().filter_map(|tag| {
        let close = closing(tag);
        let at = reply.find(&close)?;
        let is_in_value = found.iter().any(|candidate| candidate.span.contains(&at));
        (!is_in_value).then_some(at + close.len())
    });
    ends.min().unwrap_or(0)
}

fn closing(tag: &str) -> String {
    format!("</{tag}>")
}

fn opens(text: &str, tag: &str) -> bool {
    text.strip_prefix('<').and_then(|text| text.strip_prefix(tag)).is_some_and(|text| text.starts_with('>'))
}
