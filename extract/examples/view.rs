//! Writes two pages: a doctor's note with the medications in it, and a long document with thousands of spans.
//!
//! `cargo run -p extractable --example view -- note.html long.html`, with names of files of your own.

use std::error::Error;

use extract::{
    Path,
    document::{Document, Part, Span},
};
use serde_json::{Value, json};

const NOTE: [&str; 2] = [
    "Discharge note\n\nMrs. Ødegård, 71, was admitted on 3 March 2026 with severe chest pain at night. She denied \
     shortness of breath.\n\nMedication on admission: aspirin 100 mg once a day, metoprolol 47.5 mg in the morning. \
     Aspirin was given for secondary prevention.\n\nHebrew label on the box: אספירין 100 מ״ג, פעם ביום.\n",
    "Course\n\nOn day 2 metoprolol was raised to 95 mg because of a heart rate above 100. The laboratory's page \
     reads <script>alert(\"troponin\")</script> & was ignored; a word with a trap: \u{202e}gm 5\u{202c}.\n\n\
     The pharmacist's page could not be read.\n\nMedication at discharge: aspirin 100 mg once a day, metoprolol \
     95 mg in the morning.\n",
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut files = std::env::args().skip(1);
    let note = files.next().unwrap_or_else(|| "note.html".to_owned());
    std::fs::write(note, note_view()?)?;
    if let Some(long) = files.next() {
        std::fs::write(long, long_view()?)?;
    }
    Ok(())
}

/// Words of the document, as a `Quote` is serialized that an extraction has placed.
fn quote(document: &Document, span: Span) -> Value {
    json!({"words": document.text()[span.range()], "span": span})
}

fn note_view() -> Result<extract::view::View, Box<dyn Error>> {
    let document = Document::from_parts(NOTE.iter().zip(1..).map(|(text, page)| Part::page(page, *text)));
    let nth = |words: &str, nth: usize| {
        let start = document.text().match_indices(words).nth(nth).map(|(start, _)| start);
        start.and_then(|start| document.span(start..start + words.len())).ok_or(format!("no {words}"))
    };
    let at = |words: &str| Ok::<_, String>(quote(&document, nth(words, 0)?));
    let found = json!({
        "patient": at("Mrs. Ødegård, 71")?,
        "admitted": {"value": "2026-03-03", "quote": at("admitted on 3 March 2026")?},
        "complaint": at("severe chest pain at night")?,
        "site": at("chest")?,
        "time": at("pain at night. She denied")?,
        "medications": [
            {
                "name": {"value": "aspirin", "quote": at("aspirin 100 mg")?},
                "dose_mg": {"value": 100, "quote": at("100 mg")?},
                "reasons": [at("secondary prevention")?],
                "label": at("אספירין 100 מ״ג")?,
                "stopped": null,
            },
            {
                "name": {"value": "metoprolol", "quote": at("metoprolol")?},
                "dose_mg": {"value": 95, "quote": at("95 mg")?},
                "reasons": [at("because of a heart rate above 100")?],
                "trap": at("\u{202e}gm 5\u{202c}")?,
                "stopped": null,
            },
        ],
        "certain": true,
    });
    let medication = |index: usize, key: &str| Path::root().key("medications").index(index).key(key);
    let dose =
        [(json!(95), vec![nth("95 mg", 0)?, nth("95 mg", 1)?]), (json!(47.5), vec![nth("47.5 mg", 0)?])];
    let gap = nth("The pharmacist's page could not be read.", 0)?;
    Ok(document
        .view(&found)
        .title("Discharge note of 5 March")
        .places(medication(0, "name"), [nth("aspirin 100 mg", 1)?])
        .places(medication(0, "dose_mg"), [nth("100 mg", 1)?])
        .conflict(medication(1, "dose_mg"), dose)
        .gaps([gap.range()]))
}

/// One megabyte and five thousand spans.
fn long_view() -> Result<extract::view::View, Box<dyn Error>> {
    let line = "The party of the first part shall pay to the party of the second part the sum of 1,000 EUR \
        on the first day of each month, without notice, at the place of business of the second party.\n";
    let document = Document::from_text(line.repeat(1_000_000 / line.len()));
    let fields = ["party", "duty", "sum", "term", "place"];
    let found: Option<Vec<Value>> = (0..5_000)
        .map(|nth| {
            let start = nth * 199 + nth % 7;
            let span = document.span(start..start + 20 + nth % 60)?;
            Some(json!({fields[nth % fields.len()]: {"value": nth, "quote": quote(&document, span)}}))
        })
        .collect();
    Ok(document.view(&found.ok_or("a span outside the text")?).title("A long contract"))
}
