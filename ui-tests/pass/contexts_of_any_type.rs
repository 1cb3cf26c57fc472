use std::{collections::HashMap, sync::Arc};

use extract::{
    Extractable,
    testing::{ScriptedAgent, block_on},
};
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[extract(context = Vec<String>, rule = is_listed)]
struct Listed {
    part: String,
}

fn is_listed(line: &Listed, parts: &[String]) -> Result<(), &'static str> {
    if parts.contains(&line.part) { Ok(()) } else { Err("not listed") }
}

#[derive(Deserialize, Extractable)]
#[extract(rule = has_a_price, context = HashMap<String, Vec<(u8, f64)>>, partial)]
struct Priced {
    #[extract(check = is_long)]
    part: String,
    #[extract(async_check = is_found)]
    other: String,
}

fn has_a_price(line: &Priced, prices: &HashMap<String, Vec<(u8, f64)>>) -> Result<(), String> {
    prices.get(&line.part).map(|_| ()).ok_or_else(|| format!("no price of {}", line.part))
}

fn is_long<C>(part: &str, _: &C) -> Result<(), &'static str> {
    if part.len() > 1 { Ok(()) } else { Err("too short") }
}

async fn is_found<C>(_: &str, _: &C) -> Result<(), &'static str> {
    Ok(())
}

#[derive(Deserialize, Extractable)]
#[extract(context = Arc<str>)]
struct Shared {
    #[extract(check = is_in)]
    part: String,
}

fn is_in(part: &str, text: &str) -> Result<(), &'static str> {
    if text.contains(part) { Ok(()) } else { Err("not in the text") }
}

struct Catalogue<'a>(&'a [&'a str]);

#[derive(Deserialize, Extractable)]
#[extract(context = Catalogue<'static>)]
struct Sold {
    #[extract(check = is_sold)]
    part: String,
}

fn is_sold(part: &str, catalogue: &Catalogue<'_>) -> Result<(), &'static str> {
    if catalogue.0.contains(&part) { Ok(()) } else { Err("not sold") }
}

type Lookup = Box<dyn for<'a> Fn(&'a str) -> bool + Send + Sync>;

#[derive(Deserialize, Extractable)]
#[extract(context = Box<dyn for<'a> Fn(&'a str) -> bool + Send + Sync>)]
struct Looked<T>
where
    T: Clone,
{
    #[extract(check = is_there)]
    part: String,
    more: Vec<T>,
}

fn is_there(part: &str, lookup: &Lookup) -> Result<(), &'static str> {
    if lookup(part) { Ok(()) } else { Err("not there") }
}

#[derive(Deserialize, Extractable)]
#[extract(context = ([u8; 2], <Vec<u8> as IntoIterator>::Item,), description = "a pair")]
struct Tuple {
    #[extract(check = is_at_least)]
    count: u8,
}

fn is_at_least(count: &u8, least: &([u8; 2], u8)) -> Result<(), &'static str> {
    if *count >= least.1 { Ok(()) } else { Err("too few") }
}

macro_rules! with_context {
    ($name:ident, $context:ty) => {
        #[derive(Deserialize, Extractable)]
        #[extract(context = $context)]
        struct $name {
            #[extract(check = is_long)]
            part: String,
        }
    };
}

with_context!(FromAMacro, HashMap<String, u8>);

fn main() {
    let agent = ScriptedAgent::new([r#"{"part": "nut"}"#, r#"{"part": "bolt"}"#]);
    let parts = vec!["bolt".to_owned()];
    let (listed, metrics) = block_on(Listed::extract(&agent, "Which?").context(&parts)).unwrap();
    assert_eq!((listed.part.as_str(), metrics.attempts), ("bolt", 2));

    let bolt = r#"{"part": "bolt", "other": "x"}"#;
    let prices = HashMap::from([("bolt".to_owned(), vec![(1, 2.0)])]);
    assert!(Priced::from_reply_within(bolt, &prices).is_ok_and(|(line, _)| line.other == "x"));
    assert!(Priced::from_reply_within(bolt, &HashMap::<String, Vec<(u8, f64)>>::new()).is_err());

    let text: Arc<str> = "a bolt".into();
    assert!(Shared::from_reply_within(r#"{"part": "bolt"}"#, &text).is_ok_and(|(line, _)| line.part == "bolt"));
    assert!(Shared::from_reply_within(r#"{"part": "nut"}"#, &text).is_err());

    assert!(Sold::from_reply_within(r#"{"part": "bolt"}"#, &Catalogue(&["bolt"])).is_ok_and(|(line, _)| line.part == "bolt"));
    assert!(Sold::from_reply_within(r#"{"part": "nut"}"#, &Catalogue(&["bolt"])).is_err());

    let lookup: Lookup = Box::new(|part| part == "bolt");
    let looked = |reply| Looked::<u8>::from_reply_within(reply, &lookup);
    assert!(looked(r#"{"part": "bolt", "more": [1]}"#).is_ok_and(|(line, _)| line.part == "bolt" && line.more == [1]));
    assert!(looked(r#"{"part": "nut", "more": []}"#).is_err());

    assert!(Tuple::from_reply_within(r#"{"count": 3}"#, &([0, 0], 3)).is_ok_and(|(tuple, _)| tuple.count == 3));
    assert!(Tuple::from_reply_within(r#"{"count": 2}"#, &([0, 0], 3)).is_err());

    let none = HashMap::<String, u8>::new();
    assert!(FromAMacro::from_reply_within(r#"{"part": "ab"}"#, &none).is_ok_and(|(line, _)| line.part == "ab"));
    assert!(FromAMacro::from_reply_within(r#"{"part": "a"}"#, &none).is_err());
}
