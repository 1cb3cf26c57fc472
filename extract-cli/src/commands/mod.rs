//! One file for each command.

pub(crate) mod calibrate;
pub(crate) mod cancel;
pub(crate) mod completions;
pub(crate) mod eval;
pub(crate) mod export;
pub(crate) mod extract;
pub(crate) mod inspect;
pub(crate) mod journal;
pub(crate) mod man;
pub(crate) mod read;
pub(crate) mod review;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod serve_mcp;
pub(crate) mod tune;
pub(crate) mod validate;
pub(crate) mod view;
