//! Values with another part.

use extract::path::{Path, Segment};
use serde_json::Value;

/// Returns `value` with `part` at a JSON Pointer; `None` if there is no place for it, because nothing
/// around it is there. A member that its object lacks is added.
pub(crate) fn with(value: &Value, pointer: &str, part: &Value) -> Option<Value> {
    let mut changed = value.clone();
    if let Some(place) = changed.pointer_mut(pointer) {
        *place = part.clone();
        return Some(changed);
    }
    let path = Path::from_pointer_in(pointer, value).ok()?;
    let Segment::Key(key) = path.segments().last()? else { return None };
    let members = changed.pointer_mut(&path.parent()?.to_pointer())?.as_object_mut()?;
    members.insert((**key).to_owned(), part.clone());
    Some(changed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_part_is_replaced_or_added_where_there_is_a_place_for_it() {
        let value = json!({"a": [{"b": 1}]});
        let with = |pointer: &str| with(&value, pointer, &json!(2));
        assert_eq!(with(""), Some(json!(2)));
        assert_eq!(with("/a/0/b"), Some(json!({"a": [{"b": 2}]})));
        assert_eq!(with("/a/0/c~1d"), Some(json!({"a": [{"b": 1, "c/d": 2}]})));
        for nowhere in ["a", "/a/1", "/a/0/b/c", "/x/y"] {
            assert_eq!(with(nowhere), None, "{nowhere}");
        }
    }
}
