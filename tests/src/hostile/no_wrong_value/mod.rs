//! The central promise: whatever a model does to a value, reading gives that value, a violation or
//! nothing. It never gives another value.
//!
//! A conforming value is written in the many ways of models, and cut at every byte with every
//! finish reason. An accepted value has to be the one that was written.

mod cases;
mod renderings;

use extract::{
    Contract,
    agent::{FinishReason, FinishReason::*, Reply},
    reading::ReplyEnd,
    testing::{ScriptedAgent, block_on},
};
use serde_json::Value;

use self::cases::{Case, cases};
use self::renderings::{Cut, Rendering};
use super::{is_same, read_and_valid};

/// One of this many cuts is judged by the whole loop too, which is slower.
const IN_FULL: usize = 16;

/// The value that one attempt accepts from `reply`.
fn accepted(contract: &Contract, reply: &str, reason: &FinishReason) -> Option<Value> {
    let agent = ScriptedAgent::new([Reply::new(reply).finished(reason.clone())]);
    block_on(contract.extract(&agent, "…").max_attempts(1)).ok().map(|(value, _)| value)
}

/// All failures, so that one run shows each.
#[derive(Default)]
struct Wrong(Vec<String>);

impl Wrong {
    /// Returns whether `reply` was accepted; a failure if it was another value.
    fn judge(&mut self, case: &Case, reply: &str, reason: &FinishReason) -> bool {
        self.compare(case, accepted(&case.contract, reply, reason), reply, reason)
    }

    /// The same for the first `end` bytes of `reply`.
    fn judge_cut(&mut self, case: &Case, reply: &str, end: usize, reason: &FinishReason) {
        let found = read_and_valid(&case.contract, &reply[..end], ReplyEnd::from(reason));
        if end.is_multiple_of(IN_FULL) {
            let by_loop = accepted(&case.contract, &reply[..end], reason);
            assert_eq!(found, by_loop, "with {reason:?}:\n{}", &reply[..end]);
        }
        self.compare(case, found, &reply[..end], reason);
    }

    fn compare(&mut self, case: &Case, found: Option<Value>, reply: &str, reason: &FinishReason) -> bool {
        let Some(found) = found else { return false };
        if !is_same(&found, &case.value) {
            self.0.push(format!("with {reason:?} {} became {found}:\n{reply}", case.value));
        }
        true
    }

    fn assert_nothing(self) {
        let count = self.0.len();
        let first: Vec<_> = self.0.into_iter().take(20).collect();
        assert!(first.is_empty(), "{count} in all, such as\n\n{}", first.join("\n\n"));
    }
}

#[test]
fn every_way_of_writing_a_value_gives_that_value_or_none() {
    let mut wrong = Wrong::default();
    for case in cases() {
        for rendering in Rendering::of(&case) {
            for reason in [Stop, Unknown] {
                let is_read = wrong.judge(&case, &rendering.reply, &reason);
                if !is_read && rendering.has_to_be_read {
                    wrong.0.push(format!("with {reason:?} this was not read:\n{}", rendering.reply));
                }
            }
        }
    }
    wrong.assert_nothing();
}

#[test]
fn what_a_filter_cut_is_as_cut_as_by_a_limit() {
    assert_eq!(ReplyEnd::from(&ContentFilter), ReplyEnd::from(&Length));
}

#[test]
fn a_reply_that_was_cut_anywhere_gives_its_value_or_none() {
    let mut wrong = Wrong::default();
    for case in cases() {
        for rendering in Rendering::of(&case).iter().filter(|rendering| rendering.cut != Cut::Unclear) {
            let reply = &rendering.reply;
            // Without a finish reason, only a value that shows its own end reveals a cut.
            let shows = rendering.cut == Cut::Shows && case.has_brackets();
            let reasons: &[_] = if shows { &[Length, Unknown, Stop] } else { &[Length] };
            for end in (0..reply.len()).filter(|end| reply.is_char_boundary(*end)) {
                for reason in reasons {
                    wrong.judge_cut(&case, reply, end, reason);
                }
            }
        }
    }
    wrong.assert_nothing();
}
