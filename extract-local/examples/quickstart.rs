//! From a text to a validated value, with a real language model.
//!
//! ```text
//! cargo run --release -p extractable-local --example quickstart
//! ```
//!
//! Without a key it runs a model in the process, and fetches its weights once (1.1 GB). If
//! `EXTRACT_AGENT=provider/model`, `OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, `GEMINI_API_KEY` or
//! `OLLAMA_HOST` is set and the feature `genai` is on, it asks that provider.

mod agent;

use std::{error::Error, process::ExitCode};

use extract::{Event, Extractable, Rejection, feedback::format_violations_for_display};
use serde::{Deserialize, Serialize};

const LETTER: &str = "\
From: Nordholz Office Supplies, Hamburg
Invoice INV-3107, 4 March 2026

Dear Ms Okafor, thank you for your order. We have delivered
  - 6 desk lamps \"Lumo\" at 39.90 euros each,
  - 2 oak desks at 412.50 euros each,
  - 3 hours of assembly in your rooms, at 58 euros an hour.
Kindly transfer the total of 1,238.40 euros within 14 days.";

/// An invoice, as printed.
#[derive(Debug, Serialize, Deserialize, Extractable)]
#[extract(rule = total_is_the_sum)]
struct Invoice {
    /// Number of the invoice.
    #[extract(pattern = r"^INV-\d{4}$", example = "INV-0042")]
    number: String,
    /// Who has to pay.
    #[extract(length(min = 1), example = "Mr Larsen")]
    customer: String,
    #[extract(one_of = ["EUR", "USD", "GBP"])]
    currency: String,
    #[extract(length(min = 1))]
    lines: Vec<Line>,
    /// What has to be paid in all.
    #[extract(range(min = 0.0), example = 25.0)]
    total: f64,
}

/// One position of an invoice.
#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Line {
    /// What it is, without quantity and price.
    #[extract(length(min = 1), example = "paper")]
    description: String,
    kind: Kind,
    /// Pieces, or hours of a service.
    #[extract(range(min = 1), example = 10)]
    quantity: u32,
    /// Price of one piece or hour.
    #[extract(range(min = 0.0), example = 2.5)]
    unit_price: f64,
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
#[serde(rename_all = "snake_case")]
enum Kind {
    /// Something that is delivered.
    Goods,
    /// Somebody's work.
    Service,
}

fn total_is_the_sum(invoice: &Invoice) -> Result<(), Rejection> {
    let sum: f64 = invoice.lines.iter().map(|line| f64::from(line.quantity) * line.unit_price).sum();
    if (sum - invoice.total).abs() < 0.005 {
        return Ok(());
    }
    // Does not name the right sum: a model that is told the sum copies it into `total`.
    Err(Rejection::new(format!(
        "quantity times unit_price of these lines makes {sum:.2}, but the total is {:.2}; \
         read each quantity and unit_price in the text again",
        invoice.total
    ))
    .at("lines"))
}

/// Prints the attempts as they happen.
fn narrate(event: &Event<'_>) {
    match event {
        Event::Asked { attempt, max_attempts, .. } => {
            println!("attempt {attempt} of {max_attempts}: asking …");
        }
        Event::TransportFailed { error, wait, .. } => println!("  {error}; again in {wait:.1?}"),
        Event::Replied { reply, .. } => println!("  replied: {}", reply.text().trim()),
        Event::Judged { is_accepted: true, record, .. } => {
            println!("  accepted after {:.1?}", record.elapsed);
        }
        Event::Judged { record, .. } => {
            println!("  not accepted after {:.1?}:", record.elapsed);
            println!("  {}", format_violations_for_display(&record.violations).replace('\n', "\n  "));
        }
        _ => {}
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\n{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let agent = agent::from_environment()?;
    println!("agent: {}\n\n{LETTER}\n", agent.name());

    let (invoice, metrics) = Invoice::extract(&agent, LETTER).observe(narrate).await?;

    println!("\n{invoice:#?}\n\n{metrics}");
    Ok(())
}
