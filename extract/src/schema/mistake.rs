//! Mistakes in a type that only its schema reveals.

use schemars::Schema;
use serde_json::{Map, Value};

use crate::vocabulary::path::Path;

/// The keyword that holds the message. A schema with it does not become a contract.
const MISTAKE: &str = "x-mistake";

/// Records a mistake in the type that `schema` describes.
pub(super) fn note(schema: &mut Map<String, Value>, message: String) {
    schema.insert(MISTAKE.to_owned(), Value::String(message));
}

/// The same for the schema of a type of another crate.
pub(crate) fn note_mistake(schema: &mut Schema, message: String) {
    note(schema.ensure_object(), message);
}

/// The first mistake in a schema, and its path.
pub(crate) fn mistake(schema: &Value) -> Option<(Path, String)> {
    find(schema, &Path::root())
}

fn find(schema: &Value, path: &Path) -> Option<(Path, String)> {
    match schema {
        Value::Object(object) => {
            if let Some(Value::String(message)) = object.get(MISTAKE) {
                return Some((path.clone(), message.clone()));
            }
            let schemas = object.iter().filter(|(key, _)| !is_data(key));
            schemas.into_iter().find_map(|(key, inside)| find(inside, &path.clone().key(key.as_str())))
        }
        Value::Array(list) => {
            list.iter().enumerate().find_map(|(index, inside)| find(inside, &path.clone().index(index)))
        }
        _ => None,
    }
}

/// Returns whether the value of this keyword is data that may look like a schema.
fn is_data(keyword: &str) -> bool {
    matches!(keyword, "const" | "enum" | "examples" | "default")
}
