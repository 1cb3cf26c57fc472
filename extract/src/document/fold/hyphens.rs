//! Hyphens inside the words of a normalised text.

use std::ops::Range;

/// Hyphens in order, by the byte of the normalised text that follows each.
#[derive(Debug, Default)]
pub(in super::super) struct LineHyphens(Vec<LineHyphen>);

#[derive(Debug, Clone, Copy)]
struct LineHyphen {
    at: usize,
    kind: HyphenKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HyphenKind {
    /// It belongs to the word.
    Lasting,
    /// It may be there only because of a line break.
    OfLine,
}

impl LineHyphens {
    pub(super) fn push(&mut self, at: usize, kind: HyphenKind) {
        self.0.push(LineHyphen { at, kind });
    }

    /// Where hyphens are that belong to the word, in order.
    pub(in super::super) fn lasting(&self) -> impl Iterator<Item = usize> {
        self.0.iter().filter(|hyphen| hyphen.kind == HyphenKind::Lasting).map(|hyphen| hyphen.at)
    }

    /// Returns whether the hyphens within `range` match the hyphens of `quote`, whose text equals
    /// the text there. Takes its steps from `steps`, and returns `false` if none are left.
    pub(in super::super) fn agree(&self, range: Range<usize>, quote: &Self, steps: &mut usize) -> bool {
        let first = self.0.partition_point(|hyphen| hyphen.at <= range.start);
        let mut own = self.0[first..].iter().take_while(|hyphen| hyphen.at < range.end).peekable();
        let mut others = quote.0.iter().peekable();
        loop {
            let Some(left) = steps.checked_sub(1) else { return false };
            *steps = left;
            let (mine, theirs) =
                (own.peek().map(|one| one.at - range.start), others.peek().map(|one| one.at));
            match (mine, theirs) {
                (None, None) => return true,
                (Some(mine), Some(theirs)) if mine == theirs => {
                    own.next();
                    others.next();
                }
                (Some(mine), theirs) if theirs.is_none_or(|theirs| mine < theirs) => {
                    if !own.next().is_some_and(|hyphen| hyphen.kind == HyphenKind::OfLine) {
                        return false;
                    }
                }
                _ => {
                    if !others.next().is_some_and(|hyphen| hyphen.kind == HyphenKind::OfLine) {
                        return false;
                    }
                }
            }
        }
    }
}
