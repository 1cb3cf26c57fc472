use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Patient {
    #[extract(merge = f64::total_cmp)]
    weight: f32,
}

fn main() {}
