//! Turns a failed attempt into the next question.
//!
//! A [`FeedbackStrategy`] such as [`Feedback`] decides how to ask again, and
//! [`build_repair_prompt`] lists what is wrong.

mod continuation;
mod display;
mod failed;
mod message;
mod omitted;
mod options;
mod patch;
mod strategy;

pub(crate) use self::{
    continuation::RestQuestion,
    failed::{FailureDetails, ToolExchange},
    message::{AnswerForm, again, listing},
};
pub use self::{
    display::{format_violations_for_display, should_retry},
    failed::FailedAttempt,
    message::build_repair_prompt,
    options::FeedbackOptions,
    strategy::{Feedback, FeedbackQuestion, FeedbackStrategy},
};
