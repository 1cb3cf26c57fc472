use serde_json::{Value, json};

use super::*;

fn base(broken: &[&str]) -> PatchBase {
    let value = json!({
        "number": "INV-1",
        "lines": [{"name": "desk", "qty": 1}, {"name": "lamp", "qty": "x"}, {"name": "chair", "qty": 3}],
        "extra": true,
    });
    let violation = |path: &&str| Violation::new(path.parse().unwrap(), Code::InvalidValue, "wrong");
    PatchBase { value, violations: broken.iter().map(violation).collect(), changes: Vec::new() }
}

fn patched(broken: &[&str], operations: &Value) -> Result<Value, String> {
    apply(&base(broken), operations, &ReadingOptions::default())
        .map(|patched| patched.value)
        .map_err(|violation| violation.message)
}

#[test]
fn what_was_wrong_may_change_in_every_way() {
    for (broken, operations, pointer, expected) in [
        (
            vec!["$.lines[1].qty"],
            json!([{"op": "replace", "path": "/lines/1/qty", "value": 2}]),
            "/lines/1/qty",
            json!(2),
        ),
        (vec!["$.total"], json!([{"op": "add", "path": "/total", "value": 7}]), "/total", json!(7)),
        (vec!["$.lines[1]"], json!([{"op": "remove", "path": "/lines/1"}]), "/lines/1/name", json!("chair")),
        (
            vec!["$.lines"],
            json!([{"op": "add", "path": "/lines/-", "value": {"name": "rug", "qty": 4}}]),
            "/lines/3/name",
            json!("rug"),
        ),
        (
            vec!["$.extra", "$.remarks"],
            json!([{"op": "move", "from": "/extra", "path": "/remarks"}]),
            "/remarks",
            json!(true),
        ),
        (
            vec!["$.lines[1].qty"],
            json!([{"op": "test", "path": "/number", "value": "INV-1"}, {"op": "copy", "from": "/lines/0/qty", "path": "/lines/1/qty"}]),
            "/lines/1/qty",
            json!(1),
        ),
        // The value around it, with nothing else changed, and a key that was not there.
        (
            vec!["$.lines[1].qty"],
            json!([{"op": "replace", "path": "/lines/1", "value": {"name": "lamp", "qty": 2}}]),
            "/lines/1/qty",
            json!(2),
        ),
        (
            vec!["$.extra"],
            json!([{"op": "add", "path": "/remarks", "value": "none"}]),
            "/remarks",
            json!("none"),
        ),
        (
            vec!["$.lines[1].qyt"],
            json!([{"op": "replace", "path": "/lines/1", "value": {"name": "lamp", "qty": "x", "total": 2}}]),
            "/lines/1/total",
            json!(2),
        ),
        // A key that is not there cannot be replaced, only added.
        (vec!["$.total"], json!([{"op": "replace", "path": "/total", "value": 7}]), "/total", json!(7)),
        // The key that it had, nearly.
        (vec!["$.Extra"], json!([{"op": "move", "from": "/extra", "path": "/Extra"}]), "/Extra", json!(true)),
        // From the last element to the first.
        (
            vec!["$.lines[1]", "$.lines[2]"],
            json!([{"op": "remove", "path": "/lines/2"}, {"op": "remove", "path": "/lines/1"}]),
            "/lines",
            json!([{"name": "desk", "qty": 1}]),
        ),
    ] {
        let value = patched(&broken, &operations).unwrap_or_else(|error| panic!("{operations}: {error}"));
        assert_eq!(value.pointer(pointer), Some(&expected), "{operations}");
    }
}

