//! Types of other crates, each with a feature.

use std::collections::BTreeMap;

use extract::Extractable;
use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::oracle::{Stricter, check, check_but_for, validator};

/// Panics unless the schema and serde accept each of `good` and neither accepts any of `bad`, and
/// the schema's example is good.
fn agree<T: Extractable>(good: &[&str], bad: &[&str]) {
    let check =
        |texts: &[&str]| check_but_for::<T>(&[Stricter::Spelling], texts.iter().map(|text| json!(text)));
    assert_eq!(check(good), good.len());
    assert_eq!(check(bad), 0);
    assert!(validator::<T>().is_valid(&T::example()), "{}", T::example());
    assert!(T::deserialize(&T::example()).is_ok(), "{}", T::example());
}

#[test]
fn chrono() {
    use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc, Weekday};
    agree::<Weekday>(&["Mon", "Sun"], &["Moon", ""]);
    assert!(check::<BTreeMap<String, Weekday>>([json!({ "a": "Tue" })]) > 0);
    agree::<NaiveDate>(&["2024-02-29"], &["2023-02-29", "29.2.2024", ""]);
    agree::<NaiveTime>(&["23:59:59", "00:00:00.5"], &["24:00:00", "noon"]);
    agree::<NaiveDateTime>(&["2024-02-29T23:59:59", "2024-02-29T23:59:59.123"], &["2024-02-29", "x"]);
    agree::<DateTime<Utc>>(
        &["2024-02-29T23:59:59Z", "2024-02-29T23:59:59.5+01:00"],
        &["2024-02-29T23:59:59"],
    );
    agree::<DateTime<FixedOffset>>(&["2024-02-29T23:59:59+01:00"], &["2024-02-29"]);
}

#[test]
fn jiff() {
    use jiff::{
        SignedDuration, Span, Timestamp,
        civil::{Date, DateTime, Time},
    };
    agree::<Timestamp>(&["2024-02-29T23:59:59Z"], &["2024-02-29T23:59:59", "x"]);
    agree::<Date>(&["2024-02-29"], &["2023-02-29", "x"]);
    agree::<Time>(&["23:59:59", "00:00:00.5"], &["24:00:00", "noon"]);
    agree::<DateTime>(&["2024-02-29T23:59:59"], &["x"]);
    agree::<Span>(
        &["P1DT2H", "PT5M", "-P1D", "P1Y2M3W4DT5H6M7.5S", "P2W", "PT0.000000001S"],
        &["P", "PT", "P1DT", "5 x", "P1D2Y", "PT1S2M"],
    );
    agree::<SignedDuration>(&["PT5M", "-PT2S", "PT2.5S", "PT1H0.25S"], &["P", "PT", "P1D"]);
}

#[test]
fn time() {
    use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time, Weekday};
    agree::<Weekday>(&["Monday", "Sunday"], &["Moonday", ""]);
    agree::<Month>(&["January", "December"], &["Brumaire", ""]);
    agree::<Date>(&["2024-02-29"], &["2023-02-29", "x"]);
    agree::<Time>(&["23:59:59.0"], &["24:00:00.0", "noon"]);
    agree::<PrimitiveDateTime>(&["2024-02-29 23:59:59.5"], &["2024-02-29T23:59:59", "x"]);
    agree::<OffsetDateTime>(&["2024-02-29 23:59:59.5 +01:00:00"], &["2024-02-29 23:59:59.5", "x"]);
}

#[test]
fn uuid_url_and_version() {
    agree::<uuid::Uuid>(&["67e55044-10b1-426f-9247-bb680e5fe0c8"], &["67e55044", "x"]);
    agree::<url::Url>(&["https://example.com/a?b=c#d", "mailto:a@example.com"], &["example.com", "/a", ""]);
    agree::<semver::Version>(&["1.2.3", "1.0.0-rc.1+build.5"], &["1.2", "v1.2.3", "01.0.0"]);
    let requirements = ["^1.2", ">=1.2, <3", "*", "1", "x", "=1.2.3-rc.1, <2", "y", ">>1", "1.2-a", "1.2.3-"];
    assert!(check::<semver::VersionReq>(requirements.map(|text| json!(text))) > 5);
    assert!(validator::<semver::VersionReq>().is_valid(&json!("=1.2.3-rc.1, <2")));
}

#[test]
fn decimal() {
    let strings = [
        "1.50",
        "-0.01",
        "12",
        "79228162514264337593543950335",
        "79228162514264337593543950336",
        "7.9228162514264337593543950336",
        "0.0000000000000000000000000001",
        "0.00000000000000000000000000001",
        "1,50",
        "1e3",
        "",
    ];
    let numbers = [json!(1.5), json!(u64::MAX), json!(i64::MIN), json!(7.9e28), json!(8e28), json!(1e-28)];
    let values = strings.map(|text| json!(text)).into_iter().chain(numbers).chain([json!(1e-29)]);
    assert!(check_but_for::<Decimal>(&[Stricter::Spelling, Stricter::Rounded], values) > 10);
    assert!(validator::<Decimal>().is_valid(&Decimal::example()));
    let maps = [json!({ "1.5": 1, "-2": 2 }), json!({ "1.50": 1 }), json!({ "x": 1 })];
    let stricter = [Stricter::Spelling, Stricter::Rounded];
    assert!(check_but_for::<BTreeMap<Decimal, u8>>(&stricter, maps) > 0);
}

#[test]
fn indexmap() {
    type Map = indexmap::IndexMap<String, indexmap::IndexSet<u8>>;
    assert!(check_but_for::<Map>(&[Stricter::Equal], [json!({ "b": [2, 1], "a": [] })]) > 0);
    let map: Map = serde_json::from_value(json!({ "b": [2, 1], "a": [] })).unwrap();
    assert_eq!(map.keys().collect::<Vec<_>>(), ["b", "a"]);
    assert_eq!(Map::schema()["additionalProperties"]["uniqueItems"], Value::Bool(true));
}
