//! What must not be repeated, and finding it wherever it is quoted.
//!
//! It stands at the bottom: it knows strings and JSON values, and neither contracts nor agents.
//! [`Keys`] are secrets of the process and of agents, [`Values`] are what a reply holds at
//! sensitive places. Both search by [`Known`], which finds a string in any of the ways that
//! [`rendered`] and [`Unit`]s know, in time linear in the text, however many strings there are.

mod environment;
mod forms;
mod grams;
mod keys;
mod known;
mod rendered;
mod units;
mod values;

#[cfg(test)]
mod tests;

pub(crate) use self::{keys::Keys, values::Values};

/// What stands in the place of a key.
pub(crate) const KEY_MARKER: &str = "[redacted]";

/// What stands in the place of a sensitive value.
pub(crate) const VALUE_MARKER: &str = "(hidden)";
