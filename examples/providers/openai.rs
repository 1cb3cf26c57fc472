//! An invoice from a letter, by a model of OpenAI. Needs a key in `OPENAI_API_KEY`.
//!
//! `OPENAI_BASE_URL` names another server with the same API, such as a gateway.

use std::{env, error::Error, process};

use extract::Extractable;
use extract_agents::ProviderAgent;
use serde::Deserialize;

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
async fn main() -> Result<(), Box<dyn Error>> {
    if env::var("OPENAI_API_KEY").unwrap_or_default().is_empty() {
        eprintln!(
            "OPENAI_API_KEY is not set: create a key at https://platform.openai.com/api-keys and export it"
        );
        process::exit(2);
    }
    let agent = ProviderAgent::new(ProviderAgent::OPENAI)?;

    let (invoice, metrics) = Invoice::extract(&agent, "Invoice INV-3107: 1,238.40 euros.").await?;

    println!("{invoice:?}");
    println!("{metrics}");
    Ok(())
}
