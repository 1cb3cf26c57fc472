//! Properties of every value, every schema and every reply.

use extract::{
    Contract,
    reading::{Change, ChangeKind, Loss},
    settings::Leniency,
};
use serde_json::{Value, json};

use super::random::{Chance, Style};

const RUNS: u64 = 400;

/// `value` with null for strings that mean null, judging by the schema alone.
fn with_nulls(schema: &Value, value: &Value) -> Value {
    let may_be_null = schema["type"].as_array().is_some_and(|types| types.contains(&json!("null")));
    match value {
        Value::String(text) if may_be_null && ["null", "None", "none"].contains(&&**text) => Value::Null,
        Value::Array(items) => items.iter().map(|item| with_nulls(&schema["items"], item)).collect(),
        Value::Object(entries) => {
            let inside = |(key, value): (&String, &Value)| {
                (key.clone(), with_nulls(&schema["properties"][key], value))
            };
            entries.iter().map(inside).collect()
        }
        other => other.clone(),
    }
}

/// Returns a contract and a value for it.
fn case(seed: u64, text: fn(&mut Chance) -> String) -> (Contract, Value) {
    let (schema, value) = Chance::new(seed).object(3, text);
    let contract = Contract::from_schema(schema).unwrap();
    assert_eq!(contract.validate(&value), [], "a string that means null is no less a string");
    (contract, value)
}

fn reads_back(style: Style, text: fn(&mut Chance) -> String) {
    for seed in 0..RUNS {
        let (contract, value) = case(seed, text);
        let reply = style.print(&value);
        let reading = contract.read(&reply);
        let value = with_nulls(contract.schema(), &value);
        assert_eq!(reading.value.as_ref(), Some(&value), "seed {seed}, {style:?}\n{reply}\n{reading:#?}");
        assert_eq!(reading.violations, [], "seed {seed}\n{reply}");
        assert!(reading.changes.iter().all(|change| change.loss < Loss::Lossy));
    }
}

#[test]
fn a_strictly_valid_conforming_reply_is_never_changed_but_where_a_string_means_null() {
    let mut nulls = 0;
    for seed in 0..4 * RUNS {
        let (contract, value) = case(seed, Chance::text);
        let with_nulls = with_nulls(contract.schema(), &value);
        nulls += usize::from(value != with_nulls);
        for reply in [value.to_string(), format!(" {value:#}\n")] {
            for (leniency, expected) in [
                (Leniency::Strict, &value),
                (Leniency::Faithful, &with_nulls),
                (Leniency::Lossy, &with_nulls),
            ] {
                let reading = contract.reader().leniency(leniency).read(&reply);
                assert_eq!(reading.value.as_ref(), Some(expected), "{reply}");
                assert_eq!(reading.violations, [], "{reply}");
                assert_eq!(reading.changes.is_empty(), *expected == value, "{reply}");
                let is_null = |change: &Change| change.kind == ChangeKind::NullString;
                assert!(reading.changes.iter().all(is_null), "{reply}");
            }
            let kept = contract.reader().keep_null_strings(true).read(&reply);
            assert_eq!((kept.value.as_ref(), kept.changes.len()), (Some(&value), 0), "{reply}");
        }
    }
    assert!(nulls > 3, "{nulls}");
}

#[test]
fn what_surrounds_strict_json_does_not_change_how_it_is_read() {
    for seed in 0..RUNS {
        let (contract, value) = case(seed, Chance::text);
        for reply in [
            format!("Sure, here it is:\n```json\n{value:#}\n```\nAnything else?"),
            format!("<think>Is it {{\"total\": 1}}? Or [1, 2]?</think>\n{value}"),
            format!("\u{feff}{value}"),
            format!("Draft: {{\"draft\": true}}. Final: {value}"),
            format!("callback({value});"),
            format!("The set {{a, b}} is {value} [1]"),
            json!(value.to_string()).to_string(),
        ] {
            let reading = contract.read(&reply);
            let value = with_nulls(contract.schema(), &value);
            assert_eq!(reading.value.as_ref(), Some(&value), "seed {seed}\n{reply}\n{reading:#?}");
            assert!(!reading.changes.is_empty());
            assert_eq!(reading.violations, []);
        }
    }
}

