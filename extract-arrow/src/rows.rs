//! Values as rows of a column.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_json::ReaderBuilder;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema};
use serde_json::{Map, Number, Value};

use crate::arrow_type::is_json;

/// Integers up to this are exact as `f64`.
const EXACT: u64 = 1 << 53;

/// A part of a value that a column cannot hold.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Misfit {
    /// Its path, as a JSON Pointer (RFC 6901).
    pub pointer: String,
    /// The reason.
    pub message: String,
    /// Whether only this part is omitted from the column. Otherwise the whole row is null.
    pub is_left_out: bool,
}

/// A value as a column holds it, with everything that the column cannot hold.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Row {
    /// The value; `None` is a null row.
    pub value: Option<Value>,
    /// Everything that is not in the value. Keys without a field are omitted. Other misfits leave
    /// the row null: a value of another type, a missing value that the schema requires, and a
    /// number that the column would round.
    pub misfits: Vec<Misfit>,
}

impl Row {
    /// Converts a value for a column.
    pub fn new(field: &Field, value: &Value) -> Self {
        let mut misfits = Vec::new();
        let value = fit(field, value, "", &mut misfits);
        let is_whole = misfits.iter().all(|misfit| misfit.is_left_out);
        Self { value: value.filter(|_| is_whole), misfits }
    }

    /// The row of a document without a value.
    pub fn null() -> Self {
        Self { value: None, misfits: Vec::new() }
    }
}

/// Builds an array of the field's type from rows.
///
/// # Errors
///
/// If the strings of one array exceed 2 GiB, or the field does not come from
/// [`arrow_field`](crate::arrow_field).
pub fn array(field: &FieldRef, rows: &[Row]) -> Result<ArrayRef, ArrowError> {
    let schema = Arc::new(Schema::new(vec![Arc::clone(field)]));
    if rows.is_empty() {
        return Ok(arrow_array::new_empty_array(field.data_type()));
    }
    let mut decoder = ReaderBuilder::new(schema).with_batch_size(rows.len()).build_decoder()?;
    let name = field.name();
    let objects: Vec<Map<String, Value>> = rows
        .iter()
        .map(|row| Map::from_iter([(name.clone(), row.value.clone().unwrap_or_default())]))
        .collect();
    decoder.serialize(&objects)?;
    let batch = decoder.flush()?.unwrap_or_else(|| RecordBatch::new_empty(Arc::new(Schema::empty())));
    batch.columns().first().cloned().ok_or_else(|| ArrowError::JsonError("no column was read".to_owned()))
}

fn fit(field: &Field, value: &Value, pointer: &str, misfits: &mut Vec<Misfit>) -> Option<Value> {
    let mut misfit = |message: String| {
        misfits.push(Misfit { pointer: pointer.to_owned(), message, is_left_out: false });
        None
    };
    if value.is_null() {
        return if field.is_nullable() {
            Some(Value::Null)
        } else {
            misfit("is null, but required".to_owned())
        };
    }
    if is_json(field) {
        return Some(Value::String(value.to_string()));
    }
    match (field.data_type(), value) {
        (DataType::Utf8, Value::String(_)) | (DataType::Boolean, Value::Bool(_)) => Some(value.clone()),
        (data_type @ (DataType::Int64 | DataType::UInt64 | DataType::Float64), Value::Number(number)) => {
            match fit_number(data_type, number) {
                Some(number) => Some(number.into()),
                None => misfit(format!("{number} is not exact as {data_type}")),
            }
        }
        (DataType::Struct(fields), Value::Object(object)) => {
            let extra = object.keys().filter(|key| !fields.iter().any(|field| field.name() == *key));
            misfits.extend(extra.map(|key| Misfit {
                pointer: child(pointer, key),
                message: "has no field".to_owned(),
                is_left_out: true,
            }));
            let fitted = fields.iter().map(|field| {
                let value = object.get(field.name()).unwrap_or(&Value::Null);
                let value = fit(field, value, &child(pointer, field.name()), misfits)?;
                Some((field.name().clone(), value))
            });
            // Converts every field, so that every misfit is recorded.
            let fitted: Vec<Option<(String, Value)>> = fitted.collect();
            fitted.into_iter().collect::<Option<Map<String, Value>>>().map(Value::Object)
        }
        (DataType::List(item), Value::Array(values)) => {
            let fitted: Vec<Option<Value>> = values
                .iter()
                .enumerate()
                .map(|(index, value)| fit(item, value, &format!("{pointer}/{index}"), misfits))
                .collect();
            fitted.into_iter().collect::<Option<Vec<Value>>>().map(Value::Array)
        }
        (DataType::Map(entries, _), Value::Object(object)) => {
            let DataType::Struct(fields) = entries.data_type() else {
                return misfit("is not a map".to_owned());
            };
            let Some(values) = fields.get(1) else { return misfit("is not a map".to_owned()) };
            let fitted: Vec<Option<(String, Value)>> = object
                .iter()
                .map(|(key, value)| Some((key.clone(), fit(values, value, &child(pointer, key), misfits)?)))
                .collect();
            fitted.into_iter().collect::<Option<Map<String, Value>>>().map(Value::Object)
        }
        (data_type, _) => misfit(format!("is not a value of {data_type}")),
    }
}

/// The number as a column holds it, if it is exact.
fn fit_number(data_type: &DataType, number: &Number) -> Option<Number> {
    let as_integer = |number: &Number| {
        let float = number.as_f64().filter(|float| float.fract() == 0.0)?;
        let integer = format!("{float:.0}").parse::<i64>().ok()?;
        Some(integer).filter(|integer| integer.unsigned_abs() <= EXACT)
    };
    match data_type {
        DataType::Int64 if number.is_f64() => as_integer(number).map(Number::from),
        DataType::Int64 => number.as_i64().map(Number::from),
        DataType::UInt64 if number.is_f64() => {
            as_integer(number).and_then(|n| u64::try_from(n).ok()).map(Number::from)
        }
        DataType::UInt64 => number.as_u64().map(Number::from),
        _ if number.is_f64() => Some(number.clone()),
        _ => {
            let size = number.as_i64().map(i64::unsigned_abs).or_else(|| number.as_u64())?;
            number.as_f64().filter(|_| size <= EXACT).and_then(Number::from_f64)
        }
    }
}

fn child(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}
