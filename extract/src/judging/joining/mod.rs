//! Decides whether a text that an agent added to a cut reply continues it.
//!
//! An agent that should continue may write everything again, repeat the end of what is there, or
//! announce that it continues. In the middle of a string, each of these joins to a valid value, and
//! a wrong one. So a join is accepted only if it is strict JSON (`strict_text`), and if the addition
//! neither repeats the text (`repeated`) nor starts with words about continuing (`preamble`).
//! Otherwise the agent is asked for the rest, or for the whole again.
//!
//! Three bytes or less that are repeated inside a word or a number are not noticed: `ba` and `anana`
//! may be `banana`, or `baanana`.

mod cut_text;
mod preamble;
mod repeated;
mod sign;
mod strict_text;
mod watch;

pub(crate) use self::{
    cut_text::{AdditionEnd, CutText, TextJoin},
    watch::JoinWatch,
};
