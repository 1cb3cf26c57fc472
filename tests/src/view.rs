//! The page of a document, from an extraction in chunks.

use extract::{
    Extractable,
    document::{Chunks, Document, Grounded, Quote},
    testing::{ScriptedAgent, block_on},
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Medication {
    #[extract(key)]
    name: Grounded<String>,
    dose_mg: Option<Grounded<f64>>,
    #[extract(merge = all)]
    reasons: Vec<Quote>,
}

/// The part of `html` with this id.
fn part<'h>(html: &'h str, id: &str) -> &'h str {
    let (_, after) =
        html.split_once(&format!("<section id={id}")).unwrap_or_else(|| panic!("no {id} in {html}"));
    after.split_once("</section>").unwrap().0
}

#[test]
fn shows_what_an_extraction_in_chunks_found_and_what_became_of_it() {
    let document = Document::from_text("Aspirin 100 mg.\n\nAspirin 50 mg for pain.\n\n(unreadable)\n");
    let agent = ScriptedAgent::new([
        r#"[{"name": {"value": "Aspirin", "quote": "Aspirin"}, "dose_mg": {"value": 100, "quote": "100 mg"}, "reasons": []}]"#,
        r#"[{"name": {"value": "Aspirin", "quote": "Aspirin"}, "dose_mg": {"value": 50, "quote": "50 mg"}, "reasons": ["PAIN"]},]"#,
        "I cannot read this.",
    ]);
    let (found, metrics) = block_on(
        Vec::<Medication>::extract(&agent, "All medications given.")
            .document(&document)
            .chunks(Chunks::chars(27))
            .max_attempts(1)
            .accept_gaps(true),
    )
    .unwrap();

    let view = extract_documents::view(&document, &found).metrics(&metrics);
    let html = view.html();

    // Each name in the text is a mark of the same row, and the words are the document's words.
    let text = part(html, "text");
    assert_eq!(text.matches(r#"<a href=#r0 class="f0" id="#).count(), 2, "{text}");
    assert!(text.contains(">pain</a>."), "{text}");
    assert!(text.contains("<span>(unreadable)</span>"), "{text}");
    let values = part(html, "values");
    assert!(values.contains("<s>$[0]</s>.name</bdi><td><bdi>Aspirin</bdi>"), "{values}");
    assert!(values.contains(">1:1</a> <a href=#m2>3:1</a>"), "{values}");
    assert!(values.contains("<td colspan=2><q><bdi>pain</bdi></q>"), "{values}");

    let conflicts = part(html, "conflicts");
    assert!(conflicts.find("100").unwrap() < conflicts.find("not kept").unwrap(), "{conflicts}");
    assert!(conflicts.contains(">3:9</a>"), "{conflicts}");
    assert!(part(html, "gaps").contains("no JSON in the answer"), "{html}");
    let repairs = part(html, "repairs");
    assert!(repairs.contains("<td>comma") && repairs.contains("<td>quotation"), "{repairs}");
}

#[test]
fn a_page_is_what_the_file_gets() {
    let document = Document::from_text("größe");
    let view = extract_documents::view(&document, &["XL"]).title("A & B");
    let bytes: &[u8] = view.as_ref();
    assert_eq!(bytes, view.to_string().as_bytes());
    assert!(
        view.html().contains("<title>A &amp; B</title>") && view.html().contains("<h1><bdi>A &amp; B</bdi>")
    );
    // A later change appears on the page, even after it was rendered once.
    assert!(view.clone().title("C").html().contains("<title>C</title>"));
}
