//! Writes three pages: a doctor's note with the medications in it, a long document with thousands of spans, and an
//! order whose amounts were repaired.
//!
//! `cargo run -p extractable-documents --example view -- note.html long.html order.html`, with names of files of your own.

use std::error::Error;

use extract::{
    Extractable,
    document::{Chunks, Document, DocumentPart, Grounded, Quote, Span},
    testing::{ScriptedAgent, block_on},
};
use extract_documents::View;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What a discharge note says.
#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Note {
    patient: Option<Quote>,
    admitted: Option<Grounded<String>>,
    complaint: Option<Quote>,
    site: Option<Quote>,
    observed: Option<Quote>,
    emergency: Option<bool>,
    medications: Vec<Medication>,
}

/// A medication that was given.
#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Medication {
    #[extract(key)]
    name: Grounded<String>,
    dose_mg: Option<Grounded<f64>>,
    #[extract(merge = all)]
    reasons: Vec<Quote>,
    label: Option<Quote>,
}

const PAGES: [(&str, &str); 4] = [
    (
        "Admission",
        "Mrs. Ødegård, 71, was admitted on 3 March 2026 with severe chest pain at night. She denied shortness of \
         breath.\n\nMedication on admission: aspirin 100 mg once a day, metoprolol 47.5 mg in the morning. Aspirin \
         was given for secondary prevention.\n\nOn the box: אספירין 100 מ״ג, פעם ביום.\n",
    ),
    (
        "Course",
        "On day 2 metoprolol was raised to 95 mg because of a heart rate above 100. The page of the laboratory \
         reads <script>alert(\"troponin\")</script> & was ignored; so was the trap \u{202e}gm 5\u{202c}.\n",
    ),
    ("Pharmacy", "[a photograph of a handwritten list, 40 lines]\n"),
    (
        "Discharge",
        "Aspirin 100 mg once a day, metoprolol 95 mg in the morning, because of a heart rate above 100.\n",
    ),
];

/// A reply to each page but the third one.
const REPLIES: [&str; 4] = [
    r#"{"patient": "Mrs. Ødegård, 71", "admitted": {"value": "2026-03-03", "quote": "admitted on 3 March 2026"},
        "complaint": "severe chest pain at night", "site": "chest", "observed": "pain at night. She denied",
        "emergency": true, "medications": [
            {"name": {"value": "Aspirin", "quote": "aspirin 100 mg"}, "dose_mg": {"value": 100, "quote": "100 mg"},
             "reasons": ["secondary prevention"], "label": "אספירין 100 מ״ג"},
            {"name": {"value": "metoprolol", "quote": "metoprolol"}, "dose_mg": {"value": 47.5, "quote": "47.5 mg"},
             "reasons": []}]}"#,
    r#"Here is what the page says: {"medications": [
            {"name": {"value": "metoprolol", "quote": "metoprolol"}, "dose_mg": {"value": "95", "quote": "95  mg"},
             "reasons": ["because of a heart rate above 100"]},]}"#,
    "I cannot read this photograph.",
    r#"{"medications": [
            {"name": {"value": "Aspirin", "quote": "Aspirin 100 mg"}, "dose_mg": {"value": 100, "quote": "100 mg"},
             "reasons": []},
            {"name": {"value": "metoprolol", "quote": "metoprolol"}, "dose_mg": {"value": 95, "quote": "95 mg"},
             "reasons": ["because of a heart rate above 100"]}]}"#,
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut files = std::env::args().skip(1);
    let note = files.next().unwrap_or_else(|| "note.html".to_owned());
    std::fs::write(note, note_view()?)?;
    if let Some(long) = files.next() {
        std::fs::write(long, long_view()?)?;
    }
    if let Some(order) = files.next() {
        std::fs::write(order, order_view()?)?;
    }
    Ok(())
}

fn note_view() -> Result<View, Box<dyn Error>> {
    let parts =
        PAGES.iter().zip(1..).map(|((name, text), page)| DocumentPart::page(page, *text).named(*name));
    let document = Document::from_parts(parts);
    let agent = ScriptedAgent::new(REPLIES);
    let (note, metrics) = block_on(
        Note::extract(&agent, "What does the note say?")
            .document(&document)
            .chunks(Chunks::chars(1_000).by_section())
            .max_attempts(1)
            .accept_gaps(true),
    )?;
    let view = extract_documents::view(&document, &note).metrics(&metrics).title("Discharge note of 5 March");
    Ok(view.about("date", "2026-03-05"))
}

/// Words of the document, as a `Quote` is serialized that an extraction has placed.
fn quote(document: &Document, span: Span) -> Value {
    json!({"words": document.text()[span.range()], "span": span})
}

/// An order, as an e-mail says it.
#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Order {
    customer: Quote,
    lines: Vec<OrderLine>,
    remark: Option<String>,
    discount: Option<f64>,
}

/// A line of an order.
#[derive(Debug, Serialize, Deserialize, Extractable)]
struct OrderLine {
    article: Quote,
    quantity: u32,
    unit_price: f64,
    colour: Option<String>,
    delivered: Option<String>,
}

/// A short text whose numbers the model wrote as strings.
fn order_view() -> Result<View, Box<dyn Error>> {
    let document = Document::from_text(
        "Dear all,\n\nplease send 6 desk lamps at 39.90 each, in black, and\n1250 screws at 0.02 each to Nordholz \
         & Sons.\n\nKind regards\n",
    );
    let agent = ScriptedAgent::new([r#"{"customer": "Nordholz & Sons", "lines": [
        {"article": "desk lamps", "quantity": "6", "unit_price": "39.90", "colour": "black"},
        {"article": "screws", "quantity": 1250, "unit_price": 0.02, "delivered": "N/A"}], "remark": ""}"#]);
    let (order, metrics) =
        block_on(Order::extract(&agent, "What is ordered?").document(&document).max_attempts(1))?;
    Ok(extract_documents::view(&document, &order)
        .metrics(&metrics)
        .title("Order of Nordholz & Sons")
        .about("date", "2026-03-05"))
}

/// One megabyte and five thousand spans, in items of five fields and one empty field each.
fn long_view() -> Result<View, Box<dyn Error>> {
    let line = "The party of the first part shall pay to the party of the second part the sum of 1,000 EUR \
        on the first day of each month, without notice, at the place of business of the second party.\n";
    let document = Document::from_text(line.repeat(1_000_000 / line.len()));
    let fields = ["party", "duty", "sum", "term", "place"];
    let found: Option<Vec<Value>> = (0..5_000 / fields.len())
        .map(|item| {
            let fields = fields.iter().zip(item * fields.len()..).map(|(field, nth)| {
                let start = nth * 199 + nth % 7;
                let span = document.span(start..start + 20 + nth % 60)?;
                Some(((*field).to_owned(), json!({"value": nth, "quote": quote(&document, span)})))
            });
            let empty = ("waived".to_owned(), Value::Null);
            fields.chain([Some(empty)]).collect::<Option<serde_json::Map<_, _>>>().map(Value::Object)
        })
        .collect();
    Ok(extract_documents::view(&document, &found.ok_or("a span outside the text")?).title("A long contract"))
}
