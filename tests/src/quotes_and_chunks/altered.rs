//! Quotes of LitBank, as they are and altered: the numbers are in `docs/decisions.md`.
//!
//! ```text
//! cargo test -p extractable-tests document::altered -- --nocapture
//! ```

use std::ops::Range;

use extract::document::{Document, QuoteError};

use super::litbank;
use crate::reading::random::Chance;

/// Passages of a few words, which start and end with a word.
fn passages(text: &str, chance: &mut Chance, count: usize) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let start = at;
        at += word.len();
        if word.trim().chars().all(char::is_alphabetic) && !word.trim().is_empty() {
            words.push((start..start + word.trim_end().len(), at));
        }
    }
    let mut found = Vec::new();
    while found.len() < count {
        let first = chance.below(words.len());
        let last = first + 4 + chance.below(8);
        // Consecutive words with nothing between them.
        if last < words.len() && (first..last).all(|word| words[word].1 == words[word + 1].0.start) {
            found.push(words[first].0.start..words[last].0.end);
        }
    }
    found
}

/// The kinds of changes. The replacement words occur in no passage, except `not`.
const ALTERATIONS: [&str; 4] =
    ["one word replaced", "\"not\" inserted", "two words replaced", "first word replaced"];

fn altered(kind: &str, quote: &str, chance: &mut Chance) -> String {
    const OTHERS: [&str; 6] = ["submarine", "helicopter", "telephonic", "penicillin", "radiator", "software"];
    let mut words: Vec<&str> = quote.split_whitespace().collect();
    let inner = 1 + chance.below(words.len() - 2);
    match kind {
        "one word replaced" => words[inner] = chance.one_of(&OTHERS),
        "\"not\" inserted" => words.insert(inner, "not"),
        "two words replaced" => {
            words[inner] = chance.one_of(&OTHERS);
            let other = if inner == 1 { words.len() - 1 } else { inner - 1 };
            words[other] = chance.one_of(&OTHERS);
        }
        _ => words[0] = chance.one_of(&OTHERS),
    }
    words.join(" ")
}

#[test]
fn no_altered_quote_has_a_place_and_the_nearest_passage_is_its_source() {
    let mut chance = Chance::new(7);
    for kind in ALTERATIONS {
        let (mut tried, mut accepted, mut near) = (0, 0, 0);
        for (text, _) in litbank() {
            let document = Document::from_text(text.clone());
            for range in passages(&text, &mut chance, 20) {
                let quote = altered(kind, &text[range.clone()], &mut chance);
                tried += 1;
                match document.find(&quote) {
                    Err(error) => assert_eq!(error, QuoteError::NotInText),
                    Ok(_) => accepted += 1,
                }
                let nearest = document.nearest(&quote).map(|nearest| nearest.span().range());
                near +=
                    usize::from(nearest.is_some_and(|near| near.start < range.end && range.start < near.end));
            }
        }
        println!("{kind}: {accepted} of {tried} accepted; {near} nearest to their source");
        assert!(tried >= 300 && accepted == 0, "{kind}: {accepted} of {tried}");
        assert!(near * 100 >= tried * 97, "{kind}: {near} of {tried}");
    }
}

#[test]
fn verbatim_quotes_in_the_order_of_the_text_are_placed_right() {
    let (mut all, mut right, mut ambiguous, mut wrong_and_certain) = (0, 0, 0, 0);
    for (text, spans) in litbank() {
        let document = Document::from_text(text.clone());
        let places = document.place(spans.iter().map(|span| &text[span.clone()]));
        assert_eq!(places.len(), spans.len());
        for (span, place) in spans.iter().zip(places) {
            let place = place.unwrap();
            let is_right = place.span().range() == *span;
            all += 1;
            right += usize::from(is_right);
            ambiguous += usize::from(place.is_ambiguous());
            wrong_and_certain += usize::from(!is_right && !place.is_ambiguous());
            assert!(place.found().is_exact());
        }
    }
    println!(
        "{right} of {all} placed right; {ambiguous} ambiguous; {wrong_and_certain} wrong but not called ambiguous"
    );
    assert!(right * 1000 >= all * 995, "{right} of {all}");
    assert_eq!(wrong_and_certain, 0);
}
