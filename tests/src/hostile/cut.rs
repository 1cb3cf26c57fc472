//! Replies that were cut at every byte, with every finish reason.
//!
//! Reading gives the value, a violation, or nothing. Never another value.

use extract::{
    Contract,
    agent::{FinishReason, Reply},
    reading::ReplyEnd,
};
use serde_json::{Value, json};

const ENDS: [ReplyEnd; 2] = [ReplyEnd::Unknown, ReplyEnd::Cut];

fn contract(schema: &Value) -> Contract {
    Contract::from_schema(schema.clone()).unwrap()
}

/// The accepted value: reading and the contract report no violation.
fn passed(contract: &Contract, reply: &str, end: ReplyEnd) -> Option<Value> {
    let reading = contract.reader().reply_end(end).read(reply);
    let value = reading.value.filter(|_| reading.violations.is_empty())?;
    contract.validate(&value).iter().all(extract::Violation::is_warning).then_some(value)
}

/// Asserts that nothing but `value` is accepted, wherever `reply` is cut.
fn never_another(contract: &Contract, reply: &str, value: &Value, end: ReplyEnd) {
    for at in (0..=reply.len()).filter(|at| reply.is_char_boundary(*at)) {
        let found = passed(contract, &reply[..at], end);
        assert!(
            found.is_none() || found.as_ref() == Some(value),
            "{end:?}: {:?} passed as {found:?}",
            &reply[..at]
        );
    }
}

fn number() -> Contract {
    contract(&json!({"type": "integer"}))
}

fn numbers() -> Contract {
    contract(&json!({"type": "array", "items": {"type": "integer"}}))
}

fn decision() -> Contract {
    contract(&json!({"type": "object", "properties": {
        "decision": {"type": "string"}, "age": {"type": "integer"}, "lines": {"type": "array", "items": {"type": "string"}},
    }}))
}

#[test]
fn what_nothing_closes_is_not_whole_where_the_reply_was_cut() {
    let words = contract(&json!({"type": "string"}));
    let choice = contract(&json!({"enum": ["no", "not_spam"]}));
    let flag = contract(&json!({"type": "boolean"}));
    let lists = contract(&json!({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}));
    let decisions = contract(&json!({"type": "array", "items": decision().schema()}));
    for (contract, reply) in [
        (&number(), "1234"),
        (&number(), "```\n1234"),
        (&number(), "'12"),
        (&numbers(), "1\n2\n3"),
        (&numbers(), "1, 2, 3"),
        (&numbers(), "- 1\n- 2"),
        (&numbers(), "7"),
        (&lists, "[1]"),
        (&words, "it is"),
        (&words, "'it is' what I"),
        (&words, "\"he said \"no\""),
        (&choice, "no"),
        (&flag, "true"),
        (&decisions, "{\"decision\": \"a\"}\n{\"decision\": \"b\"}\n"),
        (&decisions, "{\"decision\": \"a\"}\n"),
        (&decision(), "{\"decision\": \"a}"),
        (&decision(), "{\"decision\": \"a\"\n```"),
        (&decision(), "\"decision\": \"a\""),
        (&decision(), "{\"decision\": \"a\"} is what I would say. Checking it: that is wron"),
        (&decision(), "{\"decision\": \"a\"} No."),
        (&decision(), "<think>{\"decision\": \"a\"}"),
        (&decision(), "<think>{\"decision\": \"a\"}</think>"),
        (&decision(), "Perhaps {\"decision\": \"a\"}</think>"),
        (&decision(), "I would write {} but the age is"),
        (&decision(), ""),
    ] {
        assert_eq!(passed(contract, reply, ReplyEnd::Cut), None, "{reply}");
        let reading = contract.reader().reply_end(ReplyEnd::Cut).read(reply);
        assert!(reading.completeness.is_truncated(), "{reply} {reading:?}");
    }
}

#[test]
fn what_its_own_brackets_or_quotes_close_at_the_end_is_whole() {
    let value = json!({"decision": "a", "lines": ["b"]});
    for reply in [
        "{\"decision\": \"a\", \"lines\": [\"b\"]}",
        "Here it is: {\"decision\": \"a\", \"lines\": [\"b\"]}\n",
        "```json\n{'decision': 'a', 'lines': ['b',],}\n```\n",
        "<think>{}</think>{\"decision\": \"a\", \"lines\": \"b\"}",
    ] {
        assert_eq!(passed(&decision(), reply, ReplyEnd::Cut).as_ref(), Some(&value), "{reply}");
    }
    let words = contract(&json!({"type": "string"}));
    assert_eq!(passed(&words, "\"it \\\"is\\\"\"", ReplyEnd::Cut), Some(json!("it \"is\"")));
    assert_eq!(passed(&numbers(), "[1, 2]", ReplyEnd::Cut), Some(json!([1, 2])));
    assert_eq!(passed(&number(), "\"12\"", ReplyEnd::Cut), Some(json!(12)));
}

