//! Invisible characters that change how text is displayed never reach a message or a question.

use extract::{
    Contract, Extractable as _, Feedback, Path, Rejection, Violation,
    feedback::{build_repair_prompt, format_violations_for_display},
    testing::{ScriptedAgent, block_on},
};
use serde_json::{Value, json};

const HIDDEN: [char; 8] =
    ['\u{2028}', '\u{2029}', '\u{202e}', '\u{2066}', '\u{200f}', '\u{e0041}', '\u{1b}', '\u{feff}'];

fn shows_nothing_hidden(text: &str) {
    assert!(!text.contains(HIDDEN), "{text:?}");
}

/// A contract with a rule that repeats the value it rejects.
fn contract() -> Contract {
    let schema = json!({"type": "object", "properties": {
        "a": {"enum": ["x", "y"]}, "b": {"type": "object", "additionalProperties": {"type": "integer"}},
    }, "required": ["a"], "additionalProperties": false});
    Contract::from_schema(schema).unwrap().with_rule(|value: &Value| -> Result<(), Rejection> {
        Err(Rejection::new(format!("{} is none", value["a"].as_str().unwrap())))
    })
}

fn violations(hidden: char) -> Vec<Violation> {
    let text = format!("a{hidden}b");
    let mut all = contract().validate(&json!({"a": text, "b": {&*text: text}, &*text: 1}));
    let free = Contract::from_schema(json!({"properties": {"a": {"type": "string"}}})).unwrap();
    let free = free.with_rule(|value: &Value| -> Result<(), Rejection> {
        Err(Rejection::new(format!("{} is none", value["a"].as_str().unwrap())))
    });
    all.extend(free.validate(&json!({"a": text})));
    all.extend(free.read(&format!("[{hidden}, ..., {text}]")).violations);
    all.extend(free.read(&format!("{{{hidden} 'a")).violations);
    all
}

#[test]
fn a_violation_escapes_them_in_path_message_and_value() {
    for hidden in HIDDEN {
        let violations = violations(hidden);
        assert!(violations.len() > 4, "{violations:#?}");
        shows_nothing_hidden(&build_repair_prompt(&violations));
        for violation in &violations {
            shows_nothing_hidden(&violation.to_string());
        }
        shows_nothing_hidden(&format_violations_for_display(&violations));
    }
}

#[test]
fn a_path_with_them_is_read_back() {
    for hidden in HIDDEN {
        let path = Path::root().key(format!("a{hidden}")).index(1);
        shows_nothing_hidden(&path.to_string());
        assert_eq!(path.to_string().parse(), Ok(path));
    }
}

#[test]
fn the_next_question_shows_them_escaped() {
    for hidden in HIDDEN {
        for feedback in [Feedback::Continue, Feedback::Fresh, Feedback::Patch] {
            let wrong = json!([format!("a{hidden}b"), {format!("k{hidden}"): 1}]).to_string();
            let agent = ScriptedAgent::new([wrong, format!("no {hidden} JSON"), "[1]".to_owned()]);
            block_on(Vec::<u8>::extract(&agent, "…").feedback(feedback)).unwrap();
            for request in agent.requests() {
                for turn in request.conversation.turns() {
                    shows_nothing_hidden(turn.text());
                }
            }
        }
    }
}
