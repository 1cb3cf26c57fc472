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
    #[extract(merge = last)]
    values: BTreeMap<String, f64>,
}

#[derive(Deserialize, Extractable)]
#[serde(rename_all = "lowercase")]
enum Diagnosis {
    Known(String),
    Unknown,
}

fn main() {}