#[test]
fn where_nothing_is_known_of_the_end_the_text_says_what_it_can() {
    for reply in [
        "{\"decision\": \"a\"} is what I would say. Checking it: the decision is wron",
        "{\"decision\": \"a\"}\n\nChecking it:",
        "```json\n{\"decision\": \"a\"}\n```\nBut then",
        "{\"decision\": \"a}",
        "{\"decision\": \"a\"}\n<think>That may be wrong.",
        "<think>{\"decision\": \"a\"}.",
        "So.\n<think>{\"decision\": \"a\"}.",
        "I would write {} but the age is",
    ] {
        assert_eq!(passed(&decision(), reply, ReplyEnd::Unknown), None, "{reply}");
    }
    for reply in [
        "{\"decision\": \"a\"}",
        "{\"decision\": \"a\"}\n\nAnything else?",
        "```json\n{\"decision\": \"a\"}\n```\n",
        "<answer>{\"decision\": \"a\"}</answer>",
        "callback({\"decision\": \"a\"});",
        "The decision is `{\"decision\": \"a\"}` (\"a\" as in the text).",
    ] {
        let value = Some(json!({"decision": "a"}));
        assert_eq!(passed(&decision(), reply, ReplyEnd::Unknown), value, "{reply}");
        assert_eq!(passed(&decision(), reply, ReplyEnd::Whole), value, "{reply}");
    }
    assert_eq!(passed(&number(), "1234", ReplyEnd::Unknown), Some(json!(1234)));
    assert_eq!(passed(&numbers(), "1\n2\n3", ReplyEnd::Unknown), Some(json!([1, 2, 3])));
    let reply = "{\"decision\": \"a\"} is my answer";
    assert_eq!(passed(&decision(), reply, ReplyEnd::Whole), Some(json!({"decision": "a"})), "it was done");
}

#[test]
fn unclosed_reasoning_is_never_an_answer() {
    for open in
        ["<think>", "<THINKING>\n", "◁think▷", "[think]", "<|channel|>analysis<|message|>", "Hm.\n<think>"]
    {
        for reply in
            ["{\"decision\": \"a\"}", "{\"decision\": \"a\"}\nNo.", "```json\n{\"decision\": \"a\"}\n```"]
        {
            let reply = format!("{open}{reply}");
            for end in [ReplyEnd::Whole, ReplyEnd::Unknown, ReplyEnd::Cut] {
                assert_eq!(decision().reader().reply_end(end).read(&reply).value, None, "{reply}");
            }
        }
    }
    let mentioned = "As said in `<think>`: {\"decision\": \"a\"}";
    assert!(passed(&decision(), mentioned, ReplyEnd::Unknown).is_some());
    let closed = "<|channel|>analysis<|message|>{}<|channel|>final<|message|>{\"decision\": \"a\"}";
    assert!(passed(&decision(), closed, ReplyEnd::Unknown).is_some(), "another mark closes it");
}

#[test]
fn a_value_in_closed_reasoning_is_a_draft_like_one_in_thoughts_beside_the_reply() {
    let thought = "<think>{\"decision\": \"a\"}</think>";
    for reply in [thought, "{\"decision\": \"a\"}\n</think>", "<think>No.</think>\n<think>[1]</think>\n"] {
        let of_cut = "the answer ends before it is complete";
        let of_whole = "the answer is in the thoughts";
        for (end, said) in
            [(ReplyEnd::Whole, of_whole), (ReplyEnd::Unknown, of_whole), (ReplyEnd::Cut, of_cut)]
        {
            let reading = decision().reader().reply_end(end).read(reply);
            assert_eq!(reading.value, None, "{reply} {end:?}");
            let shown = reading.violations.iter().map(ToString::to_string).collect::<Vec<_>>();
            assert!(shown[0].contains(said), "{reply} {end:?} {shown:?}");
        }
    }
    let answered = format!("{thought}{{\"age\": 1}}");
    assert_eq!(passed(&decision(), &answered, ReplyEnd::Whole), Some(json!({"age": 1})));
}

