//! A program as the agent: anything that takes a prompt on its input and prints a reply, such as
//! `claude -p` or `ollama run gemma3`.

use std::time::Duration;

use extract::{Extractable, agent::AgentExt as _};
use extract_agents::CommandAgent;
use serde::Deserialize;

#[derive(Debug, Deserialize, Extractable)]
struct Order {
    item: String,
    #[extract(range(min = 1))]
    pieces: u32,
}

/// Stands for such a program: it reads its input and prints a fixed reply.
const PROGRAM: &str = r#"wc -c >/dev/null; echo 'Here you are: {"item": "lamp", "pieces": "6"}'"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), extract::ExtractionError> {
    let agent = CommandAgent::new("sh").args(["-c", PROGRAM]).timeout(Duration::from_secs(60)).concurrent(2);
    let (order, metrics) = Order::extract(&agent, "Please send us six lamps.").await?;
    println!("{order:?}");
    // The receipt lists values that were read in another spelling.
    for change in &metrics.changes {
        println!("{}: {} read as {:?}, {:?}", change.path, change.before, change.after, change.loss);
    }
    Ok(())
}
