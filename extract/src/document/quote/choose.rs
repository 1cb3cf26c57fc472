//! Chooses one location for each quote of a list.

use std::{ops::Range, rc::Rc};

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
pub(super) fn as_likely(quotes: &[LocationCandidates<'_>], chosen: &[Option<usize>], index: usize) -> usize {
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
