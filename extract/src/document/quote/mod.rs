//! Quotes: words copied from a document, and every occurrence of one.

mod choose;
mod nearest;
mod place;

use std::{
    collections::{HashMap, HashSet},
    ops::{ControlFlow, Deref, Range},
};

use thiserror::Error;

pub(crate) use self::place::LikelyLocations;
pub(super) use self::{choose::QuoteLocations, place::chosen_places};
pub use self::{
    nearest::NearestPassage,
    place::{ExpectedQuote, QuoteLocation},
};
use crate::document::{
    characters::{is_inside_character, is_inside_word, says_something, trimmed},
    fold::FoldedText,
    normalisation::{Normalisation, Normalisations},
    span::Span,
    text::Document,
};

/// Maximum occurrences of one quote. If there are more, they say nothing about where the quote is
/// from.
const MOST_MATCHES: usize = 10_000;

/// One occurrence of a quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuoteMatch {
    span: Span,
    normalisations: Normalisations,
    is_whole_words: bool,
}

/// A match during the search. Most matches are never turned into a [`QuoteMatch`].
#[derive(Debug, Clone)]
struct FoundMatch {
    range: Range<usize>,
    normalisations: Normalisations,
    is_whole_words: bool,
}

impl FoundMatch {
    /// Its start and end, which determine the order of matches.
    fn ends(&self) -> (usize, usize) {
        (self.range.start, self.range.end)
    }
}

impl QuoteMatch {
    fn new(document: &Document, found: &FoundMatch) -> Self {
        let FoundMatch { range, normalisations, is_whole_words } = found.clone();
        Self { span: document.span_of(range), normalisations, is_whole_words }
    }

    /// Returns where it is.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Returns whether the text there equals the quote byte for byte.
    pub fn is_exact(&self) -> bool {
        self.normalisations.is_empty()
    }

    /// Returns how the text there differs from the quote; empty for an exact match.
    pub fn normalisations(&self) -> Normalisations {
        self.normalisations
    }

    /// Returns whether it starts and ends at the bounds of words or numbers: `art` in `party` does
    /// not.
    pub fn is_whole_words(&self) -> bool {
        self.is_whole_words
    }
}

/// All occurrences of a quote, in the order of the document; at least one. They may overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuoteMatches {
    found: Vec<QuoteMatch>,
    is_complete: bool,
}

impl QuoteMatches {
    /// Returns whether these are all occurrences. Of more than 10,000, only that many are listed.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

impl Deref for QuoteMatches {
    type Target = [QuoteMatch];

    fn deref(&self) -> &[QuoteMatch] {
        &self.found
    }
}

impl Document {
    /// Finds all occurrences of `quote`: exact ones, and those that differ only by
    /// [`Normalisation`]s. Text with any other difference, even of one letter, is not a match.
    ///
    /// Whitespace around the quote is ignored. A match neither starts nor ends inside a visible
    /// character: `cafe` does not occur in `café`, however that is encoded. It may start inside a
    /// word, see [`QuoteMatch::is_whole_words`].
    ///
    /// The first search builds an index, in time linear in the text. Later searches visit few
    /// positions; at worst, a search is linear in the text.
    ///
    /// ```
    /// use extract::document::{Document, Normalisation, QuoteError};
    ///
    /// let document = Document::from_text("She denied any chest pain. “No com-\nplaints”, she said.");
    /// let found = document.find("\"no complaints\"").unwrap();
    /// assert_eq!(&document.text()[found[0].span().range()], "“No com-\nplaints”");
    /// assert!(found[0].normalisations().contains(Normalisation::Hyphenation));
    ///
    /// assert_eq!(document.find("She denied no chest pain"), Err(QuoteError::NotInText));
    /// assert_eq!(document.find(" … "), Err(QuoteError::NoWords));
    /// ```
    ///
    /// # Errors
    ///
    /// If the quote is empty, has no words, or does not occur in the text.
    pub fn find(&self, quote: &str) -> Result<QuoteMatches, QuoteError> {
        let (found, is_complete) = self.search(quote)?;
        Ok(QuoteMatches { found: found.iter().map(|one| QuoteMatch::new(self, one)).collect(), is_complete })
    }

