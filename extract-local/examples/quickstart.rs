//! From a text to a validated value, with a real language model.
//!
//! ```text
//! cargo run --release -p extractable-local --example quickstart
//! ```
//!
//! Without a key it runs a model in the process, and fetches its weights once (1.1 GB). If
//! `EXTRACT_AGENT=provider/model`, `OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, `GEMINI_API_KEY` or
//! `OLLAMA_HOST` is set, it asks that provider. The letter and the type are in `invoice/mod.rs`.

mod agent;
mod invoice;

use std::{error::Error, process::ExitCode};

use extract::{Event, Extractable as _, feedback::format_violations_for_display};

use self::invoice::{Invoice, LETTER};

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
