//! The output in the README is the real output.

use extract::Extractable;
use extract::testing::{ScriptedAgent, block_on};
use serde::Deserialize;

const README: &str = include_str!("../../README.md");

/// The type at the top of the README.
#[derive(Debug, Deserialize, Extractable)]
#[allow(dead_code, reason = "only the judgement matters")]
struct Invoice {
    /// Number printed at the top right.
    #[extract(pattern = r"^INV-\d{4}$", example = "INV-2041")]
    number: String,
    #[extract(one_of = ["EUR", "USD", "GBP"])]
    currency: String,
    #[extract(range(min = 0.0), example = 19.0)]
    total: f64,
}

/// The text of the code block that starts with `start`.
fn block(start: &str) -> &'static str {
    let at =
        README.find(start).unwrap_or_else(|| panic!("the README has no block that starts with {start:?}"));
    let rest = &README[at..];
    rest[..rest.find("\n```").expect("the block ends")].trim_end()
}

#[test]
fn the_failing_reply_causes_the_feedback_that_stands_below_it() {
    let agent = ScriptedAgent::new([block("Here you go: "), &Invoice::example().to_string()]);
    block_on(Invoice::extract(&agent, "…")).unwrap();
    let requests = agent.requests();
    let feedback = requests[1].conversation.turns().last().unwrap();
    assert_eq!(feedback.text(), block("Attempt 2 of 3. "));
}
