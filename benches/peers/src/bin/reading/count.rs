//! How many replies of other projects' test suites become the value that the suite expects.

use extract::Contract;
use serde_json::{Value, json};

use crate::readers::{self, Reader, is_same};

const SUITES: [(&str, &str); 3] = [
    ("jsonrepair (npm)", include_str!("../../../../../tests/fixtures/replies/jsonrepair_js.jsonl")),
    ("vercel/ai fix-json", include_str!("../../../../../tests/fixtures/replies/vercel_fix_json.jsonl")),
    ("partialjson (PyPI)", include_str!("../../../../../tests/fixtures/replies/partialjson_py.jsonl")),
];

/// How many rows each reads, by name; this project without a schema.
pub(crate) type Counts = Vec<(&'static str, usize)>;

struct Row {
    raw: String,
    expected: Value,
}

pub(crate) fn print(python: Option<&str>) -> Counts {
    let any = Contract::from_schema(json!(true)).expect("a schema");
    let mut all: Vec<(&str, Reader)> = vec![("extract", readers::extract(any))];
    all.extend(readers::peers(python));
    print!("{:>22} {:>6} {:>16}", "rows read as expected", "rows", "extract+schema");
    all.iter().for_each(|(name, _)| print!(" {name:>16}"));
    println!();
    let mut counts: Counts = all.iter().map(|(name, _)| (*name, 0)).collect();
    let (mut total, mut total_with_schema) = (0, 0);
    for (name, lines) in SUITES {
        let rows: Vec<Row> = lines.lines().filter_map(row).collect();
        let with_schema = rows.iter().filter(|row| is_read_with_schema(row)).count();
        print!("{name:>22} {:>6} {with_schema:>16}", rows.len());
        for ((_, read), (_, count)) in all.iter().zip(&mut counts) {
            let found = rows.iter().filter(|row| is_read(read, row)).count();
            *count += found;
            print!(" {found:>16}");
        }
        println!();
        total += rows.len();
        total_with_schema += with_schema;
    }
    print!("{:>22} {total:>6} {total_with_schema:>16}", "all");
    counts.iter().for_each(|(_, count)| print!(" {count:>16}"));
    println!();
    counts
}

/// Returns a row that expects a value; rows that expect an error or nothing at all are skipped.
fn row(line: &str) -> Option<Row> {
    let mut row: Value = serde_json::from_str(line).expect("JSON");
    if row.get("expected_empty").is_some() {
        return None;
    }
    let expected = row.get_mut("expected")?.take();
    Some(Row { raw: row["raw"].as_str().expect("a text").to_owned(), expected })
}

fn is_read(read: &Reader, row: &Row) -> bool {
    read(&row.raw, 0).value.is_some_and(|found| is_same(&found, &row.expected))
}

fn is_read_with_schema(row: &Row) -> bool {
    let contract = Contract::from_schema(schema_of(&row.expected)).expect("a schema");
    is_read(&readers::extract(contract), row)
}

/// Returns a schema for `value` with its types, and nothing else.
fn schema_of(value: &Value) -> Value {
    match value {
        Value::Null => json!({"type": "null"}),
        Value::Bool(_) => json!({"type": "boolean"}),
        Value::Number(number) if number.is_f64() => json!({"type": "number"}),
        Value::Number(_) => json!({"type": "integer"}),
        Value::String(_) => json!({"type": "string"}),
        Value::Array(items) if items.is_empty() => json!({"type": "array"}),
        Value::Array(items) => {
            json!({"type": "array", "prefixItems": items.iter().map(schema_of).collect::<Vec<_>>()})
        }
        Value::Object(entries) => {
            let properties: serde_json::Map<_, _> =
                entries.iter().map(|(key, value)| (key.clone(), schema_of(value))).collect();
            json!({"type": "object", "properties": properties})
        }
    }
}
