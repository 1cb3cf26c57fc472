//! Visits all parts of a schema.

use serde_json::{Map, Value};

use super::view::{REFERENCES, is_named, pointer::VALUES};

/// Calls `visit` for each subschema that is an object, before those inside it. Values that only
/// look like schemas, such as examples, are skipped.
pub(crate) fn each(schema: &mut Value, visit: &mut dyn FnMut(&mut Map<String, Value>)) {
    match schema {
        Value::Object(object) => {
            visit(object);
            for (keyword, inside) in object {
                match inside {
                    Value::Object(named) if is_named(keyword) => {
                        named.values_mut().for_each(|inside| each(inside, visit));
                    }
                    _ if VALUES.contains(&keyword.as_str()) => {}
                    inside => each(inside, visit),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|inside| each(inside, visit)),
        _ => {}
    }
}

/// Replaces each reference for which `new` has another one.
pub(crate) fn replace_references(schema: &mut Value, new: &mut dyn FnMut(&str) -> Option<String>) {
    each(schema, &mut |object| {
        for keyword in REFERENCES {
            if let Some(Value::String(reference)) = object.get_mut(keyword)
                && let Some(new) = new(reference)
            {
                *reference = new;
            }
        }
    });
}