#[test]
fn changes_stay_with_the_parts_that_are_kept() {
    let change = |path: &str, kind| Change {
        path: path.parse().unwrap(),
        span: 0..9,
        kind,
        before: String::new(),
        after: String::new(),
        loss: Loss::Lossless,
        chunk: None,
    };
    let kept = |broken: &[&str], operations: &Value| -> Vec<String> {
        let paths = ["$", "$.lines[0].qty", "$.lines[1]", "$.lines[1].qty", "$.lines[2].qty", "$.extra"];
        let changes = paths.iter().map(|path| change(path, ChangeKind::Type));
        let changes = changes.chain([change("$", ChangeKind::Surroundings)]).collect();
        let patched = apply(&PatchBase { changes, ..base(broken) }, operations, &ReadingOptions::default());
        patched.unwrap().kept.iter().map(|change| change.path.to_string()).collect()
    };
    for (broken, operations, expected) in [
        (
            "$.lines[1].qty",
            json!([{"op": "replace", "path": "/lines/1", "value": {"name": "lamp", "qty": 2}}]),
            vec!["$", "$.lines[0].qty", "$.lines[2].qty", "$.extra"],
        ),
        (
            "$.lines[1]",
            json!([{"op": "remove", "path": "/lines/1"}]),
            vec!["$", "$.lines[0].qty", "$.lines[1].qty", "$.extra"],
        ),
        (
            "$.lines",
            json!([{"op": "add", "path": "/lines/1", "value": 1}]),
            vec!["$", "$.lines[0].qty", "$.lines[2]", "$.lines[2].qty", "$.lines[3].qty", "$.extra"],
        ),
        (
            "$",
            json!([{"op": "move", "from": "/extra", "path": "/lines/0/qty"}]),
            vec!["$", "$.lines[1]", "$.lines[1].qty", "$.lines[2].qty", "$.lines[0].qty"],
        ),
    ] {
        assert_eq!(kept(&[broken], &operations), expected, "{operations}");
    }
}

#[test]
fn what_was_right_cannot_change() {
    for (broken, operations, reason) in [
        (
            vec!["$.lines[1].qty"],
            json!([{"op": "replace", "path": "/number", "value": "INV-2"}]),
            "$.number was right and may not change",
        ),
        (
            vec!["$.lines[1].qty"],
            json!([{"op": "replace", "path": "/lines/1", "value": {"name": "LAMP", "qty": 2}}]),
            "$.lines[1].name was right and may not change",
        ),
        (
            vec!["$.lines[1].qty"],
            json!([{"op": "replace", "path": "/lines/1", "value": {"qty": 2}}]),
            "$.lines[1].name was right and may not change",
        ),
        (
            vec!["$.lines[1].qty"],
            json!([{"op": "remove", "path": "/lines/1"}]),
            "not all of $.lines[1] was wrong, so it may not be removed",
        ),
        (
            vec!["$.lines[1].qty"],
            json!([{"op": "add", "path": "/lines/0", "value": {"name": "rug", "qty": 4}}]),
            "$.lines[0] was right and may not change",
        ),
        (
            vec!["$.lines[1].qty"],
            json!([{"op": "add", "path": "/lines/-", "value": {"name": "rug", "qty": 4}}]),
            "was right and may not change",
        ),
        (
            vec!["$.remarks"],
            json!([{"op": "move", "from": "/number", "path": "/remarks"}]),
            "$.number was right and may not be removed",
        ),
        (
            vec!["$.lines[1].qty"],
            json!([{"op": "replace", "path": "", "value": {"number": "INV-1"}}]),
            "$.lines was right and may not change",
        ),
        (
            vec!["$.lines[1]", "$.lines[2]"],
            json!([{"op": "remove", "path": "/lines/1"}, {"op": "replace", "path": "/lines/2/qty", "value": 3}]),
            "the elements of $.lines have moved by then",
        ),
        (
            vec!["$.lines[1].qty"],
            json!([{"op": "replace", "path": "/lines/1/qty", "value": 3}, {"op": "replace", "path": "/lines/9", "value": 3}]),
            "operation 2 of the patch failed, so none of the patch was applied",
        ),
        (
            vec!["$.lines[1].qty"],
            json!([{"op": "test", "path": "/number", "value": "INV-2"}]),
            "operation 1 of the patch failed, so none of the patch was applied: $.number is not what `test` says",
        ),
        (
            vec!["$.remarks"],
            json!([{"op": "copy", "from": "/nowhere", "path": "/remarks"}]),
            r#"there is nothing at "/nowhere""#,
        ),
        (
            vec!["$.remarks"],
            json!([{"op": "replace", "path": "/remarks/0", "value": 1}]),
            "there is no place $.remarks",
        ),
    ] {
        let error = patched(&broken, &operations).expect_err(&operations.to_string());
        assert!(error.contains(reason), "{operations}: {error}");
    }
}

