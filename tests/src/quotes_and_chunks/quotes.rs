//! Tests of the positions of one quote.

use extract::document::{Document, Normalisation, QuoteError, QuoteMatch};

/// Returns the texts at the positions of `quote`.
fn places<'d>(document: &'d Document, quote: &str) -> Vec<&'d str> {
    let found = document.find(quote).map(|found| found.to_vec()).unwrap_or_default();
    found.iter().map(|one| &document.text()[one.span().range()]).collect()
}

/// How `text`, the whole document, differs from `quote`.
fn differences(text: &str, quote: &str) -> String {
    let document = Document::from_text(format!("{text} "));
    let found = document.find(quote).unwrap_or_else(|error| panic!("{quote:?} {error}: {text:?}"));
    assert_eq!(found[0].span().range(), 0..text.len(), "{quote:?} in {text:?}");
    assert_eq!(found.len(), 1);
    found[0].normalisations().to_string()
}

#[test]
fn a_match_says_what_had_to_be_normalised() {
    for (text, quote, expected) in [
        ("chest pain", "chest pain", "nothing"),
        ("chest \n  pain", "chest pain", "white space"),
        ("chest\u{a0}pain", "chest pain", "white space"),
        ("no “chest” pain", "no \"chest\" pain", "quotation marks"),
        ("no 'chest' pain", "no \"chest\" pain", "quotation marks"),
        ("pages 5–7", "pages 5-7", "dashes"),
        ("well — known", "well -- known", "dashes"),
        ("well—known", "well--known", "dashes"),
        ("the ﬁrst oﬀer", "the first offer", "ligatures"),
        ("ex\u{ad}am\u{200b}ple", "example", "invisible characters"),
        ("an exam-\nple", "an example", "hyphenation"),
        ("an exam\u{ad}\n  ple", "an example", "hyphenation"),
        ("a well-\nknown exam-\nple", "a well-known example", "hyphenation"),
        ("cafe\u{301}", "café", "Unicode composition"),
        ("ＡＢＣ １２", "ABC 12", "Unicode composition"),
        ("Straße", "STRASSE", "case"),
        ("ΟΔΟΣ", "οδος", "case"),
        ("Chest\n“pain”", "chest \"pain\"", "white space, quotation marks, case"),
        ("日本\n語", "日本語", "white space"),
        ("日本\n語", "日本 語", "white space"),
        ("ภาษา\nไทย", "ภาษา ไทย", "white space"),
        ("to re-\nsign it", "to re- sign it", "white space"),
        ("2020-\r\n2021", "2020- 2021", "white space"),
        ("Vor- und Nach-\nTeile", "Vor- und Nach- teile", "white space, case"),
    ] {
        assert_eq!(differences(text, quote), expected, "{quote:?} in {text:?}");
        assert_eq!(differences(quote, text), expected, "the other way round: {text:?} in {quote:?}");
    }
}

#[test]
fn another_text_is_not_found_however_near_it_is() {
    for (text, quote) in [
        ("She denied any chest pain.", "She denied no chest pain"),
        ("a well-known doctor", "a wellknown doctor"),
        ("they re-sign the lease", "they resign the lease"),
        ("they re-sign the lease", "they re- sign the lease"),
        ("they resign the lease", "they re- sign the lease"),
        ("日本語", "日本 語"),
        ("from 10-\n20 mg", "from 1020 mg"),
        ("about 10² apples", "about 102 apples"),
        ("in 2019¹ it rose", "in 20191 it rose"),
        ("a beam of 5' length", "a beam of 5\" length"),
        ("between 5--3 and 9", "between 5-3 and 9"),
        ("5 mg", "5mg"),
        ("the café", "the cafe"),
        ("the cafe\u{301}", "the cafe"),
        ("Diyarbakır", "Diyarbakir"),
        ("one. Two", "one Two"),
    ] {
        let document = Document::from_text(text);
        assert_eq!(document.find(quote), Err(QuoteError::NotInText), "{quote:?} in {text:?}");
    }
}

#[test]
fn a_quote_without_words_is_refused_with_the_reason() {
    let document = Document::from_text("a … b , c");
    for (quote, expected) in [
        ("", QuoteError::Empty),
        (" \n\t\u{200b}", QuoteError::Empty),
        ("…", QuoteError::NoWords),
        ("\" , \"", QuoteError::NoWords),
        ("、。", QuoteError::NoWords),
        ("x", QuoteError::NotInText),
    ] {
        assert_eq!(document.find(quote), Err(expected), "{quote:?}");
    }
    assert_eq!(QuoteError::NotInText.to_string(), "not found in the text");
    assert_eq!(Document::from_text("").find("a"), Err(QuoteError::NotInText));
    assert_eq!(Document::from_text("").nearest("a"), None);
    let document = Document::from_text("She takes ibuprofen (400 mg) for back pain. No fever.");
    let nearest = document.nearest("strong back pain").unwrap();
    assert_eq!(&document.text()[nearest.span().range()], "for back pain");
}

#[test]
fn every_place_is_found_also_those_that_overlap() {
    let document = Document::from_text("abab abab The end. the\nend");
    assert_eq!(document.find("ab").unwrap().len(), 4);
    assert_eq!(places(&document, "the end"), ["The end", "the\nend"]);
    let overlapping = Document::from_text("no no no no");
    let found = overlapping.find("no no").unwrap();
    assert_eq!(found.iter().map(|one| one.span().start()).collect::<Vec<_>>(), [0, 3, 6]);
}

