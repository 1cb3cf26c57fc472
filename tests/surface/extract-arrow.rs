// arrow_type.rs
pub fn arrow_field(name: &str, schema: &Value) -> Field {}
pub fn is_json(field: &Field) -> bool {}

// lib.rs
pub use arrow_array;
pub use arrow_schema;
pub use self::{
    arrow_type::{arrow_field, is_json},
    rows::{Misfit, Row, array},
};

// rows.rs
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Misfit {
    pub pointer: String,
    pub message: String,
    pub is_left_out: bool,
}
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Row {
    pub value: Option<Value>,
    pub misfits: Vec<Misfit>,
}
impl Row {
    pub fn new(field: &Field, value: &Value) -> Self {}
    pub fn null() -> Self {}
}
pub fn array(field: &FieldRef, rows: &[Row]) -> Result<ArrayRef, ArrowError> {}

