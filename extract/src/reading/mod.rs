//! Reads a JSON value from the text of a reply, and returns a receipt of every change.
//!
//! Reading has five stages. `locate` finds where values may start and has `parse` read them,
//! because only a parsed value says where it ends. `align` brings each candidate into the form that
//! the contract asks for, and records doubts that it was meant as the answer (`doubt`). `choose`
//! takes the last candidate that is about what was asked for. `account` says what each other part
//! of the reply is, and what is left over, by what the prose says (`prose`). `verdict` reports whether
//! the end of the value may be missing, and why a value may not be used. A reply that is strict JSON and conforms skips all stages, unless a string in it means
//! null or may be a placeholder.
//!
//! Alignment never changes a reply that is strict JSON and valid against the schema, with five
//! exceptions. The number of a decimal becomes a string of its digits, which a double would round.
//! `1.0` where an integer is wanted becomes `1`: it is the same JSON number, and
//! serde's integers refuse the other spelling. Another spelling of a name beside `#[serde(other)]`
//! becomes that name. A string that means null becomes null, unless the result would not conform.
//! Another spelling of a key that is absent becomes that key: the wrapper of a value decides
//! nothing, and in a fence it would be read so.

mod account;
mod align;
mod broken_off;
mod choose;
mod comments;
mod doubt;
mod envelope;
mod growing;
mod keys;
mod leaf_spans;
mod locate;
mod node;
mod options;
mod parse;
mod prose;
mod reader;
mod receipt;
mod scan;
mod shape;
mod slip;
mod spelling;
mod strict;
mod text_checker;
mod verdict;

use std::fmt;

use serde_json::Value;

pub use self::scan::PartState;
use self::{
    align::{Aligner, Fitted},
    choose::{Choice, choose},
    locate::Wanted,
    shape::{NullReading, ROOT, kind},
    strict::Strict,
};
pub(crate) use self::{
    broken_off::BrokenOff,
    growing::GrowingAnswer,
    leaf_spans::{LeafSpans, leaf_spans},
    locate::reasoning::without_reasoning,
    parse::number::is_number_with_marks,
    prose::disowns_value,
    scan::{Cursor, Mark, SharedMark, SharedTape, Sight, Snapshot},
    shape::Shapes,
    strict::depth,
    text_checker::TextChecker,
    verdict::{in_thoughts, is_call, truncation},
};
pub use self::{
    options::{Leniency, ReadingOptions, ReplyEnd},
    reader::Reader,
};
pub use crate::vocabulary::change::{Change, ChangeKind, Loss};
use crate::vocabulary::violation::Violation;

/// The result of reading one reply.
///
/// A reply that is one strict JSON value and conforms keeps that value, with five exceptions:
///
/// - A number with a fraction or an exponent becomes a string of its digits where a type of decimals
///   is wanted: `19.90` becomes `"19.90"`. A double would round more than 17 digits.
/// - A number such as `1.0` becomes the same integer where an integer is wanted, because serde
///   refuses the other spelling.
/// - Where an enum has a variant with `#[serde(other)]`, another spelling of a known name becomes
///   that name, because serde would read it as the `other` variant.
/// - A key that is another spelling of an absent one becomes that key: `homeTown` is `home_town`.
/// - The strings `"null"`, `"None"` and `"none"` become null where a string or null is allowed, see
///   [`ReadingOptions::keep_null_strings`]. [`Leniency::Strict`] keeps them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Reading {
    /// The value, if one could be read. If the reply was cut, the part that arrived.
    pub value: Option<Value>,
    /// Every way in which the reply departs from conforming strict JSON alone.
    pub changes: Vec<Change>,
    /// Why there is no value, or why the value may not be used as it is. Whether the value
    /// satisfies the contract is a separate question; see
    /// [`Contract::validate`](crate::Contract::validate).
    pub violations: Vec<Violation>,
    /// Whether the reply ended before its value did.
    pub completeness: Completeness,
    /// Where in the reply a cut value starts, if nothing follows it and it is meant as the answer.
    pub(crate) cut_from: Option<usize>,
}

/// Whether a reply ended before its value did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Completeness {
    /// The value, if there is one, is complete.
    Complete,
    /// The text ends inside the value or in the middle of the prose about it, or may do so, judging
    /// by the reply's [end](ReplyEnd).
    Truncated {
        /// Byte offset in the reply at which the text ends.
        at: usize,
    },
}

impl Completeness {
    /// Returns whether the reply was cut.
    pub fn is_truncated(self) -> bool {
        matches!(self, Self::Truncated { .. })
    }
}

/// Whether a schema allows a value.
pub(crate) trait Validity: fmt::Debug + Send + Sync {
    fn is_valid(&self, value: &Value) -> bool;
}

/// Reads `reply` for a contract of these `shapes`.
///
/// The shapes know less than the schema. If they reject a strict value, `validity` decides.
pub(crate) fn read(
    reply: &str,
    shapes: &Shapes,
    options: &ReadingOptions,
    validity: &dyn Validity,
) -> Reading {
    let options = &options.at_most_deep(shapes.max_depth());
    if reply.len() > options.max_bytes {
        return Reading::failed(reply, verdict::too_long(reply, options), options);
    }
    let (reading, has_read_null) = read_as(reply, shapes, options, validity, options.null_reading());
    let is_valid = |reading: &Reading| reading.value.as_ref().is_some_and(|value| validity.is_valid(value));
    if !has_read_null || is_valid(&reading) {
        return reading;
    }
    // A keyword unknown to the shapes may forbid null.
    let (kept, _) = read_as(reply, shapes, options, validity, NullReading::Text);
    if is_valid(&kept) { kept } else { reading }
}

