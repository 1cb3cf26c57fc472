//! The anchors in a schema: `$anchor`, `$dynamicAnchor`.

use std::{collections::HashMap, convert::Infallible};

use serde_json::Value;

/// Keywords that name a schema.
pub(super) const ANCHORS: [&str; 2] = ["$anchor", "$dynamicAnchor"];

/// Keywords whose keys are the user's names.
const NAMED: [&str; 5] = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// Keywords that hold values and not schemas.
pub(super) const VALUES: [&str; 4] = ["const", "default", "enum", "examples"];

/// Returns whether the keys under `keyword` are names, and the values are schemas.
pub(crate) fn is_named(keyword: &str) -> bool {
    NAMED.contains(&keyword)
}

/// JSON Pointers by anchor.
#[derive(Debug, Default)]
pub(super) struct AnchorNames {
    pointers: HashMap<String, String>,
}

impl AnchorNames {
    pub(super) fn of(root: &Value) -> Self {
        let mut names = Self::default();
        names.collect(root, &mut String::new());
        names
    }

    pub(super) fn pointer(&self, name: &str) -> Option<&str> {
        self.pointers.get(name).map(String::as_str)
    }

    fn collect(&mut self, schema: &Value, pointer: &mut String) {
        for name in ANCHORS.iter().filter_map(|keyword| schema.get(keyword)?.as_str()) {
            self.pointers.insert(name.to_owned(), pointer.clone());
        }
        let collected: Result<(), Infallible> = each_inside(schema, pointer, &mut |inside, pointer| {
            self.collect(inside, pointer);
            Ok(())
        });
        collected.unwrap_or_else(|never| match never {});
    }
}

/// Calls `look` with each direct part of `schema` that is not a plain value, and the pointer to it.
/// Stops at the first error.
pub(super) fn each_inside<E>(
    schema: &Value,
    pointer: &mut String,
    look: &mut dyn FnMut(&Value, &mut String) -> Result<(), E>,
) -> Result<(), E> {
    match schema {
        Value::Object(object) => object.iter().try_for_each(|(keyword, inside)| match inside {
            _ if VALUES.contains(&keyword.as_str()) => Ok(()),
            Value::Object(named) if is_named(keyword) => below(pointer, keyword, |pointer| {
                named
                    .iter()
                    .try_for_each(|(name, inside)| below(pointer, name, |pointer| look(inside, pointer)))
            }),
            _ => below(pointer, keyword, |pointer| look(inside, pointer)),
        }),
        Value::Array(list) => list.iter().enumerate().try_for_each(|(index, inside)| {
            below(pointer, &index.to_string(), |pointer| look(inside, pointer))
        }),
        _ => Ok(()),
    }
}

/// Calls `look` with the pointer to the part under `step`.
fn below<T>(pointer: &mut String, step: &str, look: impl FnOnce(&mut String) -> T) -> T {
    let length = pointer.len();
    push(pointer, step);
    let found = look(pointer);
    pointer.truncate(length);
    found
}

/// Appends one step to a JSON Pointer.
pub(super) fn push(pointer: &mut String, step: &str) {
    pointer.push('/');
    pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
}
