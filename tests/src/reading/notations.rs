//! Notations of other languages that have one reading only.

use extract::{
    Contract,
    reading::{ChangeKind, Loss, ReplyEnd},
    settings::Leniency,
};
use serde_json::{Value, json};

fn invoice() -> Contract {
    let line = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "qty": {"type": "integer"}},
        "required": ["name", "qty"],
    });
    let schema = json!({
        "type": "object",
        "properties": {
            "number": {"type": "string"},
            "total": {"type": "number"},
            "paid": {"type": "boolean"},
            "lines": {"type": "array", "items": line},
        },
        "required": ["number", "total"],
    });
    Contract::from_schema(schema).unwrap()
}

fn reads(contract: &Contract, reply: &str, wanted: &Value) {
    let reading = contract.read(reply);
    assert_eq!(reading.value.as_ref(), Some(wanted), "{reply}\n{reading:#?}");
    assert_eq!(reading.violations, [], "{reply}");
    assert!(!reading.changes.is_empty() && reading.changes.iter().all(|change| change.loss < Loss::Lossy));
    assert!(!contract.reader().leniency(Leniency::Strict).read(reply).violations.is_empty(), "{reply}");
}

#[test]
fn a_call_with_named_arguments_is_an_object() {
    let wanted = json!({"number": "INV-1", "total": 12.5, "paid": true});
    for reply in [
        "Invoice(number='INV-1', total=12.5, paid=True)",
        "Here it is: Invoice(number=\"INV-1\", total=12.5, paid=True).",
        "```python\nInvoice(\n    number='INV-1',\n    total=12.5,\n    paid=True,\n)\n```",
        "dict(number='INV-1', total=12.5, paid=True)",
        "models.Invoice(number = 'INV-1', total = 12.5, paid = True)",
        "I call f(x) or print(a=1), so: Invoice(number='INV-1', total=12.5, paid=True)",
    ] {
        reads(&invoice(), reply, &wanted);
    }
    let nested =
        json!({"number": "(1)", "total": 1, "lines": [{"name": "a (b)", "qty": 1}, {"name": "c", "qty": 2}]});
    reads(
        &invoice(),
        "Invoice(number='(1)', total=1, lines=[Line(name='a (b)', qty=1), Line(name='c', qty=2)])",
        &nested,
    );
}

#[test]
fn a_call_in_prose_hides_no_value_behind_it() {
    let wanted = json!({"number": "INV-1", "total": 12.5});
    for reply in [
        "As f(x=1 says: {\"number\": \"INV-1\", \"total\": 12.5}",
        "print(json={\"number\": \"INV-1\", \"total\": 12.5})",
        "set(a=1) and then {\"number\": \"INV-1\", \"total\": 12.5}",
    ] {
        assert_eq!(invoice().read(reply).value.as_ref(), Some(&wanted), "{reply}");
    }
}

#[test]
fn a_call_that_was_cut_is_truncated() {
    let reading = invoice().read("Invoice(number='INV-1', total=12.5");
    assert!(reading.completeness.is_truncated(), "{reading:?}");
}

#[test]
fn scalars_in_lines_or_between_commas_are_a_list_where_one_is_wanted() {
    let integers = Contract::from_schema(json!({"type": "array", "items": {"type": "integer"}})).unwrap();
    for reply in [
        "1\n2\n3",
        "1, 2, 3",
        "1,2,3",
        "- 1\n- 2\n- 3",
        "1.\t1\n2.\t2\n3.\t3",
        "```\n1\n2\n3\n```",
        "1,\n2,\n3,\n",
    ] {
        reads(&integers, reply, &json!([1, 2, 3]));
    }
    let texts = Contract::from_schema(json!({"type": "array", "items": {"type": "string"}})).unwrap();
    for reply in [
        "\"red wine\"\n\"oil\"",
        "'red wine', 'oil'",
        "- red wine\n- oil",
        "* red wine\n* oil",
        "1) red wine\n2) oil",
    ] {
        reads(&texts, reply, &json!(["red wine", "oil"]));
    }
}

