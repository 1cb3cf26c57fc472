//! Pseudorandom values, schemas and damage, the same in every run.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

/// A generator of numbers (splitmix64), so that a failure can be repeated.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((x ^ (x >> 31)) % bound as u64).unwrap()
    }

    pub(crate) fn one_of<T: Copy>(&mut self, options: &[T]) -> T {
        options[self.below(options.len())]
    }

    /// A text of pieces that look like JSON, prose or trouble.
    pub(crate) fn text(&mut self) -> String {
        const PIECES: [&str; 24] = [
            "a", "Chair", " ", "größe", ",", ":", "{", "}", "[", "]", "\"", "'", "\\", "\n", "\t", "12",
            "null", "😀", "/", "//", "#", "…", "“", "```",
        ];
        (0..self.below(6)).map(|_| self.one_of(&PIECES)).collect()
    }

    /// Returns words as in prose.
    pub(crate) fn words(&mut self) -> String {
        const WORDS: [&str; 6] = ["Chair", "red", "of the", "Größe", "it's", "B-12"];
        (0..=self.below(3)).map(|_| self.one_of(&WORDS)).collect::<Vec<_>>().join(" ")
    }

    /// A schema and a value that satisfies it.
    pub(crate) fn schema_and_value(&mut self, depth: usize, text: fn(&mut Self) -> String) -> (Value, Value) {
        match self.below(if depth == 0 { 6 } else { 8 }) {
            0 => (json!({"type": "string"}), Value::from(text(self))),
            1 => (json!({"type": "integer"}), Value::from(self.below(100_000))),
            2 => (
                json!({"type": "number"}),
                json!(f64::from(u32::try_from(self.below(1000)).unwrap()) / 4.0 + 0.125),
            ),
            3 => (json!({"type": "boolean"}), Value::from(self.below(2) == 0)),
            4 => (
                json!({"enum": ["in_progress", "done", "B-12"]}),
                json!(self.one_of(&["in_progress", "done", "B-12"])),
            ),
            5 => (
                json!({"type": ["string", "null"]}),
                if self.below(2) == 0 { Value::Null } else { json!(text(self)) },
            ),
            6 => {
                let (item, value) = self.schema_and_value(depth - 1, text);
                (json!({"type": "array", "items": item}), Value::from(vec![value; self.below(4)]))
            }
            _ => self.object(depth - 1, text),
        }
    }

    /// A schema of an object and a value that satisfies it.
    pub(crate) fn object(&mut self, depth: usize, text: fn(&mut Self) -> String) -> (Value, Value) {
        const NAMES: [&str; 6] = ["invoice_number", "total", "lines", "kind", "remarks", "id"];
        let (mut properties, mut value) = (Map::new(), Map::new());
        for name in NAMES.iter().take(1 + self.below(NAMES.len())) {
            let (schema, found) = self.schema_and_value(depth, text);
            properties.insert((*name).to_owned(), schema);
            value.insert((*name).to_owned(), found);
        }
        let required: Vec<_> = properties.keys().cloned().collect();
        (json!({"type": "object", "properties": properties, "required": required}), Value::Object(value))
    }
}

/// How a value is printed; the default is strict JSON.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is one kind of damage")]
pub(crate) struct Style {
    pub(crate) quotes: Option<(&'static str, &'static str)>,
    pub(crate) bare_keys: bool,
    pub(crate) bare_words: bool,
    pub(crate) python: bool,
    pub(crate) trailing_commas: bool,
    pub(crate) leading_commas: bool,
    pub(crate) no_commas: bool,
    pub(crate) no_colons: bool,
    pub(crate) comments: bool,
    pub(crate) doubled_braces: bool,
    pub(crate) raw_controls: bool,
    pub(crate) camel_keys: bool,
    pub(crate) numbers_as_text: bool,
    pub(crate) everything_upper: bool,
    pub(crate) plus_signs: bool,
    pub(crate) hexadecimal: bool,
    pub(crate) strange_space: bool,
    pub(crate) single_in_no_list: bool,
    pub(crate) objects_as_text: bool,
}

