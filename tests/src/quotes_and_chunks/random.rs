//! Properties of every text and all its quotes.

use extract::document::{Document, Normalisation, QuoteMatch};

use crate::reading::random::Chance;

/// A text of pieces that are words, spaces and trouble.
fn text(chance: &mut Chance) -> String {
    const PIECES: [&str; 34] = [
        "a",
        "ab",
        "Chair",
        " ",
        " ",
        " ",
        "  ",
        "\n",
        "\r\n",
        "größe",
        "-",
        "–",
        "—",
        "--",
        "-\n",
        "\u{ad}",
        "\u{ad}\n",
        "“",
        "\"",
        "'",
        "5",
        "12",
        "²",
        "½",
        "ﬁ",
        "e\u{301}",
        "\u{301}",
        "日本",
        "の",
        "한국",
        "😀",
        "👩\u{200d}👩",
        "\u{a0}",
        "ς",
    ];
    (0..chance.below(30)).map(|_| chance.one_of(&PIECES)).collect()
}

fn boundary(text: &str, chance: &mut Chance) -> usize {
    let mut at = chance.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A part of `text` that starts and ends with a letter or digit, and does not cut a visible
/// character.
fn quote(text: &str, chance: &mut Chance) -> Option<(usize, usize)> {
    let (one, other) = (boundary(text, chance), boundary(text, chance));
    let range = one.min(other)..one.max(other);
    let ends = [text[range.clone()].chars().next()?, text[range.clone()].chars().next_back()?];
    let next = text[range.end..].chars().next();
    let is_cut = next.is_some_and(|c| ['\u{301}', '\u{200d}'].contains(&c))
        || text[..range.start].ends_with('\u{200d}');
    (ends.iter().all(|c| c.is_alphanumeric()) && !is_cut).then_some((range.start, range.end))
}

#[test]
fn a_quote_taken_from_the_text_is_found_where_it_was_taken() {
    let mut chance = Chance::new(11);
    let mut tried = 0;
    for _ in 0..20_000 {
        let text = text(&mut chance);
        let Some((start, end)) = quote(&text, &mut chance) else { continue };
        tried += 1;
        let document = Document::from_text(text.clone());
        let found = document
            .find(&text[start..end])
            .unwrap_or_else(|error| panic!("{error}: {start}..{end} of {text:?}"));
        assert!(
            found.iter().any(|one| one.span().range() == (start..end) && one.is_exact()),
            "{start}..{end} of {text:?}: {found:?}"
        );
        assert!(found.is_sorted_by_key(|one| (one.span().start(), one.span().end())));
        for one in found.iter() {
            assert_eq!(
                one.is_exact(),
                document.text()[one.span().range()] == text[start..end],
                "{text:?} {one:?}"
            );
        }
    }
    assert!(tried > 3_000, "{tried}");
}

#[test]
fn what_is_found_is_the_quote_to_anybody_who_normalises_both() {
    let mut chance = Chance::new(12);
    let mut normalised = 0;
    for _ in 0..6_000 {
        let (one, other) = (text(&mut chance), text(&mut chance));
        let document = Document::from_text(format!("{one}{other}"));
        let Some((start, end)) = quote(&other, &mut chance) else { continue };
        // The quote as somebody else would write it.
        let quote = &other[start..end];
        let rewritten = match chance.below(5) {
            0 => quote.to_uppercase(),
            1 => quote.replace([' ', '\n'], " \n "),
            2 => quote.replace('—', "–").replace('"', "“"),
            3 => quote.replace('é', "e\u{301}").replace("e\u{301}", "é"),
            _ => quote.replace('-', "\u{ad}-").replace('ﬁ', "fi"),
        };
        let Ok(found) = document.find(&rewritten) else { continue };
        for one in found.iter() {
            let slice = &document.text()[one.span().range()];
            normalised += usize::from(!one.is_exact());
            // In both directions, each is found in the other as a whole.
            let back = Document::from_text(slice)
                .find(&rewritten)
                .unwrap_or_else(|error| panic!("{error}: {rewritten:?} {slice:?}"));
            assert_eq!(back[0].span().range(), 0..slice.len(), "{rewritten:?} {slice:?}");
            let back = Document::from_text(rewritten.clone())
                .find(slice)
                .unwrap_or_else(|error| panic!("{error}: {slice:?} {rewritten:?}"));
            assert_eq!(back[0].span().range(), 0..rewritten.trim().len(), "{slice:?} {rewritten:?}");
            assert_eq!(one.is_exact(), one.normalisations().is_empty());
        }
    }
    assert!(normalised > 300, "{normalised}");
}

#[test]
fn a_quote_taken_from_the_text_is_placed_among_others_and_as_it_is_where_it_can_be() {
    let mut chance = Chance::new(13);
    for _ in 0..2_000 {
        let document = Document::from_text(text(&mut chance).repeat(3));
        let ranges: Vec<_> = (0..5).filter_map(|_| quote(document.text(), &mut chance)).collect();
        let quotes = ranges.iter().map(|(start, end)| &document.text()[*start..*end]);
        for (place, quote) in document.place(quotes.clone()).iter().zip(quotes) {
            let found = *place.as_ref().unwrap().found();
            let all = document.find(quote).unwrap();
            assert!(all.contains(&found));
            let is_better =
                |one: &QuoteMatch| one.is_exact() && one.is_whole_words() >= found.is_whole_words();
            assert!(found.is_exact() || !differs_in_words(&found) || !all.iter().any(is_better), "{quote:?}");
        }
    }
}

fn differs_in_words(found: &QuoteMatch) -> bool {
    use Normalisation::{Case, Dashes, Ligatures, QuotationMarks, Unicode};
    [Case, Dashes, Ligatures, QuotationMarks, Unicode].iter().any(|one| found.normalisations().contains(*one))
}
