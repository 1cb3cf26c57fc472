//! An invoice that fills itself in while the model writes it, or the items of a longer list as they
//! are accepted.
//!
//! ```text
//! cargo run --release -p extractable-local --example stream
//! cargo run --release -p extractable-local --example stream -- items
//! ```
//!
//! Without a key it runs a model in the process, and fetches its weights once (1.1 GB); see the
//! example `quickstart` for others.

mod agent;
mod invoice;

use std::{
    error::Error,
    io::{self, Write as _},
    process::ExitCode,
};

use extract::{
    Agent, Extractable,
    feedback::format_violations_for_display,
    partials::{PartState, Partial, PartialStep},
};
use serde::Deserialize;

use self::invoice::{Invoice, LETTER};

const NOTE: &str = "\
Delivery note 5521, for the workshop:
12 boxes of wood screws 4x40, 3 boxes of wood screws 6x80, 40 angle brackets, 2 rolls of sandpaper
grain 120, 5 tubes of wood glue, 1 hand plane, 4 screw clamps of 60 cm, 10 pencils, 2 folding
rules, 6 pairs of gloves, 1 spirit level, 3 paint brushes of 5 cm.";

/// One position of a delivery note.
#[derive(Debug, Deserialize, Extractable)]
struct Delivered {
    /// What it is, with its size, without the quantity.
    #[extract(length(min = 1), example = "nails 2x20")]
    what: String,
    /// How many were delivered.
    #[extract(range(min = 1), example = 10)]
    quantity: u32,
}

/// The form, as one line for each field.
fn form(partial: &Partial<Invoice>) -> Vec<String> {
    let field = |label: &str, pointer: &str| {
        let value = match partial.state(pointer) {
            PartState::Pending => String::new(),
            PartState::Writing => format!("{}…", shown(partial, pointer)),
            PartState::Done => shown(partial, pointer),
        };
        format!("{label:<12}{value}")
    };
    let mut form =
        vec![field("number", "/number"), field("customer", "/customer"), field("currency", "/currency")];
    for index in 0..partial.len("/lines").unwrap_or_default() {
        let part = |name: &str| shown(partial, &format!("/lines/{index}/{name}"));
        let (quantity, description, price) = (part("quantity"), part("description"), part("unit_price"));
        // Between a line's bracket and its first word, nothing is known of the line.
        if [&quantity, &description, &price].iter().any(|part| !part.is_empty()) {
            form.push(format!("  {quantity:>4} x {description:<32}{price:>8}"));
        }
    }
    form.push(field("total", "/total"));
    form
}

/// The known part of a value.
fn shown(partial: &Partial<Invoice>, pointer: &str) -> String {
    let value = partial.get(pointer).unwrap_or_default();
    match value.as_str() {
        Some(text) => text.to_owned(),
        None if value.is_null() => String::new(),
        None => value.to_string(),
    }
}

/// Draws `lines` over the `drawn` lines of the last call.
fn draw(lines: &[String], drawn: usize) -> io::Result<usize> {
    let mut out = io::stdout().lock();
    if drawn > 0 {
        // Moves up to the first of them, and clears everything below.
        write!(out, "\x1b[{drawn}A\x1b[J")?;
    }
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    out.flush()?;
    Ok(lines.len())
}

async fn fill_the_form(agent: &dyn Agent) -> Result<(), Box<dyn Error>> {
    println!("{LETTER}\n");
    let mut drawn = 0;
    let mut steps = Invoice::extract(agent, LETTER).partials();
    while let Some(step) = steps.next().await {
        match step? {
            PartialStep::Partial(partial) => drawn = draw(&form(&partial), drawn)?,
            PartialStep::Restarted { attempt, violations, .. } => {
                println!("\nattempt {attempt}:\n{}", format_violations_for_display(&violations));
                drawn = 0;
            }
            PartialStep::Finished(_, metrics) => println!("\n{metrics}"),
            _ => {}
        }
    }
    Ok(())
}

async fn print_the_items(agent: &dyn Agent) -> Result<(), Box<dyn Error>> {
    println!("{NOTE}\n");
    let mut items = Vec::<Delivered>::extract(agent, NOTE).items();
    while let Some(item) = items.next().await {
        let item = item?;
        println!("{:>3}. {:>4} x {}", item.index + 1, item.value.quantity, item.value.what);
    }
    let (all, metrics) = items.finish().await?;
    println!("\n{} positions\n{metrics}", all.len());
    Ok(())
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
    println!("agent: {}\n", agent.name());
    if std::env::args().nth(1).is_some_and(|argument| argument == "items") {
        print_the_items(&*agent).await
    } else {
        fill_the_form(&*agent).await
    }
}
