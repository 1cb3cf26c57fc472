//! Reads a JSON value from the text of a reply, and returns a receipt of every change.
//!
//! First, `bare` takes off the format at the ends of a reply: marks of chat templates, reasoning, white space.
//! Where a string holds the answer, `envelope` has its text read as a reply of its own. Then there are
//! five stages. `locate` finds where values may start and has `parse` read them, because only a
//! parsed value says where it ends. `align` brings each candidate into the form that
//! the contract asks for, and records doubts that it was meant as the answer (`doubt`, `gaps`). `choose`
//! takes the last candidate that is about what was asked for. `search` runs these three, also on the
//! paragraphs beside a scalar, which may be another answer. `account` says what each other part
//! of the reply is, and what is left over, by what the prose says (`prose`). `verdict` reports whether
//! the end of the value may be missing, and why a value may not be used; of objects that lack nothing but
//! their last brackets, `unclosed` adds them. A reply that is strict JSON and conforms skips all stages,
//! unless a string in it means null or may be a placeholder.
//!
//! Alignment never changes a reply that is strict JSON and valid against the schema, with five
//! exceptions. The number of a decimal becomes a string of its digits, which a double would round.
//! `1.0` where an integer is wanted becomes `1`: it is the same JSON number, and
//! serde's integers refuse the other spelling. Another spelling of a name beside `#[serde(other)]`
//! becomes that name. A string that means null becomes null, unless the result would not conform.
//! Another spelling of a key that is absent becomes that key: the wrapper of a value decides
//! nothing, and in a fence it would be read so.

mod account;
mod addressee;
mod align;
mod bare;
mod broken_off;
mod choose;
mod comments;
mod doubt;
mod envelope;
mod gaps;
mod growing;
mod keys;
mod locate;
mod node;
mod options;
mod parse;
mod prose;
mod receipt;
mod scan;
mod search;
mod shape;
mod slip;
mod spelling;
mod strict;
mod text_checker;
mod unclosed;
mod verdict;

use std::{fmt, ops::Range};

use serde_json::Value;

use self::{
    bare::BareReply,
    envelope::quoted_text,
    receipt::Note,
    search::{other_answers, search},
    shape::{NullReading, ROOT},
    strict::Strict,
};
pub(crate) use self::{
    bare::template_marks,
    broken_off::BrokenOff,
    growing::GrowingAnswer,
    parse::number::is_number_with_marks,
    prose::{disowns_value, is_refusal, leaves_out, takes_call_back},
    scan::{Cursor, Mark, Places, SharedMark, SharedTape, Sight, Snapshot, UnknownMembers},
    search::{LeafSpans, leaf_spans},
    shape::Shapes,
    strict::depth,
    text_checker::TextChecker,
    verdict::{in_thoughts, is_call, refused, truncation},
};
pub use self::{
    locate::reasoning::without_reasoning,
    options::{Leniency, ReadingOptions, ReplyEnd},
    scan::PartState,
};
pub use crate::vocabulary::change::{Change, ChangeKind, Loss};
use crate::vocabulary::{path::Path, violation::Violation};

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
    /// The text ends inside the value or after a draft, or may do so, judging by the reply's
    /// [end](ReplyEnd).
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
    if options.leniency != Leniency::Strict
        && let Some(bare) = BareReply::of(reply, options.reply_end)
    {
        let is_ended = bare.is_complete && options.reply_end == ReplyEnd::Unknown;
        let reply_end = if is_ended { ReplyEnd::Whole } else { options.reply_end };
        let options = ReadingOptions { reply_end, ..*options };
        return read_bare(bare.text(), shapes, &options, validity).around(reply, &bare);
    }
    read_bare(reply, shapes, options, validity)
}

