//! Vocabulary that all rooms share: paths, violations, changes, tokens, and helpers for text.

pub(crate) mod attempt_status;
pub(crate) mod base64;
pub(crate) mod change;
pub mod context;
pub(crate) mod digits;
pub(crate) mod grouping;
pub(crate) mod json_pointer;
pub mod path;
pub(crate) mod redaction;
pub(crate) mod rejection;
pub(crate) mod repetition;
pub(crate) mod suggest;
pub(crate) mod text;
pub(crate) mod time_limit;
pub(crate) mod tokens;
pub(crate) mod usage;
pub(crate) mod values;
pub(crate) mod violation;
