//! Finds the longest repetition at the end of a byte string.

use std::cmp::min;

use super::steps;

/// A run: the last `len` bytes are copies of a block of `period` bytes. The first or the last copy
/// may be partial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RepeatedRun {
    pub(super) period: usize,
    pub(super) len: usize,
}

impl RepeatedRun {
    /// The run at the end of `bytes` with the shortest period that satisfies `is_enough`. Takes
    /// linear time.
    pub(super) fn first(bytes: &[u8], longest: usize, is_enough: impl Fn(Self) -> bool) -> Option<Self> {
        let agreeing = agreeing(bytes, longest);
        // If a run is not enough, its multiples are not either.
        let mut longest_tried = 0;
        let runs = (1..agreeing.len()).filter(|period| agreeing[*period] >= *period);
        runs.map(|period| Self { period, len: agreeing[period] + period }).find(|run| {
            let is_new = run.len > longest_tried;
            longest_tried = longest_tried.max(run.len);
            is_new && is_enough(*run)
        })
    }

    /// A block of the run, which is at the end of `bytes`.
    pub(super) fn block(self, bytes: &[u8]) -> &[u8] {
        let start = bytes.len() - self.len;
        &bytes[start..start + self.period]
    }

    /// The same run, extended to all `bytes`, of which only the end was searched.
    pub(super) fn extended(mut self, bytes: &[u8]) -> Self {
        while self.len < bytes.len() {
            let before = bytes.len() - self.len - 1;
            if bytes[before] != bytes[before + self.period] {
                break;
            }
            self.len += 1;
            steps::count(1);
        }
        self
    }
}

/// For each shift up to `longest`: how many of the last bytes equal the bytes that far before them.
/// The Z-function of the reversed bytes (Gusfield, Algorithms on Strings, section 1.4).
fn agreeing(bytes: &[u8], longest: usize) -> Vec<usize> {
    let count = bytes.len();
    let from_end = |index: usize| bytes[count - 1 - index];
    let mut agreeing = vec![0; min(longest + 1, count)];
    // The range of bytes known to agree, from `left` to `right`.
    let (mut left, mut right) = (0, 0);
    for shift in 1..agreeing.len() {
        let mut same = if shift < right { min(right - shift, agreeing[shift - left]) } else { 0 };
        while shift + same < count && from_end(same) == from_end(shift + same) {
            same += 1;
            steps::count(1);
        }
        if shift + same > right {
            (left, right) = (shift, shift + same);
        }
        steps::count(1);
        agreeing[shift] = same;
    }
    agreeing
}
