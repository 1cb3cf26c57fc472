//! Sentences about values that a document does not have: `The date is not mentioned in the text.`

use super::{
    phrases::{PhraseMeaning, says},
    words::{ARTICLES, ends_sentence, words},
};

const UNFOUNDED: [PhraseMeaning; 1] = [PhraseMeaning::Unfounded];

/// The sentences of `text` that say that something is not in a document, or estimated.
pub(crate) fn unfounded(text: &str) -> impl Iterator<Item = &str> {
    let text = if says(text, &UNFOUNDED) { text } else { "" };
    text.split(|c| ends_sentence(c) || c == '。').filter(|sentence| says(sentence, &UNFOUNDED))
}

/// Returns whether `sentence`, one of those, is about the value of `key`. The words of a key may be
/// parts of others, as in languages that join words or put no spaces between them.
pub(crate) fn lacks(sentence: &str, key: &str) -> bool {
    let (sentence, key) = (sentence.to_lowercase(), key.to_lowercase());
    let parts: Vec<&str> = words(&key).collect();
    let is_named = match parts[..] {
        [] => false,
        [part] if part.is_ascii() => {
            let said: Vec<&str> = words(&sentence).collect();
            let is_qualified = |at: usize| at > 0 && !ARTICLES.have(said[at - 1]);
            said.iter().enumerate().any(|(at, word)| *word == part && !is_qualified(at))
        }
        _ => parts.iter().all(|part| sentence.contains(part)),
    };
    // `Estimated hours: 6` names the key `estimated_hours`.
    let without_key = || parts.iter().fold(sentence.clone(), |rest, part| rest.replace(part, ""));
    is_named && says(&without_key(), &UNFOUNDED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_unfounded(text: &str, key: &str) -> bool {
        unfounded(text).any(|sentence| lacks(sentence, key))
    }

    #[test]
    fn a_value_that_the_document_does_not_have_is_named() {
        for (text, key) in [
            ("Note: the date is not mentioned in the text.", "date"),
            ("Date: not stated", "date"),
            ("Achtung: der Bruttobetrag steht nicht in der Rechnung.", "betrag_brutto"),
            ("La date de naissance est une estimation.", "date_naissance"),
            ("※年齢は推定です。", "年齢"),
            ("The total is fine. The shipping cost is an estimate.", "shipping_cost"),
        ] {
            assert!(is_unfounded(text, key), "{text}");
        }
    }

    #[test]
    fn another_value_or_the_key_itself_is_not_meant() {
        for (text, key) in [
            ("The middle name is not mentioned.", "name"),
            ("The due date is not specified.", "date"),
            ("Estimated hours: 6", "estimated_hours"),
            ("The date is on page 2. The discount is not stated.", "date"),
            ("The date is in the header.", "date"),
        ] {
            assert!(!is_unfounded(text, key), "{text}");
        }
    }
}
