//! Documents: the positions of quotes, and the chunks that go into one question.

mod altered;
mod chunks;
mod digits;
mod quotes;
mod random;
mod scripts;
mod values;

/// The passages of LitBank (CC-BY-4.0), with their annotated spans in bytes, in the order of the text.
fn litbank() -> Vec<(String, Vec<std::ops::Range<usize>>)> {
    const ROWS: &str = include_str!("../../fixtures/spans/litbank.jsonl");
    let passage = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = row["text"].as_str().unwrap().to_owned();
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let byte = |number: &serde_json::Value| starts[usize::try_from(number.as_u64().unwrap()).unwrap()];
        let mut spans: Vec<_> = row["spans"]
            .as_array()
            .unwrap()
            .iter()
            .map(|span| {
                let range = byte(&span["start"])..byte(&span["end"]);
                assert_eq!(span["quote"], text[range.clone()]);
                range
            })
            .collect();
        spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        spans.dedup();
        (text, spans)
    };
    ROWS.lines().map(passage).collect()
}
