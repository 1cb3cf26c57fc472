//! Constraints on strings.

use serde_json::{Value, json};

use super::Case;

fn pattern(name: &'static str, pattern: &str, fits: Value, breaks: Value) -> Case {
    Case::of(name, json!({"type": "string", "pattern": pattern}), fits, breaks)
}

pub(super) fn cases() -> Vec<Case> {
    let text = |name, keyword: &str, value: Value, fits, breaks| {
        Case::of(name, json!({"type": "string", keyword: value}), fits, breaks)
    };
    vec![
        Case::of(
            "`type`: a string",
            json!({"type": "string"}),
            json!(["", "a \"b\" \\ \n ä 😀"]),
            json!([1, null]),
        ),
        text(
            "`enum` of strings",
            "enum",
            json!(["EUR", "US$"]),
            json!(["EUR", "US$"]),
            json!(["GBP", "EU", ""]),
        ),
        text("`const`, a string", "const", json!("a\"b"), json!(["a\"b"]), json!(["a", "ab"])),
        pattern(
            "`pattern` with `\\d`",
            r"^INV-\d{4}$",
            json!(["INV-0042"]),
            json!(["INV-42", "INV-00421", "INV-004x"]),
        ),
        pattern("`pattern` with `\\d` of ASCII", r"^\d$", json!(["7"]), json!(["٣"])),
        pattern("`pattern` with `\\w`", r"^\w+$", json!(["a_1"]), json!(["a b", "ä", ""])),
        pattern("`pattern` with `\\D` and `\\W`", r"^\D\W$", json!(["a!", "xä"]), json!(["1!", "ab"])),
        pattern("`pattern` with `\\s` and `\\S`", r"^\S+\s\S+$", json!(["a b", "a\tb"]), json!(["ab", " a"])),
        pattern("`pattern` without anchors", r"\d\d", json!(["ab12cd"]), json!(["abc1", ""])),
        pattern("`pattern` with one anchor", "^a", json!(["ab"]), json!(["ba"])),
        pattern(
            "`pattern` with alternatives",
            "^(?:cat|dog)s?$",
            json!(["cat", "dogs"]),
            json!(["cow", "catdog"]),
        ),
        pattern("`pattern` with anchors in alternatives", "^a|b$", json!(["ax", "xb"]), json!(["xa", "bx"])),
        pattern("`pattern` with `.`", "^.{2}$", json!(["äö", "😀x"]), json!(["a", "abc", "a\n"])),
        pattern(
            "`pattern` with quotes and backslashes",
            r#"^"[^"]*"\\$"#,
            json!(["\"a\"\\"]),
            json!(["a", "\"a\""]),
        ),
        pattern(
            "`pattern` with classes of characters",
            r"^[^\d\s\-]$",
            json!(["a", "ä"]),
            json!(["1", "-", " "]),
        ),
        pattern("`pattern` with `\\p{…}`", r"^\p{Lu}$", json!(["A", "Ä"]), json!(["a", "1"])),
        pattern("`pattern` with `\\u…`", r"^\u00e4$", json!(["ä"]), json!(["a"])),
        pattern("`pattern` that looks ahead", "^(?!x)[a-z]+$", json!(["ax"]), json!(["xa"])),
        pattern("`pattern` that looks behind", "[a-z](?<!x)$", json!(["xa"]), json!(["ax"])),
        pattern("`pattern` with word boundaries", r"\bcat\b", json!(["a cat"]), json!(["concat"])),
        pattern("`pattern` that refers back", r"^(a|b)\1$", json!(["aa", "bb"]), json!(["ab"])),
        pattern(
            "`pattern` with long repetitions",
            "^[ab]{1000}$",
            json!(["a".repeat(1000)]),
            json!(["a", "a".repeat(999)]),
        ),
        text(
            "`minLength`, in characters",
            "minLength",
            json!(3),
            json!(["äöü", "\n\"\\"]),
            json!(["ää", "\n\n", "😀"]),
        ),
        text(
            "`maxLength`, in characters",
            "maxLength",
            json!(2),
            json!(["äö", "😀😀", "\n\""]),
            json!(["abc", "äöü"]),
        ),
        Case::of(
            "`minLength` beside `pattern`",
            json!({"type": "string", "pattern": "^[a-z]+$", "minLength": 3}),
            json!(["abc"]),
            json!(["ab"]),
        ),
        Case::of(
            "`maxLength` beside `format`",
            json!({"type": "string", "format": "email", "maxLength": 8}),
            json!(["a@b.org"]),
            json!(["abc@def.org"]),
        ),
    ]
}

pub(super) fn formats() -> Vec<Case> {
    let format = |name, format: &str, fits, breaks| {
        Case::of(name, json!({"type": "string", "format": format}), fits, breaks)
    };
    let id = "0198c4f8-6b1f-7cc3-98c4-dc0c0c07398f";
    vec![
        format(
            "`format: date`",
            "date",
            json!(["2024-02-29"]),
            json!(["2024-13-01", "2024-04-31", "soon", ""]),
        ),
        format("`format: date` in leap years", "date", json!(["2024-02-29"]), json!(["2025-02-29"])),
        format(
            "`format: date-time`",
            "date-time",
            json!(["2024-02-29T23:59:59Z", "2024-02-29T10:00:00.5+01:00"]),
            json!(["2024-02-29", "2024-02-29T10:00:00"]),
        ),
        format(
            "`format: time`",
            "time",
            json!(["10:00:00Z", "10:00:00.25-03:00"]),
            json!(["10:00", "25:00:00Z"]),
        ),
        format("`format: duration`", "duration", json!(["P1DT2H", "P3W"]), json!(["1 day", "P"])),
        format(
            "`format: email`",
            "email",
            json!(["ada@example.org"]),
            json!(["ada", "ada@", "a b@example.org"]),
        ),
        format("`format: hostname`", "hostname", json!(["example.org"]), json!(["-a.org", "a b"])),
        format("`format: ipv4`", "ipv4", json!(["127.0.0.1"]), json!(["256.0.0.1", "1.2.3"])),
        format(
            "`format: ipv6`",
            "ipv6",
            json!(["::1", "2001:db8::8a2e:370:7334"]),
            json!(["1::2::3", "127.0.0.1"]),
        ),
        format(
            "`format: uri`",
            "uri",
            json!(["https://example.org/a?b=c#d"]),
            json!(["example.org", "http://a b"]),
        ),
        format("`format: uuid`", "uuid", json!([id]), json!(["0198c4f8", &id[1..]])),
        format("`format: iri`", "iri", json!(["https://example.org/ä"]), json!(["//a b"])),
        format("`format: uri-reference`", "uri-reference", json!(["/a/b"]), json!(["\\\\a"])),
        format("`format: uri-template`", "uri-template", json!(["/a/{b}"]), json!(["/a/{b"])),
        format("`format: json-pointer`", "json-pointer", json!(["/a/0"]), json!(["a"])),
        format("`format: regex`", "regex", json!(["^a+$"]), json!(["(a"])),
    ]
}
