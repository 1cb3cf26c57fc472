//! extract
#![forbid(unsafe_code)]
pub mod agent;
mod text;
