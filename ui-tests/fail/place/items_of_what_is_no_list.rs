//! Only a list has items; a list inside is named by its place.

use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Report {
    findings: Vec<String>,
}

fn ask(agent: &dyn extract::Agent) {
    let _ = Report::extract(agent, "…").items();
}

fn main() {}
