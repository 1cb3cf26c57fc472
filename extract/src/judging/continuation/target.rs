//! Appends the rest of a value to the existing part.
//!
//! The index that the model gives decides what is new. Existing elements that it repeats have to be
//! equal, and are dropped with a receipt; a difference is a violation. So a list of equal elements
//! stays as long as stated, and no element is changed on the way.

use serde_json::{Map, Value};

use super::{
    form::{AFTER, FROM, REST},
    plan::OpenPart,
};
use crate::judging::joining::repeats_end;
use crate::vocabulary::{
    change::{Change, ChangeKind},
    path::{Path, Segment},
    text::{counted, prefix_lengths, quoted},
    violation::{Code, Violation},
};

/// Maximum differences that are listed.
const MAX_LISTED: usize = 5;

/// How many of the last elements are compared with a rest that claims to be new: more than a
/// question shows.
pub(crate) const LOOK_BACK: usize = 32;

/// Minimum bytes at the start of a rest that equal the end of the string and are dropped. Fewer may be
/// there twice on purpose, such as a line of dashes in a table, so the agent is asked again.
const MIN_OVERLAP: usize = 20;

/// Bytes of a string and its rest that are compared: more than a question shows, many times over.
const MAX_OVERLAP: usize = 1 << 16;

/// Where the rest belongs.
pub(super) struct ContinuationTarget<'a> {
    pub(super) place: &'a Path,
    pub(super) part: OpenPart,
    /// Whether another element of the list had begun, so that there is at least one more.
    pub(super) has_begun: bool,
    pub(super) top: &'a Path,
    /// Whether the rest is complete, so that it says what is missing.
    pub(super) is_whole: bool,
    /// Length of the reply, for the receipt.
    pub(super) bytes: usize,
}

/// The value with its rest, and the receipt.
pub(super) struct ContinuedValue {
    pub(super) value: Value,
    pub(super) changes: Vec<Change>,
    /// The index of the first element of the rest.
    pub(super) from: usize,
}

