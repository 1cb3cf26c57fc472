//! The tools `example`, `validate` and `submit`: what an agent is told about them, and what a call of one hands in.

mod arguments;
mod describe;
mod input;
mod kind;
mod names;
mod offer;
pub(crate) mod words;

pub(crate) use self::{kind::Kind, offer::Offer};
