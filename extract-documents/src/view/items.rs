//! Groups the rows of a value by item: the element of a list that they describe.

use std::{collections::HashSet, ops::Range};

use extract::{Path, path::Segment};

use super::rows::{ShownValue, TableRow};

/// Adjacent rows: all of one item, or ones that need no heading.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) rows: Range<usize>,
    /// The item that the rows describe; `None` for rows outside of lists, and for items with one row.
    pub(super) item: Option<Path>,
}

/// All rows in groups, in their order.
pub(super) fn groups(rows: &[TableRow]) -> Vec<Group> {
    let lists = lists(rows);
    let mut all: Vec<Group> = Vec::new();
    let mut start = 0;
    while let Some(row) = rows.get(start) {
        let item = item(row, &lists);
        let within = |item: &Path| rows[start..].iter().take_while(|row| row.path.is_within(item)).count();
        let length = item.as_ref().map_or(1, within).max(1);
        let item = item.filter(|_| length > 1);
        match all.last_mut() {
            Some(last) if last.item.is_none() && item.is_none() => last.rows.end += length,
            _ => all.push(Group { rows: start..start + length, item }),
        }
        start += length;
    }
    all
}

/// The paths of lists with more than one element.
fn lists(rows: &[TableRow]) -> HashSet<&[Segment]> {
    let mut all = HashSet::new();
    for row in rows {
        let segments = row.path.segments();
        let later = segments.iter().enumerate().filter(|(_, segment)| matches!(segment, Segment::Index(1..)));
        all.extend(later.map(|(at, _)| &segments[..at]));
    }
    all
}

/// The item that a row belongs to: the element of the outermost list with several elements,
/// otherwise of the outermost list. A row that is an element itself belongs to none.
fn item(row: &TableRow, lists: &HashSet<&[Segment]>) -> Option<Path> {
    let segments = row.path.segments();
    // A row without a value is above the rows of its parts.
    let end = if row.value == ShownValue::Below { segments.len() } else { segments.len().saturating_sub(1) };
    let elements = || (0..end).filter(|at| matches!(segments[*at], Segment::Index(_)));
    let at = elements().find(|at| lists.contains(&segments[..*at])).or_else(|| elements().next())?;
    Some(Path::from(segments[..=at].to_vec()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{super::rows::TableRows, *};
    use extract::document::Document;

    fn grouped(value: &Value) -> Vec<(Range<usize>, Option<String>)> {
        let mut rows = TableRows::default();
        rows.add_value(&Document::from_text(""), value);
        rows.finish();
        groups(&rows.all)
            .into_iter()
            .map(|group| (group.rows, group.item.map(|item| item.to_string())))
            .collect()
    }

    #[test]
    fn rows_of_an_element_are_together() {
        let value =
            json!({"a": 1, "lines": [{"x": 1, "y": [{"z": 2}, {"z": 3}]}, {"x": 4, "y": null}], "z": 5});
        let expected = [
            (0..1, None),
            (1..4, Some("$.lines[0]".to_owned())),
            (4..6, Some("$.lines[1]".to_owned())),
            (6..7, None),
        ];
        assert_eq!(grouped(&value), expected);
    }

    #[test]
    fn plain_elements_and_items_with_one_row_need_no_heading() {
        assert_eq!(grouped(&json!(["a", "b", "c"])), [(0..3, None)]);
        assert_eq!(grouped(&json!([{"a": 1}, {"a": 2}])), [(0..2, None)]);
        assert_eq!(grouped(&json!([])), [(0..1, None)]);
    }

    #[test]
    fn a_list_around_everything_makes_no_group_of_everything() {
        let value = json!({"pages": [{"rows": [{"a": 1, "b": 2}, {"a": 3, "b": 4}]}]});
        let expected =
            [(0..2, Some("$.pages[0].rows[0]".to_owned())), (2..4, Some("$.pages[0].rows[1]".to_owned()))];
        assert_eq!(grouped(&value), expected);
    }
}
