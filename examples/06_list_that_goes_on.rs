//! Items of a list as they are accepted; the list continues where a reply was cut at the token
//! limit.

use extract::{
    Extractable,
    agent::{FinishReason, Reply},
    testing::ScriptedAgent,
};
use serde::Deserialize;

#[derive(Debug, Deserialize, Extractable)]
struct Line {
    what: String,
    #[extract(range(min = 1))]
    pieces: u32,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cut = r#"[{"what": "bolts", "pieces": 30}, {"what": "nuts", "pieces": 0}, {"what": "rin"#;
    let agent = ScriptedAgent::new([
        Reply::new(cut).finished(FinishReason::Length),
        // It was asked for the rest from index 2 on, in this form.
        Reply::new(
            r#"{"from": 2, "rest": [{"what": "rings", "pieces": 50}, {"what": "pins", "pieces": 8}]}"#,
        ),
        Reply::new(r#"[{"op": "replace", "path": "/1/pieces", "value": 40}]"#),
    ]);

    let mut items = Vec::<Line>::extract(&agent, "All positions of the delivery note: …").items();
    while let Some(item) = items.next().await {
        let item = item?;
        println!("item {}: {} x {}", item.index, item.value.pieces, item.value.what);
    }
    let (lines, metrics) = items.finish().await?;
    println!(
        "{} lines, {} attempts, {} of them to go on",
        lines.len(),
        metrics.attempts,
        metrics.continuations
    );
    Ok(())
}