/// Reads `reply`, which has no format at its ends.
fn read_bare(reply: &str, shapes: &Shapes, options: &ReadingOptions, validity: &dyn Validity) -> Reading {
    let (reading, has_read_null) = read_as(reply, shapes, options, validity, options.null_reading());
    if let Some(reading) = unclosed::closed(reply, &reading, shapes, options, validity) {
        return reading;
    }
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
        Some(Strict { value, may_be_echo, may_be_rounded: false })
            if shapes.fits(&value, null_reading)
                && !options.reply_end.cuts_strict(reply)
                && !(may_be_echo && shapes.may_be_echo(&value))
                && value.as_str().is_none_or(|text| !is_refusal(text))
                && !(shapes.get(ROOT).takes_any_object() && names_submit(&value)) =>
        {
            let (changes, violations, completeness) = (vec![], vec![], Completeness::Complete);
            let value = Some(value);
            return (Reading { value, changes, violations, completeness, cut_from: None }, false);
        }
        strict => strict,
    };
    let quoted_text = |reply| {
        let is_allowed = options.leniency != Leniency::Strict;
        is_allowed.then(|| quoted_text(reply, shapes)).flatten()
    };
    if let Some(text) = quoted_text(reply) {
        return (read(&text, shapes, options, validity).in_quotes(reply), false);
    }
    let conforms = strict.is_some_and(|strict| validity.is_valid(&strict.value));
    let mut choice = search(reply, shapes, options, null_reading);
    let has_read_null = choice.has_read_null;
    let mut around = account::surroundings(reply, &choice, shapes);
    around.extend(other_answers(reply, &choice, shapes, options, null_reading));
    let Some(chosen) = &mut choice.chosen else {
        let violation = verdict::no_value(reply, &choice, options);
        return (Reading::failed(reply, violation, options), has_read_null);
    };
    let thinks_on = choice.located.thinks_on;
    let is_cut = chosen.candidate.is_cut
        || verdict::is_cut(reply, chosen, &around, thinks_on, options.reply_end)
        || options.reply_end != ReplyEnd::Whole && verdict::begins_member(reply, chosen, shapes);
    let is_answer = chosen.doubt.is_none() && !thinks_on;
    let cut_from = (is_cut && is_answer && chosen.candidate.span.end >= reply.trim_end().len())
        .then_some(chosen.candidate.span.start);
    comments::check(reply, chosen, shapes);
    let notes = around.into_iter().chain(std::mem::take(&mut chosen.candidate.notes)).collect();
    let mut changes = receipt::changes(reply, &chosen.candidate.node, notes);
    // The text of a string is read as any other, with all that stands beside a value in it.
    let span = chosen.candidate.span.clone();
    let is_part = span.len() < reply.trim().len();
    let text = if is_cut || !is_part { None } else { quoted_text(&reply[span.clone()]) };
    let mut quoted = text.map(|text| read(&text, shapes, options, validity).at(&span));
    if let Some(quoted) = &mut quoted {
        let is_inside = |change: &Change| span.start <= change.span.start && change.span.end <= span.end;
        let is_of_string = |kind| matches!(kind, ChangeKind::EmbeddedJson | ChangeKind::Wrapper);
        changes.retain(|change| !is_inside(change) || is_of_string(change.kind));
        changes.append(&mut quoted.changes);
    }
    let (mut violations, completeness) = if is_cut {
        (vec![truncation(reply)], Completeness::Truncated { at: reply.len() })
    } else {
        (verdict::violations(reply, &changes, &choice, options, conforms), Completeness::Complete)
    };
    let mut value = choice.chosen.map(|chosen| chosen.candidate.node.into_value());
    if let Some(quoted) = quoted {
        violations.extend(quoted.violations);
        value = quoted.value.or(value);
    }
    (Reading { value, changes, violations, completeness, cut_from }, has_read_null)
}

/// Returns whether `value` may be a call of the tool that takes an answer.
fn names_submit(value: &Value) -> bool {
    value.get("name").and_then(Value::as_str).is_some_and(|name| name.starts_with("submit"))
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

    /// The reading of all of `reply`, of which `bare` was read.
    fn around(mut self, reply: &str, bare: &BareReply<'_>) -> Self {
        let start = bare.start();
        for change in &mut self.changes {
            change.span = change.span.start + start..change.span.end + start;
        }
        if self.value.is_some() {
            self.changes.splice(0..0, bare.changes());
        }
        if let Completeness::Truncated { at } = &mut self.completeness {
            *at = reply.len();
        }
        Self { cut_from: self.cut_from.map(|from| from + start), ..self }
    }

    /// The reading of what is in the string at `span` of a reply.
    fn at(mut self, span: &Range<usize>) -> Self {
        self.changes.iter_mut().for_each(|change| change.span = span.clone());
        self
    }

    /// The reading of `reply`, which has what was read in quotes.
    fn in_quotes(self, reply: &str) -> Self {
        let span = 0..reply.len();
        let mut reading = self.at(&span);
        if let Some(value) = &reading.value {
            let note = Note::new(ChangeKind::EmbeddedJson, Loss::Lossless, span).after(value.to_string());
            reading.changes.insert(0, note.into_change(Path::root(), reply));
        }
        // The string is complete, whatever is in it.
        Self { completeness: Completeness::Complete, cut_from: None, ..reading }
    }
}

