//! Values that fit a contract and were not meant as an answer.

use extract::{
    Contract,
    reading::{ChangeKind, Loss, ReplyEnd},
    settings::Leniency,
};
use serde_json::{Value, json};

fn contract(schema: &Value) -> Contract {
    Contract::from_schema(schema.clone()).unwrap()
}

/// All fields are optional.
fn person() -> Contract {
    contract(&json!({"type": "object", "properties": {
        "name": {"type": "string"}, "age": {"type": "integer"}, "a": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    }}))
}

fn list_of(item: &str) -> Contract {
    contract(&json!({"type": "array", "items": {"type": item}}))
}

fn people() -> Contract {
    contract(&json!({"type": "array", "items": person().schema()}))
}

/// The accepted value.
fn passed(contract: &Contract, reply: &str) -> Option<Value> {
    let reading = contract.reader().reply_end(ReplyEnd::Whole).read(reply);
    assert!(reading.value.is_some() || !reading.violations.is_empty(), "{reply}");
    let value = reading.value.filter(|_| reading.violations.is_empty())?;
    contract.validate(&value).iter().all(extract::Violation::is_warning).then_some(value)
}

fn refuses(contract: &Contract, replies: &[&str]) {
    for reply in replies {
        assert_eq!(passed(contract, reply), None, "{reply}");
    }
}

#[test]
fn a_value_in_prose_that_names_nothing_is_no_answer() {
    let replies = [
        "I'm sorry, I cannot do that. {}",
        "I'm sorry, I cannot do that.\n\n{}",
        "{} is all that I can say.",
        "I cannot do that: {\"error\": \"no name in the text\"}",
        "{\"error\": \"no name in the text\"} is all that I can say.",
        "That failed.\n{\"error\": {\"code\": 5}}\nSorry.",
        "Nothing found: {\"result\": {}}",
        "I call f(x=1) and that is all.",
        "Sets {} and {x} are not the same.",
    ];
    refuses(&person(), &replies);
    refuses(&people(), &replies[..5]);
    refuses(
        &contract(&json!({"type": "object", "additionalProperties": {"type": "integer"}})),
        &replies[..2],
    );
    let reading = person().read(replies[0]);
    assert_eq!(
        reading.violations[0].to_string(),
        "[NOT_JSON] $: the JSON value in the text has no key that was asked for (expected the answer as one JSON value \
         and nothing else, got \"{}\")"
    );
}

#[test]
fn the_schema_is_no_answer_wherever_it_stands() {
    for contract in [person(), people()] {
        let schema = contract.schema();
        refuses(
            &contract,
            &[
                &schema.to_string(),
                &format!("```json\n{schema:#}\n```"),
                &format!("The schema is:\n```json\n{schema:#}\n```\nWhat shall I do with it?"),
                &format!("You want {schema}."),
                "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"type\": \"object\"}",
                "The answer has to be {\"type\": \"object\"}",
            ],
        );
    }
    // The requested value may look like one.
    let field =
        contract(&json!({"type": "object", "properties": {"type": {"type": "string"}, "properties": {}}}));
    let reply = "{\"type\": \"object\", \"properties\": {\"a\": 1},}";
    assert!(passed(&field, reply).is_some());
}

#[test]
fn the_types_that_were_shown_are_no_answer() {
    let texts = contract(
        &json!({"type": "object", "properties": {"name": {"type": "string"}, "town": {"type": "string"}}}),
    );
    refuses(
        &texts,
        &[
            "You want this:\n```\ntype Person = {\n  \"name\"?: string\n  \"town\"?: string\n}\n```\nWhat is the text?",
            "The form is { \"name\": string, \"town\": string }",
        ],
    );
}

