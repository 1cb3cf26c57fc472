//! From a failed attempt to the next question.
//!
//! `strategy` decides how to ask again, `message` lists what is wrong, and `patch` asks only
//! for the parts that are wrong.

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