/// Reads replies for one contract with custom settings; created by
/// [`Contract::reader`](crate::Contract::reader).
///
/// ```
/// use extract::{Contract, settings::Leniency};
/// use serde_json::json;
///
/// let contract = Contract::from_schema(json!({"type": "array", "items": {"type": "integer"}}))?;
/// let reply = "[1, 2, ...]";
/// assert_eq!(contract.read(reply).violations.len(), 1, "something is left out");
/// let reading = contract.reader().leniency(Leniency::Lossy).read(reply);
/// assert_eq!((reading.value, reading.violations), (Some(json!([1, 2])), vec![]));
/// # Ok::<(), extract::schema::SchemaError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "a reader does nothing until it reads"]
pub struct Reader<'c> {
    shapes: &'c Shapes,
    validity: &'c dyn Validity,
    options: ReadingOptions,
}

impl<'c> Reader<'c> {
    pub(crate) fn new(shapes: &'c Shapes, validity: &'c dyn Validity) -> Self {
        Self { shapes, validity, options: ReadingOptions::default() }
    }

    /// Sets all options at once, except [`reply_end`](Self::reply_end).
    pub fn options(mut self, options: ReadingOptions) -> Self {
        self.options = ReadingOptions { reply_end: self.options.reply_end, ..options };
        self
    }

    /// Sets which changes are accepted; [`Leniency::Faithful`] by default.
    pub fn leniency(mut self, leniency: Leniency) -> Self {
        self.options.leniency = leniency;
        self
    }

