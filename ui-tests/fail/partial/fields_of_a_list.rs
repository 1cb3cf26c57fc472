use extract::partials::Partial;

#[derive(serde::Deserialize, extract::Extractable)]
#[extract(partial)]
struct Line {
    what: String,
}

fn show(partial: &Partial<Vec<Line>>) {
    let _ = partial.fields();
}

fn main() {}
