//! A value that goes into a column comes back as it was.

use std::{collections::BTreeMap, sync::Arc};

use arrow_array::RecordBatch;
use arrow_json::LineDelimitedWriter;
use arrow_schema::{DataType, Field, Schema};
use extract::{Contract, Extractable};
use extract_arrow::{Row, array, arrow_field, is_json};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

#[derive(Serialize, Deserialize, Extractable)]
enum Currency {
    Eur,
    Usd,
}

#[derive(Serialize, Deserialize, Extractable)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Party {
    Person { name: String },
    Company { vat: u64 },
}

#[derive(Serialize, Deserialize, Extractable)]
struct Line {
    text: Option<String>,
    quantity: i32,
}

#[derive(Serialize, Deserialize, Extractable)]
struct Part {
    name: String,
    parts: Vec<Part>,
}

#[derive(Serialize, Deserialize, Extractable)]
struct Invoice {
    number: String,
    total: f64,
    id: u64,
    balance: i64,
    is_paid: bool,
    currency: Currency,
    seller: Party,
    buyer: Option<Party>,
    lines: Vec<Line>,
    first: Option<Line>,
    rates: BTreeMap<String, f64>,
    size: (u8, String),
    part: Part,
}

fn field_of<T: Extractable>() -> Arc<Field> {
    Arc::new(arrow_field("value", Contract::of::<T>().unwrap().schema()))
}

fn child<'f>(field: &'f Field, name: &str) -> &'f Field {
    let DataType::Struct(fields) = field.data_type() else { panic!("{field:?} has no fields") };
    fields.iter().find(|field| field.name() == name).unwrap()
}

/// Returns the values that a reader of the column sees, with JSON parsed and nulls as absent.
fn read_back(field: &Arc<Field>, rows: &[Row]) -> Vec<Value> {
    let column = array(field, rows).unwrap();
    assert_eq!(column.data_type(), field.data_type());
    let batch = RecordBatch::try_new(Arc::new(Schema::new(vec![Arc::clone(field)])), vec![column]).unwrap();
    let mut text = Vec::new();
    LineDelimitedWriter::new(&mut text).write(&batch).unwrap();
    let lines = serde_json::Deserializer::from_slice(&text).into_iter::<Value>();
    lines.map(|line| parsed(field, line.unwrap().get("value").unwrap_or(&Value::Null))).collect()
}

fn parsed(field: &Field, value: &Value) -> Value {
    match (field.data_type(), value) {
        (_, Value::String(text)) if is_json(field) => serde_json::from_str(text).unwrap(),
        (DataType::Struct(fields), Value::Object(object)) => {
            let known = |(key, value): (&String, &Value)| {
                let field = fields.iter().find(|field| field.name() == key).unwrap();
                (key.clone(), parsed(field, value))
            };
            object.iter().map(known).collect::<Map<_, _>>().into()
        }
        (DataType::List(item), Value::Array(items)) => {
            items.iter().map(|value| parsed(item, value)).collect()
        }
        _ => value.clone(),
    }
}

