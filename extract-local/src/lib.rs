#![doc = include_str!("../README.md")]
//!
//! # Which model
//!
//! [`LocalModel::load`] uses the model of the environment variable `EXTRACT_MODEL` (`1.5b`, `0.5b`
//! or the path of a file). The builder sets it in code:
//!
//! ```no_run
//! use extract_local::LocalModel;
//!
//! let small = LocalModel::builder().model("0.5b").build()?;
//! # Ok::<(), extract_local::LocalModelError>(())
//! ```
//!
//! # What the grammar enforces
//!
//! The table says for each constraint whether the grammar enforces it. `yes`: the model can write
//! no value that breaks it. `in part` and `no`: it can write some or all of them. A test compares
//! the table with the grammar. Unenforced constraints are listed with their paths in a
//! [note](extract::agent::Reply::notes) of every reply and passed to
//! [`on_unenforced`](LocalModelBuilder::on_unenforced), and the contract checks them on the reply.
//! Only a wrong 29 February is not listed. If one keyword cannot be expressed, the rest of the
//! schema is still enforced.
//!
//! Values are written in one way: one space after commas and colons and no other white space, named
//! properties in the order of the schema, numbers with bounds without exponents, characters without
//! unneeded escapes.
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
mod reply_text;
mod runtime;
mod sampler;
#[cfg(test)]
mod tests;
mod text;
mod weights;
mod worker;

#[cfg(feature = "llama-cpp")]
pub use self::builder::Backend;
pub use self::{
    agent::LocalModel, builder::LocalModelBuilder, error::LocalModelError, grammar::UnenforcedConstraints,
    model::Model, weights::fetch,
};
