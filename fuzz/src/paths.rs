//! Checks paths and places from any text, and the text of any path.

use arbitrary::{Result, Unstructured};
use extract::{
    Path,
    path::{PathPattern, Segment},
};
use serde_json::{Value, json};

/// Panics if a property does not hold.
pub fn check(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        check_text(text);
    }
    let _ = check_path(&mut Unstructured::new(data));
}

/// A path stays the same when it is written and parsed again.
fn check_text(text: &str) {
    if let Ok(path) = text.parse::<Path>() {
        round_trip(&path);
    }
    // Any other text becomes one key, so that nothing is lost.
    let lenient = Path::from(text);
    assert!(text.parse::<Path>().is_ok() || lenient.segments() == [Segment::Key(text.into())]);
    if let Ok(path) = Path::from_pointer(text) {
        assert_eq!(path.to_pointer(), text);
    }
    if let Ok(place) = text.parse::<PathPattern>() {
        let shown = place.to_string();
        if !shown.contains('…') {
            assert_eq!(shown.parse::<PathPattern>().as_ref(), Ok(&place), "{shown:?}");
        }
    }
}

fn check_path(u: &mut Unstructured<'_>) -> Result<()> {
    let mut path = Path::root();
    let mut around = Vec::new();
    for _ in 0..u.int_in_range(0..=8)? {
        let segment = if u.arbitrary()? {
            Segment::Index(u.int_in_range(0..=5)?)
        } else {
            Segment::Key(u.arbitrary::<&str>()?.into())
        };
        path = match &segment {
            Segment::Index(index) => path.index(*index),
            Segment::Key(key) => path.key(&**key),
        };
        around.push(segment);
    }
    round_trip(&path);
    // A value that contains the path.
    let value = around.iter().rev().fold(json!("here"), |inside, segment| match segment {
        Segment::Index(index) => std::iter::repeat_n(Value::Null, *index).chain([inside]).collect(),
        Segment::Key(key) => json!({ &**key: inside }),
    });
    assert_eq!(path.resolve(&value), Some(&json!("here")));
    assert_eq!(Path::from_pointer_in(&path.to_pointer(), &value).as_ref(), Ok(&path));
    assert_eq!(value.pointer(&path.to_pointer()), Some(&json!("here")));
    Ok(())
}

fn round_trip(path: &Path) {
    let written = serde_json::to_string(path).expect("a path is a string");
    assert_eq!(serde_json::from_str::<Path>(&written).expect("it is a path"), *path, "{written}");
    let shown = path.to_string();
    assert!(shown.chars().count() <= 1_500 && !shown.contains(char::is_control), "{shown:?}");
    if !shown.contains('…') {
        assert_eq!(shown.parse::<Path>().as_ref(), Ok(path), "{shown:?}");
    }
    let pointer = path.to_pointer();
    assert_eq!(Path::from_pointer(&pointer).expect("it is a pointer").to_pointer(), pointer);
}
