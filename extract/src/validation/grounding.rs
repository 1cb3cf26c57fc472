//! Collects the quotes in a value, which are the strings that the schema marks, and looks them up in a
//! document.

use std::{borrow::Cow, ops::Range, sync::Arc};

use serde_json::{Value, json};

use super::{
    nodes::{SchemaNodes, constants},
    report::MAX_VIOLATIONS,
};
use crate::{
    document::{
        Document, LikelyLocations, QuoteLocation, Span, ValuePresence, contains_name, is_chinese_numeral,
    },
    schema::{DECIMAL, GROUNDED, QUOTE},
    vocabulary::{
        change::{Change, ChangeKind},
        path::{Path, Segment},
        text::{self, counted, excerpt},
        violation::{Code, Severity, Violation},
    },
};

/// The document in which quotes are looked up.
#[derive(Debug, Clone)]
pub(crate) struct QuoteSource {
    document: Document,
    /// The part that the agent was asked to read.
    part: Range<usize>,
    /// The passages that quotes are most likely from.
    likely: Arc<LikelyLocations>,
}

/// A value whose quotes were looked up.
pub(crate) struct GroundedValue<'v> {
    /// The value with the spans of its quotes and the document's wording.
    pub(crate) value: Cow<'v, Value>,
    /// Violations of its quotes, and warnings.
    pub(crate) violations: Vec<Violation>,
    /// The quotes that the document spells differently, at most 1,000.
    pub(crate) respelled: Vec<RespelledQuote>,
    /// Whether the spans are final even if more of the value follows: each quote occurs in the
    /// document once.
    pub(crate) is_certain: bool,
    /// Numbers of unlisted violations and of unlisted warnings.
    unlisted: [usize; 2],
}

impl<'v> GroundedValue<'v> {
    /// The grounding of a value without quotes.
    pub(crate) fn of(value: &'v Value) -> Self {
        Self {
            value: Cow::Borrowed(value),
            violations: Vec::new(),
            respelled: Vec::new(),
            is_certain: true,
            unlisted: [0, 0],
        }
    }

    fn report(&mut self, violation: impl FnOnce() -> Violation) {
        self.add(Severity::Fixable, violation);
    }

    fn warn(&mut self, violation: impl FnOnce() -> Violation) {
        self.add(Severity::Warning, violation);
    }

    fn add(&mut self, severity: Severity, violation: impl FnOnce() -> Violation) {
        if self.violations.len() < MAX_VIOLATIONS {
            self.violations.push(violation());
        } else {
            self.unlisted[usize::from(severity == Severity::Warning)] += 1;
        }
    }

    /// Adds a count of the unlisted violations, in the value at `path`.
    fn close(&mut self, path: &Path) {
        for (unlisted, severity) in self.unlisted.into_iter().zip([Severity::Fixable, Severity::Warning]) {
            if unlisted > 0 {
                let message = format!("{unlisted} more remarks on quotes");
                self.violations.push(Violation::new(path.clone(), Code::More, message).severity(severity));
            }
        }
    }
}

/// A quote that the document spells differently.
pub(crate) struct RespelledQuote {
    pub(crate) path: Path,
    /// The agent's wording.
    pub(crate) before: String,
    /// The document's wording.
    pub(crate) after: String,
}

/// Maximum number of quotes for which the nearest passage is searched. One search may take a
/// millisecond.
const MAX_HINTS: usize = 20;

/// Maximum number of quotes in one value; a reply has room for millions of copies of one.
const MAX_QUOTES: usize = 100_000;

/// Looks up the `quotes` of `value`, which is at `path`.
pub(crate) fn ground<'v>(
    path: &Path,
    value: &'v Value,
    quotes: &[QuotedString<'_>],
    source: Option<&QuoteSource>,
) -> GroundedValue<'v> {
    let mut grounding = GroundedValue::of(value);
    match (source, quotes) {
        (_, []) => {}
        (None, [first, ..]) => grounding.violations.push(no_document(first)),
        (Some(_), quotes) if quotes.len() > MAX_QUOTES => {
            let violation = Violation::new(path.clone(), Code::InvalidValue, "has too many quotes")
                .expected(format!("at most {MAX_QUOTES}"))
                .actual(quotes.len().to_string());
            grounding.violations.push(violation);
        }
        (Some(source), quotes) => source.look_up(path, quotes, &mut grounding),
    }
    grounding
}

fn no_document(first: &QuotedString<'_>) -> Violation {
    Violation::new(first.path.clone(), Code::NotInSource, "there is no document to look the quote up in")
        .severity(Severity::Fatal)
}

