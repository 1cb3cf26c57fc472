use extract::Extractable;
use serde::Deserialize;

fn has_at(raw: &Raw) -> Result<(), String> {
    if raw.email.contains('@') { Ok(()) } else { Err("no @".to_owned()) }
}

#[derive(Deserialize, Extractable)]
#[extract(rule = has_at)]
struct Raw {
    email: String,
}

#[derive(Deserialize, Extractable)]
#[serde(from = "Raw")]
struct Email {
    user: String,
}

impl From<Raw> for Email {
    fn from(raw: Raw) -> Self {
        Self { user: raw.email }
    }
}

fn main() {}
