//! Looks the quotes of a value up in a document.

use std::{borrow::Cow, ops::Range};

use serde_json::{Value, json};

use super::quotes::Quoted;
use crate::{
    change::{Change, ChangeKind, Loss},
    document::{self, Document, Placement, QuoteError, Standing},
    path::Path,
    text::{self, counted, excerpt},
    violation::{Code, Severity, Violation},
};

/// Where quotes are looked up.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    document: Document,
    /// The part of it that the agent was asked about.
    part: Range<usize>,
}

/// A value whose quotes were looked up.
pub(crate) struct Grounding<'v> {
    /// The value with the places of its quotes, and the words that stand there.
    pub(crate) value: Cow<'v, Value>,
    /// What is wrong with its quotes, and warnings.
    pub(crate) violations: Vec<Violation>,
    /// The quotes that the document writes in another way.
    pub(crate) respelled: Vec<Respelled>,
}

/// A quote that the document writes in another way.
pub(crate) struct Respelled {
    pub(crate) path: Path,
    /// The words of the agent.
    pub(crate) before: String,
    /// The words of the document.
    pub(crate) after: String,
}

/// Looks up `quotes`, those of `value`, which is at `path`.
pub(crate) fn ground<'v>(
    path: &Path,
    value: &'v Value,
    quotes: &[Quoted<'_>],
    source: Option<&Source>,
) -> Grounding<'v> {
    let mut grounding =
        Grounding { value: Cow::Borrowed(value), violations: Vec::new(), respelled: Vec::new() };
    match (source, quotes) {
        (None, []) => {}
        (None, [first, ..]) => grounding.violations.push(no_document(first)),
        (Some(source), quotes) => source.look_up(path, quotes, &mut grounding),
    }
    grounding
}

fn no_document(first: &Quoted<'_>) -> Violation {
    Violation::new(first.path.clone(), Code::NotInSource, "there is no document to look the quote up in")
        .severity(Severity::Fatal)
}

impl Source {
    /// For quotes from these bytes of `document`, if they stand there.
    pub(crate) fn new(document: &Document, part: Range<usize>) -> Self {
        Self { document: document.clone(), part }
    }

    /// Whether each of `quotes` stands in the document once.
    pub(crate) fn has_once(&self, quotes: &[Quoted<'_>]) -> bool {
        quotes.iter().all(|quoted| self.document.find(quoted.words).is_ok_and(|places| places.len() == 1))
    }

    /// Looks `quotes` up, which stand in the value of `grounding` in this order.
    fn look_up(&self, path: &Path, quotes: &[Quoted<'_>], grounding: &mut Grounding<'_>) {
        let asked = quotes.iter().map(|quoted| document::Quoted::new(quoted.words).within(self.part.clone()));
        for (quoted, place) in quotes.iter().zip(self.document.place(asked)) {
            match place {
                Ok(place) => self.check(path, quoted, &place, grounding),
                Err(error) => grounding.violations.push(self.missing(quoted, error)),
            }
        }
    }

    /// Writes the place of a quote, unless it is not what the quote says.
    fn check(&self, path: &Path, quoted: &Quoted<'_>, place: &Placement, grounding: &mut Grounding<'_>) {
        let (text, span) = (self.document.text(), place.span());
        let words = &text[span.range()];
        if cuts_a_word(text, &span.range()) {
            let violation = not_in_source(quoted, "stands in the text only inside a longer word or number");
            return grounding.violations.push(violation);
        }
        if span.start() < self.part.start || self.part.end < span.end() {
            let violation =
                not_in_source(quoted, "stands outside of the part of the text that is asked about");
            return grounding.violations.push(violation);
        }
        grounding.violations.extend(not_in_quote(quoted, words));
        if place.is_ambiguous() {
            grounding.violations.push(ambiguous(quoted, place));
        }
        if words != quoted.words {
            let (before, after) = (quoted.words.to_owned(), words.to_owned());
            grounding.respelled.push(Respelled { path: quoted.path.clone(), before, after });
        }
        let inside = quoted.path.segments()[path.segments().len()..].to_vec();
        if let Some(part) = grounding.value.to_mut().pointer_mut(&Path::from(inside).to_pointer()) {
            *part = json!({"words": words, "span": span});
        }
    }

    fn missing(&self, quoted: &Quoted<'_>, error: QuoteError) -> Violation {
        let violation = not_in_source(quoted, &error.to_string());
        match self.document.nearest(quoted.words) {
            Some(near) => {
                let passage = &self.document.text()[near.span().range()];
                violation.hint(format!("nearest is {}", text::quoted(passage)))
            }
            None => violation,
        }
    }
}

fn not_in_source(quoted: &Quoted<'_>, message: &str) -> Violation {
    Violation::new(quoted.path.clone(), Code::NotInSource, message)
        .expected("words copied from the text exactly")
        .actual(text::quoted(quoted.words))
}

/// The violation of a value that its quote does not show, as far as that can be decided.
fn not_in_quote(quoted: &Quoted<'_>, words: &str) -> Option<Violation> {
    let (path, value) = quoted.shows.as_ref()?;
    (document::stands_in(words, value) == Standing::No).then(|| {
        Violation::new(path.clone(), Code::NotInQuote, "is not in its quote")
            .expected(format!("a value that stands in {}", text::quoted(words)))
            .actual(text::quoted(value))
    })
}

fn ambiguous(quoted: &Quoted<'_>, place: &Placement) -> Violation {
    let others = counted(place.alternatives(), "other place");
    let message = format!(
        "could as well be from {others} of the text; taken from line {}",
        place.span().line_column().line
    );
    Violation::new(quoted.path.clone(), Code::AmbiguousQuote, message)
        .actual(text::quoted(quoted.words))
        .severity(Severity::Warning)
}

/// Whether `range` begins or ends inside a number or a word: a `5` in `15` or `1.5`, a name in a
/// longer one. Only letters with case tell where a word ends: other scripts write words without
/// spaces, or with what belongs to the words around them.
fn cuts_a_word(text: &str, range: &Range<usize>) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(char::is_numeric);
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_lowercase() || c.is_uppercase());
    let is_inside = |outward: &mut dyn Iterator<Item = char>, edge: Option<char>| {
        let next = outward.next();
        let in_number =
            is_digit(edge) && (is_digit(next) || matches!(next, Some('.' | ',')) && is_digit(outward.next()));
        in_number || is_letter(edge) && is_letter(next)
    };
    let words = &text[range.clone()];
    is_inside(&mut text[..range.start].chars().rev(), words.chars().next())
        || is_inside(&mut text[range.end..].chars(), words.chars().next_back())
}

impl Respelled {
    /// The entry of the receipt, where the quote stands in `reply`: all of it, if it is written with
    /// escapes there.
    pub(crate) fn into_change(self, reply: &str) -> Change {
        let Self { path, before, after } = self;
        let span = reply.find(&before).map_or(0..reply.len(), |start| start..start + before.len());
        let (before, after) = (excerpt(&before), excerpt(&after));
        Change { path, span, kind: ChangeKind::Quotation, before, after, loss: Loss::Lossless }
    }
}

#[cfg(test)]
mod tests {
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
}