impl QuoteSource {
    /// A source for quotes from this `part` of `document`, in bytes.
    pub(crate) fn new(document: &Document, part: Range<usize>) -> Self {
        let likely = Arc::new(LikelyLocations::within(vec![part.clone()]));
        Self { document: document.clone(), part, likely }
    }

    /// The text of the document.
    pub(crate) fn text(&self) -> &str {
        self.document.text()
    }

    /// The same source after a rejected answer. Quotes from that answer were `found` at these spans
    /// and are likely from there again; others are likely from the `passages` shown.
    pub(crate) fn after(&self, found: Vec<Span>, passages: Vec<Range<usize>>) -> Self {
        let likely = LikelyLocations::within(passages).where_found(&self.document, found);
        Self { likely: Arc::new(likely), ..self.clone() }
    }

    /// Looks up `quotes`, given in the order of the value in `grounding`.
    fn look_up(&self, path: &Path, quotes: &[QuotedString<'_>], grounding: &mut GroundedValue<'_>) {
        let words: Vec<_> = quotes.iter().map(|quoted| quoted.words).collect();
        let mut hints_left = MAX_HINTS;
        for (quoted, place) in quotes.iter().zip(self.document.place_likely(&words, &self.likely)) {
            grounding.is_certain &= place.as_ref().is_ok_and(QuoteLocation::is_only);
            match place {
                Ok(place) => self.check(path, quoted, &place, grounding),
                Err(error) => {
                    let has_hint = hints_left > 0;
                    hints_left = hints_left.saturating_sub(1);
                    grounding.report(|| {
                        let violation = not_in_source(quoted, &error.to_string());
                        if has_hint { self.with_nearest(violation, quoted) } else { violation }
                    });
                }
            }
        }
        grounding.close(path);
    }

    /// Writes the span of a quote, unless the quote does not say the same.
    fn check(
        &self,
        path: &Path,
        quoted: &QuotedString<'_>,
        place: &QuoteLocation,
        grounding: &mut GroundedValue<'_>,
    ) {
        let (text, span) = (self.document.text(), place.span());
        let words = &text[span.range()];
        let is_number =
            quoted.shows.as_ref().is_some_and(|shown| shown.is_decimal || shown.value.is_number());
        if cuts_a_word(text, &span.range()) || (is_number && cuts_a_chinese_number(text, &span.range())) {
            let violation = not_in_source(quoted, "is in the text only inside a longer word or number");
            return grounding.report(|| violation);
        }
        if span.start() < self.part.start || self.part.end < span.end() {
            let violation = not_in_source(quoted, "is outside of the part of the text in question");
            return grounding.report(|| violation);
        }
        if let Some(violation) = self.not_in_quote(quoted, words) {
            grounding.report(|| violation);
        }
        if place.is_ambiguous() {
            grounding.warn(|| ambiguous(quoted, place));
        }
        if words != quoted.words && grounding.respelled.len() < MAX_VIOLATIONS {
            let (before, after) = (quoted.words.to_owned(), words.to_owned());
            grounding.respelled.push(RespelledQuote { path: quoted.path.clone(), before, after });
        }
        let mut inside = quoted.path.segments()[path.segments().len()..].iter();
        let value = grounding.value.to_mut();
        if let Some(part) = inside.try_fold(value, |part, step| step.within_mut(part)) {
            *part = json!({"words": words, "span": span});
        }
    }

    /// The violation of a value that is not in its quote, if that can be decided.
    fn not_in_quote(&self, quoted: &QuotedString<'_>, words: &str) -> Option<Violation> {
        let SupportedValue { path, value, is_decimal, names } = quoted.shows.as_ref()?;
        let standing = match value.as_str().filter(|_| names.len() > 1) {
            Some(name) => contains_name(words, name, names),
            None if *is_decimal => self.document.shows_decimal(words, value),
            None => self.document.shows(words, value),
        };
        (standing == ValuePresence::No).then(|| {
            Violation::new(path.clone(), Code::NotInQuote, "is not in its quote")
                .expected(format!("a value that is in {}", text::quoted(words)))
                .actual(text::quoted(value))
        })
    }

    fn with_nearest(&self, violation: Violation, quoted: &QuotedString<'_>) -> Violation {
        match self.document.nearest(quoted.words) {
            Some(near) => {
                let passage = &self.document.text()[near.span().range()];
                violation.hint(format!("nearest is {}", text::quoted(passage)))
            }
            None => violation,
        }
    }
}

fn not_in_source(quoted: &QuotedString<'_>, message: &str) -> Violation {
    Violation::new(quoted.path.clone(), Code::NotInSource, message)
        .expected("words copied from the text exactly")
        .actual(text::quoted(quoted.words))
}

fn ambiguous(quoted: &QuotedString<'_>, place: &QuoteLocation) -> Violation {
    let others = counted(place.alternatives(), "other place");
    let message = format!(
        "could as well be from {others} of the text; taken from line {}",
        place.span().line_column().line
    );
    Violation::new(quoted.path.clone(), Code::AmbiguousQuote, message)
        .actual(text::quoted(quoted.words))
        .severity(Severity::Warning)
}

/// Returns whether `range` starts or ends inside a number or a word: a `5` in `15` or `1.5`, a name
/// in a longer one. Only letters with case delimit words: other scripts write words without spaces,
/// or attached to their neighbours.
fn cuts_a_word(text: &str, range: &Range<usize>) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(char::is_numeric);
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_lowercase() || c.is_uppercase());
    let is_inside = |outward: &mut dyn Iterator<Item = char>, edge: Option<char>| {
        let next = outward.next();
        let is_separator = |c: Option<char>| matches!(c, Some('.' | ',' | '\u{66b}' | '\u{66c}'));
        let in_number = is_digit(edge) && (is_digit(next) || is_separator(next) && is_digit(outward.next()));
        in_number || is_letter(edge) && is_letter(next)
    };
    let words = &text[range.clone()];
    is_inside(&mut text[..range.start].chars().rev(), words.chars().next())
        || is_inside(&mut text[range.end..].chars(), words.chars().next_back())
}

