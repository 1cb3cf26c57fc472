//! Prints an extraction as a tree of spans.
//!
//! ```text
//! cargo run -p extractable --features tracing --example traces
//! ```
//!
//! The agent is scripted, so that this runs without a model: its first answer is wrong, its second right. To send the same
//! spans to a collector of OpenTelemetry, see the crate `examples/otlp`.

use extract::{Contract, TokenUsage, agent::Reply, testing::ScriptedAgent};
use serde_json::json;
use tracing_subscriber::layer::SubscriberExt as _;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tree = tracing_tree::HierarchicalLayer::new(2).with_deferred_spans(false).with_indent_lines(true);
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(tree))?;

    let schema = json!({
        "title": "Person",
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
        "required": ["name", "age"],
    });
    let agent = ScriptedAgent::new([
        Reply::new(r#"{"name": "Ada", "age": "young"}"#).with_usage(TokenUsage::new(140, 12)),
        Reply::new(r#"{"name": "Ada", "age": 36}"#).with_usage(TokenUsage::new(230, 11)),
    ]);
    let contract = Contract::from_schema(schema)?;
    let (person, metrics) = contract.extract(&agent, "Who wrote the first program?").await?;
    println!("{person}\n{metrics}");
    Ok(())
}
