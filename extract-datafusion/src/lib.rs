#![doc = include_str!("../README.md")]

mod arrow_type;
mod job;
mod rows;

pub use self::{
    arrow_type::{arrow_field, is_json},
    job::{Job, JobAnswer},
    rows::{Misfit, Row, array},
};