#[test]
fn a_form_with_placeholders_is_no_answer() {
    refuses(
        &person(),
        &[
            "Use {\"name\": \"...\", \"age\": 0} as format",
            "Use {\"name\": \"…\", \"age\": 0} as format",
            "Use {\"name\": \"<name>\", \"age\": 0} as format",
            "Please tell me the text, and I will answer like this:\n```json\n{\"name\": \"...\", \"age\": 0}\n```",
            "The form:\n{\"name\": \"x\", \"tags\": [\"...\"]}\nGive me the text.",
            "{\"name\": \"...\"}",
            "{\"name\": \"<string>\", \"age\": 0}",
            "```json\n{\"name\": \"<your name>\"}\n```",
        ],
    );
    for value in [json!({"name": "<div>"}), json!({"name": "Ann..."}), json!({"name": "a < b"})] {
        assert_eq!(passed(&person(), &value.to_string()), Some(value));
    }
}

#[test]
fn the_example_in_prose_is_no_answer() {
    let contract = person();
    let example = contract.example().unwrap();
    refuses(
        &contract,
        &[&format!("An answer looks like {example}"), &format!("For example:\n{example}\nGo on.")],
    );
    assert_eq!(passed(&contract, &example.to_string()).as_ref(), Some(example), "it stands by itself");
    let flag = self::contract(
        &json!({"type": "object", "properties": {"ok": {"type": "boolean"}, "n": {"type": "integer"}}}),
    );
    let example = flag.example().unwrap();
    assert_eq!(passed(&flag, &format!("It is {example}.")).as_ref(), Some(example), "that may be by chance");
}

#[test]
fn what_the_text_calls_wrong_is_no_answer() {
    refuses(
        &person(),
        &[
            "a wrong answer would be {\"a\": 99}",
            "An incorrect reply: {\"a\": 99}.",
            "Not {\"a\": 99}.",
            "I would say this instead of {\"a\": 99}",
            "{\"a\": 99} would be wrong.",
            "{\"a\": 99} is not the answer.",
        ],
    );
    let both = "A wrong answer would be {\"a\": 99}. The right one is {\"a\": 1}.";
    assert_eq!(passed(&person(), both), Some(json!({"a": 1})));
    let both = "It is {\"a\": 1}, not {\"a\": 99}.";
    assert_eq!(passed(&person(), both), Some(json!({"a": 1})));
}

#[test]
fn references_check_boxes_and_links_are_no_lists() {
    for contract in [list_of("integer"), list_of("string"), contract(&json!({"type": "array"}))] {
        refuses(
            &contract,
            &[
                "no numbers [1]",
                "There are no numbers in the text [1].",
                "As said in [1, 2] and [3], there are none.",
                "There are none [1][2].",
                "- [x] read the text\n- [ ] find numbers",
                "- [x]",
                "See [the text](https://example.com).",
                "See: [the text](https://example.com).",
                "[1] Smith, 2020",
                "I looked into a[0] and a[1].",
            ],
        );
    }
    let boxed = contract(
        &json!({"type": "object", "properties": {"items": {"type": "array", "items": {"type": "integer"}}}}),
    );
    refuses(&boxed, &["no numbers [1]", "There are none [1, 2]."]);
    refuses(&contract(&json!({"type": "integer"})), &["no number [1]"]);
}

#[test]
fn prose_is_no_list_of_one_string() {
    refuses(&list_of("string"), &["I cannot do that.", "There is nothing to tell"]);
}

#[test]
fn an_answer_in_prose_is_still_read() {
    let value = json!({"name": "Ada", "age": 36});
    for reply in [
        format!("The answer is {value}."),
        format!("{value} is the answer."),
        format!("I'm sorry, I found only {value}"),
        format!("You're right, the age was wrong: {value}"),
        format!("The name is not stated twice. {value}"),
        format!("Answer:\n- {value}"),
        format!("Here: {{\"result\": {value}}}"),
        format!("In the requested format: `{value}` [1]"),
        "Here it is: {\"Name\": \"Ada\", \"Age\": \"36\"} (from the first line)".to_owned(),
    ] {
        assert_eq!(passed(&person(), &reply).as_ref(), Some(&value), "{reply}");
    }
    for (contract, reply, value) in [
        (list_of("integer"), "Here they are: [3, 4]", json!([3, 4])),
        (list_of("integer"), "The numbers are [3, 5, 8].", json!([3, 5, 8])),
        (list_of("integer"), "I found [1200, 3400] in it.", json!([1200, 3400])),
        (list_of("integer"), "I found these.\n\n[3, 4]\n\nAnything else?", json!([3, 4])),
        (list_of("integer"), "There are no numbers: []", json!([])),
        (list_of("string"), "I would tag it [\"red\", \"wine\"].", json!(["red", "wine"])),
        (list_of("string"), "```\n[red, wine]\n```", json!(["red", "wine"])),
        (list_of("integer"), "[1]", json!([1])),
        (person(), "{}", json!({})),
        (person(), "```json\n{}\n```", json!({})),
        (person(), "<think>Nothing.</think>\n{}", json!({})),
    ] {
        assert_eq!(passed(&contract, reply), Some(value), "{reply}");
    }
}

