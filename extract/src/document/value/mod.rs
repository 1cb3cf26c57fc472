//! Values in a text: whether a value is in its quote, and where the values of a result are.

mod date;
mod han;
mod identifier;
mod number_languages;
mod number_words;
mod numerals;
mod said;
mod tokens;

use std::{collections::HashMap, ops::Range, rc::Rc};

use serde_json::Value;

pub(super) use self::number_words::knows_number_words;
pub(crate) use self::{date::CalendarDay, numerals::digit, said::is_chinese_numeral};
use self::{numerals::numerals, said::SaidNumbers};
use crate::{
    document::{
        normalisation::FoldedText,
        quote::{QuoteLocations, chosen_places},
        span::Span,
        text::Document,
    },
    vocabulary::{
        digits::{PlainDecimal, is_written_out},
        path::{Path, Segment},
        text::{bare, spaced},
    },
};

/// Whether a value is in its quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValuePresence {
    /// It is.
    Yes,
    /// It is not, and the quote says, or would have to say, something else.
    No,
    /// It cannot be decided without understanding the words.
    Undecided,
}

/// Decides whether `value` is in `quote`, judging by its spelling.
///
/// - A number: yes, if it is written there with digits of any script, in any common form: `1200` in
///   `1,200`, `1.200`, `1 200`, `1.2e3` and `١٢٠٠`. No, if nothing there can be it: 999 in `250円`,
///   2500 in `250 mg`. Undecided, if a scale or a unit explains another position of the decimal
///   point (`5 %` for 0.05, `2 million`, `3万`, and factors of a thousand between units, `0.5 g` for
///   500), if only the sign differs, if it may be written in words, and for 0 and 1 unless the
///   quote has nothing but numbers with their units. Number words are known for English, German,
///   French, Spanish, Portuguese, Italian, Dutch, Swedish, Danish, Norwegian, Polish and Czech, and
///   in Chinese characters; for other languages see [`Document::shows`].
/// - A date as in RFC 3339: yes, if year, month and day are there: as numbers in a usual order
///   (`2026-03-12`, `12.3.26`; `3/12/2026` is read both ways), with the month as a name in English,
///   German, French, Spanish, Portuguese, Italian or Dutch, or as in `2026年3月12日` and `令和8年3月12日`.
///   No, if all that the quote says about dates is of another year, month or day: `12 April`, `3/4`.
///   Undecided, if a part is not there. A date with a time is never yes.
/// - Any other string: yes, if its words are there. No, if it is an e-mail address, a time or has a number of three or
///   more digits, and the quote has other ones: `INV-9999` in `INV-1234`. Otherwise it is undecided; for an enum see
///   [`contains_name`].
/// - A list: no, if one of its elements is not there, otherwise undecided.
/// - Everything else is undecided.
///
/// ```
/// use extract::document::{ValuePresence, contains_value};
/// use serde_json::json;
///
/// assert_eq!(contains_value("aspirin 5 mg daily", &json!(5.0)), ValuePresence::Yes);
/// assert_eq!(contains_value("aspirin 15 mg daily", &json!(5)), ValuePresence::No);
/// assert_eq!(contains_value("aspirin 15 mg daily", &json!(150)), ValuePresence::No);
/// assert_eq!(contains_value("five milligrams", &json!(5)), ValuePresence::Undecided);
/// assert_eq!(contains_value("five milligrams", &json!(6)), ValuePresence::No);
/// assert_eq!(contains_value("on 12 March 2026", &json!("2026-03-12")), ValuePresence::Yes);
/// assert_eq!(contains_value("on 12 April 2026", &json!("2026-03-12")), ValuePresence::No);
/// ```
pub fn contains_value(quote: &str, value: &Value) -> ValuePresence {
    decide(quote, value).presence
}

impl Document {
    /// Like [`shows`](Self::shows), for a decimal, which is a string of its digits.
    pub(crate) fn shows_decimal(&self, quote: &str, value: &Value) -> ValuePresence {
        match value.as_str().and_then(PlainDecimal::of_digits) {
            None => self.shows(quote, value),
            Some(number) => self.judged(is_written(quote, &number, false)),
        }
    }

