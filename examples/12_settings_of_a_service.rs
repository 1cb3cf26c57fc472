//! A service: shared settings, escalation to a stronger model, and the total cost.

use std::time::Duration;

use extract::{
    Event, Extractable, Extractor, TokenUsage,
    agent::Reply,
    metrics::{Price, Prices, ReplyOrigin},
    testing::ScriptedAgent,
};
use serde::Deserialize;

#[derive(Debug, Deserialize, Extractable)]
struct Ticket {
    #[extract(one_of = ["billing", "delivery", "other"])]
    category: String,
    summary: String,
}

fn reply(model: &str, text: &str) -> Reply {
    Reply::new(text)
        .with_origin(ReplyOrigin::default().with_model(model))
        .with_usage(TokenUsage::new(200, 40))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Created once, cloned for each request.
    let extractor = Extractor::new().max_attempts(3).timeout(Duration::from_secs(30)).token_budget(10_000);

    // The small agent makes no progress from its first answer to its second, so the large one takes
    // over.
    let wrong = r#"{"category": "invoices", "summary": "charged twice"}"#;
    let small = ScriptedAgent::new([reply("small", wrong), reply("small", wrong)]);
    let large =
        ScriptedAgent::new([reply("large", r#"{"category": "billing", "summary": "charged twice"}"#)]);

    let (ticket, metrics) = Ticket::extract(&small, "I was charged twice!")
        .with(&extractor)
        .escalate_to(&large)
        .observe(|event| {
            if let Event::Judged { record, is_accepted, .. } = event {
                println!("attempt {}: accepted: {is_accepted}", record.number);
            }
        })
        .await?;

    println!("{ticket:?}");
    for model in &metrics.per_model {
        println!("{}: {} tokens", model.model.as_deref().unwrap_or("?"), model.usage.total());
    }
    let prices = Prices::new()
        .model("small", Price::per_million(0.1, 0.4))?
        .model("large", Price::per_million(2.0, 8.0))?;
    println!("{} dollars", metrics.cost(&prices));
    Ok(())
}
