//! The judgement of a reply by its text alone.

use serde::de::DeserializeOwned;

use super::{CompiledContract, Contract};
use crate::reading::{ReadingOptions, TextChecker};

impl Contract {
    /// Returns the value of `reply` if that is known to be a value alone that satisfies the schema,
    /// and that neither reading nor the judgement of quotes would change. Takes a fraction of the
    /// time of both. If not, nothing is known.
    pub(crate) fn read_conforming<T: DeserializeOwned>(
        &self,
        reply: &str,
        options: &ReadingOptions,
    ) -> Option<T> {
        let CompiledContract { schema, shapes, text_checker, is_sensitive, has_quotes, .. } = &*self.inner;
        if *is_sensitive || *has_quotes {
            return None;
        }
        let checker = text_checker.get_or_init(|| TextChecker::compile(schema, shapes));
        checker.as_ref()?.read(reply, shapes, options)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::{Deserialize, de::IgnoredAny};
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::reading::ReplyEnd;

    /// A deterministic pseudorandom generator (Knuth's MMIX).
    struct Random(u64);

    impl Random {
        fn below(&mut self, most: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % most
        }

        fn pick<T: Clone>(&mut self, all: &[T]) -> T {
            all[self.below(all.len())].clone()
        }

        fn key(&mut self) -> String {
            self.pick(&["a", "b", "c", "home_town", "string"]).to_owned()
        }

        /// A schema, mostly of the keywords that are checked in the text.
        fn schema(&mut self, depth: usize) -> Value {
            match self.below(if depth == 0 { 8 } else { 14 }) {
                0 => json!({"type": "string"}),
                1 => json!({"type": ["string", "null"], "maxLength": self.below(4)}),
                2 => json!({"type": "integer", "minimum": self.below(3)}),
                3 => self.pick(&[
                    json!({"type": "number", "exclusiveMaximum": 2}),
                    json!({"type": "number", "minimum": 1, "maximum": 2}),
                    json!({"enum": [1, 1.5]}),
                    json!({"type": "string", "minLength": 2, "maxLength": 3}),
                ]),
                4 => json!({"enum": ["ab", "null", 1, null], "description": "one"}),
                5 => json!({"type": "string", "pattern": "^a"}),
                6 => json!({"type": "boolean"}),
                7 => self.pick(&[
                    json!({"$ref": "#/$defs/Date"}),
                    json!({"$ref": "#/$defs/Date", "maxLength": 3}),
                    json!({"type": ["integer", "string"], "x-decimal": true}),
                    json!({"const": "ab", "enum": ["ab", 1]}),
                    json!({"anyOf": [{"const": "a"}, {"type": "string", "x-other": true}]}),
                    json!(true),
                ]),
                8 | 9 => json!({"type": "array", "items": self.schema(depth - 1), "maxItems": 2}),
                10 => json!({"anyOf": [self.schema(depth - 1), {"type": "null"}]}),
                11 => json!({"oneOf": [{"type": "null"}, self.schema(depth - 1)]}),
                _ => self.object(depth - 1),
            }
        }

        fn object(&mut self, depth: usize) -> Value {
            let properties: Map<String, Value> = (0..4).map(|_| (self.key(), self.schema(depth))).collect();
            let required: Vec<&String> = properties.keys().filter(|_| self.below(3) > 0).collect();
            let mut schema = json!({"type": "object", "properties": properties, "required": required});
            match self.below(12) {
                0 => schema["additionalProperties"] = json!(self.below(2) == 0),
                1 => schema["additionalProperties"] = self.schema(0),
                2 => schema["minProperties"] = json!(2),
                _ => {}
            }
            schema
        }

        /// The JSON of a value that `schema` mostly allows, with mistakes and odd spellings.
        fn text(&mut self, schema: &Value) -> String {
            let strings = [
                "ab",
                "a",
                "null",
                "2024-05-01",
                "<name>",
                "string",
                "a\\u0008",
                "a\\u00e9",
                "a\\\"",
                "",
                "éö",
                "abcdefghij",
                "a\tb",
                "\\ud800",
                "\\x",
            ];
            if self.below(30) == 0 {
                return self
                    .pick(&["null", "1.0", "-1", "[]", "{}", "1e400", "12345678901234567890123", "01"])
                    .to_owned();
            }
            let parts = ["anyOf", "oneOf"].iter().find_map(|name| schema[*name].as_array());
            if let Some(parts) = parts {
                let part = self.pick(parts);
                return self.text(&part);
            }
            if let Some(listed) = schema["enum"].as_array() {
                return self.pick(listed).to_string();
            }
            let kind = match &schema["type"] {
                Value::Array(kinds) => self.pick(kinds),
                kind => kind.clone(),
            };
            match kind.as_str().unwrap_or("string") {
                "null" => "null".to_owned(),
                "boolean" => "true".to_owned(),
                "integer" => self.below(4).to_string(),
                "number" => {
                    let numbers = [
                        "1",
                        "1.5",
                        "-2.25e0",
                        "0.1234567890123456789",
                        "1.0",
                        "0.5",
                        "-0",
                        "2",
                        "2.5",
                        "1.",
                    ];
                    self.pick(&numbers).to_owned()
                }
                "array" => {
                    let items: Vec<_> = (0..self.below(4)).map(|_| self.text(&schema["items"])).collect();
                    format!("[{}]", items.join(", "))
                }
                "object" => {
                    let mut entries = Vec::new();
                    for (key, schema) in schema["properties"].as_object().into_iter().flatten() {
                        for _ in 0..self.pick(&[1, 1, 1, 1, 1, 1, 1, 1, 0, 2]) {
                            let key = match self.below(80) {
                                0 => "homeTown",
                                1 => &key.replacen('a', "\\u0061", 1),
                                _ => key,
                            };
                            entries.push(format!("\"{key}\": {}", self.text(schema)));
                        }
                    }
                    if self.below(4) == 0 {
                        entries.reverse();
                    }
                    format!("{{{}}}", entries.join(","))
                }
                _ => format!("\"{}\"", self.pick(&strings)),
            }
        }
    }

    #[test]
    fn a_text_that_satisfies_the_contract_is_read_as_it_is_and_valid() {
        let mut random = Random(5);
        let (mut by_text, mut conforming) = (0, 0);
        for _ in 0..400 {
            let mut schema = random.object(3);
            schema["$defs"] = json!({"Date": {"type": "string", "format": "date"}});
            let contract = Contract::from_schema(schema.clone()).unwrap();
            for _ in 0..30 {
                let text = random.text(&schema) + random.pick(&["", "", "", " ", "\n", ",", " Done."]);
                let options = ReadingOptions { reply_end: ReplyEnd::Whole, ..ReadingOptions::default() };
                let reading = contract.read_with(&text, &options);
                let read = reading.value.filter(|value| contract.allows(value));
                let is_read = reading.changes.is_empty() && reading.violations.is_empty() && read.is_some();
                let by_pass: Option<Value> = contract.read_conforming(&text, &options);
                let has_checker = contract.inner.text_checker.get().is_some_and(Option::is_some);
                conforming += usize::from(is_read && has_checker);
                assert_eq!(
                    contract.read_conforming::<IgnoredAny>(&text, &options).is_some(),
                    by_pass.is_some(),
                    "{schema} {text}"
                );
                if by_pass.is_some() {
                    by_text += 1;
                    assert!(is_read, "{schema} {text}");
                    assert_eq!(read, by_pass, "{schema} {text}");
                    assert_eq!(read, serde_json::from_str(&text).unwrap(), "{schema} {text}");
                }
            }
        }
        // Neither is the test empty, nor does the fast path miss most of what it could take.
        assert!(by_text > 200 && 4 * by_text > 3 * conforming, "{by_text} of {conforming}");
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Goods,
        Service,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Newtype(i16);

    #[derive(Debug, PartialEq, Deserialize)]
    struct Inner {
        byte: u8,
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Part {
        low: f32,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Typed {
        text: String,
        sign: char,
        kind: Kind,
        wide: i128,
        double: f64,
        pair: (Newtype, bool),
        optional: Option<u64>,
        list: Vec<Option<Kind>>,
        part: Part,
        json: Value,
        #[serde(default)]
        nothing: (),
        #[serde(skip)]
        skipped: u8,
        #[serde(flatten)]
        inner: Inner,
    }

    #[test]
    fn a_typed_value_is_the_one_that_serde_json_reads() {
        let of = |kind: &str| json!({"type": kind});
        let kind = json!({"enum": ["goods", "service", null]});
        let ignored = json!({"type": "array", "items": of("integer")});
        let part = json!({"type": "object", "properties": {"low": of("number"), "ignored": ignored}});
        let properties = json!({
            "text": of("string"), "sign": of("string"), "kind": kind, "wide": of("integer"),
            "double": of("number"), "pair": {"type": "array", "items": {"type": ["integer", "boolean"]}},
            "optional": {"type": ["integer", "null"]}, "list": {"type": "array", "items": kind},
            "json": {"type": "array", "items": of("number")}, "nothing": of("null"), "byte": of("integer"),
            "high": of("number"), "part": part,
        });
        let contract = Contract::from_schema(json!({"type": "object", "properties": properties})).unwrap();
        let members = [
            ("text", &["\"ab\"", "\"a\\u00e9\\\"\"", "\"\"", "1"][..]),
            ("sign", &["\"a\"", "\"\\u00e9\"", "\"ab\""]),
            ("kind", &["\"goods\"", "\"serv\\u0069ce\"", "\"other\"", "null", "{\"goods\": null}"]),
            ("wide", &["1", "-7", "18446744073709551615", "-9223372036854775808", "18446744073709551616"]),
            (
                "double",
                &["1", "-0", "-0.0", "2.50", "0.1", "1e3", "1.7976931348623157e308", "3.0000000000000004"],
            ),
            ("pair", &["[1,true]", "[ -7 , false ]", "[1]", "[1,true,2]", "[]", "[40000,true]", "[1,true"]),
            ("optional", &["null", "3", "-3", "3.0", "9007199254740993"]),
            ("list", &["[]", "[ ]", "[\"goods\",null]", "[\"goods\",]", "[,]"]),
            ("json", &["[1,1.0,-0.0,2.50,1e2,12345678901234567890]", "[]"]),
            ("nothing", &["null", "[]"]),
            ("byte", &["255", "256", "-1", "1e2"]),
            ("high", &["1.00000001", "3.4028235e38"]),
            (
                "part",
                &[
                    "{\"low\":0.1,\"ignored\":[1]}",
                    "{\"low\":16777217}",
                    "{\"low\":1e39}",
                    "{\"ignored\":[1,{}],\"low\":1}",
                    "{\"low\":1,\"ignored\":[]}",
                    "{\"low\":1,\"low\":2}",
                    "[0.1]",
                ],
            ),
        ];
        let mut random = Random(3);
        let (mut read, mut by_serde) = (0, 0);
        for _ in 0..20_000 {
            let members = members.iter().map(|(name, values)| {
                let value = if random.below(4) > 0 { values[0] } else { values[random.below(values.len())] };
                format!("\"{name}\":{}{value}", if random.below(3) == 0 { " " } else { "" })
            });
            let mut members: Vec<_> = members.collect();
            if random.below(8) == 0 {
                members.remove(random.below(members.len()));
            }
            let text = format!("{{{}}}", members.join(","));
            let theirs = serde_json::from_str::<Typed>(&text).ok();
            let ours = contract.read_conforming::<Typed>(&text, &ReadingOptions::default());
            by_serde += usize::from(theirs.is_some());
            if let Some(ours) = ours {
                read += 1;
                let (ours, theirs) = (format!("{ours:?}"), format!("{:?}", theirs.unwrap()));
                assert_eq!(ours, theirs, "{text}");
            }
        }
        assert!(read > 500 && 2 * read > by_serde, "{read} of {by_serde}");
    }

    #[test]
    fn what_needs_a_closer_look_is_not_judged_by_its_text() {
        let lists = json!({"type": "array", "items": {"$ref": "#"}, "maxItems": 1});
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        let is_satisfied = |schema: &Value, text: &str, options: ReadingOptions| {
            let contract = Contract::from_schema(schema.clone()).unwrap();
            contract.read_conforming::<IgnoredAny>(text, &options).is_some()
        };
        let all = ReadingOptions::default();
        assert!(is_satisfied(&lists, &nested(100), all));
        assert!(!is_satisfied(&lists, &nested(100), all.max_depth(99)));
        assert!(!is_satisfied(&lists, &nested(100_000), all));
        assert!(!is_satisfied(&lists, "[[]]", all.max_bytes(3)));
        assert!(!is_satisfied(&lists, "[[]]", ReadingOptions { reply_end: ReplyEnd::Cut, ..all }));
        let of = |schema: Value| json!({"type": "array", "items": schema});
        let marked = of(json!({"type": "string", "x-sensitive": true}));
        let plain = of(json!({"type": "string"}));
        assert!(is_satisfied(&plain, "[\"ab\"]", all) && !is_satisfied(&marked, "[\"ab\"]", all));
        assert!(!is_satisfied(&json!({"type": "string"}), "\"ab\"", all));
        let optional = of(json!({"anyOf": [{"type": "string", "minLength": 2}, {"type": "null"}]}));
        assert!(
            is_satisfied(&optional, "[null]", all)
                && is_satisfied(&optional, "[\"null\"]", all.keep_null_strings(true))
        );
        assert!(!is_satisfied(&optional, "[\"null\"]", all) && !is_satisfied(&optional, "[\"a\"]", all));
    }
}
