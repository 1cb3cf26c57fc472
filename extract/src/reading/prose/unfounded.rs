//! Sentences about values that a document does not have: `The date is not mentioned in the text.`

use super::{
    ARTICLES, Words, ends_sentence,
    phrases::{PhraseMeaning, says},
    words,
};

const UNFOUNDED: [PhraseMeaning; 1] = [PhraseMeaning::Unfounded];

/// The sentences of `text` that say that something is not in a document, or estimated.
pub(crate) fn unfounded(text: &str) -> impl Iterator<Item = &str> {
    let text = if says(text, &UNFOUNDED) { text } else { "" };
    text.split(ends_sentence).filter(|sentence| says(sentence, &UNFOUNDED))
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

/// Returns whether `sentence` says that the document was not read: `I was unable to open the attachment.`
pub(crate) fn is_unread(sentence: &str) -> bool {
    static NOT: Words = Words::of("cannot couldn didn haven never not unable won wouldn");
    static READ: Words =
        Words::of("access display download fetch open process read receive received retrieve see seen view");
    static SOURCES: Words = Words::of(
        "article attachment audio document email essay file image letter link page pdf photo picture recording report
         scan screenshot spreadsheet text transcript url video webpage website",
    );
    static FURTHER: Words = Words::of("another any next no other second");
    static PARTS: Words = Words::of("amount code date id line name number page title total");
    let said: Vec<String> = words(sentence).map(str::to_lowercase).collect();
    // What somebody else did not read is content.
    let speaker = said.iter().position(|word| matches!(&**word, "i" | "we"));
    let is_not = |at: usize| {
        let denies =
            NOT.have(&said[at]) || said[at] == "can" && said.get(at + 1).is_some_and(|next| next == "t");
        denies && (at == 0 || speaker.is_some_and(|speaker| speaker < at))
    };
    // `I cannot read the phone number in the image` is about a part of it.
    let is_source = |rest: &[String]| {
        let named = rest.iter().take(4).position(|word| SOURCES.have(word));
        named.is_some_and(|at| {
            let is_part = rest.get(at + 1).is_some_and(|next| PARTS.have(next));
            let is_of_part =
                |word: &String| FURTHER.have(word) || matches!(&**word, "in" | "of" | "on" | "from");
            !is_part && !rest[..at].iter().any(is_of_part)
        })
    };
    (0..said.len()).any(|at| {
        let read = said[at..].iter().take(5).position(|word| READ.have(word));
        is_not(at) && read.is_some_and(|verb| is_source(&said[at + verb + 1..]))
    }) || said.windows(3).any(|three| {
        SOURCES.have(&three[0]) && matches!(&*three[2], "corrupted" | "illegible" | "unreadable")
    }) || says(sentence, &[PhraseMeaning::Unread])
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
    fn a_document_that_was_not_read_is_told_from_a_part_of_it() {
        for text in [
            "I can't access the file, so",
            "I was unable to open your attachment",
            "I have never received the letter",
        ] {
            assert!(is_unread(text), "{text}");
        }
        for text in [
            "I cannot read the number on the page",
            "I did not see another page",
            "I can't wait to see your photos",
            "The customer did not receive the letter",
        ] {
            assert!(!is_unread(text), "{text}");
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
