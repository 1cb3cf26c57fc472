use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[serde(from = "String")]
struct Name {
    name: String,
}

impl From<String> for Name {
    fn from(name: String) -> Self {
        Self { name }
    }
}

#[derive(Deserialize, Extractable)]
struct Order {
    #[serde(flatten)]
    name: Name,
}

fn main() {}
