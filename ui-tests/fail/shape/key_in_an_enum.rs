use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[serde(tag = "kind")]
enum Finding {
    Symptom {
        #[extract(key)]
        name: String,
        #[extract(merge = last)]
        since: Option<String>,
    },
    Nothing,
}

fn main() {}
