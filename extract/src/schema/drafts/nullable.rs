//! `nullable: true` of OpenAPI 3.0, which allows null beside the type.

use serde_json::{Map, Value, json};

use crate::schema::{each, view::keywords::is_annotation};

const NULLABLE: &str = "nullable";

/// Keywords beside which another type is not enough to allow null.
const OTHERS: [&str; 8] = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "const"];

pub(super) fn is_used(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => {
            object.get(NULLABLE).is_some_and(Value::is_boolean) || object.values().any(is_used)
        }
        Value::Array(list) => list.iter().any(is_used),
        _ => false,
    }
}

pub(super) fn rewrite(schema: &mut Value) {
    each(schema, &mut |part| match part.get(NULLABLE) {
        Some(Value::Bool(true)) => {
            part.shift_remove(NULLABLE);
            allow_null(part);
        }
        Some(Value::Bool(false)) => {
            part.shift_remove(NULLABLE);
        }
        _ => {}
    });
}

/// An `enum` allows null as well, although few write it there too.
fn allow_null(schema: &mut Map<String, Value>) {
    let as_type = json!("null");
    if OTHERS.iter().any(|keyword| schema.contains_key(*keyword)) {
        let constraints: Map<_, _> = schema
            .iter()
            .filter(|(keyword, _)| !is_annotation(keyword))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        schema.retain(|keyword, _| is_annotation(keyword));
        schema.insert("anyOf".to_owned(), json!([constraints, { "type": as_type }]));
        return;
    }
    match schema.get_mut("type") {
        Some(Value::Array(kinds)) if !kinds.contains(&as_type) => kinds.push(as_type),
        Some(kind @ Value::String(_)) if *kind != as_type => *kind = json!([kind.take(), as_type]),
        _ => {}
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
}
