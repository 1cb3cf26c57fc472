use extract::Extractable;
use serde::Deserialize;

use std::collections::BTreeMap;

#[derive(Deserialize, Extractable)]
struct Ward {
    #[extract(merge = all)]
    beds: BTreeMap<String, u32>,
}

fn main() {}
