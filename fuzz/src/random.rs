//! Generates schemas and values from bytes.

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

/// Keys used in schemas and values.
pub const KEYS: [&str; 6] = ["op", "left", "right", "items", "name", "total"];

/// Allowed values, some of them similar, and one that may mean null.
const WORDS: [&str; 7] = ["and", "or", "refund", "refund_denied", "AA-", "AA", "None"];

/// A schema of at most `depth` levels, which may refer to the definitions `a`, `b` and `c` and to itself.
pub fn schema(u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    if depth == 0 {
        return leaf(u);
    }
    let mut inner = |u: &mut Unstructured<'_>| schema(u, depth - 1);
    Ok(match u.int_in_range(0..=9)? {
        0 | 1 => leaf(u)?,
        2 => json!({"type": "array", "items": inner(u)?, "minItems": u.int_in_range(0..=3)?}),
        3 => json!({"prefixItems": several(u, &mut inner)?}),
        4 | 5 => object(u, &mut inner)?,
        6 => json!({"anyOf": several(u, &mut inner)?}),
        7 => json!({"oneOf": several(u, &mut inner)?}),
        8 => json!({"allOf": several(u, &mut inner)?}),
        _ => json!({"if": inner(u)?, "then": inner(u)?, "else": inner(u)?}),
    })
}

/// A schema with definitions that it may refer to.
pub fn root(u: &mut Unstructured<'_>) -> Result<Value> {
    let mut definitions = Map::new();
    for name in ["a", "b", "c"] {
        definitions.insert(name.to_owned(), schema(u, 2)?);
    }
    let mut root = schema(u, 3)?;
    if let Value::Object(root) = &mut root {
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Ok(root)
}

fn several(
    u: &mut Unstructured<'_>,
    inner: &mut impl FnMut(&mut Unstructured<'_>) -> Result<Value>,
) -> Result<Vec<Value>> {
    (0..u.int_in_range(1..=3)?).map(|_| inner(u)).collect()
}

fn object(
    u: &mut Unstructured<'_>,
    inner: &mut impl FnMut(&mut Unstructured<'_>) -> Result<Value>,
) -> Result<Value> {
    let mut properties = Map::new();
    for _ in 0..u.int_in_range(0..=3)? {
        properties.insert((*u.choose(&KEYS)?).to_owned(), inner(u)?);
    }
    let required: Vec<_> = properties.keys().filter(|_| u.arbitrary().unwrap_or(false)).cloned().collect();
    let mut schema = json!({"type": "object", "properties": properties, "required": required});
    match u.int_in_range(0..=3)? {
        0 => schema["additionalProperties"] = Value::Bool(false),
        1 => schema["additionalProperties"] = inner(u)?,
        _ => {}
    }
    Ok(schema)
}

fn leaf(u: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match u.int_in_range(0..=13)? {
        0 => json!({"type": "string"}),
        1 => json!({"type": "string", "pattern": "^[a-z]{2,4}$"}),
        2 => json!({"type": "string", "format": "date", "maxLength": u.int_in_range(0..=20)?}),
        3 => json!({"type": "integer", "minimum": u.arbitrary::<i8>()?}),
        4 => json!({"type": "number", "multipleOf": 0.25}),
        5 => json!({"type": "boolean"}),
        6 => json!({"type": ["string", "null"]}),
        7 => json!({"enum": WORDS[..u.int_in_range(1..=WORDS.len())?]}),
        8 => json!({"const": u.choose(&WORDS)?}),
        9 => json!({"$ref": format!("#/$defs/{}", u.choose(&["a", "b", "c"])?)}),
        10 => json!({"$ref": "#"}),
        11 => json!({"not": {"const": u.choose(&WORDS)?}}),
        12 => json!(u.arbitrary::<bool>()?),
        _ => json!({}),
    })
}

/// A value of at most `depth` levels.
pub fn value(u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    let kinds = if depth == 0 { 5 } else { 8 };
    Ok(match u.int_in_range(0..=kinds)? {
        0 => Value::Null,
        1 => Value::from(u.arbitrary::<bool>()?),
        2 => Value::from(u.arbitrary::<i16>()?),
        3 => Value::from(f64::from(u.arbitrary::<i16>()?) / 4.0),
        4 => Value::from(*u.choose(&WORDS)?),
        5 => Value::from(u.arbitrary::<&str>()?),
        6 => (0..u.int_in_range(0..=3)?).map(|_| value(u, depth - 1)).collect::<Result<Value>>()?,
        _ => {
            let mut entries = Map::new();
            for _ in 0..u.int_in_range(0..=3)? {
                entries.insert((*u.choose(&KEYS)?).to_owned(), value(u, depth - 1)?);
            }
            Value::Object(entries)
        }
    })
}
