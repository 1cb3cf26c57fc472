//! The names that schemas inside of a schema have: `$id`, `$anchor`, `$dynamicAnchor`.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// Keywords whose keys are the user's names.
const NAMED: [&str; 5] = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// Keywords that hold values and not schemas.
const VALUES: [&str; 4] = ["const", "default", "enum", "examples"];

/// JSON Pointers by names, which are written as in a reference.
#[derive(Debug, Default)]
pub(super) struct Names {
    pointers: HashMap<String, String>,
}

impl Names {
    pub(super) fn of(root: &Value) -> Self {
        let mut names = Self::default();
        names.collect(root, &mut String::new(), None);
        names
    }

    pub(super) fn pointer(&self, name: &str) -> Option<&str> {
        self.pointers.get(name).map(String::as_str)
    }

    /// `resource` is the `$id` around `schema`.
    fn collect<'s>(&mut self, schema: &'s Value, pointer: &mut String, resource: Option<&'s str>) {
        match schema {
            Value::Object(object) => {
                let resource = object.get("$id").and_then(Value::as_str).or(resource);
                self.name(object, pointer, resource);
                for (keyword, inside) in object {
                    if VALUES.contains(&keyword.as_str()) {
                        continue;
                    }
                    let is_named = NAMED.contains(&keyword.as_str());
                    below(pointer, keyword, |pointer| match inside {
                        Value::Object(named) if is_named => {
                            for (name, inside) in named {
                                below(pointer, name, |pointer| self.collect(inside, pointer, resource));
                            }
                        }
                        _ => self.collect(inside, pointer, resource),
                    });
                }
            }
            Value::Array(list) => {
                for (index, inside) in list.iter().enumerate() {
                    below(pointer, &index.to_string(), |pointer| self.collect(inside, pointer, resource));
                }
            }
            _ => {}
        }
    }

    /// An anchor belongs to the resource around it; those of the whole schema take precedence where a reference names none.
    fn name(&mut self, object: &Map<String, Value>, pointer: &str, resource: Option<&str>) {
        let text = |keyword: &str| object.get(keyword).and_then(Value::as_str);
        if let Some(id) = text("$id") {
            self.pointers.insert(id.to_owned(), pointer.to_owned());
        }
        let is_inner = resource.is_some_and(|id| self.pointer(id) != Some(""));
        for anchor in ["$anchor", "$dynamicAnchor"].into_iter().filter_map(text) {
            if let Some(id) = resource {
                self.pointers.insert(format!("{id}#{anchor}"), pointer.to_owned());
            }
            let name = format!("#{anchor}");
            if !is_inner || !self.pointers.contains_key(&name) {
                self.pointers.insert(name, pointer.to_owned());
            }
        }
    }
}

/// Calls `look` with the pointer to what lies under `step`.
fn below(pointer: &mut String, step: &str, look: impl FnOnce(&mut String)) {
    let length = pointer.len();
    pointer.push('/');
    pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
    look(pointer);
    pointer.truncate(length);
}