#[test]
fn a_value_in_another_notation_is_read_back_whatever_its_texts_say() {
    let strict = Style::default();
    for style in [
        Style { python: true, ..strict },
        Style { trailing_commas: true, ..strict },
        Style { leading_commas: true, ..strict },
        Style { comments: true, ..strict },
        Style { bare_keys: true, ..strict },
        Style { doubled_braces: true, ..strict },
        Style { camel_keys: true, ..strict },
        Style { everything_upper: true, ..strict },
        Style { numbers_as_text: true, ..strict },
        Style { plus_signs: true, ..strict },
        Style { hexadecimal: true, ..strict },
        Style { strange_space: true, ..strict },
        Style { objects_as_text: true, ..strict },
    ] {
        reads_back(style, Chance::text);
    }
}

#[test]
fn a_value_whose_texts_are_prose_is_read_back_from_any_quotes_or_none() {
    let strict = Style::default();
    for style in [
        Style { quotes: Some(("'", "'")), ..strict },
        Style { quotes: Some(("“", "”")), ..strict },
        Style { quotes: Some(("‘", "’")), ..strict },
        Style { quotes: Some(("`", "`")), ..strict },
        Style { quotes: Some(("'", "'")), bare_keys: true, python: true, trailing_commas: true, ..strict },
        Style { bare_words: true, ..strict },
        Style { no_commas: true, ..strict },
        Style { no_colons: true, ..strict },
        Style { raw_controls: true, ..strict },
    ] {
        reads_back(style, Chance::words);
    }
}

#[test]
fn inner_quotes_are_told_from_those_that_close() {
    let contract = Contract::from_schema(json!({"type": "object"})).unwrap();
    for text in
        ["he said \"hi\" to all", "a 24\" screen", "\"quoted\" first", "say \"a, b\" and \"c\" now", "72\""]
    {
        for shape in
            ["{\"a\": \"@\", \"b\": 1}", "{\"a\": [\"@\", \"x\"], \"b\": 1}", "{\"b\": 1, \"a\": \"@\"}"]
        {
            let reading = contract.read(&shape.replace('@', text));
            let value = reading.value.unwrap();
            let found = if value["a"].is_array() { &value["a"][0] } else { &value["a"] };
            assert_eq!(found, text, "{shape}");
            assert_eq!(value["b"], 1);
        }
    }
}

#[test]
fn reading_what_was_read_changes_nothing() {
    for seed in 0..RUNS {
        let mut chance = Chance::new(seed);
        let (contract, value) = case(seed, Chance::text);
        let reply = damaged(&mut chance, &value.to_string());
        let Some(first) = contract.read(&reply).value else { continue };
        if !contract.validate(&first).is_empty() {
            continue;
        }
        let again = contract.read(&first.to_string());
        assert_eq!(again.value, Some(first), "{reply}");
        assert!(again.changes.iter().all(|change| change.loss == Loss::Ignored), "{reply} {again:#?}");
    }
}

/// `reply` with a few bytes removed, doubled or replaced.
fn damaged(chance: &mut Chance, reply: &str) -> String {
    const PIECES: [&str; 16] =
        ["\"", "'", "{", "}", "[", "]", ",", ":", "\\", "\n", "null", "...", "//", "`", "“", "1"];
    let mut chars: Vec<String> = reply.chars().map(String::from).collect();
    for _ in 0..=chance.below(4) {
        let at = chance.below(chars.len());
        match chance.below(3) {
            0 => chars[at].clear(),
            1 => chars[at] = chars[at].repeat(2),
            _ => chars[at] = chance.one_of(&PIECES).to_owned(),
        }
    }
    chars.concat()
}

