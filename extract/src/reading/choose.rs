//! Which of several values in a reply is the answer: the one that fits best, the last one on a tie.

use std::ops::Range;

use super::{
    align::{Aligned, Aligner},
    doubt::{Doubt, Found},
    locate::{self, Candidate, Located, Standing, Wanted},
    node::{Data, Node},
    note::Note,
    options::ReadingOptions,
    parse::Unreadable,
    reply_end::ReplyEnd,
    shape::{ROOT, Shapes, kind},
};
use crate::change::{ChangeKind, Loss};

/// What was chosen of a reply.
#[derive(Debug)]
pub(super) struct Chosen<'t> {
    pub(super) aligned: Aligned<'t>,
    /// The bytes of the reply that it takes.
    pub(super) span: Range<usize>,
    /// Whether the reply ends inside it.
    pub(super) is_cut: bool,
    /// Whether its end was guessed: its last quote is missing.
    pub(super) is_guessed: bool,
    /// Why it may not be the answer.
    pub(super) doubt: Option<Doubt>,
}

/// All that is known of a reply after it was searched.
#[derive(Debug)]
pub(super) struct Choice<'t> {
    pub(super) chosen: Option<Chosen<'t>>,
    /// Where the values stand that were not chosen.
    pub(super) others: Vec<Range<usize>>,
    /// How many values there were to choose from.
    pub(super) count: usize,
    /// Why there is a value that was not read.
    pub(super) unreadable: Option<Unreadable>,
    /// Whether there are more values than one list may be made of.
    pub(super) is_too_many: bool,
    /// Whether the reply ends inside of reasoning.
    pub(super) thinks_on: bool,
}

impl<'t> Chosen<'t> {
    fn new(aligned: Aligned<'t>, candidate: &Candidate<'t>, doubt: Option<Doubt>) -> Self {
        let Candidate { span, is_cut, is_guessed, .. } = candidate;
        Self { aligned, span: span.clone(), is_cut: *is_cut, is_guessed: *is_guessed, doubt }
    }
}

struct Chooser<'a> {
    reply: &'a str,
    options: &'a ReadingOptions,
    shapes: &'a Shapes,
    aligner: Aligner<'a>,
    best: Option<(Rank, Chosen<'a>)>,
}

/// The lower, the better.
///
/// Whether it may not be an answer at all, how badly it fits, how much it lost, how often it had to be taken out of or put
/// into something.
type Rank = (bool, usize, usize, usize);

/// Chooses. With `keeps_names` no key is taken for another one, because the reply conforms as it is.
pub(super) fn choose<'a>(
    reply: &'a str,
    shapes: &'a Shapes,
    options: &'a ReadingOptions,
    keeps_names: bool,
) -> Choice<'a> {
    let root = shapes.get(ROOT);
    let wanted = Wanted {
        is_list: root.kinds == kind::LIST,
        is_scalar: root.allows(kind::ANY & !kind::LIST & !kind::OBJECT),
        is_object: root.allows(kind::OBJECT),
        may_be_thought: options.reply_end == ReplyEnd::Whole,
        max_depth: options.depth(),
        max_candidates: options.max_candidates,
    };
    let mut located = locate::candidates(reply, wanted);
    let aligner = Aligner::new(reply, shapes, options.depth(), keeps_names);
    let mut chooser = Chooser { reply, options, shapes, aligner, best: None };
    let prose = chooser.prose(&located.candidates);
    let mut candidates = std::mem::take(&mut located.candidates);
    chooser.weigh(&located, &mut candidates);
    located.candidates = candidates;
    if !chooser.is_settled() {
        chooser.look_inside(&mut located, prose);
    }
    let chosen = chooser.best.map(|(_, chosen)| chosen);
    let Located { candidates, passed, unreadable, is_too_many, thinks_on, .. } = located;
    let count = passed.len() + candidates.len();
    let found = candidates.into_iter().filter(|candidate| !candidate.is_doubtful);
    let mut others = passed;
    others.extend(found.map(|candidate| candidate.span));
    if let Some(Chosen { span, .. }) = &chosen {
        others.retain(|other| other.end <= span.start || span.end <= other.start);
    }
    Choice { chosen, others, count, unreadable, is_too_many, thinks_on }
}

