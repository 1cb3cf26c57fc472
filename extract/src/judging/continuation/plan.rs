//! Which part of a cut value continues, and what is kept of the others.

use crate::{
    reading::BrokenOff,
    vocabulary::path::{Path, Segment},
};

/// Minimum bytes of a cut value that is worth continuing although no list in it has a complete
/// element. Below that, writing the whole value again costs less than the next question. A patch is
/// worthwhile from the same number of characters.
const LONG: usize = 2_000;

/// Minimum bytes of a string that continues where it was cut. A shorter one is better written again
/// as a whole: at a join inside a sentence, words are lost or doubled.
const LONG_STRING: usize = 500;

/// An incomplete part of a value, and how much is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpenPart {
    /// A list with this many elements.
    List(usize),
    /// A string of this many characters.
    Text(usize),
    /// An object whose other members are missing.
    Members,
}

/// Where a value continues.
#[derive(Debug)]
pub(super) struct ContinuationPoint {
    pub(super) place: Path,
    pub(super) part: OpenPart,
    /// The text up to there, with closing brackets, so that it is complete JSON.
    pub(super) closed: String,
    /// Whether another element had begun, which is not kept. So there is at least one more.
    pub(super) has_begun: bool,
    kept: usize,
}

/// A text that was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BrokenText {
    Value,
    /// The rest of a value, where every complete part counts.
    Rest,
}

/// Chooses the part of the value in `text` that continues. `None` if too little is complete.
///
/// That is the outermost list that keeps half of the text or more: in a table, the row that was cut
/// is written again, with all of its parts. If an inner list or a long string is most of the text,
/// that one continues. `is_usable` tells which parts may; a list that may not, such as a tuple,
/// excludes everything inside it.
pub(super) fn choose(
    text: &str,
    kind: BrokenText,
    is_usable: impl Fn(&Path, OpenPart) -> bool,
) -> Option<ContinuationPoint> {
    let broken = BrokenOff::of(text)?;
    let mut breaks = Vec::new();
    let mut is_excluded = false;
    for level in (0..broken.levels()).filter(|level| broken.is_list(*level)) {
        let (children, kept) = (broken.children(level), broken.kept(level));
        let (place, part) = (broken.path(level)?, OpenPart::List(children));
        is_excluded |= !is_usable(&place, part);
        if !is_excluded && (children > 0 || kept >= LONG) {
            breaks.push((level, kept, place, part));
        }
    }
    if let Some(index) = breaks.iter().position(|(_, kept, ..)| 2 * kept >= text.len()) {
        let (level, kept, place, part) = breaks.swap_remove(index);
        let (closed, has_begun) = (broken.closed(level), broken.has_begun(level));
        return Some(ContinuationPoint { place, part, closed, has_begun, kept });
    }
    let list = breaks.pop().map(|(level, kept, place, part)| ContinuationPoint {
        place,
        part,
        closed: broken.closed(level),
        has_begun: broken.has_begun(level),
        kept,
    });
    let string = || {
        let (string, closed) = broken.string().filter(|(string, _)| string.len() >= LONG_STRING)?;
        let (place, part) = (broken.path(broken.levels())?, OpenPart::Text(string.chars().count()));
        let kept = closed.len() - broken.levels();
        (!is_excluded && is_usable(&place, part)).then_some(ContinuationPoint {
            place,
            part,
            closed,
            has_begun: false,
            kept,
        })
    };
    let members = || {
        let level = broken.levels().checked_sub(1).filter(|level| !broken.is_list(*level))?;
        let (place, part, kept) = (broken.path(level)?, OpenPart::Members, broken.kept(level));
        let is_of_form =
            kind == BrokenText::Rest && broken.children(level) > 0 && place.segments().iter().all(is_key);
        let is_enough = kept >= LONG || is_of_form;
        let closed = || broken.closed(level);
        let is_usable = is_enough && !is_excluded && is_usable(&place, part);
        is_usable.then(|| ContinuationPoint { place, part, closed: closed(), has_begun: false, kept })
    };
    match (list, string()) {
        (Some(list), Some(string)) => Some(if string.kept > list.kept { string } else { list }),
        (list, string) => list.or(string).or_else(members),
    }
}

fn is_key(segment: &Segment) -> bool {
    matches!(segment, Segment::Key(_))
}

/// Returns the path of the innermost list element around `place`, or the root.
pub(super) fn top(place: &Path) -> Path {
    let segments = place.segments();
    let end = segments.iter().rposition(|segment| !is_key(segment)).map_or(0, |index| index + 1);
    segments[..end].iter().cloned().fold(Path::root(), Path::step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(text: &str) -> Option<(String, OpenPart)> {
        choose(text, BrokenText::Value, |_, _| true).map(|chosen| (chosen.place.to_string(), chosen.part))
    }

    #[test]
    fn the_outermost_list_with_half_of_the_text_goes_on() {
        let list = |place: &str, count| Some((place.to_owned(), OpenPart::List(count)));
        assert_eq!(chosen(r#"[{"a": [1, 2]}, {"a": [3"#), list("$", 1));
        assert_eq!(chosen(r#"{"rows": [[1, 2], [3, 4], [5"#), list("$.rows", 2));
        assert_eq!(chosen("[[1], [2, 3, 4, 5, 6, 7, 8, 9"), list("$[1]", 7));
        assert_eq!(chosen(r#"[{"a": 1"#), None);
        assert_eq!(chosen(r#"{"a": [1, 2], "b": 3"#), None);
    }

    #[test]
    fn a_long_string_and_a_long_object_go_on_too() {
        let text = |length| format!(r#"{{"title": "a", "text": "{}"#, "word ".repeat(length));
        assert_eq!(chosen(&text(100)), Some(("$.text".to_owned(), OpenPart::Text(500))));
        assert_eq!(chosen(&text(99)), None);
        assert_eq!(chosen(&format!("{}\", \"b\": 1", text(400))), Some(("$".to_owned(), OpenPart::Members)));
        let in_list = format!(r#"[{}"{}"#, "\"short\", ".repeat(100), "word ".repeat(100));
        assert_eq!(chosen(&in_list), Some(("$".to_owned(), OpenPart::List(100))));
    }

    #[test]
    fn nothing_in_a_tuple_goes_on() {
        let usable = |path: &Path, _: OpenPart| path.to_string() != "$[1]";
        let chosen = choose("[1, [2, [3, 4, 5, 6, 7", BrokenText::Value, usable).unwrap();
        assert_eq!((chosen.place, chosen.closed.as_str()), (Path::root(), "[1]"));
    }

    #[test]
    fn the_top_is_the_element_of_the_next_list() {
        for (place, expected, outer) in
            [("$.a[2].b.c", "$.a[2]", Some(("$.a", 2))), ("$.a", "$", None), ("$[3]", "$[3]", Some(("$", 3)))]
        {
            let found = top(&place.parse().unwrap());
            assert_eq!(found.to_string(), expected);
            let outer = outer.map(|(list, index)| (list.parse().unwrap(), index));
            assert_eq!(found.as_item(), outer);
        }
    }
}
