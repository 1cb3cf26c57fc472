//! Keys and policies of merging, wherever they have an effect.

use std::collections::BTreeMap;

use extract::Extractable;
use serde::Deserialize;

type Names = Vec<String>;

#[derive(Deserialize, Extractable)]
struct Patient {
    #[extract(key)]
    name: String,
    #[extract(key, range(min = 1900))]
    #[serde(rename = "yearOfBirth")]
    born: Option<u16>,
    #[extract(merge = last)]
    ward: Option<String>,
    #[extract(merge = most, sensitive)]
    diagnosis: Diagnosis,
    #[extract(merge = all)]
    aliases: Option<Names>,
    #[extract(merge = first, keep_valid_items)]
    notes: Vec<String>,
    #[extract(merge = f64::total_cmp)]
    fever: f64,
    #[extract(merge = by_length)]
    complaint: Option<String>,
    #[extract(merge = last)]
    values: BTreeMap<String, f64>,
}

#[derive(Deserialize, Extractable)]
#[serde(rename_all = "lowercase")]
enum Diagnosis {
    Known(String),
    Unknown,
}

#[expect(clippy::ref_option, reason = "the field has this type")]
fn by_length(left: &Option<String>, right: &Option<String>) -> std::cmp::Ordering {
    left.as_ref().map(String::len).cmp(&right.as_ref().map(String::len))
}

#[derive(Deserialize, Extractable)]
struct Most<T: Ord> {
    #[extract(merge = Ord::cmp)]
    value: T,
}

fn main() {
    let _ = Most::<u8>::schema();
}
