//! A type, a question, a value of the type.

use extract::{Extractable, testing::ScriptedAgent};
use serde::Deserialize;

/// An invoice, as printed.
#[derive(Debug, Deserialize, Extractable)]
struct Invoice {
    /// Number printed at the top right.
    #[extract(pattern = r"^INV-\d{4}$", example = "INV-2041")]
    number: String,
    #[extract(one_of = ["EUR", "USD", "GBP"])]
    currency: String,
    #[extract(range(min = 0.0), example = 19.0)]
    total: f64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), extract::ExtractionError> {
    // Any agent will do; this one gives scripted replies. Its first answer has three mistakes.
    let agent = ScriptedAgent::new([
        r#"Sure! {"number": "3107", "currency": "Euro"}"#,
        r#"{"number": "INV-3107", "currency": "EUR", "total": 1238.40}"#,
    ]);

    let (invoice, metrics) = Invoice::extract(&agent, "Invoice INV-3107: 1,238.40 euros.").await?;

    println!("{invoice:?}");
    println!("{} attempts", metrics.attempts);
    println!(
        "\nwhat the agent was told after its first answer:\n\n{}",
        agent.requests()[1].conversation.turns().last().unwrap().text()
    );
    Ok(())
}