    /// Returns whether `value` is in `quote`, which is from this document. Like [`contains_value`], but
    /// also undecided if the quote has no digits and the number words of the document's language
    /// are not known. The language is detected by its common words, and by number words of the
    /// quote.
    ///
    /// ```
    /// use extract::document::{Document, ValuePresence};
    /// use serde_json::json;
    ///
    /// let english = Document::from_text("The patient was given aspirin daily.");
    /// assert_eq!(english.shows("aspirin daily", &json!(5)), ValuePresence::No);
    /// let finnish = Document::from_text("Potilas sai viisi tablettia joka päivä.");
    /// assert_eq!(finnish.shows("viisi tablettia", &json!(5)), ValuePresence::Undecided);
    /// ```
    pub fn shows(&self, quote: &str, value: &Value) -> ValuePresence {
        self.judged(decide(quote, value))
    }

    fn judged(&self, verdict: PresenceResult) -> ValuePresence {
        match verdict {
            PresenceResult { presence: ValuePresence::No, needs_language: true }
                if !self.knows_number_words() =>
            {
                ValuePresence::Undecided
            }
            PresenceResult { presence, .. } => presence,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct PresenceResult {
    presence: ValuePresence,
    /// Whether it is right only if the number words of the text's language are known.
    needs_language: bool,
}

impl From<ValuePresence> for PresenceResult {
    fn from(presence: ValuePresence) -> Self {
        Self { presence, needs_language: false }
    }
}

fn decide(quote: &str, value: &Value) -> PresenceResult {
    match value {
        Value::Number(number) => match PlainDecimal::of_json(number) {
            Some(decimal) => is_written(quote, &decimal, number.is_f64()),
            None => ValuePresence::Undecided.into(),
        },
        Value::String(text) => match CalendarDay::parse(text) {
            Some(date) => {
                let presence = match date.is_in(quote) {
                    Some(true) => ValuePresence::Yes,
                    Some(false) => ValuePresence::No,
                    None if identifier::is_other_time(quote, text) => ValuePresence::No,
                    None => ValuePresence::Undecided,
                };
                PresenceResult { presence, needs_language: !has_digits(quote) }
            }
            None if has_words(quote, text) => ValuePresence::Yes.into(),
            None => identifier::presence(quote, text),
        },
        // Of a list that is not there, one element is not.
        Value::Array(elements) => {
            let said = elements.iter().take(MOST_ELEMENTS).map(|element| decide(quote, element));
            let denied =
                said.filter(|said| said.presence == ValuePresence::No).min_by_key(|said| said.needs_language);
            denied.unwrap_or(ValuePresence::Undecided.into())
        }
        _ => ValuePresence::Undecided.into(),
    }
}

/// Most elements of a list that are looked up in its quote.
const MOST_ELEMENTS: usize = 64;

/// Decides whether `number`, which `is_double`, is in `quote`.
fn is_written(quote: &str, number: &PlainDecimal, is_double: bool) -> PresenceResult {
    let numerals = numerals(quote);
    // The 2 of `2 1/2` is no number of its own.
    let readings = || numerals.iter().filter(|one| !one.is_in_fraction).flat_map(|one| &one.readings);
    if readings().any(|one| one == number || (is_double && one.rounds_to(number))) {
        return ValuePresence::Yes.into();
    }
    let magnitude = number.magnitude();
    if numerals.iter().any(|one| one.is_in_fraction && one.readings.contains(&magnitude)) {
        return ValuePresence::No.into();
    }
    let is_misplaced = readings().any(|one| one.has_digits_of(number) && one.magnitude() != magnitude);
    let is_part = || numerals.iter().any(|one| one.parts.contains(&magnitude));
    if readings().any(|one| one.magnitude() == magnitude) || (!is_misplaced && is_part()) {
        return ValuePresence::Undecided.into();
    }
    let said = SaidNumbers::of(quote, &numerals);
    let has_digits = said.has_digits || has_digits(quote);
    // Zero and one are said without a number, but not as the number before a unit.
    let is_unsaid = magnitude.goes_without_saying() && (said.has_other_words || !said.has_number());
    let is_possible = (is_unsaid && !is_misplaced) || (!has_digits && said.is_uncertain);
    // Without its point, `0.250 mg` looks like a conversion.
    let is_converted =
        || said.converts_to(magnitude.rounded()) && numerals.iter().all(|one| one.joined != magnitude);
    if is_possible || said.may_be(magnitude.rounded()) || is_converted() {
        return ValuePresence::Undecided.into();
    }
    PresenceResult { presence: ValuePresence::No, needs_language: !has_digits && !said.shows_language }
}

/// Returns whether `quote` has digits, in any script.
fn has_digits(quote: &str) -> bool {
    quote.contains(|c| digit(c).is_some())
}

/// Returns whether `name` occurs in `quote`. It is one of the possible `names`: the variants of an
/// enum, named as in JSON.
///
/// Yes, if its words occur there, however they are joined: `past_due` is `Past due`. No, if another
/// name does, and no word in the quote negates. Otherwise it is undecided: a model may read `oral`
/// in `by mouth`.
///
/// ```
/// use extract::document::{ValuePresence, contains_name};
///
/// let names = ["past_due", "paid", "unpaid"];
/// assert_eq!(contains_name("The invoice is past due.", "past_due", &names), ValuePresence::Yes);
/// assert_eq!(contains_name("It was paid in May.", "past_due", &names), ValuePresence::No);
/// assert_eq!(contains_name("We still wait for it.", "past_due", &names), ValuePresence::Undecided);
/// assert_eq!(contains_name("It was not paid.", "unpaid", &names), ValuePresence::Undecided);
/// ```
pub fn contains_name<N: AsRef<str>>(quote: &str, name: &str, names: &[N]) -> ValuePresence {
    const NEGATIONS: [&str; 20] = [
        "not", "no", "never", "without", "nor", "neither", "non", "nicht", "kein", "keine", "nie", "ohne",
        "pas", "sans", "sin", "nunca", "niet", "geen", "t", "nem",
    ];
    let quoted = words(quote);
    let own = words(name);
    if stand_in(&own, &quoted) {
        return ValuePresence::Yes;
    }
    let (own, is_negated) = (own.concat(), quoted.iter().any(|word| NEGATIONS.contains(&word.as_str())));
    let is_told = |other: &str| {
        let words = words(other);
        let joined = words.concat();
        // `paid` in a quote does not rule out `unpaid`.
        !joined.contains(&own) && !own.contains(&joined) && stand_in(&words, &quoted)
    };
    if !is_negated && names.iter().any(|other| is_told(other.as_ref())) {
        ValuePresence::No
    } else {
        ValuePresence::Undecided
    }
}

/// Returns whether the words of `name` occur in `quote` in sequence.
fn has_words(quote: &str, name: &str) -> bool {
    stand_in(&words(name), &words(quote))
}

fn stand_in(name: &[String], quote: &[String]) -> bool {
    !name.is_empty() && quote.windows(name.len()).any(|words| words == name)
}

/// The normalised words of `text`, splitting `snake_case` and `camelCase`.
fn words(text: &str) -> Vec<String> {
    let folded = FoldedText::new(&spaced(text));
    let words = folded.text().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// A string or number, with its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedLeaf {
    path: Path,
    span: Span,
    alternatives: usize,
}

impl LocatedLeaf {
    /// Returns where it is in the value.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns where it is in the document.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Returns at how many other locations it is just as likely, judging by its neighbours.
    pub fn alternatives(&self) -> usize {
        self.alternatives
    }
}

/// The locations of a value; see [`Document::locate`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocatedValue {
    found: Vec<LocatedLeaf>,
    without_place: Vec<Path>,
}

impl LocatedValue {
    /// Returns the leaves that have a location, in the order of the value.
    pub fn found(&self) -> &[LocatedLeaf] {
        &self.found
    }

    /// Returns the leaves without a location, in the order of the value: leaves that the text
    /// writes differently, and all booleans.
    pub fn without_place(&self) -> &[Path] {
        &self.without_place
    }
}

/// Maximum locations of one number. If there are more, they say nothing about where it is from.
const MOST_PLACES: usize = 10_000;

/// Maximum depth of values that are visited.
const MOST_LEVELS: usize = 256;

impl Document {
    /// Locates the strings and numbers of `value`: a string as [`place`](Self::place) does, and a
    /// number where it is written with digits, in any common form (`1,200`). Null is not a leaf and
    /// has no location.
    ///
    /// A value's occurrence in the text does not prove that it is from there: `5` occurs at many
    /// locations. For proof, ask for quotes.
    ///
    /// ```
    /// use extract::document::Document;
    /// use serde_json::json;
    ///
    /// let document = Document::from_text("Aspirin: 5 mg for fever. Total: 1,200 EUR.");
    /// let located = document.locate(&json!({"drug": "aspirin", "mg": 5.0, "route": "oral", "total": 1200}));
    /// let texts: Vec<_> = located.found().iter().map(|leaf| &document.text()[leaf.span().range()]).collect();
    /// assert_eq!(texts, ["Aspirin", "5", "1,200"]);
    /// assert_eq!(located.without_place()[0].to_string(), "$.route");
    /// ```
    pub fn locate(&self, value: &Value) -> LocatedValue {
        let mut leaves = Vec::new();
        collect(value, &Path::root(), 0, &mut leaves);
        let is_number = |leaf: &Value| leaf.is_number() || leaf.as_str().is_some_and(is_written_out);
        let numbers =
            if leaves.iter().any(|(_, leaf)| is_number(leaf)) { self.numbers() } else { HashMap::new() };
        // Numbers need a key that no other leaf has, to recognise the same number twice in a row.
        let keys: Vec<String> = leaves.iter().map(|(_, leaf)| bare(leaf)).collect();
        let mut strings: HashMap<&str, QuoteLocations> = HashMap::new();
        for ((_, leaf), key) in leaves.iter().zip(&keys) {
            if leaf.is_string() && !strings.contains_key(key.as_str()) {
                strings.insert(key, self.places_of(key));
            }
        }
        let places = |leaf: &Value, key: &str| {
            let known = match leaf {
                Value::Number(number) => {
                    PlainDecimal::of_json(number).and_then(|number| numbers.get(&number))
                }
                Value::String(_) => strings.get(key),
                _ => None,
            };
            // A decimal is a string of its digits.
            let is_found = known.is_some_and(|places| !places.is_empty());
            let decimal = || numbers.get(&PlainDecimal::of_digits(leaf.as_str()?)?);
            let known = if is_found { known } else { decimal().or(known) };
            known.cloned().unwrap_or_else(|| Rc::new([]))
        };
        let chosen =
            chosen_places(leaves.iter().zip(&keys).map(|((_, leaf), key)| (&**key, places(leaf, key))));
        let mut located = LocatedValue::default();
        for ((path, _), place) in leaves.into_iter().zip(chosen) {
            match place {
                Some((range, alternatives)) => {
                    located.found.push(LocatedLeaf { path, span: self.span_of(range), alternatives });
                }
                None => located.without_place.push(path),
            }
        }
        located
    }

    /// Returns the locations of each number that is written with digits.
    fn numbers(&self) -> HashMap<PlainDecimal, QuoteLocations> {
        let mut places: HashMap<PlainDecimal, Vec<Range<usize>>> = HashMap::new();
        for numeral in numerals(self.text()) {
            for reading in numeral.readings {
                let places = places.entry(reading).or_default();
                if places.len() < MOST_PLACES {
                    places.push(numeral.range.clone());
                }
            }
        }
        places.into_iter().map(|(number, places)| (number, Rc::from(places))).collect()
    }
}

/// Collects the leaves of `value` except null, in order.
fn collect<'v>(value: &'v Value, path: &Path, level: usize, leaves: &mut Vec<(Path, &'v Value)>) {
    match value {
        Value::Null => {}
        Value::Array(_) | Value::Object(_) if level < MOST_LEVELS => {
            for (step, part) in Segment::parts(value) {
                collect(part, &path.clone().step(step), level + 1, leaves);
            }
        }
        leaf => leaves.push((path.clone(), leaf)),
    }
}
