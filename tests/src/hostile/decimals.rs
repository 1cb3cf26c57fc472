//! Decimals: the digits that are in a reply, or a violation; never other digits.

use std::{
    collections::{BTreeMap, BTreeSet},
    str::FromStr as _,
};

use extract::{
    BySchemars, Contract, Event, Extractable, Feedback,
    document::{Document, Grounded},
    partials::PartialStep,
    reading::{ChangeKind, Loss},
    settings::SchemaNotation,
    testing::{ScriptedAgent, block_on},
};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Returns the value of a reply; `None` if it has violations.
fn read<T: Extractable>(reply: &str) -> Option<T> {
    read_by(&Contract::of::<T>().unwrap(), reply)
}

fn read_by<T: Extractable>(contract: &Contract, reply: &str) -> Option<T> {
    let reading = contract.read(reply);
    let value = reading.value.filter(|_| reading.violations.is_empty())?;
    contract.validate(&value).is_empty().then(|| T::deserialize(&value).unwrap())
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
struct Line {
    price: Decimal,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
#[serde(tag = "kind")]
enum Payment {
    Cash { paid: Decimal },
    Card { paid: Option<Decimal>, last4: String },
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
#[serde(untagged)]
enum Rate {
    Flat(Decimal),
    Steps(Vec<Decimal>),
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
struct Everywhere {
    plain: Decimal,
    optional: Option<Decimal>,
    list: Vec<Decimal>,
    tuple: (String, Decimal),
    map: BTreeMap<String, Decimal>,
    payment: Payment,
    rate: Rate,
    #[serde(flatten)]
    line: Line,
}

/// Returns a reply with `number` in each position, and some text.
fn everywhere(number: &str) -> String {
    format!(
        r#"{{"plain": {number}, "optional": {number}, "list": [1, {number}], "tuple": ["a", {number}], "map": {{"k": {number}}}, "payment": {{"kind": "Cash", "paid": {number}}}, "rate": [{number}], "price": {number}}}"#
    )
}

fn in_each_place(value: Decimal) -> Everywhere {
    Everywhere {
        plain: value,
        optional: Some(value),
        list: vec![Decimal::from_str("1").unwrap(), value],
        tuple: ("a".to_owned(), value),
        map: BTreeMap::from([("k".to_owned(), value)]),
        payment: Payment::Cash { paid: value },
        rate: Rate::Steps(vec![value]),
        line: Line { price: value },
    }
}

/// `reply` as models write it: strict, with broken syntax, in prose, in a string.
fn renderings(reply: &str) -> Vec<String> {
    vec![
        reply.to_owned(),
        format!("Here it is:\n```json\n{reply}\n```\n"),
        format!("{},}}", reply.strip_suffix('}').unwrap()),
        json!(reply).to_string(),
        reply.replace('"', "\\\""),
    ]
}

/// Pseudorandom numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    fn digits(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(b'0' + u8::try_from(self.below(10)).unwrap())).collect()
    }

    /// A number of JSON without an exponent, around the limits of a decimal.
    fn number(&mut self) -> String {
        let sign = if self.below(3) == 0 { "-" } else { "" };
        let whole = self.below(31);
        let whole = match self.digits(whole).trim_start_matches('0') {
            "" => "0".to_owned(),
            whole => whole.to_owned(),
        };
        let places = self.below(31);
        let fraction = if places == 0 { String::new() } else { format!(".{}", self.digits(places)) };
        format!("{sign}{whole}{fraction}")
    }
}

#[test]
fn random_digits_are_kept_or_refused_wherever_they_are() {
    let contract = Contract::of::<Everywhere>().unwrap();
    let mut random = Random(0x0051_ED27_0B4D_1E55);
    let mut counts = [0, 0];
    for _ in 0..300 {
        let number = random.number();
        let wanted = Decimal::from_str_exact(&number).ok();
        for spelled in [number.clone(), format!("\"{number}\"")] {
            for reply in renderings(&everywhere(&spelled)) {
                let found = read_by::<Everywhere>(&contract, &reply);
                assert_eq!(found, wanted.map(in_each_place), "{number} in {reply}");
                counts[usize::from(found.is_some())] += 1;
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 300), "{counts:?}");
}

#[test]
fn zeros_at_the_end_and_exponents_are_kept_and_written_out() {
    for (number, expected) in [
        ("19.90", "19.90"),
        ("0.10", "0.10"),
        ("100", "100"),
        ("100.00", "100.00"),
        ("1e3", "1000"),
        ("1.5E+3", "1500"),
        ("-12.5e-4", "-0.00125"),
        ("12345678901234567.89", "12345678901234567.89"),
        ("79228162514264337593543950335", "79228162514264337593543950335"),
        ("0.1000000000000000055511151231", "0.1000000000000000055511151231"),
    ] {
        for reply in [number.to_owned(), format!("```\n{number}\n```")] {
            assert_eq!(
                read::<Decimal>(&reply).map(|value| value.to_string()),
                Some(expected.to_owned()),
                "{reply}"
            );
        }
        let list = read::<Vec<Decimal>>(&format!("[{number},]")).unwrap();
        assert_eq!(list[0].to_string(), expected);
    }
}

#[test]
fn other_notations_of_a_number_are_that_number() {
    for (number, expected) in [
        ("+5.25", Some("5.25")),
        ("1_000.5", Some("1000.5")),
        (".5", Some("0.5")),
        ("\u{2212}1.5", Some("-1.5")),
        ("\"1,250.00\"", Some("1250.00")),
        ("\"12345678901234567,890.5\"", None),
        ("\"12,345,678,901,234,567.89\"", Some("12345678901234567.89")),
        ("\"1.250,00\"", Some("1250.00")),
        ("\"1.5e3\"", Some("1500")),
        ("\"1,250\"", None),
        ("\"12 EUR\"", None),
        ("\"\"", None),
        ("true", None),
        ("NaN", None),
    ] {
        let reply = format!("{{price: {number}}}");
        let found = read::<Line>(&reply).map(|line| line.price.to_string());
        assert_eq!(found.as_deref(), expected, "{reply}");
    }
}

#[test]
fn what_a_decimal_cannot_hold_is_a_violation_that_says_so() {
    for number in [
        "79228162514264337593543950336",
        "-79228162514264337593543950336",
        "7.9228162514264337593543950336",
        "0.00000000000000000000000000001",
        "1e29",
        "1e-29",
        "1e300",
        "1e999",
        "1e-999",
        "1e999999999999999999999",
        &"9".repeat(1_000),
        &format!("0.{}", "1".repeat(1_000)),
    ] {
        for spelled in [number.to_owned(), format!("\"{number}\"")] {
            let contract = Contract::of::<Line>().unwrap();
            let reading = contract.read(&format!("{{\"price\": {spelled}}}"));
            let violations = contract.validate(&reading.value.unwrap());
            let [only] = &violations[..] else { panic!("{spelled} {violations:?}") };
            assert_eq!(only.path.to_string(), "$.price");
            if !number.contains('e') {
                assert_eq!(only.message, "more digits than can be kept", "{spelled}");
                assert!(only.expected.as_deref().unwrap().contains("79228162514264337593543950335"));
            }
        }
    }
}

#[test]
fn a_value_that_was_not_read_is_judged_by_its_digits() {
    let contract = Contract::of::<Line>().unwrap();
    for (price, is_valid) in [
        (json!(19.9), true),
        (json!("19.90"), true),
        (json!(1e-28), true),
        (json!(1e-29), false),
        (json!(7.9e28), true),
        (json!(7.922_816_251_426_434e28), false),
        (json!("0.00000000000000000000000000001"), false),
        (json!("abc"), false),
    ] {
        assert_eq!(contract.validate(&json!({ "price": price })).is_empty(), is_valid, "{price}");
    }
}

#[test]
fn the_receipt_has_a_lossless_change_for_each_number() {
    let contract = Contract::of::<Vec<Decimal>>().unwrap();
    let reading = contract.read("[19.90, 20, \"1.0\", -0.5]");
    assert_eq!(reading.value, Some(json!(["19.90", 20, "1.0", "-0.5"])));
    let changes: Vec<_> = reading
        .changes
        .iter()
        .map(|change| (change.path.to_string(), change.kind, change.loss, &*change.before, &*change.after))
        .collect();
    assert_eq!(
        changes,
        [
            ("$[0]".to_owned(), ChangeKind::Number, Loss::Lossless, "19.90", "\"19.90\""),
            ("$[3]".to_owned(), ChangeKind::Number, Loss::Lossless, "-0.5", "\"-0.5\""),
        ]
    );
}

#[test]
fn agents_do_not_see_the_mark() {
    #[derive(Debug, Deserialize, Extractable)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct Keys {
        by_price: BTreeMap<Decimal, u8>,
    }
    for contract in [Contract::of::<Everywhere>().unwrap(), Contract::of::<Keys>().unwrap()] {
        assert!(contract.schema().to_string().contains("x-decimal"));
        for notation in [SchemaNotation::Types, SchemaNotation::JsonSchema, SchemaNotation::Outline] {
            assert!(!contract.written_as(notation).contains("x-decimal"));
        }
    }
}

/// serde takes the first variant that reads the value.
#[test]
fn a_variant_before_a_double_gets_all_digits() {
    #[derive(Debug, Deserialize, Extractable)]
    #[serde(untagged)]
    #[allow(dead_code, reason = "it is printed")]
    enum Amount {
        Exact(Decimal),
        About(f64),
        Text(String),
    }
    for (number, expected) in [
        ("12345678901234567.89", "12345678901234567.89"),
        ("12345678901234567890123", "12345678901234567890123"),
        ("0.5", "0.5"),
    ] {
        for reply in [format!("[{number}]"), format!("[{number},]")] {
            let found = read::<Vec<Amount>>(&reply).unwrap();
            let Amount::Exact(value) = &found[0] else { panic!("{found:?}") };
            assert_eq!(value.to_string(), expected, "{reply}");
        }
    }
}

/// `schemars` writes the type as numbers or strings of a pattern.
#[test]
fn a_decimal_by_schemars_keeps_its_digits() {
    #[derive(Debug, Deserialize)]
    struct Price(Decimal);

    impl schemars::JsonSchema for Price {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Price".into()
        }

        fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
            schemars::json_schema!({"type": ["string", "number"], "pattern": r"^-?\d+(\.\d+)?([eE]\d+)?$"})
        }
    }

    let found = read::<Vec<BySchemars<Price>>>("[12345678901234567.89, 1e3, \"19.90\"]").unwrap();
    let found: Vec<_> = found.into_iter().map(|price| price.0.0.to_string()).collect();
    assert_eq!(found, ["12345678901234567.89", "1000", "19.90"]);
    assert!(read::<BySchemars<Price>>("0.00000000000000000000000000001").is_none());
}

