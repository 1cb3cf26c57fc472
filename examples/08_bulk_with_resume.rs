//! A job that ends in the middle, and resumes where it stopped.

use extract::{Extractable, testing::ScriptedAgent};
use extract_bulk::{BulkExt as _, Doc};
use serde::Deserialize;

#[derive(Debug, Deserialize, Extractable)]
struct Invoice {
    number: String,
    total: f64,
}

const TEXTS: [(&str, &str); 3] =
    [("7.txt", "INV-7, 12 EUR"), ("8.txt", "INV-8, 30 EUR"), ("9.txt", "a stain")];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("extract-example-bulk-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let (journal, output) = (folder.join("invoices.redb"), folder.join("invoices.jsonl"));
    let documents = || TEXTS.into_iter().map(|(name, text)| Doc::new(name, text));

    // The budget ends the first run after one answer.
    let agent = ScriptedAgent::new([r#"{"number": "INV-7", "total": 12}"#]);
    let report = Invoice::bulk(&agent, documents()).journal(&journal).concurrent(1).token_budget(1).await?;
    println!("first run: {} done, {:?}", report.done, report.ended);

    // The second run asks only about the others.
    let agent =
        ScriptedAgent::new([r#"{"number": "INV-8", "total": 30}"#, "I see no invoice.", "None.", "None."]);
    let report =
        Invoice::bulk(&agent, documents()).journal(&journal).concurrent(1).into_jsonl(&output).await?;
    println!("second run: {} done, {} of them before, {} failed", report.done, report.resumed, report.failed);
    for letter in report.dead_letters()? {
        let letter = letter?;
        println!("{}: {} after {} attempts", letter.key, letter.failure.name, letter.failure.history.len());
    }

    for line in std::fs::read_to_string(&output)?.lines() {
        let line: serde_json::Value = serde_json::from_str(line)?;
        println!("{} {} {}", line["key"], line["status"], line["value"]);
    }
    drop(report);
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
