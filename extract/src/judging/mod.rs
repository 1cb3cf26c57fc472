//! From one reply to one judged attempt, and from one attempt to whether another may follow.
//!
//! The loop of an extraction and a toolkit share it: [`judge`](judge()) reads a reply and judges what it holds, [`ValueJudge`] asks the
//! type and the user about the value, [`AttemptLog`] keeps what has happened, and [`tools`] are what an agent may call.

mod event;
mod judge;
mod log;
mod patch;
mod progress;
pub(crate) mod tools;
mod value_judge;

pub use self::event::Event;
pub(crate) use self::{
    event::Observer,
    judge::{JudgedAttempt, ReceivedReply, judge, judge_as},
    log::{AttemptLog, AttemptOutcome, EndReason},
    patch::{PatchBase, schema as patch_schema},
    value_judge::{ErasedJudge, OnSubmit, ValueChecks, ValueJudge, with_example_for},
};