#[test]
fn what_may_be_one_scalar_or_prose_is_no_list() {
    let integers = Contract::from_schema(json!({"type": "array", "items": {"type": "integer"}})).unwrap();
    for reply in ["1,250", "12,5", "There are 2\nor 3"] {
        assert_ne!(
            integers.read(reply).value.map(|value| value.as_array().map(Vec::len)),
            Some(Some(2)),
            "{reply}"
        );
    }
}

#[test]
fn a_text_whose_own_quotes_are_escaped_is_that_text() {
    let text = Contract::from_schema(json!({"type": "string"})).unwrap();
    reads(&text, "\\\"hello\\\"", &json!("hello"));
    reads(&text, " \\\"a \\\\\\\"b\\\\\\\" c\\\"\n", &json!("a \"b\" c"));
    reads(
        &invoice(),
        "{\\\"number\\\": \\\"INV-1\\\", \\\"total\\\": 12.5}",
        &json!({"number": "INV-1", "total": 12.5}),
    );
}

#[test]
fn a_quote_may_be_missing_before_a_key_or_a_value() {
    let wanted = json!({"number": "INV-1", "total": 12.5});
    for reply in [
        r#"{number": "INV-1", "total": 12.5}"#,
        r#"{"number: "INV-1", "total": 12.5}"#,
        r#"{"number": INV-1", "total": 12.5}"#,
        r#"{"total": 12.5, "number": INV-1"}"#,
        r#"{"number": "INV-1, "total": 12.5}"#,
        r#"{"number": "INV-1", total": 12.5}"#,
    ] {
        reads(&invoice(), reply, &wanted);
    }
}