#[test]
fn a_long_number_ends_where_it_ends() {
    let digits = format!("1{}", "0".repeat(140));
    let reply = format!("Here: [\"a\",{digits}]");
    let items = contract(&json!({"type": "array"})).read(&reply).value.unwrap();
    assert_eq!(items.as_array().map(Vec::len), Some(2), "{items}");
    assert_eq!(items[0], "a");
    for (reply, keys) in [
        (format!("Here: {{\"a\": \"x\", \"b\": {digits}, \"c\": 1,}}"), 3),
        (format!("Here: {{\"a\": \"x\", \"b\": [\"y\", {digits}], \"c\": 1}}"), 3),
        (format!("Here: {{\"a\": {digits} \"c\": 1}}"), 2),
        (format!("Here: {{\"a\": \"x\" \"b\": {digits}}}"), 2),
    ] {
        let value = contract(&json!({"type": "object"})).read(&reply).value.unwrap();
        assert_eq!(value.as_object().map(serde_json::Map::len), Some(keys), "{reply} {value}");
    }
}

/// A value that the schema allows unchanged is the answer, even if one of its parts would fit as
/// well.
#[test]
fn a_strict_reply_that_conforms_is_not_taken_for_a_wrapper_of_its_part() {
    let schema = json!({"oneOf": [
        {"type": "object", "properties": {"items": true, "right": {"type": "integer"}}, "required": ["items"]},
        {"type": "object", "properties": {"right": {"type": "boolean"}}, "additionalProperties": {"$ref": "#"}},
    ]});
    let value = json!({"op": {"items": [24_599], "left": {}}, "name": {"items": true}});
    let contract = Contract::from_schema(schema).unwrap();
    assert_eq!(contract.validate(&value), []);
    let reading = contract.read(&value.to_string());
    assert_eq!((reading.value, reading.violations), (Some(value), vec![]));
}

#[test]
fn several_objects_are_one_list_where_a_list_of_them_is_wanted() {
    let object =
        json!({"type": "object", "properties": {"people": people().schema()}, "required": ["people"]});
    let wrapped = contract(&object);
    let both = json!([{"name": "Ann"}, {"name": "Bo"}]);
    for reply in [
        "{\"name\": \"Ann\"}\n{\"name\": \"Bo\"}",
        "First {\"name\": \"Ann\"} and then {\"name\": \"Bo\"}.",
        "1. First one: {\"name\": \"Ann\"}\n2. Second one: {\"name\": \"Bo\"}",
        "Person 1: {\"name\": \"Ann\"}\nPerson 2: {\"name\": \"Bo\"}",
        "Here:\n```json\n{\"name\": \"Ann\"}\n```\nHer brother:\n```json\n{\"name\": \"Bo\"}\n```\nDone.",
    ] {
        assert_eq!(passed(&people(), reply), Some(both.clone()), "{reply}");
        assert_eq!(passed(&wrapped, reply), Some(json!({"people": both})), "{reply}");
        assert_eq!(passed(&person(), reply), None, "one is wanted, and each may be the one: {reply}");
        let cut = people().reader().reply_end(ReplyEnd::Cut).read(reply);
        assert!(cut.completeness.is_truncated(), "there may be a third: {reply}");
    }
}