/// Equal keys would be one entry of the map.
#[test]
fn keys_that_are_equal_have_one_spelling() {
    let found = read::<BTreeMap<Decimal, u8>>(r#"{"0.5": 1, "12345678901234567.89": 2, "-3": 3}"#).unwrap();
    assert_eq!(found.len(), 3);
    assert_eq!(found[&Decimal::from_str("12345678901234567.89").unwrap()], 2);
    assert_eq!(read::<BTreeMap<Decimal, u8>>(r#"{"0.5": 1, "0.50": 2}"#), None);
    assert_eq!(read::<BTreeMap<Decimal, u8>>(r#"{"0.50": 2}"#), None);
    let set = read::<BTreeSet<Decimal>>("[0.5, 0.25]").unwrap();
    assert_eq!(set.len(), 2);
}

#[test]
fn a_schema_without_decimals_is_read_as_before() {
    for schema in [json!({"type": ["string", "number"]}), json!({"type": "number"}), json!({})] {
        let contract = Contract::from_schema(json!({"properties": {"a": schema}})).unwrap();
        let reading = contract.read("{\"a\": 19.90}");
        assert_eq!((reading.value, reading.changes), (Some(json!({"a": 19.9})), vec![]));
    }
}

/// One delta for each character.
fn letters(text: &str) -> Vec<String> {
    text.chars().map(String::from).collect()
}

const LINES: &str = r#"[{"price": 12345678901234567.89}, {"price": "0.10"}, {"price": 19.90}, {"price": 7}]"#;

#[test]
fn items_come_while_they_stream_in_with_their_digits() {
    for reply in [LINES.to_owned(), LINES.replace("7}", "7,}"), LINES.replace("{\"price\"", "{price")] {
        let agent = ScriptedAgent::new([reply.clone()]).streaming(letters(&reply));
        let mut items = Vec::<Line>::extract(&agent, "…").items();
        let prices = block_on(async {
            let mut prices = Vec::new();
            while let Some(item) = items.next().await {
                prices.push(item.unwrap().value.price.to_string());
            }
            prices
        });
        assert_eq!(prices, ["12345678901234567.89", "0.10", "19.90", "7"], "{reply}");
    }
}

#[test]
fn a_stream_shows_the_digits_of_the_final_value() {
    for reply in [LINES.to_owned(), LINES.replace("7}", "7,}"), format!("{{{LINES}").replace("{[", "[")] {
        let agent = ScriptedAgent::new([reply.clone()]).streaming(letters(&reply));
        let mut stream = Vec::<Line>::extract(&agent, "…").partials();
        let shown = block_on(async {
            let mut shown = Vec::new();
            while let Some(step) = stream.next().await {
                match step.unwrap() {
                    PartialStep::Partial(partial) => shown.push(partial.get("/0/price").unwrap_or_default()),
                    PartialStep::Finished(lines, _) => shown.push(json!(lines[0].price.to_string())),
                    other => panic!("{other:?}"),
                }
            }
            shown.dedup();
            shown
        });
        assert_eq!(shown, [json!(null), json!("12345678901234567.89")], "{reply}");
    }
}

#[test]
fn a_patch_does_not_round() {
    let patch = |value: &str| format!(r#"[{{"op": "replace", "path": "/price", "value": {value}}}]"#);
    for (value, expected) in [
        ("12345678901234567.89", vec!["PATCH"]),
        ("\"12345678901234567.89\"", vec![]),
        ("19.90", vec![]),
        ("1e-30", vec!["INVALID_VALUE"]),
    ] {
        let replies =
            [r#"{"price": "x"}"#.to_owned(), patch(value), r#"{"price": 12345678901234567.89}"#.to_owned()];
        let agent = ScriptedAgent::new(replies);
        let mut codes = Vec::new();
        let asked = Line::extract(&agent, "…").feedback(Feedback::Patch).observe(|event| {
            if let Event::Judged { record, .. } = event {
                codes.push(
                    record.violations.iter().map(|one| one.code.as_str().to_owned()).collect::<Vec<_>>(),
                );
            }
        });
        let (line, metrics) = block_on(asked).unwrap();
        let is_taken = expected.is_empty();
        assert_eq!(metrics.attempts, if is_taken { 2 } else { 3 }, "{value}");
        assert_eq!(codes[1].first().map(String::as_str), expected.first().copied(), "{value} {codes:?}");
        let price = if is_taken { value.trim_matches('"') } else { "12345678901234567.89" };
        assert_eq!(line.price, Decimal::from_str_exact(price).unwrap(), "{value}");
    }
}

/// The document writes the number in another form.
#[test]
fn a_decimal_is_looked_up_in_its_quote_as_a_number() {
    #[derive(Debug, Deserialize, Extractable)]
    struct Invoice {
        total: Option<Grounded<Decimal>>,
    }
    let document = Document::from_text("Rechnung vom 3. Mai: 1.250,50 EUR, bitte bald.");
    for (total, codes) in [
        ("1250.50", &[][..]),
        ("\"1250.5\"", &[]),
        ("1250.51", &["NOT_IN_QUOTE"]),
        ("\"1300\"", &["NOT_IN_QUOTE"]),
    ] {
        let reply = format!(r#"{{"total": {{"value": {total}, "quote": "1.250,50 EUR"}}}}"#);
        let agent = ScriptedAgent::new([reply]);
        let asked = Invoice::extract(&agent, "…").document(&document).max_attempts(1);
        let found: Vec<_> = match block_on(asked) {
            Ok((invoice, _)) => {
                assert_eq!(
                    invoice.total.unwrap().value,
                    Decimal::from_str_exact(total.trim_matches('"')).unwrap()
                );
                Vec::new()
            }
            Err(error) => {
                error.history()[0].violations.iter().map(|one| one.code.as_str().to_owned()).collect()
            }
        };
        assert_eq!(found, codes, "{total}");
    }
    let located = document.locate(&json!({"total": "1250.50", "other": "1250.51"}));
    let found: Vec<_> = located.found().iter().map(|leaf| &document.text()[leaf.span().range()]).collect();
    assert_eq!(found, ["1.250,50"]);
}
