use regex::Regex;
use serde_json::{Value, json};

use super::*;

fn keys(named: &[&str]) -> Keys {
    let mut keys = Keys::of_environment();
    for key in named {
        keys.insert(key);
    }
    keys
}

fn values(all: &[Value]) -> SensitiveValues {
    let mut values = SensitiveValues::default();
    for value in all {
        values.insert(value);
    }
    values
}

#[test]
fn removes_what_looks_like_a_key() {
    for (text, expected) in [
        ("key sk-proj-abc_DEF1234567890.", "key [redacted]."),
        ("wrong key sk-proj-********abcd", "wrong key [redacted]"),
        ("sk-ant-api03-AAAAAAAAAAAAAAAA-BBBB", "[redacted]"),
        ("gsk_0123456789abcdefghij, hf_0123456789abcdefghij", "[redacted], [redacted]"),
        ("ghp_0123456789abcdefghij xoxb-0123456789", "[redacted] [redacted]"),
        ("AIzaSyA0123456789012345678901234567890", "[redacted]"),
        ("AKIAIOSFODNN7EXAMPLE", "[redacted]"),
        ("eyJhbGciOi.eyJzdWIiOiIx.c2lnbmF0dXJl", "[redacted]"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer [redacted]"),
        (r#"{"authorization": "Basic dXNlcjpwYXNz"}"#, r#"{"authorization": "Basic [redacted]"}"#),
        ("x-api-key: 0123456789", "x-api-key: [redacted]"),
        ("?api_key=0123456789&q=1", "?api_key=[redacted]&q=1"),
        (r#"{\"apiKey\": \"0123456789\"}"#, r#"{\"apiKey\": \"[redacted]\"}"#),
        ("https://me:hunter2@host/v1", "https://[redacted]@host/v1"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\n", "[redacted]\n"),
    ] {
        assert_eq!(keys(&[]).redact(text), expected);
    }
}

#[test]
fn leaves_words_alone() {
    for text in [
        "a risk-assessment-model-of-the-bank, sk-1, the Bearer of bad news, Basic understanding",
        r#"{"api_key": {"type": "string"}, "access_token": null}"#,
        "hf_hub_download_of_the_model, see https://host:8080/a@b",
    ] {
        assert_eq!(keys(&[]).redact(text), text);
    }
}

#[test]
fn removes_what_was_named_and_its_form_in_json() {
    let mut keys = keys(&["", "a\"b", "a\"bc"]);
    keys.insert_pattern(Regex::new(r"\bK-\d+").unwrap());
    assert_eq!(keys.redact(r#"a"b {"x": "a\"bc"} K-42"#), r#"[redacted] {"x": "[redacted]"} [redacted]"#);
}

#[test]
fn a_short_key_of_an_agent_is_found_as_a_whole_word() {
    for (key, text, expected) in [
        ("sk-1234", "Invalid key sk-1234 given", "Invalid key [redacted] given"),
        ("sk-1234", "risk-1234, sk-12345", "risk-1234, sk-12345"),
        ("sk-1234", r#"{"key": "sk-1234"} or \"sk-1234\""#, r#"{"key": "[redacted]"} or \"[redacted]\""#),
        ("hunter2", "x-pw=hunter2;", "x-pw=[redacted];"),
        ("s3c!", "wrong: s3c%21", "wrong: [redacted]"),
        ("test", "the latest test", "the latest [redacted]"),
        ("key", "wrong key", "wrong key"),
        ("0123abcd", "no0123abcdhere", "no[redacted]here"),
    ] {
        let mut keys = keys(&[]);
        keys.insert_key(key);
        assert_eq!(keys.redact(text), expected, "{key}");
    }
}

/// The ways in which a text may repeat `key`.
fn ways(key: &str) -> Vec<String> {
    let json = |text: &str| serde_json::to_string(text).unwrap();
    let hex = |byte: u8| format!("{byte:02x}");
    let each = |write: &dyn Fn(u8) -> String| key.bytes().map(write).collect::<String>();
    let split = |every: usize, by: &str| {
        let chars: Vec<char> = key.chars().collect();
        let parts: Vec<String> = chars.chunks(every).map(|chunk| chunk.iter().collect()).collect();
        parts.join(by)
    };
    vec![
        key.to_owned(),
        key.to_uppercase(),
        key.to_lowercase(),
        json(key),
        json(&json(key)),
        format!("{key:?}"),
        format!("{:?}", json(key)),
        key.escape_unicode().collect(),
        key.escape_default().collect(),
        each(&|byte| format!("%{byte:02X}")),
        each(&|byte| format!("%25{byte:02x}")),
        each(&|byte| {
            if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") }
        }),
        each(&|byte| format!("\\x{byte:02x}")),
        key.chars().map(|char| format!("&#{};", u32::from(char))).collect::<Vec<_>>().concat(),
        key.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect::<Vec<_>>().concat(),
        each(&hex),
        each(&|byte| hex(byte).to_uppercase() + " "),
        split(1, " "),
        split(4, "-"),
        split(5, "\n        "),
    ]
}

#[test]
fn a_key_is_found_however_it_is_written() {
    for key in ["Kq7-ünïcode/+9_x\"y\\z", "0123456789abcdef", "pa ss\u{202e}wo\u{0}rd ß", "日本語のひみつ"]
    {
        let keys = keys(&[key]);
        for way in ways(key) {
            for (before, after) in [("no ", " here"), ("no", "here"), ("\"", "\",")] {
                let text = format!("{before}{way}{after}");
                let redacted = keys.redact(&text);
                let rest = redacted.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
                let rest = rest.unwrap_or_else(|| panic!("{key:?} as {text:?}: {redacted:?}"));
                let told = rest.replace(KEY_MARKER, "");
                assert!(
                    redacted.contains(KEY_MARKER) && told.trim_matches(['"', '\\', ' ']).is_empty(),
                    "{text}: {redacted}"
                );
            }
        }
    }
}

#[test]
fn a_key_is_found_in_base64_whatever_stands_before_it() {
    // `printf 'user:0123456789abcdef' | base64`, and with one and two characters less before it.
    for text in
        ["dXNlcjowMTIzNDU2Nzg5YWJjZGVm", "c2VyOjAxMjM0NTY3ODlhYmNkZWY=", "ZXI6MDEyMzQ1Njc4OWFiY2RlZg=="]
    {
        let redacted = keys(&["0123456789abcdef"]).redact(text).into_owned();
        assert!(redacted.contains(KEY_MARKER) && redacted.len() < 22, "{redacted}");
    }
}

#[test]
fn a_number_is_found_however_it_is_written() {
    for (number, ways) in [
        (
            json!(52000.0),
            "52000|52000.0|52,000|52.000|52'000|52_000|52000.00|5.2e4|5.2E4|5.2e+04|52,000.00|-52000",
        ),
        (json!(52000), "52000|52000.0|52,000|5.2e4|52 000"),
        (json!(1234.567), "1234.567|1234.57|1,234.57|1.234,57|1234,57|1235|1234|1.234567e3"),
        (json!(0.1), "0.1|0,1|0.10|0.100|1e-1|1e-01"),
        (json!(7.5), "7.5|7,5|7.50|7.5e0"),
        (json!(-12), "-12|12|12.0|12.00"),
        (json!("52,000.00"), "52000|52000.0"),
        (json!("0070"), "70|0070"),
    ] {
        let values = values(std::slice::from_ref(&number));
        for way in ways.split('|') {
            for (before, after) in [("no ", " here"), ("no", "here"), ("(", ".")] {
                let mut text = format!("{before}{way}{after}");
                values.redact_message(&mut text, "");
                assert!(text.contains(VALUE_MARKER), "{number} as {way}: {text}");
                let told = text.trim_start_matches(before).trim_end_matches(after);
                assert!(
                    !told.contains(|char: char| char.is_ascii_digit() && char != '0'),
                    "{number} as {way}: {text}"
                );
            }
        }
    }
}

#[test]
fn another_number_is_left_alone() {
    for (number, text) in
        [(json!(12), "120 and 212 and 1.212"), (json!(7.5), "17.5, 7.55"), (json!(52000), "5200 and 12")]
    {
        assert_eq!(values(&[number]).redact(text), text);
    }
}

#[test]
fn a_short_string_in_a_word_takes_the_message_with_it() {
    let values = values(&[json!("al"), json!(7)]);
    let said = |text: &str| {
        let mut text = text.to_owned();
        values.redact_message(&mut text, "hidden");
        text
    };
    assert_eq!(said("Al is not 7, no7 and 17"), "(hidden) is not (hidden), no(hidden) and 17");
    assert_eq!(said("noal"), "hidden");
    assert_eq!(said("a valid one"), "hidden", "what is left of a word would tell it");
    assert_eq!(values.redact("a valid one"), "a valid one", "in what is not the user's own it is chance");
}

#[test]
fn a_boolean_is_neither_word() {
    assert_eq!(values(&[json!(true)]).redact("true, not false"), "(hidden), not (hidden)");
}

#[test]
fn a_long_value_is_found_in_part() {
    let text = "The patient has had a pain in the left knee since the accident of last summer.";
    let values = values(&[json!(text)]);
    assert_eq!(values.redact("what is `pain in the left knee since the acc…`?"), "what is `(hidden)…`?");
    assert_eq!(values.redact("the patient has a knee"), "the patient has a knee");
}

#[test]
fn nothing_is_redacted_twice() {
    let keys = keys(&["redacted", "act"]);
    let once = keys.redact("sk-0123456789abcdef").into_owned();
    assert_eq!((&*once, &*keys.redact(&once)), (KEY_MARKER, KEY_MARKER));
    assert_eq!(values(&[json!("hidden")]).redact("(hidden)"), "(hidden)");
}

#[test]
fn neither_says_what_it_knows() {
    let debug = format!("{:?} {:?}", keys(&["0123456789"]), values(&[json!("0123456789")]));
    assert_eq!(debug, "Keys(1 named, 0 patterns) Values");
}

fn variables<const N: usize>(of: [(&str, &str); N]) -> impl Iterator<Item = (String, String)> {
    of.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter()
}

fn redacted(known: &KnownStrings, text: &str) -> String {
    known.find(text).replaced(text, "*").into_owned()
}

#[test]
fn knows_variables_that_are_named_like_keys() {
    let known = SeenVariables::default().and(variables([
        ("MY_API_KEY", "0123456789ab"),
        ("ci_job_token", "abcdefghijkl"),
        ("SHORT_KEY", "localhost"),
        ("HOME", "/home/somebody"),
    ]));
    let text = "0123456789ab abcdefghijkl localhost /home/somebody";
    assert_eq!(redacted(&known, text), "* * localhost /home/somebody");
}

#[test]
fn a_variable_that_is_set_later_is_known_and_one_that_is_taken_away_stays_so() {
    let mut seen = SeenVariables::default();
    seen.and(variables([("A_KEY", "first-key-0123")]));
    let known = seen.and(variables([("B_KEY", "second-key-4567")]));
    assert_eq!(redacted(&known, "first-key-0123 and second-key-4567"), "* and *");
}