impl ContinuationTarget<'_> {
    /// Appends `rest`, a reply in the requested form, to `value`.
    pub(super) fn merge(
        &self,
        mut value: Value,
        mut rest: Map<String, Value>,
    ) -> Result<ContinuedValue, Vec<Violation>> {
        let mut changes = Vec::new();
        let mut from = 0;
        let given = rest.shift_remove(REST);
        let index = rest.shift_remove(FROM);
        let mut after = match rest.shift_remove(AFTER) {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(after)) => after,
            Some(other) => {
                return Err(vec![self.violation("`after` is not an object").actual(quoted(&other))]);
            }
        };
        let target = self.place.resolve_mut(&mut value);
        match (self.part, target, given) {
            (OpenPart::List(_), Some(Value::Array(list)), Some(Value::Array(rest))) => {
                from = self.from(index.as_ref(), list.len())?;
                self.extend(list, rest, from, &mut changes)?;
            }
            (OpenPart::Text(_), Some(Value::String(text)), Some(Value::String(rest))) => {
                self.append(text, &rest, &mut changes)?;
            }
            (OpenPart::Members, Some(Value::Object(_)), None) => {}
            _ => return Err(vec![self.violation("the answer has no `rest`").expected(self.expected_rest())]),
        }
        // Small models write these members beside the rest.
        for (key, member) in rest {
            after.entry(key).or_insert(member);
        }
        if !after.is_empty() {
            let top = self.top.resolve_mut(&mut value);
            let mut violations = Vec::new();
            match top {
                Some(Value::Object(top)) => {
                    let way = &self.place.segments()[self.top.segments().len()..];
                    self.add(top, after, (self.top, way), &mut changes, &mut violations);
                }
                _ => violations.push(self.violation("nothing comes after it").actual(quoted(&after))),
            }
            if !violations.is_empty() {
                violations.truncate(MAX_LISTED);
                return Err(violations);
            }
        }
        Ok(ContinuedValue { value, changes, from })
    }

    fn expected_rest(&self) -> &'static str {
        match self.part {
            OpenPart::List(_) => "an object with `from`, an index, and `rest`, a list",
            OpenPart::Text(_) => "an object with `rest`, a string",
            OpenPart::Members => "an object with `after`, an object",
        }
    }

    fn violation(&self, message: impl Into<String>) -> Violation {
        Violation::new(self.place.clone(), Code::Continuation, message)
    }

    /// The index of the first element of the rest, if it leaves no gap after `there` elements.
    fn from(&self, index: Option<&Value>, there: usize) -> Result<usize, Vec<Violation>> {
        let given = index.and_then(Value::as_u64).and_then(|from| usize::try_from(from).ok());
        match given {
            Some(from) if from <= there => Ok(from),
            _ => {
                let actual = index.map_or_else(|| "nothing".to_owned(), quoted);
                let violation = self.violation("`from` is not the index of an element that goes on here");
                Err(vec![
                    violation.expected(format!("{there}, the index of the next element")).actual(actual),
                ])
            }
        }
    }

    fn extend(
        &self,
        list: &mut Vec<Value>,
        mut rest: Vec<Value>,
        from: usize,
        changes: &mut Vec<Change>,
    ) -> Result<(), Vec<Violation>> {
        let there = list.len();
        let overlap = (there - from).min(rest.len());
        let pairs = list[from..].iter().zip(&rest).zip(from..);
        let differences = pairs.filter(|((old, new), _)| old != new).map(|((old, new), index)| {
            let path = self.place.clone().index(index);
            Violation::new(
                path,
                Code::Continuation,
                "this element is there already, and reads differently there",
            )
            .hint(format!("there it is {}", quoted(old)))
            .expected(format!("the same, or elements from index {there} on"))
            .actual(quoted(new))
        });
        let differences: Vec<_> = differences.take(MAX_LISTED).collect();
        if !differences.is_empty() {
            return Err(differences);
        }
        if self.is_whole && from + rest.len() < there {
            let violation = self.violation(format!(
                "`rest` ends before the elements that are there: {} from index {from} on",
                counted(rest.len(), "element")
            ));
            return Err(vec![violation.expected(format!("the elements from index {there} on"))]);
        }
        if self.is_whole && self.has_begun && from + rest.len() == there {
            let violation = self.violation(format!(
                "`rest` has no new element, but the one with index {there} had begun when the answer was cut off"
            ));
            return Err(vec![violation.expected(format!("the elements from index {there} on"))]);
        }
        if let Some(repeated) = (from == there).then(|| repeated(list, &rest)).flatten() {
            let start = there - repeated;
            let violation = Violation::new(
                self.place.clone().index(there),
                Code::Continuation,
                format!(
                    "`from` says that `rest` starts with index {there}, but it starts with the {} from index {start} on",
                    counted(repeated, "element")
                ),
            );
            let expected = format!(
                "only the elements that follow; or `from` {start}, with those that are there once, and again if they are stated again"
            );
            return Err(vec![violation.expected(expected).actual(quoted(&rest[0]))]);
        }
        if overlap > 0 {
            let dropped: Vec<_> = rest.drain(..overlap).collect();
            changes.push(self.overlap(self.place.clone().index(from), quoted(&dropped)));
        }
        list.append(&mut rest);
        Ok(())
    }

    fn append(&self, text: &mut String, rest: &str, changes: &mut Vec<Change>) -> Result<(), Vec<Violation>> {
        let overlap = overlap(text, rest);
        if overlap > 0 {
            changes.push(self.overlap(self.place.clone(), quoted(&rest[..overlap])));
        } else if repeats_end(text, rest) {
            let violation = self.violation("`rest` starts with what the string ends with");
            return Err(vec![violation.expected("only the characters that follow").actual(quoted(rest))]);
        }
        text.push_str(&rest[overlap..]);
        Ok(())
    }

    /// Adds `members` to the object `there`, which is at `path`. Of the members that are already
    /// there, the object on the `way` to the open part is added to; others have to be equal.
    fn add(
        &self,
        there: &mut Map<String, Value>,
        members: Map<String, Value>,
        (path, way): (&Path, &[Segment]),
        changes: &mut Vec<Change>,
        violations: &mut Vec<Violation>,
    ) {
        for (key, member) in members {
            let path = path.clone().key(&key);
            let is_on_the_way = matches!(way.first(), Some(Segment::Key(step)) if step.as_str() == key);
            match (there.get_mut(&key), member) {
                (None, member) => {
                    there.insert(key, member);
                }
                (Some(Value::Object(there)), Value::Object(members)) if is_on_the_way => {
                    self.add(there, members, (&path, &way[1..]), changes, violations);
                }
                (Some(there), member) if *there == member => {
                    changes.push(self.overlap(path, quoted(&member)));
                }
                (Some(there), member) => {
                    let message = "this is there already, and reads differently there";
                    let violation = Violation::new(path, Code::Continuation, message);
                    let violation = violation.hint(format!("there it is {}", quoted(there)));
                    violations.push(violation.expected("the same, or nothing").actual(quoted(&member)));
                }
            }
        }
    }

    fn overlap(&self, path: Path, before: String) -> Change {
        Change::lossless(path, 0..self.bytes, ChangeKind::Overlap, before)
    }
}

