//! Splits nested and overlapping spans into a sequence of disjoint segments.

use std::{collections::VecDeque, ops::Range};

/// Maximum spans drawn over one character, each in a lane of its own.
pub(super) const LANES: usize = 4;

/// A span to draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextMark {
    /// Its bytes; not empty.
    pub(super) range: Range<usize>,
    /// The number of its field, which is its colour.
    pub(super) field: usize,
    /// The row of the table that it links to.
    pub(super) row: usize,
}

/// Passes through a text once and tracks the marks over each byte.
///
/// A mark keeps its lane from start to end, so that it is drawn as one line, no matter what starts
/// and ends above it. With more than [`LANES`] marks, the next one waits for a free lane, and
/// undrawn marks are counted.
pub(super) struct MarkSegments<'m> {
    marks: &'m [TextMark],
    /// All starts and ends, in order and without duplicates.
    cuts: Vec<usize>,
    next_cut: usize,
    /// The ends, in order, for counting.
    ends: Vec<usize>,
    next_end: usize,
    next_mark: usize,
    lanes: [Option<usize>; LANES],
    waiting: VecDeque<usize>,
}

impl<'m> MarkSegments<'m> {
    /// `marks` must be in the order of their starts. `also` adds positions to cut at.
    pub(super) fn new(marks: &'m [TextMark], also: impl IntoIterator<Item = usize>) -> Self {
        let mut cuts: Vec<usize> =
            marks.iter().flat_map(|mark| [mark.range.start, mark.range.end]).chain(also).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let mut ends: Vec<usize> = marks.iter().map(|mark| mark.range.end).collect();
        ends.sort_unstable();
        let (lanes, waiting) = ([None; LANES], VecDeque::new());
        Self { marks, cuts, next_cut: 0, ends, next_end: 0, next_mark: 0, lanes, waiting }
    }

    /// Advances to byte `at`; returns the marks that start there or since the last call.
    pub(super) fn advance(&mut self, at: usize) -> Range<usize> {
        while self.cuts.get(self.next_cut).is_some_and(|cut| *cut <= at) {
            self.next_cut += 1;
        }
        while self.ends.get(self.next_end).is_some_and(|end| *end <= at) {
            self.next_end += 1;
        }
        let first = self.next_mark;
        while self.marks.get(self.next_mark).is_some_and(|mark| mark.range.start <= at) {
            self.waiting.push_back(self.next_mark);
            self.next_mark += 1;
        }
        for lane in &mut self.lanes {
            if lane.is_some_and(|mark| self.marks[mark].range.end <= at) {
                *lane = None;
            }
            while lane.is_none() {
                let Some(mark) = self.waiting.pop_front() else { break };
                *lane = Some(mark).filter(|mark| self.marks[*mark].range.end > at);
            }
        }
        first..self.next_mark
    }

    /// Where the current segment ends.
    pub(super) fn end(&self) -> usize {
        self.cuts.get(self.next_cut).copied().unwrap_or(usize::MAX)
    }

    /// The marks that are drawn here, each with its lane, from the top.
    pub(super) fn drawn(&self) -> impl Iterator<Item = (usize, usize)> {
        self.lanes.iter().enumerate().filter_map(|(lane, mark)| mark.map(|mark| (lane, mark)))
    }

    /// How many marks here are not drawn.
    pub(super) fn more(&self) -> usize {
        self.next_mark - self.next_end - self.drawn().count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(ranges: &[Range<usize>]) -> Vec<TextMark> {
        ranges.iter().map(|range| TextMark { range: range.clone(), field: 0, row: 0 }).collect()
    }

    /// Start, marks by lane, and the number of undrawn marks.
    type Segment = (usize, Vec<(usize, usize)>, usize);

    /// Each segment of a text of `len` bytes.
    fn segments(ranges: &[Range<usize>], len: usize) -> Vec<Segment> {
        let marks = marks(ranges);
        let (mut segments, mut at, mut all) = (MarkSegments::new(&marks, []), 0, Vec::new());
        while at < len {
            segments.advance(at);
            all.push((at, segments.drawn().collect(), segments.more()));
            at = segments.end().min(len);
        }
        all
    }

    #[test]
    fn a_mark_keeps_its_lane_over_what_nests_and_crosses() {
        let all = segments(&[0..10, 2..4, 3..12], 14);
        let expected = [
            (0, vec![(0, 0)], 0),
            (2, vec![(0, 0), (1, 1)], 0),
            (3, vec![(0, 0), (1, 1), (2, 2)], 0),
            (4, vec![(0, 0), (2, 2)], 0),
            (10, vec![(2, 2)], 0),
            (12, vec![], 0),
        ];
        assert_eq!(all, expected);
    }

    #[test]
    fn every_byte_has_the_marks_that_hold_it() {
        let ranges: Vec<_> =
            (0..40).map(|n| (n * 7 % 60, n * 5 % 23 + 1)).map(|(at, len)| at..at + len).collect();
        let mut ranges: Vec<Range<usize>> = ranges;
        ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        let all = segments(&ranges, 90);
        for byte in 0..90 {
            let holding = ranges.iter().filter(|range| range.contains(&byte)).count();
            let (_, drawn, more) = all.iter().rev().find(|(start, ..)| *start <= byte).unwrap();
            assert_eq!(drawn.len() + more, holding, "at {byte}");
            assert_eq!(drawn.len(), holding.min(LANES), "a free lane stays empty at {byte}");
            assert!(drawn.iter().all(|(_, mark)| ranges[*mark].contains(&byte)));
        }
    }
}
