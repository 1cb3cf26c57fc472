//! What it takes to find all annotated spans of a document of 1 MB, beside looking for each from
//! the one before on with `str::find`.
//!
//! ```text
//! cargo bench -p extractable --bench document
//! ```

use std::{ops::Range, time::Instant};

use extract::document::{Chunks, Document};
use serde_json::Value;

/// The passages of LitBank (CC-BY-4.0), again and again up to 1 MB, and their spans.
fn corpus() -> (String, Vec<Range<usize>>) {
    const ROWS: &str = include_str!("../../tests/fixtures/spans/litbank.jsonl");
    let (mut text, mut spans) = (String::new(), Vec::new());
    while text.len() < 1_000_000 {
        for row in ROWS.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let Some(passage) = row["text"].as_str() else { continue };
            let starts: Vec<usize> =
                passage.char_indices().map(|(at, _)| at).chain([passage.len()]).collect();
            let byte = |number: &Value| {
                let char = number.as_u64().and_then(|char| usize::try_from(char).ok());
                text.len() + char.and_then(|char| starts.get(char)).copied().unwrap_or_default()
            };
            let own = row["spans"].as_array().into_iter().flatten();
            spans.extend(own.map(|span| byte(&span["start"])..byte(&span["end"])));
            text.push_str(passage);
            text.push('\n');
        }
    }
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    (text, spans)
}

fn main() {
    let (text, spans) = corpus();
    let quotes: Vec<&str> = spans.iter().map(|span| &text[span.clone()]).collect();
    println!("{} quotes in {} bytes", quotes.len(), text.len());
    for _ in 0..3 {
        let start = Instant::now();
        let document = Document::from_text(text.clone());
        let _ = document.find("index");
        let indexed = start.elapsed();
        let places = document.place(quotes.iter().copied());
        let all = start.elapsed();
        let is_right = |(place, span): (&Result<_, _>, &Range<usize>)| {
            let place: &Result<extract::document::QuoteLocation, extract::document::QuoteError> = place;
            place.as_ref().is_ok_and(|place| place.span().range() == *span)
        };
        let right = places.iter().zip(&spans).filter(|pair| is_right(*pair)).count();
        let start = Instant::now();
        let (mut at, mut baseline) = (0, 0);
        for (quote, span) in quotes.iter().zip(&spans) {
            at = text[at..].find(quote).map_or(0, |next| at + next);
            baseline += usize::from(at == span.start);
        }
        let plain = start.elapsed();
        let start = Instant::now();
        let chunks = document.chunks(&Chunks::chars(4_000)).map_or(0, |chunks| chunks.len());
        let divided = start.elapsed();
        println!(
            "index {indexed:.1?}, with all places {all:.1?} ({right} right); next `str::find` {plain:.1?} ({baseline} right), \
             ratio {:.1}; {chunks} chunks {divided:.1?}",
            all.as_secs_f64() / plain.as_secs_f64()
        );
    }
}
