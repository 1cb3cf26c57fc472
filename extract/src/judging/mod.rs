//! From one reply to one judged attempt, and from one attempt to whether another may follow.
//!
//! The loop of an extraction and a toolkit share it: [`judge`](judge()) reads a reply and judges what it holds, [`Submissions`] asks the
//! type and the user about the value, [`Story`] keeps what has happened, and [`tools`] are what an agent may call.

mod event;
mod judge;
mod patch;
mod progress;
mod story;
mod submission;
pub(crate) mod tools;

pub use self::event::Event;
pub(crate) use self::{
    event::Observer,
    judge::{Answer, Judged, judge, judge_as},
    patch::{Base, schema as patch_schema},
    story::{End, Settled, Story},
    submission::{Accept, OnSubmit, Submissions, Submit, with_example_for},
};
