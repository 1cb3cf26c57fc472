//! From a failed attempt to the question that starts the next one.
//!
//! [`strategy`] decides the way of asking, [`message`] lists what is wrong, [`patch`] asks for the bad parts only.

mod display;
mod failed;
mod message;
mod patch;
mod rest;
mod strategy;

pub use self::{
    display::{format_violations_for_display, should_retry},
    failed::FailedAttempt,
    message::build_repair_prompt,
    strategy::{Feedback, FeedbackStrategy, Question},
};
pub(crate) use self::{
    failed::{FailureDetails, ToolExchange},
    message::{MAX_FEEDBACK_CHARS, again, listing},
};
