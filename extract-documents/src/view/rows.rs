//! Turns a value into rows of a table, each with its locations in the document.

use std::{collections::HashMap, ops::Range};

use extract::{
    Path,
    document::{Document, Span},
    path::Segment,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::segments::TextMark;

/// A leaf of a value, or a part with its own quote.
#[derive(Debug)]
pub(super) struct TableRow {
    pub(super) path: Path,
    pub(super) field: usize,
    /// The displayed value.
    pub(super) value: ShownValue,
    /// The words that support it, unless they are the value itself.
    pub(super) quote: Option<String>,
    pub(super) standing: RowStanding,
    /// The numbers of its marks.
    pub(super) marks: Vec<usize>,
    /// The row of the statement that was kept, if there are several.
    pub(super) conflict: Option<usize>,
    /// The number of the change that reading made to it.
    pub(super) change: Option<usize>,
    /// How sure the value is, from 0 to 1, if it is known.
    pub(super) confidence: Option<f64>,
}

/// A displayed value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ShownValue {
    /// A string.
    Text(String),
    /// Words of the document.
    Words(String),
    /// Another value, as JSON.
    Json(String),
    /// Nothing: the parts of the value are in the rows below.
    Below,
}

/// Whether a row has a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowStanding {
    /// It has.
    Placed,
    /// That of the part that contains it, in the row with this number.
    Within(usize),
    /// It has none.
    Unplaced,
    /// It is `null` or empty, so there is nothing to locate.
    Nothing,
    /// Its span is of another text.
    Elsewhere,
}

/// All rows, their fields and their marks.
#[derive(Debug, Default)]
pub(super) struct TableRows {
    pub(super) all: Vec<TableRow>,
    /// The names of the fields by number: paths without list positions.
    pub(super) fields: Vec<String>,
    /// The number of marks of each field that has any. Fields with marks come first after
    /// [finishing](Self::finish).
    pub(super) counts: Vec<usize>,
    /// The marks, in the order of the text after [finishing](Self::finish).
    pub(super) marks: Vec<TextMark>,
    numbers: HashMap<String, usize>,
    /// Marks by location and field, so that values at the same location share one.
    at: HashMap<(usize, usize, usize), usize>,
    /// The first row at or inside each path.
    at_path: HashMap<Path, usize>,
}

/// Words with a location in a document, as [`Quote`](extract::document::Quote) is serialized.
struct PlacedQuote<'v> {
    words: &'v str,
    span: Span,
}

impl TableRows {
    /// Adds the rows of `value`.
    pub(super) fn add_value(&mut self, document: &Document, value: &Value) {
        self.walk(document, value, Path::root(), &mut String::new(), None);
    }

    fn walk(
        &mut self,
        document: &Document,
        value: &Value,
        path: Path,
        field: &mut String,
        within: Option<usize>,
    ) {
        if let Some(quote) = placed(value) {
            self.add(document, path, field, ShownValue::Words(quote.words.to_owned()), None, Ok(quote));
            return;
        }
        match value {
            Value::Object(map) if is_grounded(map) => {
                let (value, quote) = (&map["value"], &map["quote"]);
                let words = quote.get("words").unwrap_or(quote).as_str().map(str::to_owned);
                let place = placed(quote).ok_or(RowStanding::Unplaced);
                let is_container = is_container(value);
                let shown = if is_container { ShownValue::Below } else { shown(value) };
                let row = self.add(document, path.clone(), field, shown, words, place);
                if is_container {
                    self.walk(document, value, path, field, Some(row));
                }
            }
            Value::Object(map) if !map.is_empty() => {
                for (key, value) in map {
                    let length = field.len();
                    if !field.is_empty() {
                        field.push('.');
                    }
                    field.push_str(key);
                    self.walk(document, value, path.clone().key(key), field, within);
                    field.truncate(length);
                }
            }
            Value::Array(list) if !list.is_empty() => {
                for (index, value) in list.iter().enumerate() {
                    self.walk(document, value, path.clone().index(index), field, within);
                }
            }
            leaf => {
                let standing = match (leaf, within) {
                    (Value::Null | Value::Array(_) | Value::Object(_), _) => RowStanding::Nothing,
                    (Value::String(text), _) if text.trim().is_empty() => RowStanding::Nothing,
                    (_, Some(row)) => RowStanding::Within(row),
                    (_, None) => RowStanding::Unplaced,
                };
                self.add(document, path, field, shown(leaf), None, Err(standing));
            }
        }
    }

