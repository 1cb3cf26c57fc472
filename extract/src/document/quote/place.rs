//! Locates several quotes, choosing each location by its neighbours, and without the marks that a
//! model writes around the words it copies.

use std::{collections::HashMap, hash::Hash, ops::Range, rc::Rc};

use super::{FoundMatch, QuoteError, QuoteMatch};
use crate::document::{
    characters::{quotation_mark, trimmed},
    normalisation::{Normalisation, Normalisations},
    span::Span,
    text::Document,
};

/// A quote, with the part of the document that it is expected in.
///
/// ```
/// use extract::document::ExpectedQuote;
///
/// let quoted = ExpectedQuote::new("5 mg").within(4_000..8_000);
/// assert_eq!(quoted, ExpectedQuote::from("5 mg").within(4_000..8_000));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExpectedQuote<'q> {
    text: &'q str,
    within: Option<Range<usize>>,
}

impl<'q> ExpectedQuote<'q> {
    /// Creates a quote from anywhere in the document.
    pub fn new(text: &'q str) -> Self {
        Self { text, within: None }
    }

    /// Sets the bytes that the quote is most likely from: the bytes of its chunk. Occurrences
    /// outside count only if there are none inside.
    #[must_use]
    pub fn within(mut self, bytes: Range<usize>) -> Self {
        self.within = Some(bytes);
        self
    }
}

impl<'q> From<&'q str> for ExpectedQuote<'q> {
    fn from(text: &'q str) -> Self {
        Self::new(text)
    }
}

impl<'q> From<&'q String> for ExpectedQuote<'q> {
    fn from(text: &'q String) -> Self {
        Self::new(text)
    }
}

/// The locations that quotes are most likely from.
#[derive(Debug)]
pub(crate) struct LikelyLocations {
    /// Where quotes with these words were found before, in the order of the text.
    found: HashMap<String, Vec<Range<usize>>>,
    /// The parts of the document that were shown.
    parts: Vec<Range<usize>>,
}

impl LikelyLocations {
    /// All quotes are likely from `parts`.
    pub(crate) fn within(parts: Vec<Range<usize>>) -> Self {
        Self { found: HashMap::new(), parts }
    }

    /// Quotes are most likely from the locations where they were `found` in `document` before.
    pub(crate) fn where_found(mut self, document: &Document, found: impl IntoIterator<Item = Span>) -> Self {
        for span in found {
            // A location kept from an earlier run may belong to another text.
            if let Some(words) = document.text().get(span.range()) {
                self.found.entry(words.to_owned()).or_default().push(span.range());
            }
        }
        for places in self.found.values_mut() {
            places.sort_unstable_by_key(|range| (range.start, range.end));
        }
        self
    }

    fn places_of(&self, words: &str) -> &[Range<usize>] {
        self.found.get(words).map_or(&[], Vec::as_slice)
    }
}

/// The location that was chosen for a quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuoteLocation {
    found: QuoteMatch,
    alternatives: usize,
    /// Whether the quote occurs nowhere else.
    is_only: bool,
}

impl QuoteLocation {
    /// Returns where it is.
    pub fn span(&self) -> Span {
        self.found.span()
    }

    /// Returns the match, with its differences from the quote.
    pub fn found(&self) -> &QuoteMatch {
        &self.found
    }

    /// Returns at how many other locations the quote is just as likely, judging by its neighbours.
    /// Counted among the first 1,000.
    pub fn alternatives(&self) -> usize {
        self.alternatives
    }

    /// Returns whether another location is just as likely.
    pub fn is_ambiguous(&self) -> bool {
        self.alternatives > 0
    }

    /// Returns whether the quote occurs in the document once, so that neighbours cannot change its
    /// location.
    pub(crate) fn is_only(&self) -> bool {
        self.is_only
    }
}

