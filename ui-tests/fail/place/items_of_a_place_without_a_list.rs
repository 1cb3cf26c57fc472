//! The place is one of a list.

use extract::{Extractable, at};
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Report {
    findings: Option<Vec<String>>,
}

fn ask(agent: &dyn extract::Agent) {
    let _ = Report::extract(agent, "…").items_of(at!(Report, findings));
}

fn main() {}
