//! A schema known only at run time, and values from a database in a type known before.

use extract::{Contract, Extractable, at, testing::ScriptedAgent};
use serde::Deserialize;
use serde_json::json;

#[derive(Debug, Deserialize, Extractable)]
struct Ticket {
    category: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The schema is a value. It is checked before anything is asked.
    let contract = Contract::from_schema(json!({
        "type": "object",
        "properties": {"city": {"type": "string"}, "population": {"type": "integer", "minimum": 1}},
        "required": ["city", "population"],
    }))?;
    let agent = ScriptedAgent::new([r#"{"city": "Lyon", "population": "522250"}"#]);
    let (value, _) = contract.extract(&agent, "Lyon has 522250 inhabitants.").await?;
    println!("{value}");

    // The type stays the same; its allowed values come from elsewhere.
    let categories = ["billing", "delivery"].map(str::to_owned);
    let agent = ScriptedAgent::new([r#"{"category": "invoices"}"#, r#"{"category": "billing"}"#]);
    let (ticket, metrics) =
        Ticket::extract(&agent, "I was charged twice!").one_of(at!(Ticket, category), categories).await?;
    println!("{} after {} attempts", ticket.category, metrics.attempts);

    // An invalid schema is an error with a path.
    let error =
        Contract::from_schema(json!({"type": "object", "properties": {"city": {"type": "text"}}})).err();
    println!("{}", error.map(|error| error.to_string()).unwrap_or_default());
    Ok(())
}
