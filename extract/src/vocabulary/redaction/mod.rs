//! Finds secrets and sensitive values wherever a text quotes them, and redacts them.
//!
//! This module knows strings and JSON values, but neither contracts nor agents. [`Keys`] are
//! secrets of the process and of agents. [`SensitiveValues`] are the values at the sensitive paths of a
//! reply. Both search with [`known`], which finds a string in all the ways to write it, in time linear
//! in the text, however many strings there are.

mod grams;
mod keys;
mod known;
mod values;

#[cfg(test)]
mod tests;

pub use self::keys::Keys;
pub(crate) use self::values::SensitiveValues;

/// The replacement of a key.
pub(crate) const KEY_MARKER: &str = "[redacted]";

/// The replacement of a sensitive value.
pub(crate) const VALUE_MARKER: &str = "(hidden)";