    /// Returns the occurrences of `quote`, in the order of the text and at least one, and whether
    /// they are all.
    fn search(&self, quote: &str) -> Result<(Vec<FoundMatch>, bool), QuoteError> {
        let quote = trimmed(quote);
        if quote.is_empty() {
            return Err(QuoteError::Empty);
        }
        if !quote.contains(says_something) {
            return Err(QuoteError::NoWords);
        }
        let (exact, all_exact) = self.exact_places(quote);
        let (other, all_other) = self.normalised_places(quote, &exact);
        let mut found: Vec<FoundMatch> =
            exact.into_iter().map(|range| self.matched(range, Normalisations::default())).collect();
        let mut differences = HashMap::new();
        for range in other {
            let slice = &self.text()[range.clone()];
            let needed = *differences.entry(slice).or_insert_with(|| needed(quote, slice));
            found.push(self.matched(range, needed));
        }
        found.sort_by_key(FoundMatch::ends);
        if found.is_empty() {
            return Err(QuoteError::NotInText);
        }
        Ok((found, all_exact && all_other))
    }

    fn matched(&self, range: Range<usize>, normalisations: Normalisations) -> FoundMatch {
        let cuts = [range.start, range.end].into_iter().any(|at| is_inside_word(self.text(), at));
        FoundMatch { range, normalisations, is_whole_words: !cuts }
    }

    fn is_possible(&self, range: &Range<usize>) -> bool {
        ![range.start, range.end].into_iter().any(|at| is_inside_character(self.text(), at))
    }

    /// The exact matches, and whether they are all.
    fn exact_places(&self, quote: &str) -> (Vec<Range<usize>>, bool) {
        let mut places = Vec::new();
        let end = self.exact().find(self.text(), quote, |at| {
            let range = at..at + quote.len();
            if self.is_possible(&range) {
                places.push(range);
            }
            if places.len() < MOST_MATCHES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        (places, end.is_continue())
    }

    /// The matches of the normalised quote other than `exact` ones, and whether they are all.
    fn normalised_places(&self, quote: &str, exact: &[Range<usize>]) -> (Vec<Range<usize>>, bool) {
        let (folded, grams) = self.folded();
        let quote = FoldedText::new(quote);
        let known: HashSet<&Range<usize>> = exact.iter().collect();
        let mut places = Vec::new();
        // Hyphens are compared at each occurrence; a text of nothing else must not take forever.
        let mut steps = self.text().len().saturating_mul(4).saturating_add(100_000);
        let end = grams.find(folded.text(), quote.text(), |at| {
            let range = at..at + quote.text().len();
            if let Some(source) = folded.source(&range).filter(|source| !known.contains(source))
                && self.is_possible(&source)
                && folded.hyphens().agree(range, quote.hyphens(), &mut steps)
            {
                places.push(source);
            }
            if steps > 0 && places.len() + exact.len() < MOST_MATCHES {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        (places, end.is_continue())
    }
}

/// The normalisations needed for `quote` to equal `slice`: those without which they differ.
fn needed(quote: &str, slice: &str) -> Normalisations {
    let differs = |kinds| !FoldedText::with(quote, kinds).agrees(&FoldedText::with(slice, kinds));
    Normalisation::ALL.into_iter().filter(|kind| differs(Normalisations::ALL.without(*kind))).collect()
}

/// Why a quote has no location in a document. Prints what is wrong with the quote, as a violation
/// does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum QuoteError {
    /// The quote is empty, or only invisible.
    #[error("is empty")]
    Empty,
    /// The quote has neither a letter nor a digit nor a picture, and so could be anywhere.
    #[error("has no words")]
    NoWords,
    /// The words do not occur in the text, even after normalisation.
    #[error("not found in the text")]
    NotInText,
}
