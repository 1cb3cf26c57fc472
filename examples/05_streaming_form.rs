//! A form that fills in while the model writes, and shows what is wrong with a field before the
//! end.

use extract::{
    Extractable,
    partials::{PartState, PartialStep},
    testing::ScriptedAgent,
};
use serde::Deserialize;

#[derive(Debug, Deserialize, Extractable)]
struct Invoice {
    number: String,
    #[extract(range(min = 0.0))]
    total: f64,
    note: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), extract::ExtractionError> {
    let agent = ScriptedAgent::default()
        .then(r#"{"number": "INV-7", "total": -1200, "note": "paid"}"#)
        .streaming([r#"{"number": "IN"#, r#"V-7", "total": -12"#, r#"00, "note": "pa"#, r#"id"}"#])
        .then(r#"{"number": "INV-7", "total": 1200, "note": "paid"}"#)
        .streaming([r#"{"number": "INV-7", "total": 1200, "#, r#""note": "paid"}"#]);

    let mut steps = Invoice::extract(&agent, "…").partials();
    while let Some(step) = steps.next().await {
        match step? {
            PartialStep::Partial(partial) => {
                let shown = |name| match partial.state(name) {
                    PartState::Pending => "-".to_owned(),
                    // A number is not shown until it is complete: 12 may become 1200.
                    PartState::Writing => {
                        partial.get(name).map_or("…".to_owned(), |part| format!("{part}…"))
                    }
                    PartState::Done => partial.get(name).unwrap_or_default().to_string(),
                };
                println!("number {}  total {}  note {}", shown("/number"), shown("/total"), shown("/note"));
                for violation in partial.violations("/total") {
                    println!("  (!) {violation}");
                }
            }
            PartialStep::Restarted { attempt, .. } => println!("attempt {attempt}: everything again"),
            PartialStep::Finished(invoice, metrics) => {
                println!("{invoice:?} after {} attempts", metrics.attempts);
            }
            _ => {}
        }
    }
    Ok(())
}
