#![doc = include_str!("../README.md")]
//!
//! # Which model
//!
//! [`LocalModel::load`] takes the model that the environment variable `EXTRACT_MODEL` names (`1.5b`, `0.5b` or the path of a file), the
//! builder one of your choice:
//!
//! ```no_run
//! use extract_local::LocalModel;
//!
//! let small = LocalModel::builder().model("0.5b").build()?;
//! # Ok::<(), extract_local::LocalModelError>(())
//! ```
//!
//! # What the grammar holds the model to
//!
//! The table says for each constraint whether the model can write a value that breaks it: `yes` is never, `in part` some, `no` all.
//! It is compared with what the grammar does by a test. What is not enforced is named, with its place, in a
//! [note](extract::agent::Reply::notes) of every reply and to [`on_unenforced`](LocalModelBuilder::on_unenforced), and is judged by the contract like everything
//! else; only that a year has no 29 February goes without a word. One keyword that the grammar cannot follow does not free the rest of the schema.
//!
//! Values are written in one way: one space after commas and colons and no other white space, named properties in the order of
//! the schema, numbers with bounds without exponents, characters without escapes that they do not need.
//!
#![doc = include_str!("constraints.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod agent;
mod builder;
mod chat;
mod engine;
mod error;
mod gguf;
mod grammar;
mod model;
mod prefixes;
mod published;
mod runtime;
mod sampler;
#[cfg(test)]
mod tests;
mod text;
mod weights;
mod worker;
mod written;

#[cfg(feature = "llama-cpp")]
pub use self::builder::Backend;
pub use self::{
    agent::LocalModel, builder::LocalModelBuilder, error::LocalModelError, grammar::UnenforcedConstraints,
    model::Model, weights::fetch,
};
