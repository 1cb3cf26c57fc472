//! From a reply to a judged attempt, and to whether another attempt may follow.
//!
//! Extractions and toolkits share this: [`judge`](judge()) reads a reply and judges its value.
//! [`ValueJudge`] applies the type and the user's code to the value. [`AttemptLog`] records the
//! attempts; [`accept_valid_items`] looks for a value among those that failed. [`tools`] are the tools that an agent may call.

mod chunk_judge;
mod ending;
mod event;
mod judge;
mod log;
mod patch;
mod progress;
pub(crate) mod tools;
mod valid_items;
mod value_judge;

pub use self::event::Event;
pub(crate) use self::{
    chunk_judge::ChunkJudge,
    event::Observer,
    judge::{JudgedAttempt, ReceivedReply, judge, judge_as, judge_given, judge_merged},
    log::{AttemptLog, AttemptOutcome, EndReason, SpentTokens},
    patch::{PatchBase, schema as patch_schema},
    valid_items::accept_valid_items,
    value_judge::{ErasedJudge, OnSubmit, ValueChecks, ValueJudge, with_example_for},
};