    /// Sets the maximum length of a reply in bytes; 8 MiB by default. A longer one is rejected
    /// unread.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.options.max_bytes = bytes;
        self
    }

    /// Sets the maximum nesting of brackets; 128 levels by default, 256 at most. A deeper value is
    /// rejected unread. The limit is lower where schemas for the same value form a long chain: 51
    /// for a chain of ten.
    pub fn max_depth(mut self, levels: usize) -> Self {
        self.options.max_depth = levels;
        self
    }

    /// Sets how many JSON values of one reply are compared with the contract, counted from the end;
    /// 32 by default. If there are more and no compared value fits, a violation says so.
    pub fn max_candidates(mut self, count: usize) -> Self {
        self.options.max_candidates = count;
        self
    }

    /// Sets whether strings that mean null stay strings; see [`ReadingOptions::keep_null_strings`].
    pub fn keep_null_strings(mut self, keep: bool) -> Self {
        self.options.keep_null_strings = keep;
        self
    }

    /// Sets how the reply ended. The default, [`ReplyEnd::Unknown`], judges by the text alone.
    pub fn reply_end(mut self, end: ReplyEnd) -> Self {
        self.options.reply_end = end;
        self
    }

    /// Reads `reply`, as [`Contract::read`](crate::Contract::read) does.
    pub fn read(&self, reply: &str) -> Reading {
        read(reply, self.shapes, &self.options, self.validity)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::vocabulary::{change::Loss, violation::Code};

    /// Rejects everything that the shapes do not allow.
    #[derive(Debug)]
    struct ShapesOnly;

    impl Validity for ShapesOnly {
        fn is_valid(&self, _: &Value) -> bool {
            false
        }
    }

    fn read_as(schema: &Value, reply: &str) -> Reading {
        read(reply, &Shapes::compile(schema, 256), &ReadingOptions::default(), &ShapesOnly)
    }

    fn read_total(reply: &str) -> Reading {
        read_as(&json!({"type": "object", "properties": {"total": {}}, "required": ["total"]}), reply)
    }

    #[test]
    fn nothing_but_json_is_read_without_a_change() {
        let reading = read_total(" {\"total\": 1}\n");
        assert_eq!(reading.value, Some(json!({"total": 1})));
        assert!(reading.changes.is_empty());
    }

    #[test]
    fn what_takes_the_value_back_is_reported_with_or_without_a_full_stop() {
        for end in ["", "."] {
            let reading = read_total(&format!("{{\"total\": 1}}\n\nCorrection: the total should be 2{end}"));
            let codes: Vec<_> = reading.violations.iter().map(|violation| &violation.code).collect();
            assert_eq!((codes, &reading.completeness), (vec![&Code::LeftOver], &Completeness::Complete));
        }
        let reading = read_total("{\"total\": 1}\n\nOn second");
        assert_eq!(reading.completeness, Completeness::Truncated { at: 23 });
    }

    #[test]
    fn a_member_that_is_called_as_the_whole_has_its_value() {
        let mood = json!({"title": "CustomerMood", "type": "string", "enum": ["calm", "angry"]});
        for key in ["CustomerMood", "customer_mood", "customer mood", "mood"] {
            assert_eq!(read_as(&mood, &format!("{{\"{key}\": \"calm\"}}")).value, Some(json!("calm")));
        }
        for reply in [
            r#"{"mood": "calm, mostly"}"#,
            r#"{"previous_customer_mood": "calm"}"#,
            r#"{"customer_mood": "calm", "agent_mood": "angry"}"#,
        ] {
            assert_ne!(read_as(&mood, reply).value, Some(json!("calm")), "{reply}");
        }
        let age = json!({"title": "Age", "type": "integer"});
        assert_eq!(read_as(&age, r#"{"age": 41}"#).value, Some(json!(41)));
    }

    #[test]
    fn a_date_is_read_in_forms_that_have_one_reading() {
        let date = json!({"type": "object", "properties": {"on": {"type": "string", "format": "date"}}});
        for text in [
            "5 March 2024",
            "March 5th, 2024",
            "Mar 5, 2024",
            "2024/3/5",
            "2024年3月5日",
            "5 de marzo de 2024",
        ] {
            let reading = read_as(&date, &json!({"on": text}).to_string());
            assert_eq!(reading.value, Some(json!({"on": "2024-03-05"})), "{text}");
            assert_eq!(
                (reading.changes[0].kind, reading.changes[0].loss),
                (ChangeKind::CalendarDate, Loss::Lossless)
            );
        }
        for text in [
            "3/4/2024",
            "14/07/2022",
            "2024-13-04",
            "-5 March 2024",
            "5 and 6 March 2024",
            "5 March 24",
            "March 2024",
        ] {
            let reading = read_as(&date, &json!({"on": text}).to_string());
            assert_eq!((reading.value, reading.changes), (Some(json!({"on": text})), vec![]), "{text}");
        }
    }

    #[test]
    fn a_flag_and_a_label_come_before_their_explanation() {
        let flag = json!({"type": "boolean"});
        for (reply, expected) in [
            ("No. The policy does not cover it.", Some(json!(false))),
            ("Yes, the policy covers it.", Some(json!(true))),
            ("Nein.", Some(json!(false))),
            ("Yes, but only partly.", None),
            ("No. 5 is right.", None),
            ("No, I cannot tell.", None),
        ] {
            assert_eq!(read_as(&flag, reply).value.filter(Value::is_boolean), expected, "{reply}");
        }
        let changes = read_as(&flag, "Nein").changes;
        let shown: Vec<_> = changes.iter().map(|one| (one.kind, &*one.before, &*one.after)).collect();
        assert_eq!(shown, [(ChangeKind::Literal, "Nein", "false")]);
        let label = json!({"type": "string", "enum": ["A", "B", "C"]});
        for (reply, expected) in [
            ("B) Paris", Some(json!("B"))),
            ("Answer: B\n\nExplanation: A is too small and C is too large.", Some(json!("B"))),
            ("Answer: B\n\nExplanation: A is too small. Actually, the answer is C", None),
            ("B. Paris\nC. Rome", None),
        ] {
            assert_eq!(read_as(&label, reply).value, expected, "{reply}");
        }
    }

    #[test]
    fn finds_the_value_in_what_surrounds_it() {
        for reply in [
            "```json\n{\"total\": 1}\n```",
            "```\n{\"total\": 1}",
            "Sure! Here it is: {\"total\": 1} Anything else?",
            "The set {a, b} has a total: {\"total\": 1}",
            "<think>a {\"total\": 7} maybe</think>{\"total\": 1}",
            "<seed:think>a {\"total\": 7} maybe</seed:think>{\"total\": 1}",
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
    fn an_allowed_value_in_prose_is_looked_for_where_nothing_else_fits() {
        let schema = json!({"enum": ["goods", "service"]});
        assert_eq!(read_as(&schema, "The answer is goods.").value, Some(json!("goods")));
        assert_eq!(read_as(&schema, "\"service\"").value, Some(json!("service")));
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
            assert_eq!(reading.violations[0].code, Code::Truncated);
        }
    }

    #[test]
    fn says_what_is_wrong_when_there_is_no_value() {
        for (reply, message) in [
            ("", "the answer is empty"),
            (" \n", "the answer is empty"),
            ("I cannot do that.", "no JSON in the answer"),
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
            let reading = read_total(&reply);
            assert!(reading.value.is_some() || !reading.violations.is_empty());
        }
    }

    #[test]
    fn the_size_is_bounded() {
        let options = ReadingOptions { max_bytes: 8, ..ReadingOptions::default() };
        let reading = read("[1, 2, 3]", &Shapes::compile(&json!(true), 256), &options, &ShapesOnly);
        assert_eq!(
            reading.violations[0].to_string(),
            "[NOT_JSON] $: the answer is too long to be read (expected at most 8 bytes, got 9 bytes)"
        );
    }
}
