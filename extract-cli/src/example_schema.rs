//! A schema from an example of a value.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value, json};

/// Returns the schema of values like `example`: the same keys, and the same types at the same
/// paths. Items of a list may differ, so keys that only some items have are optional.
pub(crate) fn schema(example: &Value) -> Value {
    let mut shape = ExampleShape::default();
    shape.add(example);
    shape.schema()
}

/// Shape of the values at one path.
#[derive(Debug, Default)]
struct ExampleShape {
    /// The names of the scalar types besides strings.
    scalars: BTreeSet<&'static str>,
    /// Whether all strings are dates, if there are any.
    strings: Option<bool>,
    list: Option<Box<ExampleShape>>,
    object: Option<ObjectKeys>,
}

/// The keys of the objects at one path.
#[derive(Debug, Default)]
struct ObjectKeys {
    objects: usize,
    names: Vec<String>,
    /// In how many objects a key is, and the shape of its values.
    shapes: HashMap<String, (usize, ExampleShape)>,
}

impl ExampleShape {
    fn add(&mut self, value: &Value) {
        match value {
            Value::Null => self.add_scalar("null"),
            Value::Bool(_) => self.add_scalar("boolean"),
            Value::Number(number) if number.is_f64() => self.add_scalar("number"),
            Value::Number(_) => self.add_scalar("integer"),
            Value::String(text) => self.strings = Some(self.strings.unwrap_or(true) && is_date(text)),
            Value::Array(items) => {
                let list = self.list.get_or_insert_default();
                for item in items {
                    list.add(item);
                }
            }
            Value::Object(object) => self.object.get_or_insert_default().add(object),
        }
    }

    fn add_scalar(&mut self, name: &'static str) {
        self.scalars.insert(name);
    }

    fn schema(&self) -> Value {
        let mut branches: Vec<Map<String, Value>> = Vec::new();
        let mut add = |schema: Value| branches.extend(schema.as_object().cloned());
        if let Some(keys) = &self.object {
            add(keys.schema());
        }
        if let Some(list) = &self.list {
            add(json!({"type": "array", "items": list.schema()}));
        }
        match self.strings {
            Some(true) => add(json!({"type": "string", "format": "date"})),
            Some(false) => add(json!({"type": "string"})),
            None => {}
        }
        let has = |name: &str| self.scalars.contains(name);
        for name in ["number", "integer", "boolean", "null"] {
            // An integer is a number.
            if has(name) && !(name == "integer" && has("number")) {
                add(json!({"type": name}));
            }
        }
        // A null alone does not show the other types.
        match branches.len() {
            1 if !has("null") => Value::Object(branches.remove(0)),
            0 | 1 => json!({}),
            _ => json!({"anyOf": branches}),
        }
    }
}

impl ObjectKeys {
    fn add(&mut self, object: &Map<String, Value>) {
        self.objects += 1;
        for (name, value) in object {
            if !self.shapes.contains_key(name) {
                self.names.push(name.clone());
            }
            let (count, shape) = self.shapes.entry(name.clone()).or_default();
            *count += 1;
            shape.add(value);
        }
    }

    fn schema(&self) -> Value {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for name in &self.names {
            let (count, shape) = &self.shapes[name];
            properties.insert(name.clone(), shape.schema());
            if *count == self.objects {
                required.push(name);
            }
        }
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }
}

/// Returns whether a string is a calendar date in the form of RFC 3339.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let number = |part: &str, size: usize| {
        let is_whole = part.len() == size && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<u32>().ok().filter(|_| is_whole)
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(is_leap),
        _ => return false,
    };
    (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use extract::Contract;

    use super::*;

    #[test]
    fn an_example_says_keys_and_types() {
        let example =
            json!({"n": 1, "x": 1.5, "s": "a", "b": true, "d": "2024-02-29", "t": ["a"], "u": null, "e": []});
        let found = schema(&example);
        assert_eq!(
            found["properties"],
            json!({
                "n": {"type": "integer"}, "x": {"type": "number"}, "s": {"type": "string"}, "b": {"type": "boolean"},
                "d": {"type": "string", "format": "date"}, "t": {"type": "array", "items": {"type": "string"}},
                "u": {}, "e": {"type": "array", "items": {}},
            })
        );
        assert_eq!(found["required"], json!(["n", "x", "s", "b", "d", "t", "u", "e"]));
    }

    #[test]
    fn what_only_some_items_have_may_be_missing() {
        let example =
            json!([{"a": 1, "b": "2024-01-31"}, {"a": 2.5, "b": "soon"}, {"a": 1, "b": null, "c": [1, "x"]}]);
        assert_eq!(
            schema(&example)["items"],
            json!({
                "type": "object",
                "properties": {
                    "a": {"type": "number"},
                    "b": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    "c": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
                },
                "required": ["a", "b"],
                "additionalProperties": false,
            })
        );
    }

    #[test]
    fn every_example_conforms_to_its_schema() {
        for example in [
            json!(null),
            json!(3),
            json!([]),
            json!({}),
            json!([[1], [], ["a", null]]),
            json!([{}, {"a": {"b": [{"c": 1}, 2]}}, null]),
            json!({"a.b": 1, "": {"$ref": "x"}, "d": "2023-02-29"}),
        ] {
            let contract = Contract::from_schema(schema(&example)).unwrap();
            assert_eq!(contract.validate(&example), [], "{example}");
        }
    }
}