/// The same, and whether a string was read as null.
fn read_as(
    reply: &str,
    shapes: &Shapes,
    options: &ReadingOptions,
    validity: &dyn Validity,
    null_reading: NullReading,
) -> (Reading, bool) {
    // The common case, and its whole cost: a reply of JSON alone that needs no alignment.
    let strict = strict::parse(reply, shapes.keys())
        .filter(|strict| options.depth() >= strict::DEPTH || depth(&strict.value) <= options.depth());
    let strict = match strict {
        Some(Strict { value, may_be_echo })
            if shapes.fits(&value, null_reading)
                && !options.reply_end.cuts_strict(reply)
                && !(may_be_echo && shapes.has_gap(&value)) =>
        {
            let (changes, violations, completeness) = (vec![], vec![], Completeness::Complete);
            let value = Some(value);
            return (Reading { value, changes, violations, completeness, cut_from: None }, false);
        }
        strict => strict,
    };
    let conforms = strict.is_some_and(|strict| validity.is_valid(&strict.value));
    let aligner = Aligner::new(reply, shapes, options.depth()).with_null_reading(null_reading);
    let mut choice = search(reply, aligner, wanted(shapes, options));
    let has_read_null = choice.has_read_null;
    let around = account::surroundings(reply, &choice, shapes);
    let Some(chosen) = &mut choice.chosen else {
        let violation = verdict::no_value(reply, &choice, options);
        return (Reading::failed(reply, violation, options), has_read_null);
    };
    let thinks_on = choice.located.thinks_on;
    let is_cut = chosen.candidate.is_cut || verdict::is_cut(reply, chosen, thinks_on, options.reply_end);
    let is_answer = chosen.doubt.is_none() && !thinks_on;
    let cut_from = (is_cut && is_answer && chosen.candidate.span.end >= reply.trim_end().len())
        .then_some(chosen.candidate.span.start);
    comments::check(reply, chosen, shapes);
    let notes = around.into_iter().chain(std::mem::take(&mut chosen.candidate.notes)).collect();
    let changes = receipt::changes(reply, &chosen.candidate.node, notes);
    let (violations, completeness) = if is_cut {
        (vec![truncation(reply)], Completeness::Truncated { at: reply.len() })
    } else {
        (verdict::violations(reply, &changes, &choice, options, conforms), Completeness::Complete)
    };
    let value = choice.chosen.map(|chosen| chosen.candidate.node.into_value());
    (Reading { value, changes, violations, completeness, cut_from }, has_read_null)
}

/// Runs the stages up to `choose` on one candidate after another.
fn search<'r>(reply: &'r str, mut aligner: Aligner<'r>, wanted: Wanted<'r>) -> Choice<'r> {
    let is_number = wanted.is_number;
    let mut located = locate::candidates(reply, wanted);
    let mut found: Vec<Fitted<'r>> = Vec::new();
    while let Some(candidate) = located.next(reply, found.iter().any(Fitted::is_about)) {
        found.extend(aligner.candidate(candidate));
    }
    if is_number && !found.iter().any(|one| one.is_about() && one.fits()) {
        let number = located.only_number(reply).and_then(|found| aligner.candidate(found));
        found.extend(number.filter(Fitted::fits));
    }
    if !found.iter().any(|one| one.is_about() && !one.candidate.is_cut)
        && let Some(options) = aligner.root_options()
        && let Some(named) = located.named(reply, &options).and_then(|found| aligner.candidate(found))
    {
        found = vec![named];
    }
    Choice { has_read_null: aligner.has_read_null(), ..choose(found, located, reply) }
}

fn wanted<'s>(shapes: &'s Shapes, options: &ReadingOptions) -> Wanted<'s> {
    let root = shapes.get(ROOT);
    Wanted {
        is_list: root.kinds == kind::LIST,
        is_around_list: shapes.only_list().is_some(),
        is_scalar: root.allows(kind::ANY & !kind::LIST & !kind::OBJECT),
        is_number: root.kinds != kind::NULL && !root.allows(!(kind::INTEGER | kind::NUMBER | kind::NULL)),
        is_object: root.allows(kind::OBJECT),
        reply_end: options.reply_end,
        max_depth: options.depth(),
        max_candidates: options.max_candidates.max(1),
        keys: Some(shapes.keys()),
    }
}

impl Reading {
    /// A reading without a value. For a cut reply, the cut is the only violation worth reporting.
    fn failed(reply: &str, violation: Violation, options: &ReadingOptions) -> Self {
        let (violation, completeness) = match options.reply_end {
            ReplyEnd::Cut => (truncation(reply), Completeness::Truncated { at: reply.len() }),
            _ => (violation, Completeness::Complete),
        };
        Self { value: None, changes: vec![], violations: vec![violation], completeness, cut_from: None }
    }
}

#[cfg(test)]
mod tests;
