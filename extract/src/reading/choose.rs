//! Which of several values in a reply is the answer: the one that fits best, the last one on a tie.

use std::ops::Range;

use super::{
    align::{Aligned, Aligner},
    change::{ChangeKind, Loss, Note},
    locate::{self, Candidate, Located, Wanted},
    options::Options,
    shape::{ROOT, Shapes, kind},
};

/// What was chosen of a reply.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) aligned: Aligned,
    /// The bytes of the reply that it takes.
    pub(super) span: Range<usize>,
    /// Whether the reply ends inside it.
    pub(super) is_cut: bool,
}

/// All that is known of a reply after it was searched.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) chosen: Option<Chosen>,
    /// Where the values stand that were not chosen.
    pub(super) others: Vec<Range<usize>>,
    /// How many values there were to choose from.
    pub(super) count: usize,
    pub(super) is_too_deep: bool,
}

struct Chooser<'a> {
    reply: &'a str,
    options: &'a Options,
    aligner: Aligner<'a>,
    best: Option<(Rank, Chosen)>,
}

/// The lower, the better.
///
/// How badly it fits, how much it lost, how often it had to be taken out of or put into something.
type Rank = (usize, usize, usize);

pub(super) fn choose(reply: &str, shapes: &Shapes, options: &Options) -> Choice {
    let root = shapes.get(ROOT);
    let wanted = Wanted {
        is_list: root.kinds == kind::LIST,
        is_scalar: root.allows(kind::ANY & !kind::LIST & !kind::OBJECT),
        max_depth: options.depth(),
    };
    let mut located = locate::candidates(reply, wanted);
    let aligner = Aligner::new(reply, shapes, options.depth());
    let mut chooser = Chooser { reply, options, aligner, best: None };
    chooser.weigh(&located.candidates);
    if !chooser.is_settled() {
        chooser.look_inside(&mut located);
    }
    let chosen = chooser.best.map(|(_, chosen)| chosen);
    let is_other = |candidate: &&Candidate| {
        let overlaps = |chosen: &Chosen| {
            candidate.span.start < chosen.span.end && chosen.span.start < candidate.span.end
        };
        !candidate.is_doubtful && !chosen.as_ref().is_some_and(overlaps)
    };
    Choice {
        others: located.candidates.iter().filter(is_other).map(|candidate| candidate.span.clone()).collect(),
        count: located.candidates.len(),
        is_too_deep: located.is_too_deep,
        chosen,
    }
}

impl Chooser<'_> {
    /// Whether there is nothing better to find: a value that fits, or one that the end of the reply cut.
    fn is_settled(&self) -> bool {
        self.best.as_ref().is_some_and(|(rank, chosen)| rank.0 == 0 || chosen.is_cut)
    }

    fn weigh(&mut self, candidates: &[Candidate]) {
        let start = candidates.len().saturating_sub(self.options.max_candidates.max(1));
        for candidate in &candidates[start..] {
            self.weigh_one(candidate);
        }
    }

    fn weigh_one(&mut self, candidate: &Candidate) {
        let is_bracket = matches!(self.reply.as_bytes()[candidate.span.start], b'{' | b'[');
        if candidate.is_cut {
            // What follows the last whole value was cut, and may have been the answer itself.
            let is_earnest = || locate::is_earnest(self.reply, candidate.span.start);
            if !is_bracket || !candidate.is_doubtful && is_earnest() {
                let aligned = self.aligned(candidate);
                self.best = Some(((0, 0, 0), Chosen { aligned, span: candidate.span.clone(), is_cut: true }));
            }
            return;
        }
        let aligned = self.aligned(candidate);
        let count = |is_meant: fn(&Note) -> bool| aligned.notes.iter().filter(|note| is_meant(note)).count();
        let lossy = count(|note| note.loss == Loss::Lossy);
        let rank = (aligned.misfit, lossy, count(|note| note.kind == ChangeKind::Wrapper));
        if candidate.is_doubtful && rank.0 > 0 {
            return;
        }
        if self.best.as_ref().is_none_or(|(best, _)| rank <= *best) {
            self.best = Some((rank, Chosen { aligned, span: candidate.span.clone(), is_cut: false }));
        }
    }

    fn aligned(&mut self, candidate: &Candidate) -> Aligned {
        let mut aligned = self.aligner.root(&candidate.node);
        let mut notes: Vec<Note> = candidate.notes.clone();
        notes.append(&mut aligned.notes);
        aligned.notes = notes;
        aligned
    }

    /// Prose in brackets may hold the value.
    fn look_inside(&mut self, located: &mut Located) {
        let start = located.candidates.len().saturating_sub(self.options.max_candidates.max(1));
        let spans: Vec<_> =
            located.candidates[start..].iter().map(|candidate| candidate.span.clone()).collect();
        for span in spans {
            let known = located.candidates.len();
            located.scan_inside(self.reply, &span, self.options.depth());
            let found = located.candidates.split_off(known);
            self.weigh(&found);
        }
    }
}
