//! Everything that generated code names. Not part of the stable interface.

pub use std::borrow::Cow;

pub use schemars::{self, JsonSchema, Schema, SchemaGenerator};
pub use serde_json;

pub use crate::schema::Field;