/// Every text and number in `value`.
fn scalars(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Number(number) => found.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| scalars(item, found)),
        Value::Object(entries) => entries.values().for_each(|value| scalars(value, found)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Letters and digits, which no repair may add.
fn substance(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The letters and digits of a reply, without those that belong to a value found before.
struct Unread {
    letters: Vec<char>,
    /// Whether a value may start at each letter, or after the last.
    starts: Vec<bool>,
}

impl Unread {
    fn new(reply: &str) -> Self {
        let chars: Vec<char> = reply.chars().collect();
        let is_inside = |before: char| before.is_alphanumeric() || matches!(before, ' ' | '-' | '\'' | '.');
        let is_start = |at: usize| at == 0 || !is_inside(chars[at - 1]);
        let (letters, mut starts): (Vec<char>, Vec<bool>) = (0..chars.len())
            .filter(|at| chars[*at].is_alphanumeric())
            .map(|at| (chars[at], is_start(at)))
            .unzip();
        starts.push(true);
        Self { letters, starts }
    }

    /// Finds `scalar` outside the values found before, because no part of the reply counts for two
    /// values.
    fn find(&mut self, scalar: &str) -> bool {
        let wanted: Vec<char> = substance(plain(scalar)).chars().collect();
        self.take(wanted.len(), |window| window == wanted)
    }

    /// The same, with up to two edits, because a near miss of a listed name counts as that name.
    fn find_almost(&mut self, listed: &str) -> bool {
        let wanted: Vec<char> = substance(listed).chars().collect();
        let lengths = wanted.len().saturating_sub(2)..=wanted.len() + 2;
        lengths.rev().any(|length| self.take(length, |window| edits(window, &wanted) <= 2))
    }

    fn take(&mut self, length: usize, is_it: impl Fn(&[char]) -> bool) -> bool {
        let places = (0..=self.letters.len().saturating_sub(length)).filter(|_| length > 0);
        let places: Vec<usize> =
            places.filter(|at| self.letters.get(*at..at + length).is_some_and(&is_it)).collect();
        let is_whole = |at: &&usize| self.starts[**at] && self.starts[**at + length];
        let Some(at) = places.iter().find(is_whole).or(places.first()) else { return false };
        self.letters[*at..at + length].fill('\0');
        true
    }
}

/// Returns a number without optional zeros, such as both of `0.50`.
fn plain(scalar: &str) -> &str {
    if !scalar.contains('.') || scalar.parse::<f64>().is_err() {
        return scalar;
    }
    let end = scalar.trim_end_matches('0').trim_end_matches('.');
    end.strip_prefix("0.").unwrap_or(end)
}

/// How many letters have to be added, removed or replaced.
fn edits(from: &[char], to: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, letter) in from.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (at, wanted) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != wanted);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[to.len()]
}

#[test]
fn no_reply_makes_a_value_appear_that_its_text_does_not_contain() {
    for seed in 0..8 * RUNS {
        let mut chance = Chance::new(seed);
        let (contract, value) = case(seed, Chance::words);
        let reply = damaged(&mut chance, &value.to_string());
        // An escape is another spelling of its character.
        let Some(read) = contract.read(&reply).value.filter(|_| !reply.contains('\\')) else { continue };
        let mut found = Vec::new();
        scalars(&read, &mut found);
        // A short scalar may be inside a longer one, but not the reverse.
        found.sort_by_key(|scalar| std::cmp::Reverse(scalar.len()));
        let mut unread = Unread::new(&reply);
        for scalar in found {
            let is_listed = ["in_progress", "done", "B-12"].contains(&scalar.as_str());
            let is_there = substance(&scalar).is_empty()
                || unread.find(&scalar)
                || (is_listed && unread.find_almost(&scalar));
            assert!(is_there, "seed {seed}: {scalar:?} is not in {reply}\n{read}");
        }
    }
}

#[test]
fn a_cut_reply_is_never_a_complete_one() {
    for seed in 0..RUNS / 8 {
        let (contract, value) = case(seed, Chance::words);
        let reply = value.to_string();
        for end in (1..reply.len()).filter(|end| reply.is_char_boundary(*end)) {
            let reading = contract.read(&reply[..end]);
            assert!(reading.completeness.is_truncated(), "{}", &reply[..end]);
        }
    }
}

#[test]
fn nothing_makes_it_panic_and_every_span_is_in_the_reply() {
    for seed in 0..10 * RUNS {
        let mut chance = Chance::new(seed);
        let (contract, value) = case(seed % 50, Chance::text);
        let mut reply = value.to_string();
        for _ in 0..chance.below(5) {
            reply = damaged(&mut chance, &reply);
            if reply.is_empty() {
                reply.push('{');
            }
        }
        let reading = contract.read(&reply);
        assert!(reading.value.is_some() || !reading.violations.is_empty());
        for change in &reading.changes {
            assert!(reply.get(change.span.clone()).is_some(), "{reply} {change:?}");
        }
    }
}

/// Replies on which reading once panicked or broke a promise, found by the fuzz target.
#[test]
fn what_fuzzing_found_stays_found() {
    let schemas = [
        json!(true),
        json!({"type": "object"}),
        json!({"type": "array", "items": {"type": "integer"}}),
        json!({"type": "object", "additionalProperties": {"type": "boolean"}}),
    ];
    let overlapping = "[\0\u{2}{\\\"\u{4}[[1], [2\u{2}io if\u{2}io \\X\\X\"wo\u{4}[[1], [0r2ldund\"\\\":}";
    for reply in ["“foo”", "‘foo’", overlapping] {
        for schema in &schemas {
            let reading = Contract::from_schema(schema.clone()).unwrap().read(reply);
            assert!(reading.value.is_some() || !reading.violations.is_empty(), "{reply}");
        }
    }
}
