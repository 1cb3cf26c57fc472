#![doc = include_str!("../README.md")]

mod arrow_type;
mod rows;

pub use arrow_array;
pub use arrow_schema;

pub use self::{
    arrow_type::{arrow_field, is_json},
    rows::{Misfit, Row, array},
};