impl Document {
    /// Chooses locations for quotes given in this order, one result for each.
    ///
    /// A quote that occurs several times gets the location that its neighbours suggest: in its own
    /// chunk, further on in the text, near the quotes before and after. The same quote twice in a
    /// row gets two locations. Whole words are preferred over parts of words, and then locations
    /// that differ from the quote only in whitespace over others. Spans may overlap and nest.
    ///
    /// ```
    /// use extract::document::Document;
    ///
    /// let document = Document::from_text("Aspirin: 5 mg, daily. Ibuprofen: 5 mg, weekly.");
    /// let places = document.place(["Ibuprofen", "5 mg", "weekly"]);
    /// assert_eq!(places[1].as_ref().unwrap().span().range(), 33..37);
    /// assert!(!places[1].as_ref().unwrap().is_ambiguous());
    /// ```
    pub fn place<'q, Q: Into<ExpectedQuote<'q>>>(
        &self,
        quotes: impl IntoIterator<Item = Q>,
    ) -> Vec<Result<QuoteLocation, QuoteError>> {
        let quotes: Vec<ExpectedQuote<'q>> = quotes.into_iter().map(Into::into).collect();
        let places = |quote: &ExpectedQuote<'_>, matches: &[FoundMatch]| {
            likeliest(matches, &[], quote.within.as_slice())
        };
        self.place_by(&quotes, |quote| quote.text, |quote| Ok(self.search(quote)?.0), places)
    }

    /// The same, for quotes with likely locations. If a quote does not occur, it is looked for
    /// without quotation marks and ellipses around it.
    pub(crate) fn place_likely(
        &self,
        quotes: &[&str],
        likely: &LikelyLocations,
    ) -> Vec<Result<QuoteLocation, QuoteError>> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for words in quotes {
            *counts.entry(words).or_default() += 1;
        }
        let places = |words: &&str, matches: &[FoundMatch]| {
            // A quote that is there more often than it was found is from another location as well.
            let known = likely.places_of(words);
            let known = if counts[words] > known.len() { &[] } else { known };
            likeliest(matches, known, &likely.parts)
        };
        self.place_by(quotes, |quote| quote, |quote| self.search_without_marks(quote), places)
    }

    /// Returns the occurrences of `quote`, else of its words without the marks around them.
    fn search_without_marks(&self, quote: &str) -> Result<Vec<FoundMatch>, QuoteError> {
        self.search(quote).map(|(found, _)| found).or_else(|error| {
            let bare = without_marks(quote).find_map(|bare| Some(self.search(bare).ok()?.0));
            bare.ok_or(error)
        })
    }

    fn place_by<'q, Q: Eq + Hash>(
        &self,
        quotes: &'q [Q],
        text: impl Fn(&'q Q) -> &'q str,
        search: impl Fn(&str) -> Result<Vec<FoundMatch>, QuoteError>,
        likeliest: impl Fn(&Q, &[FoundMatch]) -> QuoteLocations,
    ) -> Vec<Result<QuoteLocation, QuoteError>> {
        let mut found: HashMap<&str, Result<Vec<FoundMatch>, QuoteError>> = HashMap::new();
        for quote in quotes {
            found.entry(text(quote)).or_insert_with(|| search(text(quote)));
        }
        let mut places: HashMap<&Q, QuoteLocations> = HashMap::new();
        for quote in quotes {
            if let Ok(matches) = &found[text(quote)] {
                places.entry(quote).or_insert_with(|| likeliest(quote, matches));
            }
        }
        let places = |quote: &Q| places.get(quote).cloned().unwrap_or_else(|| Rc::new([]));
        let chosen = chosen_places(quotes.iter().map(|quote| (text(quote), places(quote))));
        let placement = |(quote, chosen): (&'q Q, Option<(Range<usize>, usize)>)| {
            let matches = found[text(quote)].as_ref().map_err(|error| *error)?;
            let (range, alternatives) = chosen.ok_or(QuoteError::NotInText)?;
            let place = matches.binary_search_by_key(&(range.start, range.end), FoundMatch::ends);
            let found = &matches[place.map_err(|_| QuoteError::NotInText)?];
            Ok(QuoteLocation {
                found: QuoteMatch::new(self, found),
                alternatives,
                is_only: matches.len() == 1,
            })
        };
        quotes.iter().zip(chosen).map(placement).collect()
    }

    /// Returns the likeliest locations of `quote`.
    pub(crate) fn places_of(&self, quote: &str) -> QuoteLocations {
        self.search(quote)
            .map_or_else(|_| Rc::new([]) as QuoteLocations, |(found, _)| likeliest(&found, &[], &[]))
    }
}

/// For each quote, the location that the others suggest, and how many of its other locations are as
/// likely.
pub(crate) fn chosen_places<'q>(
    quotes: impl Iterator<Item = (&'q str, QuoteLocations)>,
) -> Vec<Option<(Range<usize>, usize)>> {
    let candidates: Vec<_> = quotes.map(|(quote, places)| LocationCandidates { quote, places }).collect();
    let chosen = choose(&candidates);
    let place = |index: usize| {
        let place = candidates[index].places.get(chosen[index]?)?;
        Some((place.clone(), as_likely(&candidates, &chosen, index)))
    };
    (0..candidates.len()).map(place).collect()
}

