#[derive(serde::Deserialize, extract::Extractable)]
#[extract(partial)]
enum Kind {
    New,
    Again { since: String },
}

fn main() {}
