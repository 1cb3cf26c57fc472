//! Where values are in a text, as a browser counts.

use extract::document::Document;
use serde::Serialize;
use serde_json::Value;

/// Maximum number of places.
const MOST: usize = 5_000;

/// A value in the text, in UTF-16 code units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct TextPlace {
    /// JSON Pointer of the value.
    path: String,
    start: usize,
    end: usize,
}

/// Returns where the leaves of a value are in the text, in the order of the value. That a leaf is
/// there does not prove that it is from there.
pub(super) fn of(document: &Document, value: &Value) -> Vec<TextPlace> {
    let located = document.locate(value);
    let leaves = &located.found()[..located.found().len().min(MOST)];
    let mut offsets: Vec<usize> =
        leaves.iter().flat_map(|leaf| [leaf.span().start(), leaf.span().end()]).collect();
    offsets.sort_unstable();
    offsets.dedup();
    let units = units(document.text(), &offsets);
    let unit = |offset: usize| offsets.binary_search(&offset).map_or(0, |at| units[at]);
    let place = |leaf: &extract::document::LocatedLeaf| TextPlace {
        path: leaf.path().to_pointer(),
        start: unit(leaf.span().start()),
        end: unit(leaf.span().end()),
    };
    leaves.iter().map(place).collect()
}

/// Counts UTF-16 code units up to each of the sorted byte offsets.
fn units(text: &str, offsets: &[usize]) -> Vec<usize> {
    let (mut at, mut count) = (0, 0);
    let count_to = |offset: &usize| {
        let between = text.get(at..*offset).unwrap_or_default();
        count += between.encode_utf16().count();
        at = *offset;
        count
    };
    offsets.iter().map(count_to).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_are_counted_as_a_browser_counts() {
        let document = Document::from_text("😀 Aspirin, 5 mg é fever");
        let places = of(&document, &json!({"name": "Aspirin", "dose": 5, "why": "fever", "x": "none"}));
        let place = |path: &str, start, end| TextPlace { path: path.to_owned(), start, end };
        assert_eq!(places, [place("/name", 3, 10), place("/dose", 12, 13), place("/why", 19, 24)]);
    }
}
