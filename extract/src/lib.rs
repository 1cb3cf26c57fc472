//! extract
#![forbid(unsafe_code)]

pub mod agent;
mod extractable;
pub mod path;
mod rejection;
mod schema;
mod text;
mod validation;
mod violation;

#[doc(hidden)]
pub mod __private;

#[cfg(feature = "derive")]
pub use extract_derive::Extractable;
pub use schemars::{Schema, SchemaGenerator, json_schema};

pub use self::{
    extractable::{Extractable, Foreign},
    path::Path,
    rejection::{IntoRejections, Rejection, Rejections},
    validation::{Judge, Place},
    violation::{Code, Severity, Violation},
};
