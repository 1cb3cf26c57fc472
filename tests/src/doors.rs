//! A value gets the same judgement by every entry point: typed or not, by the loop, by the tools or
//! by the contract.

use extract::{
    Contract, Extractable, ExtractionResult, Violation,
    testing::{ScriptedAgent, block_on},
    toolkit::{ToolCall, Toolkit},
};
use serde_json::{Value, json};

use crate::domain::{Invoice, good, with_changes};

fn said(violations: &[Violation]) -> Vec<String> {
    violations.iter().map(ToString::to_string).collect()
}

fn of_result<T>(result: ExtractionResult<T>) -> Vec<String> {
    result.err().map(|error| said(error.violations())).unwrap_or_default()
}

fn of_toolkit<T>(toolkit: Toolkit<'_, T>, value: &Value) -> Vec<String>
where
    T: extract::WithContext<extract::context::NoContext> + Send,
{
    let mut toolkit = toolkit.max_attempts(1);
    let submit = toolkit.tools().remove(2).name;
    block_on(toolkit.call(ToolCall::new(submit, value.clone())));
    of_result(toolkit.finish())
}

#[test]
fn every_entry_point_gives_the_same_judgement() {
    let contract = Contract::of::<Invoice>().unwrap();
    for (what, value) in [
        ("nothing", good()),
        ("a rule", with_changes(&[("/total", json!(1.0))])),
        ("a check", with_changes(&[("/total", json!(19.123))])),
        ("the schema", with_changes(&[("/currency", json!("Euro"))])),
        (
            "the schema, and a check of what is valid",
            with_changes(&[
                ("/currency", json!("Euro")),
                ("/total", json!(19.123)),
                ("/lines/0/unitPrice", json!(9.125)),
            ]),
        ),
        (
            "serde's types",
            with_changes(&[("/lines/0/quantity", json!(5_000_000_000_u64)), ("/total", json!(0.001))]),
        ),
    ] {
        let reply = value.to_string();
        let expected = said(&contract.validate(&value));
        assert_eq!(expected.is_empty(), what == "nothing", "{what}");
        let agent = || ScriptedAgent::new([reply.clone()]);
        let doors = [
            ("from_reply", of_result(Invoice::from_reply(reply.as_str()))),
            ("extract", of_result(block_on(Invoice::extract(&agent(), "…").max_attempts(1)))),
            ("Contract::extract", of_result(block_on(contract.extract(&agent(), "…").max_attempts(1)))),
            ("Toolkit::new", of_toolkit(Toolkit::<Invoice>::new().unwrap(), &value)),
            ("Toolkit::untyped", of_toolkit(Toolkit::untyped(contract.clone()), &value)),
        ];
        for (door, violations) in doors {
            assert_eq!(violations, expected, "{what}, by {door}");
        }
    }
}