#[test]
fn a_place_within_a_word_says_so() {
    let document = Document::from_text("The party of modern art. 5mg, 15 mg");
    let within: Vec<bool> = document.find("art").unwrap().iter().map(QuoteMatch::is_whole_words).collect();
    assert_eq!(within, [false, true]);
    let within: Vec<bool> = document.find("5").unwrap().iter().map(QuoteMatch::is_whole_words).collect();
    assert_eq!(within, [true, false]);
    let placed = document.place(["art"]).remove(0).unwrap();
    assert_eq!(placed.span().start(), 20);
    assert!(!placed.is_ambiguous());
}

#[test]
fn white_space_around_a_quote_does_not_belong_to_it() {
    let document = Document::from_text("one  two  three");
    let found = document.find("\n two ").unwrap();
    assert_eq!((found[0].span().range(), found[0].is_exact()), (5..8, true));
}

#[test]
fn a_quote_is_taken_from_its_chunk_and_from_where_its_neighbours_are() {
    let text = "Anna: 5 mg. Bert: 5 mg. Carl: 5 mg. 5 mg";
    let document = Document::from_text(text);
    let starts = |quotes: &[&str]| -> Vec<(usize, usize)> {
        let places = document.place(quotes.iter().copied());
        places
            .iter()
            .map(|place| place.as_ref().unwrap())
            .map(|place| (place.span().start(), place.alternatives()))
            .collect()
    };
    assert_eq!(starts(&["Bert", "5 mg", "Carl"]), [(12, 0), (18, 0), (24, 0)]);
    assert_eq!(starts(&["Carl", "5 mg"]), [(24, 0), (30, 0)]);
    // Repeating a quote gives another position.
    assert_eq!(starts(&["5 mg"; 4]).iter().map(|one| one.0).collect::<Vec<_>>(), [6, 18, 30, 36]);
    // Nothing decides between the positions.
    assert_eq!(starts(&["5 mg"]), [(6, 3)]);
    assert_eq!(starts(&["Anna", "5 mg", "Carl"]), [(0, 0), (6, 1), (24, 0)]);
    // The chunk decides.
    let quoted = extract::document::ExpectedQuote::new("5 mg").within(20..34);
    let placed = document.place([quoted]).remove(0).unwrap();
    assert_eq!((placed.span().start(), placed.alternatives()), (30, 0));
    // A quote that is not in the text does not affect the others.
    let placed = document.place(["Bert", "nobody", "", "5 mg"]);
    assert_eq!(placed[1], Err(QuoteError::NotInText));
    assert_eq!(placed[2], Err(QuoteError::Empty));
    assert_eq!(placed[3].as_ref().unwrap().span().start(), 18);
}

#[test]
fn an_exact_place_comes_before_one_in_another_case() {
    let document = Document::from_text("THE TENANT pays. the tenant leaves.");
    let placed = document.place(["the tenant"]).remove(0).unwrap();
    assert_eq!((placed.span().start(), placed.is_ambiguous()), (17, false));
    let all = document.find("the tenant").unwrap();
    assert!(all[0].normalisations().contains(Normalisation::Case) && all[1].is_exact());
}

#[test]
fn a_quote_may_run_over_the_end_of_a_page() {
    use extract::document::DocumentPart;
    let document = Document::from_parts([
        DocumentPart::page(7, "The tenant shall pay the esti-"),
        DocumentPart::page(8, ""),
        DocumentPart::page(9, "mated rent. Signed."),
    ]);
    let found = document.find("pay the estimated rent").unwrap()[0].span();
    assert_eq!(found.page(), Some(7));
    assert_eq!(document.find("Signed").unwrap()[0].span().page(), Some(9));
    assert_eq!(document.section_at(0).unwrap().page(), Some(7));
}

#[test]
fn hostile_texts_take_no_more_than_linear_time() {
    // Quadratic searches of these would take hours.
    let many = "a".repeat(1_000_000);
    let document = Document::from_text(many.clone());
    let found = document.find(&many[..1_000]).unwrap();
    assert_eq!((found.len(), found.is_complete()), (10_000, false));
    assert_eq!(document.find(&format!("{}b", &many[..100_000])), Err(QuoteError::NotInText));
    assert!(document.nearest(&format!("{}b", &many[..100_000])).is_some());
    for piece in [
        "a-",
        "\u{ad}",
        "-",
        " \u{ad}",
        "\u{301}",
        "a-\n",
        "\u{200d}",
        "\"",
        "1--",
        "e\u{301}\u{ad}\n",
        "🇩🇪",
        " \n",
    ] {
        let text = format!("{}the end", piece.repeat(20_000));
        let document = Document::from_text(text.clone());
        assert!(
            document.find("the end").is_ok()
                || piece.ends_with('-')
                || piece.contains(['\u{301}', '\u{200d}']),
            "{piece:?}"
        );
        let _ = document.find(&text[..piece.len() * 200]);
        let _ = document.find("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
        let _ = document.find(&format!("a{}b", piece.repeat(1_000)));
    }
}
