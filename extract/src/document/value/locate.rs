//! Locates the values of a result afterwards.

use std::{collections::HashMap, ops::Range, rc::Rc};

use serde_json::Value;

use crate::{
    document::{
        quote::{QuoteLocations, chosen_places},
        span::Span,
        text::Document,
        value::numerals::{PlainDecimal, numerals},
    },
    vocabulary::{digits::is_written_out, path::Path},
};

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
        let keys: Vec<String> = leaves.iter().map(|(_, leaf)| key(leaf)).collect();
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
                _ => strings.get(key),
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

fn key(leaf: &Value) -> String {
    match leaf {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Collects the leaves of `value` except null, in order.
fn collect<'v>(value: &'v Value, path: &Path, level: usize, leaves: &mut Vec<(Path, &'v Value)>) {
    match value {
        Value::Null => {}
        Value::Array(items) if level < MOST_LEVELS => {
            for (index, item) in items.iter().enumerate() {
                collect(item, &path.clone().index(index), level + 1, leaves);
            }
        }
        Value::Object(entries) if level < MOST_LEVELS => {
            for (key, item) in entries {
                collect(item, &path.clone().key(key), level + 1, leaves);
            }
        }
        leaf => leaves.push((path.clone(), leaf)),
    }
}