#[test]
fn a_semicolon_before_a_key_is_a_comma() {
    reads(&invoice(), r#"{"number": "INV-1"; "total": 12.5;}"#, &json!({"number": "INV-1", "total": 12.5}));
    reads(&invoice(), r#"{"number": "a; b", "total": 12.5,}"#, &json!({"number": "a; b", "total": 12.5}));
}

#[test]
fn an_object_may_lack_its_first_bracket_because_the_question_ended_with_it() {
    let wanted = json!({"number": "INV-1", "total": 12.5, "lines": [{"name": "a", "qty": 1}]});
    let rest = r#""number": "INV-1", "total": 12.5, "lines": [{"name": "a", "qty": 1}]"#;
    reads(&invoice(), &format!("{rest}}}"), &wanted);
    let reading = invoice().read(rest);
    assert!(reading.completeness.is_truncated(), "its end may be missing too");
    assert_eq!(reading.value, Some(wanted));
}

#[test]
fn a_letter_before_a_quote_is_no_part_of_the_text() {
    reads(&invoice(), r#"{"number": f"INV-1", "total": 12.5}"#, &json!({"number": "INV-1", "total": 12.5}));
    reads(&invoice(), r#"{"number": u'INV-1', "total": 12.5}"#, &json!({"number": "INV-1", "total": 12.5}));
}

#[test]
fn quoted_lines_are_read_without_their_marks() {
    let wanted = json!({"number": "INV-1", "total": 12.5, "lines": [{"name": "a", "qty": 1}]});
    let reply = "> {\"number\": \"INV-1\",\n> \"total\": 12.5,\n> \"lines\": [\n>   {\"name\": \"a\", \"qty\": 1}\n> ]}";
    reads(&invoice(), reply, &wanted);
    let reading = invoice().read(r#"{"number": "a\n> b", "total": 12.5}"#);
    assert_eq!(reading.value, Some(json!({"number": "a\n> b", "total": 12.5})));
    assert!(reading.changes.is_empty());
}

/// A list inside of an object that does not conform satisfies a schema without a root type, and is
/// not the answer.
#[test]
fn a_part_of_a_value_is_not_taken_for_the_answer() {
    let schema = json!({"properties": {"a": {"type": "integer"}, "b": {"items": {"type": "integer"}}}});
    let contract = Contract::from_schema(schema).unwrap();
    for reply in [r#"{"a": 1, "b": [1, true, 3]}"#, "Here: {'a': 1, 'b': [1, True, 3]}"] {
        let reading = contract.read(reply);
        assert_eq!(reading.value, Some(json!({"a": 1, "b": [1, true, 3]})), "{reply}");
    }
}

#[test]
fn a_string_in_three_quotes_loses_the_indentation_that_its_lines_and_quotes_share() {
    for (inside, wanted) in [
        ("\n    def f():\n        return 1\n    ", "def f():\n    return 1\n"),
        ("\n  a\nb\n", "\n  a\nb\n"),
        ("a\n    b\n    ", "a\n    b\n    "),
    ] {
        let reply = format!("{{\"number\": \"\"\"{inside}\"\"\", \"total\": 1}}");
        reads(&invoice(), &reply, &json!({"number": wanted, "total": 1}));
        let reading = invoice().read(&reply);
        let spaces: Vec<_> =
            reading.changes.iter().filter(|change| change.kind == ChangeKind::Space).collect();
        assert_eq!(spaces.len(), usize::from(inside != wanted), "{reply}");
        assert!(spaces.iter().all(|change| &reply[change.span.clone()] == inside), "{reply}");
    }
}

fn judged() -> Contract {
    let schema = json!({
        "type": "object",
        "properties": {
            "reason": {"type": "string"},
            "ans": {"type": "string"},
            "count": {"type": "integer"},
            "words": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["reason", "count"],
    });
    Contract::from_schema(schema).unwrap()
}

#[test]
fn a_key_of_the_contract_shows_where_a_string_ends() {
    let reads = |reply: &str, wanted: &Value| {
        reads(&judged(), reply, wanted);
    };
    let wanted = json!({"reason": "According...", "ans": "YES", "count": 1});
    reads(r#"{"reason": "According...""ans": "YES", "count": 1}"#, &wanted);
    reads("{\"count\": 1, \"reason\": \"According...\"\"ans\" : \"YES\"}", &wanted);
    let unclosed = judged();
    for reply in ["{\"reason\": \"first, count: 1}", "{\"reason\": \"first,\n  count: 1\n}"] {
        let reading = unclosed.reader().reply_end(ReplyEnd::Whole).read(reply);
        assert_eq!(reading.value, Some(json!({"reason": "first", "count": 1})), "{reply}");
        assert_eq!(reading.violations, [], "{reply}");
        assert!(unclosed.read(reply).completeness.is_truncated(), "the end is guessed: {reply}");
    }
}

#[test]
fn what_only_looks_like_a_key_of_the_contract_is_text() {
    for (reply, reason) in [
        (r#"{"reason": "he said ""ans": that" , "count": 1}"#, r#"he said ""ans": that"#),
        (r#"{"reason": "he said ""no"": that" , "count": 1}"#, r#"he said ""no"": that"#),
        (r#"{"reason": "a \"\"ans\": \"b", "count": 1}"#, r#"a ""ans": "b"#),
        (r#"{"reason": "first, count: 1", "count": 1}"#, "first, count: 1"),
    ] {
        assert_eq!(judged().read(reply).value, Some(json!({"reason": reason, "count": 1})), "{reply}");
    }
    for inside in ["first, total: 1", "first, count: one", "first count: 1"] {
        let reply = format!("{{\"reason\": \"{inside}}}");
        let reading = judged().reader().reply_end(ReplyEnd::Whole).read(&reply);
        assert_eq!(reading.value, Some(json!({ "reason": inside })), "{reply}");
        assert_eq!(reading.violations, [], "{reply}");
    }
}

#[test]
fn a_string_without_its_quote_that_may_run_over_a_key_is_refused() {
    for reply in [
        "{\"reason\": \"first, ans: 1}",
        "{\"reason\": \"first, count: 1, count: 2}",
        "{\"count\": 5, \"reason\": \"first, count: 1}",
        "{\"count\": 5, \"reason\": \"a \\\"b\\\", ans: 1}",
        "{\"count\": 5, \"reason\": \"a\", \"ans: 1}",
        "{\"count\": 5, \"reason\": \"a \\\"b\\\" c\", \"ans: 1}",
    ] {
        let reading = judged().reader().reply_end(ReplyEnd::Whole).read(reply);
        assert!(!reading.violations.is_empty(), "{reply} {reading:?}");
    }
    let rows = Contract::from_schema(json!({"type": "array", "items": judged().schema()})).unwrap();
    let reply = r#"[{"count": 1, "reason": "a}, {"reason": "b", "count": 2}]"#;
    assert!(!rows.read(reply).violations.is_empty());
}

#[test]
fn a_key_that_lacks_its_second_quote_is_that_key() {
    let wanted = json!({"count": 1, "reason": "done"});
    reads(&judged(), "{\"count\": 1, \"reason: \"done\"}", &wanted);
}

#[test]
fn words_behind_a_string_do_not_swallow_the_next_list() {
    let schema = json!({
        "type": "object",
        "properties": {
            "bad": {"type": "array", "items": {"type": "string"}},
            "good_one": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["bad", "good_one"],
    });
    let contract = Contract::from_schema(schema).unwrap();
    let reply = r#"{"bad": ["lorem", "consectetur" comment],"good_one": ["elit", "sed"]}"#;
    let reading = contract.read(reply);
    let wanted = json!({"bad": ["lorem", "consectetur"], "good_one": ["elit", "sed"]});
    assert_eq!(reading.value, Some(wanted.clone()));
    let [change] = reading.changes.as_slice() else { panic!("{reading:?}") };
    assert_eq!(
        (&reply[change.span.clone()], change.loss),
        (" comment", Loss::Lossy),
        "it may be a part of the string"
    );
    assert_eq!(reading.violations.len(), 1);
    assert_eq!(contract.reader().leniency(Leniency::Lossy).read(reply).value, Some(wanted));
    for (reply, bad) in [
        (r#"{"bad": ["a \"b\" c],\"good_one\": [", "x"], "good_one": []}"#, r#"a "b" c],"good_one": ["#),
        (r#"{"bad": ["a "b" c], and", "x"], "good_one": []}"#, r#"a "b" c], and"#),
    ] {
        let wanted = json!({"bad": [bad, "x"], "good_one": []});
        assert_eq!(contract.read(reply).value, Some(wanted), "{reply}");
    }
}

/// Linear: a thousand times as many signs take about as many times as long.
#[test]
fn looking_for_keys_does_not_add_up() {
    let contract = judged();
    for part in [
        "\"\"ans\": ",
        "\"x\" y],\"ans\": ",
        "\"a, count: ",
        ", count: 1",
        "\"\"ans\"",
        "\" a], ",
        "count",
        "\n",
        ",\n",
        "},{\"ans\": ",
        "x, count:    ",
    ] {
        for start in ["{\"reason\": \"", "{\"words\": [\"", "["] {
            let reply = format!("{start}{}}}", part.repeat(100_000 / part.len()));
            let reading = contract.read(&reply);
            assert!(reading.value.is_some() || !reading.violations.is_empty());
        }
    }
}

#[test]
fn a_number_with_two_readings_is_a_violation_that_says_how_to_write_it() {
    let price = Contract::from_schema(json!({"type": ["number", "null"]})).unwrap();
    for text in ["1,5", "12,50", "1,250", "1.250", "-3,75", "1.2.3"] {
        let reading = price.read(&json!(text).to_string());
        let violations = price.validate(&reading.value.unwrap());
        let said = violations[0].to_string();
        assert!(said.contains("no group separators, a dot before decimals"), "{text}: {said}");
    }
    for text in ["two", "12 EUR", "-", ""] {
        let violations = price.validate(&json!(text));
        assert_eq!(violations[0].hint, None, "{text}");
    }
    reads(&price, "\"1 250,5\"", &json!(1250.5));
    reads(&price, "\"1.250,50\"", &json!(1250.5));
}