#[test]
fn of_several_objects_one_is_the_answer_only_where_something_says_so() {
    let (ann, bo) = ("{\"name\": \"Ann\"}", "{\"name\": \"Bo\"}");
    for between in [
        "\nFinal answer:\n",
        "\nWait, that is wrong.\n",
        "\nCorrected:\n",
        " or rather ",
        "\nSo the result is:\n",
        "\nAfter a second look at the text, the man is meant: ",
    ] {
        let reply = format!("{ann}{between}{bo}");
        assert_eq!(passed(&person(), &reply), Some(json!({"name": "Bo"})), "{reply}");
    }
    for between in ["\n", ", ", "\n\nand\n", "\n```\n\n```json\n", "\nAnd her brother:\n"] {
        let reply = format!("{ann}{between}{bo}");
        let reading = person().read(&reply);
        assert_eq!(
            reading.violations[0].message,
            "several JSON values in the text fit, and nothing says which of them is the answer",
            "{reply}"
        );
        assert_eq!(passed(&person(), &format!("{reply}\nFinal:\n{ann}")), Some(json!({"name": "Ann"})));
        let again = format!("{bo}{between}{bo}");
        assert_eq!(passed(&person(), &again), Some(json!({"name": "Bo"})), "the same twice: {again}");
        // A value that does not fit competes if it has a key that was asked for.
        let unfit = format!("{{\"name\": {{\"b\": 1, \"c\": []}}}}{between}{bo}");
        assert_eq!(passed(&person(), &unfit), None, "{unfit}");
        let other = format!("{{\"error\": {{\"b\": 1, \"c\": []}}}}{between}{bo}");
        assert_eq!(passed(&person(), &other), Some(json!({"name": "Bo"})), "{other}");
    }
}

#[test]
fn the_receipt_of_several_objects_has_all_that_stands_between_them() {
    let reply = "First {\"name\": \"Ann\"} and then {\"name\": \"Bo\"}.";
    let reading = people().read(reply);
    let of_kind = |kind| reading.changes.iter().filter(move |change| change.kind == kind);
    let around: Vec<_> =
        of_kind(ChangeKind::Surroundings).map(|change| &reply[change.span.clone()]).collect();
    assert_eq!(around, ["First ", ".", " and then "]);
    let joined: Vec<_> =
        of_kind(ChangeKind::Wrapper).map(|change| (&*change.after, change.path.is_root())).collect();
    assert_eq!(joined, [("one list", true)]);
    assert!(reading.changes.iter().all(|change| change.loss < Loss::Lossy));
}

#[test]
fn drafts_examples_and_repetitions_are_no_elements() {
    let last = json!([{"name": "Bo"}]);
    for reply in [
        "Draft: {\"name\": \"Ann\"}. Final: {\"name\": \"Bo\"}",
        "{\"name\": \"Ann\"}\nWait, that is wrong.\n{\"name\": \"Bo\"}",
        "For example:\n{\"name\": \"Ann\"}\nThe text names one man.\n{\"name\": \"Bo\"}",
        "{\"name\": \"Bo\"}\nand, to say it in full:\n{\"name\": \"Bo\"}",
    ] {
        assert_eq!(passed(&people(), reply), Some(last.clone()), "{reply}");
    }
    refuses(&people(), &["{\"name\": \"Ann\"} or {\"name\": \"Bo\"}"]);
    let listed = "{\"name\": \"Ann\"}\n{\"name\": \"Bo\"}\nAll of them:\n[{\"name\": \"Bo\"}]";
    refuses(&people(), &[listed]);
}

/// However many there are, none is lost silently.
#[test]
fn a_thousand_objects_in_prose_are_one_list() {
    let people_of_all_ages = (0..1_000).map(|age| format!("Person {age}:\n{{\"age\": {age}}}"));
    let reply = people_of_all_ages.collect::<Vec<_>>().join("\n");
    assert_eq!(passed(&people(), &reply).unwrap().as_array().unwrap().len(), 1_000);
}

