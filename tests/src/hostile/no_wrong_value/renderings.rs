//! The ways in which models write a value.

use serde_json::{Value, json};

use super::cases::Case;
use crate::reading::random::Style;

/// Strings that are allowed values.
const ALLOWED: [&str; 9] =
    ["USD", "USDT", "EUR", "refund_denied", "refund", "not_spam", "spam", "Delete", "DeleteAll"];

/// How a cut can be recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// Every part of the reply shows that something is missing.
    Shows,
    /// Only by the finish reason.
    IsReported,
    /// A part of the reply is a complete value with nothing after it, and differs from the whole
    /// reply.
    Unclear,
}

pub(super) struct Rendering {
    pub(super) reply: String,
    pub(super) cut: Cut,
    /// Whether the value has to be found; otherwise nothing may be.
    pub(super) has_to_be_read: bool,
}

impl Rendering {
    /// Returns all renderings of one value.
    pub(super) fn of(case: &Case) -> Vec<Self> {
        let value = &case.value;
        let mut all = Vec::new();
        if !value.is_string() {
            all.extend(notations(value).map(|reply| {
                // One value instead of a list does not show its own end.
                let cut = if reply.starts_with(['{', '[']) { Cut::Shows } else { Cut::IsReported };
                Self { reply, cut, has_to_be_read: false }
            }));
            all.extend(separated(value).map(|reply| Self {
                reply,
                cut: Cut::IsReported,
                has_to_be_read: false,
            }));
        }
        all.extend(plain(value).map(|reply| Self { reply, cut: Cut::Shows, has_to_be_read: true }));
        all.extend(null_strings(value).map(|reply| Self { reply, cut: Cut::Shows, has_to_be_read: true }));
        all.extend(sentences(value).map(|reply| Self { reply, cut: Cut::IsReported, has_to_be_read: true }));
        all.extend(damaged(value).map(|reply| Self { reply, cut: Cut::Unclear, has_to_be_read: false }));
        if case.has_brackets() {
            all.extend(prose(value).map(|reply| Self { reply, cut: Cut::Shows, has_to_be_read: true }));
            all.extend(wrapped(value).map(|reply| Self { reply, cut: Cut::Unclear, has_to_be_read: false }));
            all.extend(drafts(value).map(|reply| Self { reply, cut: Cut::Unclear, has_to_be_read: true }));
        }
        all
    }
}

/// Only the value.
fn plain(value: &Value) -> impl Iterator<Item = String> {
    [format!("{value}"), format!("{value:#}\n"), format!("```json\n{value:#}\n```")].into_iter()
}

/// With a string for each null, where the schema also allows a string.
fn null_strings(value: &Value) -> impl Iterator<Item = String> {
    let renderings = ["null", "None", "none"].map(|string| with_null_strings(value, string));
    renderings.into_iter().filter(move |rendering| rendering != value).map(|rendering| rendering.to_string())
}

fn with_null_strings(value: &Value, string: &str) -> Value {
    match value {
        Value::Object(entries) => entries
            .iter()
            .map(|(key, value)| (key.clone(), if value.is_null() { json!(string) } else { value.clone() }))
            .collect(),
        other => other.clone(),
    }
}

/// With text around it, and reasoning before it.
fn prose(value: &Value) -> impl Iterator<Item = String> {
    [
        format!("Sure, here it is:\n```json\n{value:#}\n```\nAnything else?"),
        format!("The answer is {value}."),
        format!("<think>Is it {{\"age\": 99, \"net\": 1}}? Or [1, 2]?</think>\n{value}"),
        format!("<think>It is 5, or \"spam\".</think>{value}\n\nI hope that helps [1]."),
        json!(value.to_string()).to_string(),
    ]
    .into_iter()
}

/// Without one of its quotes, with keys in quotes and without. A string that contains quotes would
/// be another one then.
fn damaged(value: &Value) -> impl Iterator<Item = String> {
    let bare_keys = Style { bare_keys: true, ..Style::default() }.print(value);
    let texts = [value.to_string(), format!("{value:#}"), bare_keys];
    let is_plain = !value.is_string() && !value.to_string().contains('\\');
    texts.into_iter().filter(move |_| is_plain).flat_map(|text| {
        let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
        let without = |at: usize| format!("{}{}", &text[..at], &text[at + 1..]);
        quotes.into_iter().map(without).collect::<Vec<_>>()
    })
}

/// As a word of a sentence.
fn sentences(value: &Value) -> impl Iterator<Item = String> {
    let word = value.as_str().filter(|word| ALLOWED.contains(word));
    word.into_iter().flat_map(|word| {
        [
            format!("The answer is **{word}**"),
            format!("The answer is {}.", word.replace('_', " ")),
            format!("{word}: that is how it reads."),
        ]
    })
}

/// Inside the wrappers of agents and protocols.
fn wrapped(value: &Value) -> impl Iterator<Item = String> {
    let fields = value.as_object().into_iter().flatten();
    let lines: Vec<_> = fields.map(|(key, value)| format!("**{key}**: {value}")).collect();
    [
        format!("<answer>{value}</answer>"),
        format!("{{\"name\": \"submit\", \"arguments\": {value}}}"),
        format!("{{\"role\": \"assistant\", \"content\": {}}}", json!(value.to_string())),
        format!("[{value}]"),
        format!("{{\"result\": {value}, \"confidence\": 0.9}}"),
        format!("{value}\n{value}"),
        format!("{{\"type\": \"object\", \"properties\": {{}}}}\n{value}"),
        format!("data: {value}\n\ndata: [DONE]"),
        format!("> {}", format!("{value:#}").replace('\n', "\n> ")),
        format!("<!-- {{\"age\": 1}} -->{value}"),
        lines.join("\n"),
    ]
    .into_iter()
    .filter(|reply| !reply.is_empty())
}

