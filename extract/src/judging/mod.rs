//! Turns a reply into a judged attempt, and decides whether another attempt may follow.
//!
//! Extractions and toolkits share this: [`judge`](judge()) reads a reply and judges its value.
//! [`ValueJudge`] applies the type and the user's code to the value. [`AttemptLog`] records the
//! attempts; [`AcceptedParts`] may not change from one to the next. [`ContinuationPlan`] continues a
//! value that was cut; [`accept_valid_items`] looks for an acceptable value among failed attempts.
//! [`PartJudge`] judges a part of a value that is still being written. [`ConfidenceMeter`] measures
//! how sure the leaves of an accepted value are; [`LeafContract`] asks about some of them. [`tools`] are the tools that
//! an agent may call.

mod confidence;
pub(crate) mod continuation;
mod ending;
mod event;
mod joining;
mod judge;
mod log;
mod patch;
mod reply_continuation;
pub(crate) mod tools;
mod valid_items;
mod value_judge;

pub(crate) use self::{
    confidence::{ConfidenceMeter, LeafContract, SampledAnswer},
    continuation::ContinuationPlan,
    event::{ContinuationNotice, Observer, notify, notify_in_turn},
    joining::JoinWatch,
    judge::{
        AnsweredQuestion, JudgedAttempt, ReceivedReply, ReplyBase, judge, judge_as, judge_given, judge_merged,
    },
    log::{AttemptLog, AttemptOutcome, EndReason, OtherAgents, SpentTokens},
    patch::{PatchBase, schema as patch_schema},
    reply_continuation::{ContinuationSupport, ContinuedText, ReplyContinuation},
    valid_items::accept_valid_items,
    value_judge::{
        AcceptedParts, ChunkJudge, ErasedAsyncJudge, ErasedJudge, OnSubmit, PartJudge, ValueChecks,
        ValueJudge, with_example_for,
    },
};
pub use self::{event::Event, value_judge::AcceptedJson};
