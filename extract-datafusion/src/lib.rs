#![cfg_attr(feature = "datafusion", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "datafusion"),
    doc = "Columns, rows and jobs of typed extraction, for an engine on Arrow."
)]

mod arrow_type;
#[cfg(feature = "datafusion")]
mod function;
mod job;
mod rows;

#[cfg(feature = "datafusion")]
pub use self::function::ExtractFunction;
pub use self::{
    arrow_type::{arrow_field, is_json},
    job::{Job, JobAnswer},
    rows::{Misfit, Row, array},
};
