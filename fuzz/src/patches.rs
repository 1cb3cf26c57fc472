//! Checks any sequence of patch operations as the reply to a request for a patch.

use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use extract::{Contract, Feedback, testing::ScriptedAgent};
use serde_json::{Value, json};

use crate::random;

static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "total": {"type": "number"},
            "items": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["name", "total", "items"],
    });
    Contract::from_schema(schema).expect("the schema compiles")
});

/// Maximum bytes of a value after a patch of at most a few kilobytes.
const MAX_PATCHED: usize = 8 << 20;

/// Panics if a property does not hold.
pub fn check(data: &[u8]) {
    let _ = checked(&mut Unstructured::new(data));
}

fn checked(u: &mut Unstructured<'_>) -> Result<()> {
    let first = json!({"name": "Ann", "total": "many", "items": [1, "two", 3]});
    let operations: Vec<Value> = (0..u.int_in_range(1..=40)?).map(|_| operation(u)).collect::<Result<_>>()?;
    let agent = ScriptedAgent::new([first.to_string(), Value::from(operations).to_string()]);
    let extraction = CONTRACT.extract(&agent, "…").feedback(Feedback::Patch).max_attempts(2);
    match extract::testing::block_on(extraction) {
        Ok((value, _)) => assert!(CONTRACT.validate(&value).is_empty() && value["name"] == "Ann"),
        Err(error) => {
            for attempt in error.history() {
                let submitted = attempt.submitted().map_or(0, |value| value.to_string().len());
                assert!(submitted <= MAX_PATCHED, "{submitted} bytes");
            }
        }
    }
    Ok(())
}

fn operation(u: &mut Unstructured<'_>) -> Result<Value> {
    let path = pointer(u)?;
    Ok(match u.int_in_range(0..=6)? {
        0 => json!({"op": "replace", "path": path, "value": random::value(u, 2)?}),
        1 => json!({"op": "add", "path": path, "value": random::value(u, 2)?}),
        2 => json!({"op": "remove", "path": path}),
        3 => json!({"op": "move", "path": path, "from": pointer(u)?}),
        4 | 5 => json!({"op": "copy", "path": path, "from": pointer(u)?}),
        _ => json!({"op": "test", "path": path, "value": random::value(u, 1)?}),
    })
}

fn pointer(u: &mut Unstructured<'_>) -> Result<String> {
    const STEPS: [&str; 10] = ["", "name", "total", "items", "0", "1", "-", "b0", "b1", "~1"];
    let mut pointer = String::new();
    for _ in 0..u.int_in_range(0..=3)? {
        pointer.push('/');
        pointer.push_str(u.choose(&STEPS)?);
    }
    Ok(pointer)
}