    fn add(
        &mut self,
        document: &Document,
        path: Path,
        field: &str,
        value: ShownValue,
        quote: Option<String>,
        place: Result<PlacedQuote<'_>, RowStanding>,
    ) -> usize {
        let (number, field) = (self.all.len(), self.field(field));
        let standing = match &place {
            Err(standing) => *standing,
            Ok(quote) if !quote.occurs_in(document) => RowStanding::Elsewhere,
            Ok(_) => RowStanding::Placed,
        };
        let marks = match place {
            Ok(quote) if standing == RowStanding::Placed => {
                vec![self.mark(quote.span.range(), field, number)]
            }
            _ => Vec::new(),
        };
        let mut around = Some(path.clone());
        while let Some(path) = around {
            around = path.parent();
            if self.at_path.contains_key(&path) {
                break;
            }
            self.at_path.insert(path, number);
        }
        let (conflict, change, confidence) = (None, None, None);
        self.all.push(TableRow { path, field, value, quote, standing, marks, conflict, change, confidence });
        number
    }

    /// Adds locations to the row at `path`, or to a new row if there is none.
    pub(super) fn add_places(&mut self, document: &Document, path: &Path, spans: &[Span]) {
        let row = if let Some(row) = self.at_path.get(path) {
            *row
        } else {
            let place = Err(RowStanding::Unplaced);
            self.add(document, path.clone(), &field_of(path), ShownValue::Below, None, place)
        };
        self.add_marks(document, row, spans);
    }

    /// Adds a row outside the value, such as a statement that was not kept.
    pub(super) fn add_statement(
        &mut self,
        document: &Document,
        path: &Path,
        value: &Value,
        spans: &[Span],
    ) -> usize {
        let place = Err(RowStanding::Unplaced);
        let row = self.add(document, path.clone(), &field_of(path), shown(value), None, place);
        self.add_marks(document, row, spans);
        row
    }

    fn add_marks(&mut self, document: &Document, row: usize, spans: &[Span]) {
        let field = self.all[row].field;
        for span in spans {
            if span.is_empty() || document.text().get(span.range()).is_none() {
                continue;
            }
            let mark = self.mark(span.range(), field, row);
            let row = &mut self.all[row];
            row.standing = RowStanding::Placed;
            if !row.marks.contains(&mark) {
                row.marks.push(mark);
            }
        }
    }

    /// The number of a field, assigned on first use.
    fn field(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.fields.len();
        self.fields.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    fn mark(&mut self, range: Range<usize>, field: usize, row: usize) -> usize {
        *self.at.entry((range.start, range.end, field)).or_insert_with(|| {
            self.marks.push(TextMark { range, field, row });
            self.marks.len() - 1
        })
    }

    /// Renumbers marks and fields: marks in the order of the text, longer ones first; fields with
    /// marks before the others.
    pub(super) fn finish(&mut self) {
        self.sort_fields();
        self.sort_marks();
    }

    fn sort_fields(&mut self) {
        let mut counts = vec![0; self.fields.len()];
        for mark in &self.marks {
            counts[mark.field] += 1;
        }
        let mut order: Vec<usize> = (0..counts.len()).collect();
        order.sort_by_key(|field| counts[*field] == 0);
        let mut numbers = vec![0; order.len()];
        for (number, field) in order.iter().enumerate() {
            numbers[*field] = number;
        }
        let names = order.iter().map(|field| std::mem::take(&mut self.fields[*field])).collect();
        self.fields = names;
        self.counts = order.iter().map(|field| counts[*field]).filter(|count| *count > 0).collect();
        let of_marks = self.marks.iter_mut().map(|mark| &mut mark.field);
        for field in of_marks.chain(self.all.iter_mut().map(|row| &mut row.field)) {
            *field = numbers[*field];
        }
    }

    fn sort_marks(&mut self) {
        let mut order: Vec<usize> = (0..self.marks.len()).collect();
        order.sort_by_key(|mark| {
            let range = &self.marks[*mark].range;
            (range.start, std::cmp::Reverse(range.end))
        });
        let mut numbers = vec![0; order.len()];
        for (number, mark) in order.iter().enumerate() {
            numbers[*mark] = number;
        }
        self.marks = order.iter().map(|mark| self.marks[*mark].clone()).collect();
        for mark in self.all.iter_mut().flat_map(|row| &mut row.marks) {
            *mark = numbers[*mark];
        }
    }
}

impl PlacedQuote<'_> {
    /// Returns whether the text has these words at this location.
    fn occurs_in(&self, document: &Document) -> bool {
        !self.words.is_empty() && document.text().get(self.span.range()) == Some(self.words)
    }
}

