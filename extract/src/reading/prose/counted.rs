//! What prose counts: `16 years of experience`.

use super::{
    stated::{MAX_NAME, last_name},
    words::Words,
};

/// Words before a number that make it another one than what is counted in all: `the first 2 lines`,
/// `more than 10 years`.
static QUALIFYING: Words = Words::of(
    "about additional after almost another approximately around before between bottom by chapter every except
     fewer figure first for following former in last latter least less line maximum minimum more most next note
     number other over page part past per previous remaining roughly row section step table than the these those
     to top under until up version within",
);

/// Parts of what the reply itself says or does: `in 2 sentences`.
static PLAIN: Words = Words::of("sentences steps times words");

/// Years: what follows one is of that year, and not counted by it.
const YEARS: std::ops::RangeInclusive<u32> = 1900..=2100;

/// Words before the number of all elements that a list has.
static FINDING: Words = Words::of(
    "detected encontré encontrei extracted extrahiert found gefunden identified listed trouvé trovato",
);

/// Returns whether `before`, the text before a number, ends with a word for what was found.
pub(crate) fn says_found(before: &str) -> bool {
    FINDING.have(last_name(before.trim_end_matches([' ', '*', '(', '`', '"']), &[]))
}

/// The nouns in the plural that `text` puts right after an integer, each with the text from that integer
/// on.
pub(crate) fn counted(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.match_indices(' ').filter_map(|(space, _)| {
        let (before, after) = (&text[..space], &text[space + 1..]);
        let digits =
            before.len() - before.bytes().rev().take_while(u8::is_ascii_digit).take(MAX_NAME).count();
        let (around, number) = before.split_at(digits);
        // Before all that looks back, which would take long at every space.
        if number.is_empty() {
            return None;
        }
        let end = after.find(|c: char| !c.is_ascii_alphabetic() && c != '_').unwrap_or(after.len());
        let name = &after[..end.min(MAX_NAME)];
        let is_plural = name.len() > 3 && name.ends_with('s') && !name.ends_with("ss") && !PLAIN.have(name);
        let is_year = || number.parse().is_ok_and(|year| YEARS.contains(&year));
        let lead = around.trim_end_matches([' ', '*', '(', '`', '"']);
        let is_whole = around.is_empty() || around.ends_with([' ', '*', '(', '`', '\n']);
        // `2 out of 5 stars`
        let is_qualified = || QUALIFYING.have(last_name(lead, &[])) || lead.ends_with(" out of");
        (is_plural && is_whole && !is_year() && !is_qualified()).then(|| (name, &text[digits..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_before_a_plural_counts_it() {
        for (text, expected) in [
            ("16 years of experience", ("years", "16 years of experience")),
            ("I found **8 errors**.", ("errors", "8 errors**.")),
            ("\n3 Guests", ("Guests", "3 Guests")),
        ] {
            assert_eq!(counted(text).collect::<Vec<_>>(), [expected], "{text}");
        }
    }

    #[test]
    fn other_numbers_count_nothing() {
        for text in [
            "the 2024 sales",
            "the first 2 lines",
            "more than 10 years",
            "1-3 items",
            "v2 errors",
            "3 x years",
            "$3 items",
            "2.5 years",
            "in 2 days",
            "2 out of 5 stars",
            "8 bus",
            "8 class",
            " years",
            "8",
        ] {
            assert_eq!(counted(text).collect::<Vec<_>>(), [], "{text}");
        }
    }
}