impl Style {
    pub(crate) fn print(&self, value: &Value) -> String {
        let mut text = String::new();
        self.write(value, &mut text, false);
        text
    }

    fn write(&self, value: &Value, out: &mut String, is_inside: bool) {
        match value {
            Value::Null => out.push_str(if self.python { "None" } else { "null" }),
            Value::Bool(is_true) => out.push_str(match (self.python, is_true) {
                (true, true) => "True",
                (true, false) => "False",
                (false, true) => "true",
                (false, false) => "false",
            }),
            Value::Number(number) if self.numbers_as_text => {
                let text = number.to_string();
                // Three digits after the only dot may be a group.
                let zero =
                    if text.split_once('.').is_some_and(|(_, rest)| rest.len() == 3) { "0" } else { "" };
                *out += &["\"", &text, zero, "\""].concat();
            }
            Value::Number(number) if self.hexadecimal && number.is_u64() => {
                write!(out, "{:#x}", number.as_u64().unwrap()).unwrap();
            }
            Value::Number(number) if self.plus_signs => write!(out, "+{number}").unwrap(),
            Value::Number(number) => out.push_str(&number.to_string()),
            Value::String(text) if self.bare_words && !text.is_empty() => out.push_str(text),
            Value::String(text) => self.write_text(text, out),
            Value::Array(items) if self.single_in_no_list && items.len() == 1 && !items[0].is_array() => {
                self.write(&items[0], out, true);
            }
            Value::Array(items) => {
                self.write_all(out, "[", "]", items, |item, out| self.write(item, out, true));
            }
            Value::Object(_) if self.objects_as_text && is_inside => {
                out.push_str(&json!(value.to_string()).to_string());
            }
            Value::Object(entries) => {
                let (open, close) = if self.doubled_braces { ("{{", "}}") } else { ("{", "}") };
                let entries: Vec<_> = entries.iter().collect();
                self.write_all(out, open, close, &entries, |(key, value), out| {
                    self.write_key(key, out);
                    out.push_str(if self.no_colons { " " } else { ": " });
                    self.write(value, out, true);
                });
            }
        }
    }

    fn write_all<T>(
        &self,
        out: &mut String,
        open: &str,
        close: &str,
        all: &[T],
        write: impl Fn(&T, &mut String),
    ) {
        out.push_str(open);
        if self.leading_commas && !all.is_empty() {
            out.push(',');
        }
        if self.comments {
            out.push_str("/* all, of {it} */");
        }
        for (index, one) in all.iter().enumerate() {
            if index > 0 {
                out.push_str(if self.no_commas { "\n" } else { ", " });
            }
            if self.strange_space {
                out.push_str("\u{a0}\u{200b}");
            }
            write(one, out);
        }
        if self.trailing_commas && !all.is_empty() {
            out.push(',');
        }
        if self.comments {
            out.push_str("\n// that's all\n");
        }
        out.push_str(close);
    }

    fn write_key(&self, key: &str, out: &mut String) {
        let mut key = key.to_owned();
        if self.camel_keys {
            let mut words = key.split('_');
            let first = words.next().unwrap_or_default().to_owned();
            key = words.fold(first, |key, word| key + &word[..1].to_uppercase() + &word[1..]);
        }
        if self.everything_upper {
            key = key.to_uppercase();
        }
        if self.bare_keys { out.push_str(&key) } else { self.write_text(&key, out) }
    }

    fn write_text(&self, text: &str, out: &mut String) {
        let (open, close) = self.quotes.unwrap_or(("\"", "\""));
        let printed = Value::from(text).to_string();
        let mut inside = printed[1..printed.len() - 1].to_owned();
        if self.quotes.is_some() {
            inside = inside.replace('\'', "\\'");
        }
        if self.raw_controls {
            inside = inside.replace("\\n", "\n").replace("\\t", "\t");
        }
        out.push_str(open);
        out.push_str(&inside);
        out.push_str(close);
    }
}
