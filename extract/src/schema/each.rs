//! Visits every subschema.

use serde_json::{Map, Value};

/// Calls `visit` for each subschema that is an object, before those inside it. Values that only
/// look like schemas, such as examples, are skipped.
pub(crate) fn each(schema: &mut Value, visit: &mut dyn FnMut(&mut Map<String, Value>)) {
    match schema {
        Value::Object(object) => {
            visit(object);
            for (key, inside) in object {
                match (key.as_str(), inside) {
                    // The keys of these are the user's names.
                    (
                        "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas",
                        Value::Object(named),
                    ) => {
                        named.values_mut().for_each(|inside| each(inside, visit));
                    }
                    ("const" | "enum" | "examples" | "default", _) => {}
                    (_, inside) => each(inside, visit),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|inside| each(inside, visit)),
        _ => {}
    }
}
