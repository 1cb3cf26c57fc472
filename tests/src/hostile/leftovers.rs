//! Memory that stays allocated after extractions: nothing, however they end.

use extract::{
    Contract,
    agent::{AgentError, FinishReason, Reply},
    testing::{ScriptedAgent, block_on},
};
use serde_json::json;

fn agents() -> [ScriptedAgent; 5] {
    let good = r#"{"number": "INV-7", "lines": [3, 4]}"#;
    [
        ScriptedAgent::new([good]),
        ScriptedAgent::new(["prose only", r#"{"number": 7, "lines": ["x"]}"#, good]),
        ScriptedAgent::new([Reply::new(&good[..30]).finished(FinishReason::Length), Reply::new(good)]),
        ScriptedAgent::new([Reply::new("").with_refusal("I cannot help with that.")]),
        ScriptedAgent::default().then_fail(AgentError::refused("unknown model").with_status(400)),
    ]
}

/// Bytes that are still allocated after this number of rounds.
fn left_behind(contract: &Contract, rounds: usize) -> i64 {
    let counted = allocation_counter::measure(|| {
        for _ in 0..rounds {
            for agent in agents() {
                drop(block_on(contract.extract(&agent, "…").stream(true)));
            }
        }
    });
    counted.bytes_current
}

#[test]
fn a_hundred_rounds_leave_no_more_than_ten() {
    let schema = json!({
        "type": "object",
        "properties": {"number": {"type": "string"}, "lines": {"type": "array", "items": {"type": "integer"}}},
        "required": ["number", "lines"],
    });
    let contract = Contract::from_schema(schema).unwrap();
    // Allocated once.
    left_behind(&contract, 2);
    assert_eq!((left_behind(&contract, 10), left_behind(&contract, 100)), (0, 0));
}
