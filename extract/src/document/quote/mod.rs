//! Quotes: words copied from a document, every occurrence of one, and the passage most similar to
//! one that does not occur.

mod place;

use std::{
    collections::{HashMap, HashSet},
    ops::{ControlFlow, Deref, Range},
};

use thiserror::Error;

pub(crate) use self::place::LikelyLocations;
pub use self::place::{ExpectedQuote, QuoteLocation};
pub(super) use self::place::{QuoteLocations, chosen_places};
use crate::document::{
    characters::{is_east_asian, is_inside_character, is_inside_word, says_something, trimmed},
    grams::ByteGrams,
    normalisation::{FoldedText, Normalisation, Normalisations, may_break_lines, with_spaces},
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

/// A passage similar to a quote. It is for messages only: similarity proves nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestPassage {
    span: Span,
    similarity: f64,
}

impl NearestPassage {
    /// Returns where it is.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Returns its similarity to the quote: one minus the number of edits (Levenshtein) per
    /// character of the normalised quote. 1.0 means equal; the least is 0.4.
    pub fn similarity(&self) -> f64 {
        self.similarity
    }
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
        let (other, all_other) = self.normalised_places(self.folded(), quote, &exact);
        if exact.is_empty() && other.is_empty() && may_break_lines(quote) {
            return self.search_lines(quote);
        }
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