/// Returns whether `range` starts or ends inside a number in Chinese characters: `五` in `二十五`. Only
/// for the quotes of numbers: such characters are also parts of words.
fn cuts_a_chinese_number(text: &str, range: &Range<usize>) -> bool {
    let is_inside = |before: Option<char>, after: Option<char>| {
        before.is_some_and(is_chinese_numeral) && after.is_some_and(is_chinese_numeral)
    };
    let words = &text[range.clone()];
    is_inside(text[..range.start].chars().next_back(), words.chars().next())
        || is_inside(words.chars().next_back(), text[range.end..].chars().next())
}

/// The changes for `quotes`, given in the order of `reply`. The span of each is its position there,
/// or the whole reply for a quote written with escapes.
pub(crate) fn changes_of(quotes: Vec<RespelledQuote>, reply: &str) -> impl Iterator<Item = Change> {
    let mut from = 0;
    quotes.into_iter().map(move |RespelledQuote { path, before, after }| {
        let start = reply[from..].find(&before).map(|offset| from + offset);
        let span = start.map_or(0..reply.len(), |start| start..start + before.len());
        from = start.map_or(from, |_| span.end);
        let (before, after) = (excerpt(&before), excerpt(&after));
        Change { after, ..Change::lossless(path, span, ChangeKind::Quotation, before) }
    })
}

/// A string that must occur in the document.
#[derive(Debug, Clone)]
pub(crate) struct QuotedString<'v> {
    pub(crate) path: Path,
    pub(crate) words: &'v str,
    /// The value beside it that it supports, and that value's path.
    pub(crate) shows: Option<SupportedValue<'v>>,
}

/// A value that a quote supports.
#[derive(Debug, Clone)]
pub(crate) struct SupportedValue<'v> {
    pub(crate) path: Path,
    pub(crate) value: &'v Value,
    /// Whether it is a decimal, which may be a string of digits.
    pub(crate) is_decimal: bool,
    /// The names that it may be, if it is an enum.
    pub(crate) names: Vec<String>,
}

/// The quotes in `value`, the part at `path`, in order. In a union, the mark of one alternative
/// counts for the strings at the same path in all of them.
pub(crate) fn quotes_in<'v>(schema: &Value, path: &Path, value: &'v Value) -> Vec<QuotedString<'v>> {
    let mut found = Vec::new();
    let nodes = path.segments().iter().fold(SchemaNodes::of(schema), |nodes, step| nodes.step(step));
    gather(&nodes, value, path.clone(), None, &mut found);
    found
}

/// Strips the spans of the quotes in `value`, which `nodes` describe, and keeps their words.
pub(crate) fn drop_spans(nodes: &SchemaNodes<'_>, value: &mut Value) {
    if nodes.are_marked(QUOTE)
        && let Some(words) = value.get_mut("words").map(Value::take)
    {
        *value = words;
        return;
    }
    for (step, part) in Segment::parts_mut(value) {
        drop_spans(&nodes.step(&step), part);
    }
}

