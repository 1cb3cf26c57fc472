//! Finds the passage most similar to a quote that does not occur in the text.

use std::{collections::HashMap, ops::ControlFlow, ops::Range};

use crate::document::{
    characters::{is_east_asian, is_inside_word, trimmed},
    fold::FoldedText,
    grams::ByteGrams,
    span::Span,
    text::Document,
};

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