/// Null is absent in a column.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let kept = object.into_iter().filter(|(_, value)| !value.is_null());
            kept.map(|(key, value)| (key, without_nulls(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        value => value,
    }
}

fn invoice() -> Invoice {
    Invoice {
        number: "INV-7 \"ü\"".to_owned(),
        total: 0.1,
        id: u64::MAX,
        balance: i64::MIN,
        is_paid: true,
        currency: Currency::Usd,
        seller: Party::Company { vat: u64::MAX },
        buyer: None,
        lines: vec![Line { text: None, quantity: -1 }, Line { text: Some(String::new()), quantity: 2 }],
        first: None,
        rates: BTreeMap::from([("a/b".to_owned(), 1.5), (String::new(), -2.0)]),
        size: (3, "m".to_owned()),
        part: Part { name: "a".to_owned(), parts: vec![Part { name: "b".to_owned(), parts: Vec::new() }] },
    }
}

#[test]
fn a_value_comes_back_as_it_was() {
    let field = field_of::<Invoice>();
    let other = Invoice {
        buyer: Some(Party::Person { name: "A".to_owned() }),
        first: Some(Line { text: None, quantity: 0 }),
        lines: Vec::new(),
        rates: BTreeMap::new(),
        currency: Currency::Eur,
        ..invoice()
    };
    let values: Vec<Value> = [invoice(), other].iter().map(|it| serde_json::to_value(it).unwrap()).collect();
    let mut rows: Vec<Row> = values.iter().map(|value| Row::new(&field, value)).collect();
    assert!(rows.iter().all(|row| row.misfits.is_empty()), "{rows:?}");
    rows.insert(1, Row::null());
    let mut expected: Vec<Value> = values.into_iter().map(without_nulls).collect();
    expected.insert(1, Value::Null);
    assert_eq!(read_back(&field, &rows), expected);
}

#[test]
fn types_are_those_of_the_contract() {
    let field = field_of::<Invoice>();
    assert!(field.is_nullable());
    let types = [
        ("number", DataType::Utf8),
        ("total", DataType::Float64),
        ("id", DataType::UInt64),
        ("balance", DataType::Int64),
        ("is_paid", DataType::Boolean),
        ("currency", DataType::Utf8),
    ];
    for (name, data_type) in types {
        let found = child(&field, name);
        assert_eq!(
            (found.data_type(), is_json(found), found.is_nullable()),
            (&data_type, false, false),
            "{name}"
        );
    }
    for name in ["seller", "buyer", "size"] {
        assert!(is_json(child(&field, name)), "{name}");
    }
    assert!(child(&field, "buyer").is_nullable());
    assert!(child(&field, "first").is_nullable());
    assert!(matches!(child(&field, "rates").data_type(), DataType::Map(_, false)));
    let DataType::List(line) = child(&field, "lines").data_type() else { panic!("{field:?}") };
    assert_eq!((child(line, "text").is_nullable(), child(line, "quantity").is_nullable()), (true, false));
    let DataType::List(part) = child(child(&field, "part"), "parts").data_type() else { panic!("{field:?}") };
    assert!(is_json(part), "a part in a part is JSON");
}

#[test]
fn integers_have_the_type_that_their_bounds_need() {
    let kind = |schema: Value| arrow_field("value", &schema);
    assert_eq!(kind(json!({"type": "integer"})).data_type(), &DataType::Int64);
    assert_eq!(
        kind(json!({"type": "integer", "minimum": 0, "maximum": u64::MAX})).data_type(),
        &DataType::UInt64
    );
    assert!(is_json(&kind(json!({"type": "integer", "minimum": -1, "maximum": u64::MAX}))));
    assert!(is_json(&kind(json!({"type": "integer", "format": "int128"}))));
}

#[test]
fn what_does_not_fit_is_recorded_and_never_rounded() {
    let schema = json!({
        "type": "object",
        "properties": {"n": {"type": "integer"}, "x": {"type": "number"}, "s": {"type": "string"}},
        "required": ["n", "x"]
    });
    let field = Arc::new(arrow_field("value", &schema));
    let pointers = |value: Value| {
        let row = Row::new(&field, &value);
        let pointers: Vec<String> = row.misfits.iter().map(|misfit| misfit.pointer.clone()).collect();
        (row.value.is_some(), pointers)
    };
    let found =
        |is_kept: bool, pointers: &[&str]| (is_kept, pointers.iter().map(ToString::to_string).collect());
    assert_eq!(pointers(json!({"n": 3.0, "x": 12})), found(true, &[]));
    assert_eq!(pointers(json!({"n": 1, "x": 1, "a/b": 2})), found(true, &["/a~1b"]));
    assert_eq!(pointers(json!({"n": u64::MAX, "x": u64::MAX})), found(false, &["/n", "/x"]));
    assert_eq!(pointers(json!({"n": 1.5, "s": 1})), found(false, &["/n", "/x", "/s"]));
    assert_eq!(pointers(json!([])), found(false, &[""]));
}

#[test]
fn a_schema_that_grows_without_end_is_json_somewhere() {
    let twice = |next: usize| {
        json!({"type": "object", "properties": {
        "a": {"$ref": format!("#/$defs/D{next}")}, "b": {"$ref": format!("#/$defs/D{next}")}}})
    };
    let mut defs: Map<String, Value> = (0..40).map(|index| (format!("D{index}"), twice(index + 1))).collect();
    defs.insert("D40".to_owned(), json!({"type": "string"}));
    let field = Arc::new(arrow_field("value", &json!({"$ref": "#/$defs/D0", "$defs": defs})));
    assert!(field.size() < 10_000_000);
    let itself = json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}});
    assert!(is_json(&arrow_field("value", &itself)));
}
