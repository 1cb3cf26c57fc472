#[derive(serde::Deserialize, extract::Extractable)]
#[extract(partial)]
struct Page<T> {
    title: String,
    #[serde(skip)]
    cache: Option<T>,
}

fn main() {}
