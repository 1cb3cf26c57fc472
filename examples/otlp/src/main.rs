//! Sends the spans of an extraction to a collector over OTLP.
//!
//! ```text
//! cargo run --bin collector &     # or any other collector; OTEL_EXPORTER_OTLP_ENDPOINT says where
//! cargo run
//! ```
//!
//! The agent is scripted, so that this runs without a model.

use extract::{
    Contract, TokenUsage,
    agent::Reply,
    testing::{ScriptedAgent, block_on},
};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::SpanExporter;
use opentelemetry_sdk::trace::SdkTracerProvider;
use serde_json::json;
use tracing_subscriber::layer::SubscriberExt as _;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let exporter = SpanExporter::builder().with_http().build()?;
    let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).build();
    let spans = tracing_opentelemetry::layer().with_tracer(provider.tracer("extract"));
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(spans))?;

    let contract = Contract::from_schema(json!({"title": "Age", "type": "integer", "minimum": 0}))?;
    let agent = ScriptedAgent::new([
        Reply::new("thirty-six").with_usage(TokenUsage::new(60, 4)),
        Reply::new("36").with_usage(TokenUsage::new(110, 1)),
    ]);
    let (age, metrics) = block_on(contract.extract(&agent, "How old was Ada Lovelace?"))?;
    println!("{age}\n{metrics}");
    // Sends spans that are still pending.
    provider.shutdown()?;
    Ok(())
}