#[test]
fn an_allowed_value_that_a_sentence_names_once_is_that_value() {
    let described = json!({"oneOf": [
        {"const": "k1", "description": "its description"}, {"const": "k2", "description": "another one"},
    ]});
    let numbers = json!({"enum": ["one", "two"]});
    let spam = json!({"enum": ["spam", "not_spam"]});
    for (schema, reply, expected, before) in [
        (&numbers, "The answer is **one**", json!("one"), "one"),
        (&numbers, "<think>two?</think>The answer is \"One\".", json!("one"), "One"),
        (&described, "k1: its description.", json!("k1"), "k1"),
        (&spam, "The message is not spam.", json!("not_spam"), "not spam"),
        (&json!({"const": "done"}), "It is done.", json!("done"), "done"),
        (&json!({"type": "boolean"}), "The answer is true.", json!(true), "true"),
    ] {
        let contract = contract(schema);
        assert_eq!(passed(&contract, reply), Some(expected), "{reply}");
        let reading = contract.reader().reply_end(ReplyEnd::Whole).read(reply);
        let kept = reading.changes.iter().filter(|change| change.kind != ChangeKind::Surroundings);
        assert!(kept.into_iter().all(|change| change.before == before), "{reading:?}");
        let around = reading.changes.iter().filter(|change| change.kind == ChangeKind::Surroundings);
        let left_out: usize = around.map(|change| change.span.len()).sum();
        assert_eq!(left_out + before.len(), reply.len(), "{reading:?}");
        assert!(!contract.reader().leniency(Leniency::Strict).read(reply).violations.is_empty(), "{reply}");
        let cut = contract.reader().reply_end(ReplyEnd::Cut).read(reply);
        assert!(cut.completeness.is_truncated(), "it may have been taken back: {reply}");
    }
}

#[test]
fn an_allowed_value_that_is_denied_or_one_of_two_is_none() {
    let spam = contract(&json!({"enum": ["spam", "ham"]}));
    refuses(
        &spam,
        &[
            "not spam",
            "It is not spam.",
            "The message isn't spam",
            "It is never: spam",
            "No, it is spam",
            "The message is spam or ham.",
            "spam: more than ham",
            "Spam is what I am asked about.",
            "<think>The answer is spam",
            "Is it spam?",
            "The answer is spammy.",
            "I call that spam",
        ],
    );
    refuses(&contract(&json!({"type": "boolean"})), &["It is not true.", "The answer is true or false."]);
    // An unconstrained string accepts any sentence.
    let text = contract(&json!({"anyOf": [{"enum": ["spam"]}, {"type": "integer"}]}));
    refuses(&text, &["The answer is spam."]);
    let long = format!("{} The answer is spam.", "I looked at it. ".repeat(10));
    refuses(&spam, &[&long]);
}

#[test]
fn no_length_of_prose_or_of_the_list_costs_much() {
    let options: Vec<String> = (0..2_000).map(|number| format!("value number {number}")).collect();
    let many = contract(&json!({ "enum": options }));
    assert_eq!(passed(&many, "The answer is: Value number 77."), Some(json!("value number 77")));
    for word in ["value ", "value number ", "a", ".", "*", "\n"] {
        refuses(&many, &[&word.repeat(24), &word.repeat(100_000 / word.len())]);
    }
}

#[test]
fn no_length_of_a_sentence_about_the_value_costs_much() {
    for words in ["not x ", "3 or 5 ", "is x rather than y ", "they cannot open ", "if it were "] {
        let reply = format!("{{\"a\": 1}}\n\nSo: {}", words.repeat(200_000 / words.len()));
        assert_eq!(passed(&person(), &reply), Some(json!({"a": 1})), "{words}");
    }
}

/// With work that grows with the square of the text, this would take an hour.
#[test]
fn a_megabyte_of_labels_reasoning_or_headers_ends() {
    let contract = Contract::from_schema(
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
    )
    .unwrap();
    let many = |piece: &str| piece.repeat((1 << 20) / piece.len());
    for reply in [
        format!("{{\"a\": \"b\"}}\n\n{}", many("Note:")),
        format!("{{\"a\": \"b\"}}\n\nFinal {}", many("a: ")),
        format!("{}{{\"a\": \"b\"}}", many("<|channel|>analysis<|message|>{\"a\": \"c\"}<|end|>")),
        format!("{}{{\"a\": \"b\"}}", many("<s> ")),
    ] {
        let reading = contract.read(&reply);
        assert!(reading.value.is_none_or(|value| value == json!({"a": "b"})));
    }
}
