//! An invoice from a letter, by a model on this machine: `ollama pull gemma4:e2b`, then this. Needs no key.
//!
//! `OLLAMA_HOST` is the address of Ollama, by default 127.0.0.1:11434.

use std::{error::Error, process};

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
    let agent = ProviderAgent::new(ProviderAgent::OLLAMA)?;

    let (invoice, metrics) =
        Invoice::extract(&agent, "Invoice INV-3107: 1,238.40 euros.").await.unwrap_or_else(|error| {
            eprintln!("{error}\nIs Ollama running (`ollama serve`), and has it the model (`ollama pull gemma4:e2b`)?");
            process::exit(1);
        });

    println!("{invoice:?}");
    println!("{metrics}");
    Ok(())
}
