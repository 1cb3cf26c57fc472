//! Values with proof of their position in a document, and a page to check them by.

use extract::{
    Extractable,
    document::{Document, Grounded, Quote},
    testing::ScriptedAgent,
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Medication {
    name: Grounded<String>,
    dose_mg: Option<Grounded<f64>>,
    /// Words of the text that say why it is given.
    reason: Option<Quote>,
}

const NOTE: &str = "She takes ibuprofen (400 mg) for back pain.\nShe denies fever.\n";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let answer = r#"[{"name": {"value": "ibuprofen", "quote": "takes ibuprofen"},
        "dose_mg": {"value": 400, "quote": "400 mg"}, "reason": "back pain"}]"#;
    // The first answer quotes words that are not in the text.
    let agent = ScriptedAgent::new([answer.replace("back pain", "strong back pain"), answer.to_owned()]);

    let document = Document::from_text(NOTE);
    let (found, metrics) =
        Vec::<Medication>::extract(&agent, "All medications given.").document(&document).await?;

    let medication = &found[0];
    let dose = medication.dose_mg.as_ref().ok_or("no dose")?;
    let span = dose.span().ok_or("no place")?;
    println!("{} mg stands at bytes {:?}, {}", dose.value, span.range(), span.line_column());
    println!("that is {:?}", &document.text()[span.range()]);
    println!("{} attempts; the second one was told:", metrics.attempts);
    let requests = agent.requests();
    let told = requests[1].conversation.turns().last().map(|turn| turn.text().to_owned()).unwrap_or_default();
    told.lines().filter(|line| line.contains("nearest")).for_each(|line| println!("{line}"));

    // One HTML file: the text with marks, and a table of the values that links to them.
    let page = extract_documents::view(&document, &found).metrics(&metrics).to_string();
    println!("a page with {} values", page.matches("<th scope=row").count());
    Ok(())
}