/// The ways in which models write a value that brackets close.
fn rendered(value: &Value) -> Vec<String> {
    vec![
        value.to_string(),
        format!("{value:#}"),
        format!("```json\n{value:#}\n```"),
        format!("Here it is:\n\n```json\n{value}\n```\nThe rest is not stated in the text. Shall I go on?"),
        format!("The value is {value}. I took it from the first line, and nothing else."),
        format!("<think>Is it {{\"decision\": \"wrong\", \"age\": 1}}? Or [9, 9]? No.</think>\n{value}"),
        format!("<answer>{value}</answer>"),
        format!("callback({value});"),
        json!(value.to_string()).to_string(),
        value.to_string().replace('"', "'"),
        value.to_string().replace('"', "”"),
        value.to_string().replacen('{', "{ // all of it\n", 1),
        value.to_string().replacen('{', "{{,", 1) + "}",
        format!("Sure.\n<think>Perhaps {{\"decision\": \"wrong\"}}.</think>\nIt is {value}"),
    ]
}

#[test]
fn a_reply_that_is_cut_anywhere_is_the_value_or_nothing() {
    let nested = contract(&json!({"type": "object", "properties": {
        "a": {"type": "object", "properties": {"b": {"type": "array", "items": {"type": "integer"}}}, "required": ["b"]},
        "c": {"type": ["string", "null"]},
    }, "required": ["a"]}));
    for (contract, value) in [
        (decision(), json!({"decision": "use {a}, or [b]", "age": 1234, "lines": ["one, two", "x} y] z"]})),
        (decision(), json!({"decision": "größer", "age": 12})),
        (nested, json!({"a": {"b": [10, 20, 30]}, "c": "d"})),
        (numbers(), json!([1200, 3400, 5600])),
    ] {
        for reply in rendered(&value) {
            for end in ENDS {
                never_another(&contract, &reply, &value, end);
            }
        }
    }
}

#[test]
fn a_scalar_or_a_list_without_brackets_that_was_cut_is_nothing() {
    let words = contract(&json!({"type": "string"}));
    let texts = contract(&json!({"type": "array", "items": {"type": "string"}}));
    let flag = contract(&json!({"type": ["boolean", "null"]}));
    for (contract, reply, value) in [
        (number(), "123456", json!(123_456)),
        (number(), "The answer is 123456.", json!(123_456)),
        (number(), "```\n123456\n```", json!(123_456)),
        (numbers(), "10\n20\n300", json!([10, 20, 300])),
        (numbers(), "10, 20, 300", json!([10, 20, 300])),
        (numbers(), "1. 10\n2. 20\n3. 300", json!([10, 20, 300])),
        (texts, "- red wine\n- oil\n", json!(["red wine", "oil"])),
        (words, "a b c d", json!("a b c d")),
        (flag, "null", json!(null)),
    ] {
        never_another(&contract, reply, &value, ReplyEnd::Cut);
    }
    let decisions = contract(&json!({"type": "array", "items": decision().schema()}));
    let value = json!([{"decision": "a"}, {"decision": "b"}, {"decision": "c"}]);
    let lines = "{\"decision\": \"a\"}\n{\"decision\": \"b\"}\n{\"decision\": \"c\"}\n";
    never_another(&decisions, lines, &value, ReplyEnd::Cut);
}

/// A draft at the end of the reply cannot be distinguished from an answer; a remark about it can.
#[test]
fn a_draft_is_not_an_answer_while_its_reply_continues() {
    let reply = "Draft: {\"decision\": \"wrong\", \"age\": 1}\nThat misses what the second line says, so\n\
                 {\"decision\": \"right\", \"age\": 2}";
    let value = json!({"decision": "right", "age": 2});
    let draft = reply.find('}').unwrap() + 1;
    for at in (0..=reply.len()).filter(|at| *at > draft + 1) {
        for end in ENDS {
            let found = passed(&decision(), &reply[..at], end);
            assert!(
                found.is_none() || found.as_ref() == Some(&value),
                "{end:?} {:?} {found:?}",
                &reply[..at]
            );
        }
    }
}

#[test]
fn a_finish_reason_says_how_the_reply_ended() {
    for (reason, end) in [
        (FinishReason::Stop, ReplyEnd::Whole),
        (FinishReason::Length, ReplyEnd::Cut),
        (FinishReason::ContentFilter, ReplyEnd::Cut),
        (FinishReason::Interrupted("insufficient_system_resource".to_owned()), ReplyEnd::Cut),
        (FinishReason::Unknown, ReplyEnd::Unknown),
        (FinishReason::Other("odd".to_owned()), ReplyEnd::Unknown),
    ] {
        assert_eq!(ReplyEnd::from(&reason), end);
        let error = <u32 as extract::Extractable>::from_reply(Reply::new("1234").finished(reason)).err();
        assert_eq!(error.is_some(), end == ReplyEnd::Cut, "{end:?}");
    }
}