/// Whatever a patch does, the paths outside the broken ones keep their values.
#[test]
fn no_patch_of_a_thousand_changes_what_was_right() {
    let paths = [
        "",
        "/number",
        "/lines",
        "/lines/0",
        "/lines/1",
        "/lines/1/qty",
        "/lines/1/name",
        "/lines/-",
        "/extra",
        "/new",
    ];
    let values = [json!(1), json!({"name": "lamp", "qty": 9}), json!([]), base(&[]).value];
    let (mut state, mut applied) = (7_u64, 0);
    let mut pick = |count: usize| {
        // A linear congruential generator (Knuth, MMIX).
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % count
    };
    for _ in 0..20_000 {
        let operations: Vec<_> = (0..=pick(2))
            .map(|_| {
                let op = ["add", "replace", "remove", "move", "copy"][pick(5)];
                let (path, from) = (paths[pick(paths.len())], paths[pick(paths.len())]);
                json!({"op": op, "path": path, "from": from, "value": values[pick(values.len())]})
            })
            .collect();
        let Ok(mut value) = patched(&["$.lines[1].qty", "$.extra"], &json!(operations)) else { continue };
        applied += 1;
        for (pointer, before) in [
            ("/number", json!("INV-1")),
            ("/lines/0", json!({"name": "desk", "qty": 1})),
            ("/lines/1/name", json!("lamp")),
            ("/lines/2", json!({"name": "chair", "qty": 3})),
        ] {
            assert_eq!(value.pointer(pointer), Some(&before), "{operations:?}");
        }
        assert_eq!(value["lines"].as_array_mut().unwrap().len(), 3, "{operations:?}");
    }
    assert!(applied > 200, "{applied}");
}

#[test]
fn places_may_be_written_as_violations_have_them() {
    for (path, from, expected) in [
        ("$.lines[1].qty", "$.lines[0].qty", json!({"path": "/lines/1/qty", "from": "/lines/0/qty"})),
        ("lines/1/qty", "/lines/0/qty", json!({"path": "/lines/1/qty", "from": "/lines/0/qty"})),
        (r#"$["a/b"]"#, "", json!({"path": "/a~1b", "from": ""})),
        ("$.[", "$", json!({"path": "$.[", "from": ""})),
    ] {
        let mut operations = json!([{"path": path, "from": from}]);
        with_pointers(&mut operations);
        assert_eq!(operations[0], expected);
    }
}

#[test]
fn the_contract_of_a_patch_compiles_and_knows_every_operation() {
    for (operations, is_patch) in [
        (json!([{"op": "replace", "path": "/a", "value": null}]), true),
        (json!([{"op": "remove", "path": ""}]), true),
        (json!([{"op": "copy", "path": "/a", "from": "/b"}]), true),
        (json!([]), false),
        (json!([{"op": "replace", "path": "/a"}]), false),
        (json!([{"op": "replace", "path": "a", "value": 1}]), false),
        (json!([{"op": "merge", "path": "/a", "value": 1}]), false),
    ] {
        assert_eq!(CONTRACT.validate(&operations).is_empty(), is_patch, "{operations}");
    }
}

#[test]
fn finds_a_number_that_a_double_rounds() {
    for (reply, expected) in [
        (r#"[{"value": 12345678901234567.89}]"#, Some("12345678901234567.89")),
        (r#"[{"value":-0.12345678901234567891 }]"#, Some("-0.12345678901234567891")),
        (r#"[{"value": [1, 18446744073709551617]}]"#, Some("18446744073709551617")),
        ("[{value: +12_345_678_901_234_567.89}]", Some("+12_345_678_901_234_567.89")),
        (r#"[{"value": .12345678901234567891}]"#, Some(".12345678901234567891")),
        (r#"[{"value": 1e-400}]"#, Some("1e-400")),
        (r#"[{"value": 1e400}]"#, Some("1e400")),
        (r#"[{"value": "12345678901234567.89"}]"#, None),
        (r#"[{"value": 18446744073709551615}, {"value": -9223372036854775808}]"#, None),
        (r#"[{"value": 19.90}, {"value": 1.5e3}, {"value": 0.1}, {"value": 0}, {"value": -0.0}]"#, None),
        (r#"[{"path": "/a-1.2.3e", "value": "…"}]"#, None),
        ("", None),
    ] {
        assert_eq!(rounded_number(reply), expected, "{reply}");
    }
}