fn gather<'v>(
    nodes: &SchemaNodes<'_>,
    value: &'v Value,
    path: Path,
    shows: Option<SupportedValue<'v>>,
    found: &mut Vec<QuotedString<'v>>,
) {
    if let Value::String(words) = value {
        if nodes.are_marked(QUOTE) {
            found.push(QuotedString { path, words, shows });
        }
        return;
    }
    let grounded = value.get("value").filter(|_| nodes.are_marked(GROUNDED));
    for (step, part) in Segment::parts(value) {
        let beside = grounded.filter(|_| matches!(&step, Segment::Key(key) if key.as_str() == "quote"));
        let shows = beside.map(|value| {
            let nodes = nodes.step(&Segment::Key("value".into()));
            let names = nodes.all.iter().flat_map(|node| constants(node)).filter_map(Value::as_str);
            SupportedValue {
                path: path.clone().key("value"),
                value,
                is_decimal: nodes.are_marked(DECIMAL),
                names: names.map(str::to_owned).collect(),
            }
        });
        gather(&nodes.step(&step), part, path.clone().step(step), shows, found);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_quote_does_not_begin_or_end_inside_a_word_or_number() {
        for (text, quote, is_cut) in [
            ("15 mg", "5", true),
            ("1.5 mg", "5", true),
            ("1.5 mg", "1", true),
            ("1,500 mg", "500 mg", true),
            ("dose 5. Then", "5", false),
            ("5, then 6", "5", false),
            ("5mg", "5", false),
            ("15 mg", "15", false),
            ("x.5", ".5", false),
            ("٢٥٠", "٥٠", true),
            ("٢٫٥ ملغ", "٥ ملغ", true),
            ("٢٬٥٠٠", "٢", true),
            ("the party", "art", true),
            ("John Smith", "John Smit", true),
            ("John Smith's", "John Smith", false),
            ("Großväter", "Groß", true),
            ("他说头痛得厉害", "头痛", false),
            ("والقاهرة", "القاهرة", false),
        ] {
            let start = text.find(quote).unwrap();
            assert_eq!(cuts_a_word(text, &(start..start + quote.len())), is_cut, "{quote} in {text}");
        }
    }

    #[test]
    fn a_quote_of_a_number_does_not_begin_or_end_inside_chinese_numerals() {
        for (text, quote, is_cut) in [
            ("二十五毫克", "五毫克", true),
            ("二十五毫克", "二十", true),
            ("二十五毫克", "二十五毫克", false),
            ("每天五毫克", "五", false),
        ] {
            let start = text.find(quote).unwrap();
            assert_eq!(
                cuts_a_chinese_number(text, &(start..start + quote.len())),
                is_cut,
                "{quote} in {text}"
            );
        }
    }

    #[test]
    fn quotes_come_in_the_order_of_the_value_with_what_they_show() {
        let schema = json!({
            "type": "object",
            "properties": {
                "reasons": {"type": "array", "items": {"type": "string", "x-quote": true}},
                "dose": {"anyOf": [{"$ref": "#/$defs/Dose"}, {"type": "null"}]},
                "remark": {"type": "string"},
            },
            "$defs": {
                "Dose": {
                    "type": "object",
                    "properties": {"value": {"type": "number"}, "quote": {"type": "string", "x-quote": true}},
                    "x-grounded": true,
                },
            },
        });
        let value =
            json!({"dose": {"quote": "5 mg", "value": 5}, "reasons": ["pain", "fever"], "remark": "none"});
        let found: Vec<_> = quotes_in(&schema, &Path::root(), &value)
            .into_iter()
            .map(|quoted| {
                (
                    quoted.path.to_string(),
                    quoted.words,
                    quoted.shows.map(|shown| format!("{} {}", shown.path, shown.value)),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("$.dose.quote".to_owned(), "5 mg", Some("$.dose.value 5".to_owned())),
                ("$.reasons[0]".to_owned(), "pain", None),
                ("$.reasons[1]".to_owned(), "fever", None),
            ]
        );
        assert!(quotes_in(&schema, &Path::root(), &json!({"dose": null, "remark": "pain"})).is_empty());
        let with = |words| json!({"words": words, "span": null});
        let mut spanned = json!({
            "dose": {"quote": with("5 mg"), "value": 5},
            "reasons": [with("pain"), "fever"],
            // Not a quote, however it looks.
            "remark": with("none"),
        });
        drop_spans(&SchemaNodes::of(&schema), &mut spanned);
        let words = json!({
            "dose": {"quote": "5 mg", "value": 5},
            "reasons": ["pain", "fever"],
            "remark": with("none"),
        });
        assert_eq!(spanned, words);
    }
}