/// How many of the last elements of `list` are repeated at the start of `rest`, although it claims
/// to be new. Equal numbers and words follow each other in many lists, equal objects in few.
fn repeated(list: &[Value], rest: &[Value]) -> Option<usize> {
    let is_telling = |value: &Value| value.is_object() || value.is_array();
    let most = list.len().min(rest.len()).min(LOOK_BACK);
    let runs = (1..=most).rev();
    let is_repeated = |count: &usize| rest[..*count] == list[list.len() - count..];
    runs.filter(is_repeated).find(|count| rest[..*count].iter().all(is_telling))
}

/// How many bytes at the start of `rest` repeat the end of `text`.
fn overlap(text: &str, rest: &str) -> usize {
    let most = text.len().min(rest.len()).min(MAX_OVERLAP);
    let start = rest.as_bytes()[..most].iter().copied();
    let end = text.as_bytes()[text.len() - most..].iter().copied();
    let bytes: Vec<Option<u8>> = start.map(Some).chain([None]).chain(end.map(Some)).collect();
    let lengths = prefix_lengths(&bytes);
    let mut length = lengths.last().copied().unwrap_or_default();
    while length >= MIN_OVERLAP {
        // A repetitive string, such as a line of dashes, may simply continue.
        let is_repetition = lengths[length - 1] * 2 >= length;
        if rest.is_char_boundary(length) && !is_repetition {
            return length;
        }
        length = lengths[length - 1];
    }
    0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merged(
        value: &Value,
        place: &str,
        part: OpenPart,
        rest: &Value,
    ) -> Result<(Value, usize), Vec<String>> {
        let place: Path = place.parse().unwrap();
        let top = super::super::plan::top(&place);
        let target =
            ContinuationTarget { place: &place, part, top: &top, is_whole: true, has_begun: false, bytes: 9 };
        let merged = target.merge(value.clone(), rest.as_object().unwrap().clone());
        let merged =
            merged.map_err(|violations| violations.iter().map(ToString::to_string).collect::<Vec<_>>())?;
        Ok((merged.value, merged.changes.len()))
    }

    fn list(rest: &Value) -> Result<(Value, usize), Vec<String>> {
        merged(&json!([1, 1, {"a": 2}]), "$", OpenPart::List(3), rest)
    }

    #[test]
    fn the_index_decides_what_is_new() {
        assert_eq!(list(&json!({"from": 3, "rest": []})), Ok((json!([1, 1, {"a": 2}]), 0)));
        assert_eq!(list(&json!({"from": 3, "rest": [{"a": 3}]})), Ok((json!([1, 1, {"a": 2}, {"a": 3}]), 0)));
        assert_eq!(list(&json!({"from": 1, "rest": [1, {"a": 2}, 4]})), Ok((json!([1, 1, {"a": 2}, 4]), 1)));
        let ones = |rest: &Value| merged(&json!([1, 1]), "$", OpenPart::List(2), rest);
        assert_eq!(ones(&json!({"from": 2, "rest": [1, 1]})), Ok((json!([1, 1, 1, 1]), 0)));
        assert_eq!(ones(&json!({"from": 1, "rest": [1, 1]})), Ok((json!([1, 1, 1]), 1)));
    }

    #[test]
    fn what_does_not_fit_is_a_violation() {
        for (rest, words) in [
            (json!({"from": 2, "rest": [{"a": 9}]}), "$[2]: this element is there already"),
            (json!({"from": 4, "rest": [5]}), "expected 3, the index of the next element, got 4"),
            (json!({"from": -1, "rest": [5]}), "got -1"),
            (json!({"from": u64::MAX, "rest": [5]}), "got 18446744073709551615"),
            (json!({"rest": [5]}), "got nothing"),
            (json!({"from": 3}), "the answer has no `rest`"),
            (json!({"from": 3, "rest": "5"}), "the answer has no `rest`"),
            (json!({"from": 1, "rest": [1]}), "`rest` ends before the elements that are there"),
            (json!({"from": 3, "rest": [{"a": 2}, 4]}), "starts with the 1 element from index 2 on"),
            (json!({"from": 3, "rest": [4], "after": 1}), "`after` is not an object"),
            (json!({"from": 3, "rest": [4], "total": 1}), "nothing comes after it"),
        ] {
            let violations = list(&rest).unwrap_err();
            assert!(violations[0].contains(words), "{rest}: {violations:?}");
        }
    }

    #[test]
    fn members_are_added_and_never_changed() {
        let value = json!({"a": 1, "in": {"list": [1], "b": 2}});
        let add = |after: Value| {
            merged(&value, "$.in.list", OpenPart::List(1), &json!({"from": 1, "rest": [2], "after": after}))
        };
        let expected = json!({"a": 1, "in": {"list": [1, 2], "b": 2, "c": 3}, "d": 4});
        assert_eq!(add(json!({"a": 1, "in": {"c": 3, "b": 2}, "d": 4})), Ok((expected, 2)));
        assert!(add(json!({"a": 2})).unwrap_err()[0].contains("$.a: this is there already"));
        assert!(add(json!({"in": {"b": 3}})).unwrap_err()[0].contains("$.in.b"));
    }

    #[test]
    fn a_string_loses_what_is_written_twice_and_nothing_else() {
        let sentence = "The quick brown fox jumps over the lazy dog";
        let text = format!("Once more. {sentence}");
        let again = |rest: &str| {
            let value = json!({ "text": text });
            merged(&value, "$.text", OpenPart::Text(1), &json!({"rest": rest})).unwrap()
        };
        assert_eq!(again(" and sleeps."), (json!({"text": format!("{text} and sleeps.")}), 0));
        assert_eq!(
            again(&format!("{sentence} and sleeps.")),
            (json!({"text": format!("{text} and sleeps.")}), 1)
        );
        for unclear in ["dog dog", "dogs", " lazy dog"] {
            let value = json!({ "text": text });
            let merged = merged(&value, "$.text", OpenPart::Text(1), &json!({ "rest": unclear }));
            assert!(
                merged.unwrap_err()[0].contains("`rest` starts with what the string ends with"),
                "{unclear}"
            );
        }
        let dashes = "-".repeat(50);
        assert_eq!(overlap(&dashes, &dashes), 0, "a line may go on");
        assert_eq!(overlap(&format!("é{sentence}é"), &format!("{sentence}éé")), sentence.len() + 2);
    }
}