impl<'a> Chooser<'a> {
    /// Whether there is nothing better to find: a value that fits, or one that the end of the reply cut.
    fn is_settled(&self) -> bool {
        self.best.as_ref().is_some_and(|(rank, chosen)| (rank.0, rank.1) == (false, 0) || chosen.is_cut)
    }

    /// Weighs the last ones. What they hold is taken from them.
    fn weigh(&mut self, located: &Located<'a>, candidates: &mut [Candidate<'a>]) {
        let start = candidates.len().saturating_sub(self.options.max_candidates.max(1));
        for candidate in &mut candidates[start..] {
            self.weigh_one(located, candidate);
        }
    }

    fn weigh_one(&mut self, located: &Located<'a>, candidate: &mut Candidate<'a>) {
        let is_bracket = matches!(self.reply.as_bytes()[candidate.span.start], b'{' | b'[');
        if candidate.is_cut {
            // What follows the last whole value was cut, and may have been the answer itself.
            let is_earnest = || locate::is_earnest(self.reply, candidate.span.start);
            if !is_bracket || !candidate.is_doubtful && is_earnest() {
                let aligned = self.aligned(candidate);
                self.best = Some(((false, 0, 0, 0), Chosen::new(aligned, candidate, None)));
            }
            candidate.node = Node::new(0..0, Data::Null);
            return;
        }
        let (before, after) = located.around(self.reply, &candidate.span);
        let standing = Standing::of(before, after);
        let found = Found { reply: self.reply, before, after, standing };
        let doubt = found.doubt(&candidate.node, self.shapes);
        let aligned = self.aligned(candidate);
        let doubt = doubt.or_else(|| found.doubt_aligned(&aligned.node, self.shapes));
        let count = |is_meant: fn(&Note) -> bool| aligned.notes.iter().filter(|note| is_meant(note)).count();
        let lossy = count(|note| note.loss == Loss::Lossy);
        let wrappers = count(|note| note.kind == ChangeKind::Wrapper);
        let rank = (doubt.is_some(), aligned.misfit, lossy, wrappers);
        if candidate.is_doubtful && (rank.0, rank.1) > (false, 0) {
            return;
        }
        if self.best.as_ref().is_none_or(|(best, _)| rank <= *best) {
            self.best = Some((rank, Chosen::new(aligned, candidate, doubt)));
        }
    }

    fn aligned(&mut self, candidate: &mut Candidate<'a>) -> Aligned<'a> {
        let node = std::mem::replace(&mut candidate.node, Node::new(0..0, Data::Null));
        let mut aligned = self.aligner.root(node);
        let mut notes = std::mem::take(&mut candidate.notes);
        notes.append(&mut aligned.notes);
        aligned.notes = notes;
        aligned
    }

    /// The last ones that make no whole value. Prose in brackets may hold the answer; what stands inside of a value is a
    /// part of it, and taking that for the answer would lose the rest.
    fn prose(&self, candidates: &[Candidate<'a>]) -> Vec<Range<usize>> {
        self.last(candidates)
            .filter(|candidate| !candidate.is_value())
            .map(|candidate| candidate.span.clone())
            .collect()
    }

    fn look_inside(&mut self, located: &mut Located<'a>, prose: Vec<Range<usize>>) {
        for span in prose {
            let mut found = located.inside(self.reply, &span, self.options.depth());
            self.weigh(located, &mut found);
        }
    }

    fn last<'c>(
        &self,
        candidates: &'c [Candidate<'a>],
    ) -> impl Iterator<Item = &'c Candidate<'a>> + use<'a, 'c> {
        candidates[candidates.len().saturating_sub(self.options.max_candidates.max(1))..].iter()
    }
}