fn placed(value: &Value) -> Option<PlacedQuote<'_>> {
    let map = value.as_object().filter(|map| map.len() == 2)?;
    let words = map.get("words")?.as_str()?;
    Some(PlacedQuote { words, span: Span::deserialize(map.get("span")?).ok()? })
}

/// Returns whether it is a value with a quote, as [`Grounded`](extract::document::Grounded) is
/// serialized.
fn is_grounded(map: &Map<String, Value>) -> bool {
    let is_quote = |value: &Value| value.is_string() || placed(value).is_some();
    map.len() == 2 && map.contains_key("value") && map.get("quote").is_some_and(is_quote)
}

fn is_container(value: &Value) -> bool {
    match value {
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => !map.is_empty(),
        _ => false,
    }
}

fn shown(value: &Value) -> ShownValue {
    match value {
        Value::String(text) => ShownValue::Text(text.clone()),
        other => ShownValue::Json(other.to_string()),
    }
}

/// The name of the field at a path.
fn field_of(path: &Path) -> String {
    let keys = path.segments().iter().filter_map(|segment| match segment {
        Segment::Key(key) => Some(key.as_str()),
        Segment::Index(_) => None,
    });
    keys.collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rows(document: &Document, value: &Value) -> TableRows {
        let mut rows = TableRows::default();
        rows.add_value(document, value);
        rows.finish();
        rows
    }

    fn quote(document: &Document, range: Range<usize>) -> Value {
        json!({"words": document.text()[range.clone()], "span": document.span(range).unwrap()})
    }

    #[test]
    fn leaves_quotes_and_values_with_quotes_are_rows() {
        let document = Document::from_text("aspirin 5 mg for pain");
        let value = json!([{
            "name": {"value": "Aspirin", "quote": quote(&document, 0..7)},
            "dose": {"value": 5, "quote": quote(&document, 8..12)},
            "reasons": [quote(&document, 17..21)],
            "given": true,
            "until": null,
        }]);
        let rows = rows(&document, &value);
        let all: Vec<_> =
            rows.all.iter().map(|row| (row.path.to_string(), &row.value, row.standing)).collect();
        assert_eq!(
            all,
            [
                ("$[0].name".to_owned(), &ShownValue::Text("Aspirin".into()), RowStanding::Placed),
                ("$[0].dose".to_owned(), &ShownValue::Json("5".into()), RowStanding::Placed),
                ("$[0].reasons[0]".to_owned(), &ShownValue::Words("pain".into()), RowStanding::Placed),
                ("$[0].given".to_owned(), &ShownValue::Json("true".into()), RowStanding::Unplaced),
                ("$[0].until".to_owned(), &ShownValue::Json("null".into()), RowStanding::Nothing),
            ]
        );
        assert_eq!(rows.fields, ["name", "dose", "reasons", "given", "until"]);
        let ranges: Vec<_> = rows.marks.iter().map(|mark| mark.range.clone()).collect();
        assert_eq!(ranges, [0..7, 8..12, 17..21]);
    }

    #[test]
    fn the_place_of_a_list_is_that_of_its_elements() {
        let document = Document::from_text("red and blue");
        let value = json!({"value": ["red", "blue"], "quote": quote(&document, 0..12)});
        let rows = rows(&document, &value);
        let standings: Vec<_> = rows.all.iter().map(|row| row.standing).collect();
        assert_eq!(standings, [RowStanding::Placed, RowStanding::Within(0), RowStanding::Within(0)]);
        assert_eq!(rows.all[0].value, ShownValue::Below);
    }

    #[test]
    fn a_span_of_another_text_is_no_place() {
        let document = Document::from_text("aspirin 5 mg");
        let other = Document::from_text("ibuprofen 400 mg, once a day");
        for range in [0..9, 20..28] {
            let rows = rows(&document, &quote(&other, range));
            assert_eq!((rows.all[0].standing, rows.marks.len()), (RowStanding::Elsewhere, 0));
        }
    }

    #[test]
    fn more_places_go_to_the_row_of_their_path() {
        let document = Document::from_text("Ann, Bob, Ann");
        let (first, last) = (document.span(0..3).unwrap(), document.span(10..13).unwrap());
        let mut rows = TableRows::default();
        rows.add_value(&document, &json!([{"name": quote(&document, 0..3)}]));
        rows.add_places(&document, &Path::root().index(0), &[first, last]);
        rows.add_places(&document, &Path::root().key("other"), &[last]);
        rows.finish();
        assert_eq!(rows.all[0].marks, [0, 1]);
        assert_eq!((rows.all[1].path.to_string().as_str(), rows.all[1].marks.len()), ("$.other", 1));
    }
}