/// After a value that was not meant.
fn drafts(value: &Value) -> impl Iterator<Item = String> {
    [
        format!("Draft: {{\"draft\": true}}. Final: {value}"),
        format!("The set {{a, b}} is {value} [1]"),
        format!("First I thought {{\"draft\": 1}}, which is wrong. Now:\n\n{value}"),
    ]
    .into_iter()
}

/// In a notation that is not strict JSON.
fn notations(value: &Value) -> impl Iterator<Item = String> {
    let strict = Style::default();
    [
        Style { quotes: Some(("'", "'")), ..strict },
        Style { quotes: Some(("“", "”")), ..strict },
        Style { python: true, ..strict },
        Style { bare_keys: true, trailing_commas: true, ..strict },
        Style { comments: true, ..strict },
        Style { camel_keys: true, ..strict },
        Style { everything_upper: true, ..strict },
        Style { numbers_as_text: true, ..strict },
        Style { plus_signs: true, ..strict },
        Style { no_commas: true, ..strict },
        Style { bare_words: true, ..strict },
        Style { objects_as_text: true, ..strict },
        Style { single_in_no_list: true, ..strict },
    ]
    .into_iter()
    .map(|style| style.print(value))
    .chain(locales(value))
    .chain(words(value))
}

/// With numbers as people write them, in strings.
fn locales(value: &Value) -> impl Iterator<Item = String> {
    [
        |number: &str| grouped(number, ",", "."),
        |number: &str| grouped(number, ".", ","),
        |number: &str| grouped(number, "\u{a0}", ","),
        |number: &str| grouped(number, "'", "."),
        |number: &str| grouped(number, "\u{202f}", ","),
        |number: &str| grouped(number, "_", "."),
        |number: &str| number.replace('.', ","),
        |number: &str| format!("{number}e0"),
        |number: &str| format!("{number}k"),
        |number: &str| format!("{number}/2"),
        |number: &str| format!("{number}-{number}"),
        |number: &str| format!("({number})"),
        |number: &str| format!("0{number}"),
        |number: &str| format!("{number} kg"),
        |number: &str| format!("{number}%"),
        |number: &str| format!("${number}"),
        |number: &str| format!("about {number}"),
        |number: &str| number.replace('-', "\u{2212}"),
    ]
    .into_iter()
    .map(|print| with_numbers(value, &print).to_string())
}

/// `1234.5` with separators between groups of three digits and another decimal mark.
fn grouped(number: &str, separator: &str, mark: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let (whole, fraction) =
        digits.split_once('.').map_or((digits, None), |(whole, rest)| (whole, Some(rest)));
    let bytes = whole.as_bytes();
    let groups: Vec<_> = bytes.rchunks(3).rev().map(|group| String::from_utf8_lossy(group)).collect();
    let fraction = fraction.map(|fraction| format!("{mark}{fraction}")).unwrap_or_default();
    format!("{sign}{}{fraction}", groups.join(separator))
}

fn with_numbers(value: &Value, print: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::Number(number) => Value::from(print(&number.to_string())),
        Value::Array(items) => items.iter().map(|item| with_numbers(item, print)).collect(),
        Value::Object(entries) => {
            entries.iter().map(|(key, value)| (key.clone(), with_numbers(value, print))).collect()
        }
        other => other.clone(),
    }
}

/// With strings in other cases, shortened, or joined differently: an allowed value may become
/// another one.
fn words(value: &Value) -> impl Iterator<Item = String> {
    [
        |word: &str| word.to_uppercase(),
        |word: &str| word.replace('_', " "),
        |word: &str| word.replace('_', "-"),
        |word: &str| word.trim_end_matches('-').to_owned() + "-",
    ]
    .into_iter()
    .filter_map(|print| with_words(value, &print))
}

/// Only if all strings are allowed values: other strings mean what the model writes.
fn with_words(value: &Value, print: &dyn Fn(&str) -> String) -> Option<String> {
    match value {
        Value::String(word) => ALLOWED.contains(&word.as_str()).then(|| json!(print(word)).to_string()),
        Value::Object(entries) => {
            let print = |value: &Value| match value {
                Value::String(_) => with_words(value, print),
                other => Some(other.to_string()),
            };
            let entries = entries.iter().map(|(key, value)| Some(format!("{:?}: {}", key, print(value)?)));
            Some(format!("{{{}}}", entries.collect::<Option<Vec<_>>>()?.join(", ")))
        }
        _ => None,
    }
}

/// Without brackets around the whole: lines of values, the list as bullets.
fn separated(value: &Value) -> impl Iterator<Item = String> {
    let items = value.as_array().cloned().unwrap_or_default();
    let lines = |before: fn(usize) -> String| {
        items.iter().enumerate().map(|(index, item)| before(index) + &item.to_string()).collect::<Vec<_>>()
    };
    [
        lines(|_| String::new()).join("\n"),
        lines(|_| "- ".to_owned()).join("\n"),
        lines(|index| format!("{}. ", index + 1)).join("\n"),
        lines(|index| format!("Row {}: ", index + 1)).join("\n"),
        lines(|_| "```json\n".to_owned()).join("\n```\nand\n") + "\n```",
        lines(|_| String::new()).join(" and then "),
        lines(|_| String::new()).join("\n\nAnother row:\n"),
        format!("Draft: {}\nFinal: {value}", items.first().unwrap_or_default()),
        format!("{}\nWait, all of them:\n{value}", items.first().unwrap_or_default()),
        lines(|_| String::new()).join(", "),
        format!("<think>\n{value}\nLet me check that it is"),
        format!("{value}\n\nChecking it: the decision is wron"),
    ]
    .into_iter()
    .filter(|reply| !reply.is_empty())
}