/// Returns the locations that are likelier than the rest: `known` ones, which are in order, then
/// ones within `parts`, then whole words, then ones that differ only in whitespace.
fn likeliest(matches: &[FoundMatch], known: &[Range<usize>], parts: &[Range<usize>]) -> QuoteLocations {
    let distance = |range: &Range<usize>, part: &Range<usize>| {
        if part.start <= range.start && range.end <= part.end {
            0
        } else if range.start < part.end && part.start < range.end {
            1
        } else {
            2
        }
    };
    let unlikeliness = |one: &FoundMatch| {
        let range = &one.range;
        let is_known = known.binary_search_by_key(&one.ends(), |known| (known.start, known.end)).is_ok();
        let outside = parts.iter().map(|part| distance(range, part)).min();
        (!is_known, outside, !one.is_whole_words, !differs_in_space_only(one.normalisations))
    };
    let least = matches.iter().map(unlikeliness).min();
    matches.iter().filter(|one| Some(unlikeliness(one)) == least).map(|one| one.range.clone()).collect()
}

/// Models write a space for a line break even when they copy faithfully.
fn differs_in_space_only(differences: Normalisations) -> bool {
    differences.iter().all(|one| {
        matches!(one, Normalisation::WhiteSpace | Normalisation::Hyphenation | Normalisation::Invisible)
    })
}

/// Maximum layers that are taken off: an ellipsis in quotation marks in brackets is three.
const MOST_LAYERS: usize = 6;

/// `quote` without the marks around it, one layer after another.
pub(super) fn without_marks(quote: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(peeled(quote), |quote| peeled(quote)).take(MOST_LAYERS)
}

/// `quote` without its outermost marks; `None` if it has none, or nothing else.
fn peeled(quote: &str) -> Option<&str> {
    let quote = trimmed(quote);
    let bare = without_ellipses(quote);
    let bare = if bare.len() < quote.len() { bare } else { without_quotation_marks(quote)? };
    let bare = trimmed(bare);
    (!bare.is_empty()).then_some(bare)
}

/// `text` without the ellipses at its start and end.
fn without_ellipses(text: &str) -> &str {
    const IN_BRACKETS: [&str; 4] = ["[...]", "(...)", "[…]", "(…)"];
    for bracketed in IN_BRACKETS {
        if let Some(rest) = text.strip_prefix(bracketed).or_else(|| text.strip_suffix(bracketed)) {
            return rest;
        }
    }
    let is_sign = |c: char| matches!(c, '…' | '⋯' | '‥');
    let text = text.trim_matches(is_sign);
    let start = text.trim_start_matches('.');
    let text = if text.len() - start.len() > 2 { start } else { text };
    let end = text.trim_end_matches('.');
    if text.len() - end.len() > 2 { end } else { text }
}

/// `text` without a pair of quotation marks around it, or without a double one on one side. A
/// single one there may be an apostrophe, and one after a digit means feet or inches.
fn without_quotation_marks(text: &str) -> Option<&str> {
    let first = text.chars().next()?;
    let last = text.chars().next_back()?;
    let (opening, closing) = (mark(first), mark(last));
    let (after, before) = (text.strip_prefix(first)?, text.strip_suffix(last)?);
    if opening.is_some() && opening == closing {
        return after.strip_suffix(last);
    }
    if opening == Some('"') {
        return Some(after);
    }
    (closing == Some('"') && !before.ends_with(char::is_numeric)).then_some(before)
}

/// The kind of quotation mark that `c` is. Primes are units.
fn mark(c: char) -> Option<char> {
    match c {
        '\u{2032}'..='\u{2037}' | '\u{b4}' => None,
        '《' | '》' | '〈' | '〉' => Some('<'),
        '﹁' | '﹂' | '﹃' | '﹄' => Some('「'),
        _ => quotation_mark(c),
    }
}

/// Extra cost of a step backwards, in bytes. Values usually come in the order of the text, but
/// values of one sentence in any order.
const BACK: usize = 2_000;

/// Maximum locations of all quotes that are weighed together, at 32 bytes each.
const TOGETHER: usize = 1 << 21;

/// Maximum locations of a quote that is weighed together with others, if there are too many in
/// total.
const FEW: usize = 64;

/// Maximum locations of a quote that are examined to count the equally likely ones.
const COUNTED: usize = 1_000;

/// The locations of a quote, in bytes, in the order of the text. All quotes with the same words
/// share them.
pub(crate) type QuoteLocations = Rc<[Range<usize>]>;

/// A quote, with its possible locations.
#[derive(Debug, Clone)]
pub(super) struct LocationCandidates<'q> {
    pub(super) quote: &'q str,
    pub(super) places: QuoteLocations,
}