    /// The same for a quote in which a line break is written as a space, or the other way round.
    fn search_lines(&self, quote: &str) -> Result<(Vec<FoundMatch>, bool), QuoteError> {
        let quote = with_spaces(quote);
        let (places, are_all) = self.normalised_places(self.folded_lines(), &quote, &[]);
        let found = places.into_iter().map(|range| {
            let slice = with_spaces(&self.text()[range.clone()]);
            let others = needed(&quote, &slice);
            self.matched(range, others.iter().chain([Normalisation::WhiteSpace]).collect())
        });
        let found: Vec<_> = found.collect();
        if found.is_empty() { Err(QuoteError::NotInText) } else { Ok((found, are_all)) }
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

    /// The matches of the normalised quote in the `folded` text other than `exact` ones, and whether
    /// they are all.
    fn normalised_places(
        &self,
        (folded, grams): (&FoldedText, &ByteGrams),
        quote: &str,
        exact: &[Range<usize>],
    ) -> (Vec<Range<usize>>, bool) {
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

/// Maximum characters of a quote that are compared.
const COMPARED: usize = 400;

/// Maximum words of the quote that are looked up, and maximum positions of each. A more frequent
/// word says little about the location.
const SEEDS: usize = 48;
const PLACES: usize = 1_000;

/// Maximum passages that are compared with the quote.
const PASSAGES: usize = 6;

/// Minimum similarity. A passage below it is not taken for the source of the quote.
const LEAST_SIMILARITY: f64 = 0.4;

/// Maximum bytes by which the ends of a passage are moved to word bounds.
const WORD_BYTES: usize = 64;

impl Document {
    /// Returns the passage most similar to `quote`, to tell a model what the text says instead.
    /// `None` if none is similar.
    ///
    /// Only the first 400 characters of the quote are compared, with six passages that share words
    /// with it. The time is linear in the text at worst.
    ///
    /// ```
    /// use extract::document::Document;
    ///
    /// let document = Document::from_text("She was well. She denied any chest pain. No fever.");
    /// let nearest = document.nearest("She denied no chest pain").unwrap();
    /// assert_eq!(&document.text()[nearest.span().range()], "She denied any chest pain");
    /// ```
    pub fn nearest(&self, quote: &str) -> Option<NearestPassage> {
        let quote = trimmed(quote);
        let end = quote.char_indices().nth(COMPARED).map_or(quote.len(), |(end, _)| end);
        let quote = FoldedText::new(&quote[..end]);
        let (folded, grams) = self.folded();
        let chars: Vec<char> = quote.text().chars().collect();
        let (edits, range) = starts(folded.text(), grams, quote.text())
            .into_iter()
            .filter_map(|start| most_alike(folded.text(), start, quote.text().len(), &chars))
            .min_by_key(|(edits, range)| (*edits, range.start))?;
        let similarity = 1.0 - count(edits) / count(chars.len());
        if similarity < LEAST_SIMILARITY {
            return None;
        }
        let range = without_marks(folded.text(), with_whole_words(folded.text(), range));
        let source = folded.source_around(&range)?;
        Some(NearestPassage { span: self.span(source)?, similarity })
    }
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::MAX, f64::from)
}

/// Where in `text` a passage similar to `quote` may start, the likeliest first.
fn starts(text: &str, grams: &ByteGrams, quote: &str) -> Vec<usize> {
    let width = quote.len() / 2 + 1;
    let mut votes: HashMap<usize, f64> = HashMap::new();
    for seed in seeds(quote) {
        let mut places = Vec::new();
        let _ = grams.find(text, &quote[seed.clone()], |place| {
            places.push(place);
            if places.len() < PLACES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        let weight = 1.0 / count(places.len().max(1));
        for place in places {
            *votes.entry(place.saturating_sub(seed.start) / width).or_default() += weight;
        }
    }
    let mut windows: Vec<(usize, f64)> = votes.into_iter().collect();
    windows.sort_by(|(first, more), (second, less)| less.total_cmp(more).then(first.cmp(second)));
    windows.into_iter().take(PASSAGES).map(|(window, _)| window * width).collect()
}

/// The words of `quote`, or pairs of characters in scripts without spaces.
fn seeds(quote: &str) -> Vec<Range<usize>> {
    let mut seeds = Vec::new();
    let mut word: Option<Range<usize>> = None;
    let mut before: Option<usize> = None;
    for (at, c) in quote.char_indices() {
        let end = at + c.len_utf8();
        if is_east_asian(c) {
            seeds.extend(word.take());
            seeds.extend(before.map(|start| start..end));
            before = Some(at);
        } else if c.is_alphanumeric() {
            before = None;
            word = Some(word.map_or(at, |word| word.start)..end);
        } else {
            before = None;
            seeds.extend(word.take());
        }
    }
    seeds.extend(word);
    // Spread evenly over the whole quote.
    let every = seeds.len().div_ceil(SEEDS).max(1);
    seeds.into_iter().step_by(every).collect()
}

/// The passage near `start` with the fewest edits to `quote`, and their number. The quote has `len`
/// bytes.
fn most_alike(text: &str, start: usize, len: usize, quote: &[char]) -> Option<(usize, Range<usize>)> {
    let boundary = |at: usize| (at.min(text.len())..=text.len()).find(|at| text.is_char_boundary(*at));
    let from = boundary(start.saturating_sub(len / 2))?;
    let to = boundary(start.saturating_add(len.saturating_mul(2)))?;
    // Sellers' table: `costs[i]` is the least number of edits from the first `i` characters of the
    // quote to a passage that ends here, and the start of that passage.
    let mut costs: Vec<(usize, usize)> = (0..=quote.len()).map(|cost| (cost, from)).collect();
    let mut best = None;
    for (at, c) in text[from..to].char_indices() {
        let (here, end) = (from + at, from + at + c.len_utf8());
        // A passage may start at any character.
        costs[0] = (0, end);
        let mut diagonal = (0, here);
        for (index, wanted) in quote.iter().enumerate() {
            let (cost, start) = diagonal;
            let replaced = (cost + usize::from(*wanted != c), start);
            diagonal = costs[index + 1];
            let inserted = (diagonal.0 + 1, diagonal.1);
            let left_out = (costs[index].0 + 1, costs[index].1);
            costs[index + 1] = replaced.min(inserted).min(left_out);
        }
        let (cost, start) = costs[quote.len()];
        if best.as_ref().is_none_or(|(least, _)| cost < *least) && start < end {
            best = Some((cost, start..end));
        }
    }
    best
}

/// `range` without brackets, quotation marks and sentence ends on either side, if anything is left.
fn without_marks(text: &str, range: Range<usize>) -> Range<usize> {
    let passage = &text[range.clone()];
    let is_mark = |c: char| c.is_whitespace() || ",.;:!?()[]{}\"'".contains(c);
    let start = range.start + (passage.len() - passage.trim_start_matches(is_mark).len());
    let end = range.start + passage.trim_end_matches(is_mark).len();
    if start < end { start..end } else { range }
}

/// `range`, extended to whole words.
fn with_whole_words(text: &str, range: Range<usize>) -> Range<usize> {
    let is_end = |at: &usize| text.is_char_boundary(*at) && !is_inside_word(text, *at);
    let start = (range.start.saturating_sub(WORD_BYTES)..=range.start).rev().find(is_end);
    let end = (range.end..=range.end.saturating_add(WORD_BYTES).min(text.len())).find(is_end);
    start.unwrap_or(range.start)..end.unwrap_or(range.end)
}
