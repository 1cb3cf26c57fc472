//! A model that submits the value through a tool, and the same tools in your own loop.

use extract::{
    Extractable,
    agent::Reply,
    testing::ScriptedAgent,
    toolkit::{ToolCall, Toolkit, ToolkitState},
};
use serde::Deserialize;
use serde_json::json;

/// A bill, as printed.
#[derive(Debug, Deserialize, Extractable)]
struct Bill {
    #[extract(range(min = 1))]
    total: u32,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), extract::ExtractionError> {
    // The library drives the loop.
    let call = |total: u32| Reply::new("").with_calls([ToolCall::new("submit", json!({"total": total}))]);
    let agent = ScriptedAgent::new([call(0), call(12)]).calling_tools();
    let (bill, metrics) = Bill::extract(&agent, "The bill says 12.").tools().await?;
    println!("{bill:?} after {} attempts", metrics.attempts);

    // Your own loop. `extract_mcp::serve::<Bill>().stdio().await` offers the same tools to any MCP client.
    let mut toolkit = Toolkit::<Bill>::new()?;
    for tool in toolkit.tools() {
        println!("tool {}", tool.name);
    }
    let result = toolkit.call(ToolCall::new("validate", json!({"total": "twelve"}))).await;
    println!("\n{}\n", result.text);
    let result = toolkit.call(ToolCall::new("submit", json!({"total": 12}))).await;
    println!("{}", result.text);
    assert_eq!(toolkit.state(), ToolkitState::Accepted);
    Ok(())
}