/// Maximum quotes that are skipped in search of a neighbour, because they share the quote's
/// location or have none.
const PASSED: usize = 32;

/// Chooses for each quote the location that the others suggest: the path from quote to quote is as
/// short as possible and leads forward. `None` for a quote without locations.
///
/// Linear in the number of all locations.
pub(super) fn choose(quotes: &[LocationCandidates<'_>]) -> Vec<Option<usize>> {
    let all: usize = quotes.iter().map(|quote| quote.places.len()).sum();
    let most = if all > TOGETHER { FEW } else { usize::MAX };
    let is_weighed = |index: &usize| (1..=most).contains(&quotes[*index].places.len());
    let weighed: Vec<usize> = (0..quotes.len()).filter(is_weighed).collect();
    let mut chosen = vec![None; quotes.len()];
    for (index, place) in weighed.iter().zip(shortest_way(quotes, &weighed)) {
        chosen[*index] = Some(place);
    }
    for index in 0..quotes.len() {
        if chosen[index].is_none() && !quotes[index].places.is_empty() {
            let around = NeighbouringQuotes::of(quotes, &chosen, index, |_| false);
            let places = quotes[index].places.iter().enumerate();
            chosen[index] = places.min_by_key(|(_, place)| around.cost(place)).map(|(place, _)| place);
        }
    }
    chosen
}

/// Returns how many other locations of the quote at `index` are at least as likely as the chosen
/// one, judging by its neighbours. Counts among the first [`COUNTED`].
fn as_likely(quotes: &[LocationCandidates<'_>], chosen: &[Option<usize>], index: usize) -> usize {
    let places = &quotes[index].places;
    let Some(place) = chosen[index].and_then(|place| places.get(place)) else { return 0 };
    // A quote inside this one, such as its first word, would move along with it.
    let around = NeighbouringQuotes::of(quotes, chosen, index, |other| {
        other.start < place.end && place.start < other.end && other != place
    });
    let cost = around.cost(place);
    places.iter().take(COUNTED).filter(|other| *other != place && around.cost(other) <= cost).count()
}

/// The cost of a step from `from` to `to`.
fn step(from: usize, to: usize, is_same_quote: bool) -> usize {
    let is_onward = if is_same_quote { from < to } else { from <= to };
    from.abs_diff(to) + if is_onward { 0 } else { BACK }
}

/// The nearest quotes with a location before and after a quote.
struct NeighbouringQuotes {
    /// The start of the quote, and whether it has the same words.
    before: Option<(usize, bool)>,
    after: Option<(usize, bool)>,
}

impl NeighbouringQuotes {
    /// The neighbours of the quote at `index`, skipping those for which `is_passed`.
    fn of(
        quotes: &[LocationCandidates<'_>],
        chosen: &[Option<usize>],
        index: usize,
        is_passed: impl Fn(&Range<usize>) -> bool,
    ) -> Self {
        let start = |other: usize| {
            let place = quotes[other].places.get(chosen[other]?).filter(|place| !is_passed(place))?;
            Some((place.start, quotes[other].quote == quotes[index].quote))
        };
        let before = (0..index).rev().take(PASSED).find_map(start);
        Self { before, after: (index + 1..quotes.len()).take(PASSED).find_map(start) }
    }

    fn cost(&self, place: &Range<usize>) -> usize {
        let before = self.before.map_or(0, |(from, is_same)| step(from, place.start, is_same));
        let after = self.after.map_or(0, |(to, is_same)| step(place.start, to, is_same));
        before + after
    }
}

/// A location on a path: the cost of the path to it, and the location of the previous quote that it
/// comes from.
#[derive(Debug, Clone, Copy)]
struct PathNode {
    cost: usize,
    from: usize,
}

/// Returns the locations of the quotes at `indices` on the shortest path through all of them.
fn shortest_way(quotes: &[LocationCandidates<'_>], indices: &[usize]) -> Vec<usize> {
    let mut ways: Vec<Vec<PathNode>> = Vec::with_capacity(indices.len());
    for (at, index) in indices.iter().enumerate() {
        let places = &quotes[*index].places;
        let reached = match at.checked_sub(1).map(|before| (&quotes[indices[before]], &ways[before])) {
            None => vec![PathNode { cost: 0, from: 0 }; places.len()],
            Some((before, way)) => reached(before, way, &quotes[*index]),
        };
        ways.push(reached);
    }
    let Some(last) = ways.last() else { return Vec::new() };
    let mut place = cheapest(last.iter().map(|way| way.cost).enumerate()).map_or(0, |(_, place)| place);
    let mut places = Vec::with_capacity(ways.len());
    for way in ways.iter().rev() {
        places.push(place);
        place = way[place].from;
    }
    places.reverse();
    places
}

/// Returns the best path to each location of `next` from the locations of `before`. A forward pass
/// finds the best step forward to each location, a backward pass the best step back.
fn reached(
    before: &LocationCandidates<'_>,
    way: &[PathNode],
    next: &LocationCandidates<'_>,
) -> Vec<PathNode> {
    let is_same = before.quote == next.quote;
    let start = |place: usize| before.places[place].start;
    let mut reached = Vec::with_capacity(next.places.len());
    let (mut at, mut best) = (0, None::<(usize, usize)>);
    for place in next.places.iter() {
        while at < way.len() && (start(at) < place.start || (!is_same && start(at) == place.start)) {
            // The cost so far, minus the position: the remaining cost is the same for all.
            let rest = (way[at].cost + REST).saturating_sub(start(at));
            best = best.filter(|(least, _)| *least <= rest).or(Some((rest, at)));
            at += 1;
        }
        reached.push(best.map(|(rest, from)| PathNode { cost: rest + place.start - REST, from }));
    }
    let (mut at, mut best) = (way.len(), None::<(usize, usize)>);
    for (place, onward) in next.places.iter().zip(&mut reached).rev() {
        while at > 0 && (start(at - 1) > place.start || (is_same && start(at - 1) == place.start)) {
            at -= 1;
            let cost = way[at].cost + start(at);
            best = best.filter(|(least, _)| *least < cost).or(Some((cost, at)));
        }
        let back = best.map(|(cost, from)| PathNode { cost: cost - place.start + BACK, from });
        *onward = match (*onward, back) {
            (Some(onward), Some(back)) if back.cost < onward.cost => Some(back),
            (None, back) => back,
            (onward, _) => onward,
        };
    }
    reached.into_iter().map(|way| way.unwrap_or(PathNode { cost: 0, from: 0 })).collect()
}

/// Keeps a difference above zero: larger than any document.
const REST: usize = usize::MAX / 4;

fn cheapest(costs: impl Iterator<Item = (usize, usize)>) -> Option<(usize, usize)> {
    costs.map(|(place, cost)| (cost, place)).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_taken_off_layer_by_layer() {
        for (quote, expected) in [
            ("\"400 mg\"", &["400 mg"][..]),
            ("“400 mg”", &["400 mg"]),
            ("„400 mg“", &["400 mg"]),
            ("»400 mg«", &["400 mg"]),
            ("« 400 mg »", &["400 mg"]),
            ("‹400 mg›", &["400 mg"]),
            ("「400 mg」", &["400 mg"]),
            ("『400 mg』", &["400 mg"]),
            ("《400 mg》", &["400 mg"]),
            ("'400 mg'", &["400 mg"]),
            ("``400 mg''", &["`400 mg'", "400 mg"]),
            ("...400 mg...", &["400 mg"]),
            ("… 400 mg", &["400 mg"]),
            ("400 mg [...]", &["400 mg"]),
            ("[…] 400 mg […]", &["400 mg […]", "400 mg"]),
            ("\"...“400 mg” daily…\"", &["...“400 mg” daily…", "“400 mg” daily", "400 mg” daily"]),
            ("\"400 mg", &["400 mg"]),
            ("400 mg\"", &["400 mg"]),
            ("5\"", &[]),
            ("the dogs'", &[]),
            ("'tis", &[]),
            ("400 mg.", &[]),
            ("a ... b", &[]),
            ("\"\"", &[]),
            ("…", &[]),
            ("\"", &[]),
            ("", &[]),
        ] {
            assert_eq!(without_marks(quote).collect::<Vec<_>>(), expected, "{quote}");
        }
    }

    #[test]
    fn a_quote_that_is_there_more_often_than_it_was_found_gets_another_location() {
        let document = Document::from_text("pain, then no pain, and pain again");
        let span = |range| document.span(range).unwrap();
        let whole = 0..document.text().len();
        let likely =
            LikelyLocations::within(Vec::from([whole])).where_found(&document, [span(0..4), span(24..28)]);
        let starts = |quotes: &[&str]| -> Vec<usize> {
            let places = document.place_likely(quotes, &likely);
            places.into_iter().map(|place| place.unwrap().span().start()).collect()
        };
        assert_eq!(starts(&["pain", "pain"]), [0, 24]);
        assert_eq!(starts(&["pain", "pain", "pain"]), [0, 14, 24]);
    }
}
