mod constraints;
mod models;
mod rules;

use serde_json::{Value, json};

use super::{Dialect, Projection};

fn project(dialect: Dialect, schema: &Value) -> Projection {
    dialect.project(schema).unwrap_or_else(|error| panic!("{dialect}: {error}\n{schema}"))
}

/// The projection of a property called `a`.
fn property(dialect: Dialect, schema: &Value) -> (Value, Vec<String>) {
    let object = json!({"type": "object", "properties": {"a": schema}, "required": ["a"]});
    let projection = project(dialect, &object);
    let unenforced = projection.unenforced.iter().map(|left| left.keyword.clone()).collect();
    (projection.schema["properties"]["a"].clone(), unenforced)
}

fn reason(dialect: Dialect, schema: &Value) -> String {
    dialect.project(schema).expect_err("it is expressible").to_string()
}
