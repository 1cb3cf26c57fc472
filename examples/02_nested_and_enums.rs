//! Nested structs, enums with data, lists, maps and optional fields, as serde reads them.

use std::collections::BTreeMap;

use extract::{Extractable, testing::ScriptedAgent};
use serde::Deserialize;

#[derive(Debug, Deserialize, Extractable)]
struct Booking {
    guest: String,
    /// How they come.
    arrival: Arrival,
    #[extract(length(min = 1))]
    nights: Vec<Night>,
    /// By the name of the extra, in euros.
    extras: BTreeMap<String, f64>,
    wish: Option<String>,
}

#[derive(Debug, Deserialize, Extractable)]
#[serde(tag = "by", rename_all = "snake_case")]
enum Arrival {
    /// With the number of the flight.
    Plane {
        flight: String,
    },
    Train,
    Car {
        needs_parking: bool,
    },
}

#[derive(Debug, Deserialize, Extractable)]
struct Night {
    #[extract(format = "date", example = "2026-03-04")]
    date: String,
    room: Room,
}

#[derive(Debug, Deserialize, Extractable)]
#[serde(rename_all = "lowercase")]
enum Room {
    Single,
    Double,
    Suite,
}

const REPLY: &str = r#"{
    "guest": "Ms Okafor",
    "arrival": {"by": "car", "needs_parking": true},
    "nights": [{"date": "2026-05-01", "room": "double"}, {"date": "2026-05-02", "room": "double"}],
    "extras": {"breakfast": 24.0, "bicycle": 15.5},
    "wish": null
}"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), extract::ExtractionError> {
    let agent = ScriptedAgent::new([REPLY]);
    let (booking, _) = Booking::extract(&agent, "Ms Okafor comes by car on the first of May, …").await?;
    println!("{booking:#?}");

    println!(
        "\nwhat the agent is told of the type:\n\n{}",
        agent.requests()[0].conversation.turns()[0].text()
    );
    Ok(())
}
