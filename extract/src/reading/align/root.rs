//! Aligns a candidate to the contract: unwraps it or wraps it, repairs its slips, and records why it may
//! not be the answer.

use std::{borrow::Cow, ops::Range};

use super::{Aligned, Aligner};
use crate::{
    reading::{
        doubt::{Doubt, Found},
        envelope::{self, Envelope},
        locate::Candidate,
        node::{Data, Entry, Node},
        parse::{self, Parsed},
        prose::{Standing, is_offered, last_bytes},
        receipt::Note,
        shape::{ROOT, ShapeScope, kind},
        slip,
    },
    vocabulary::{
        change::{ChangeKind, Loss},
        path::Path,
    },
};

/// Most values before one that are left out of the text about it, and most bytes of the text between them.
const MOST_VALUES: usize = 16;
const MAX_SAID: usize = 1 << 10;

/// Most envelopes around one value.
const MAX_ENVELOPES: usize = 4;

/// How many copies of the whole value may be held while alternatives are tried, and how many values
/// besides.
const COPIES: usize = 4;
const FREE_COPIES: usize = 1 << 11;

impl<'a> Aligner<'a> {
    /// Aligns a whole value.
    fn root(&mut self, node: Node<'a>) -> Aligned<'a> {
        self.copies = COPIES * node.size() + FREE_COPIES;
        self.opened(node, MAX_ENVELOPES)
    }

    /// Aligns a value that may be in up to `left` envelopes.
    fn opened(&mut self, node: Node<'a>, left: usize) -> Aligned<'a> {
        let may_be_held = left > 0 && self.may_be_held(&node);
        if !may_be_held && self.only_list(&node).is_none() {
            return self.attempt(node);
        }
        let held = if may_be_held { self.out_of_envelope(&node, left) } else { None };
        // What is called with is the answer, whether it fits or not.
        if let Some(held) = held.filter(|held| held.misfit == 0 || is_call(&node)) {
            return held;
        }
        let direct = self.attempt(node.clone());
        // If nothing is required, an envelope fits as well, but it names nothing.
        if direct.misfit == 0 && self.shapes.names_something(&direct.node, ROOT) {
            return direct;
        }
        // Aligning it again is better than keeping it next to the copies that are tried.
        drop(direct);
        match self.as_only_list(&node) {
            Some(list) => list,
            None => self.attempt(node),
        }
    }

    fn only_list(&self, node: &Node<'a>) -> Option<&'a str> {
        self.shapes.only_list().filter(|_| node.is_list())
    }

    /// Returns whether `node` has the form of an envelope, and the contract does not ask for its
    /// keys.
    fn may_be_held(&self, node: &Node<'a>) -> bool {
        let root = self.shapes.get(ROOT);
        match &node.data {
            Data::Object(_) if root.takes_any_object() => envelope::is_submitted(node),
            Data::Object(entries) => {
                envelope::held(entries).is_some_and(|(_, entry)| !root.names.contains(&*entry.key))
            }
            Data::List(items) => envelope::are_known(items),
            _ => false,
        }
    }

    fn attempt(&mut self, mut node: Node<'a>) -> Aligned<'a> {
        self.null_string(&mut node, ROOT);
        let misfit = self.align(&mut node, ROOT, ShapeScope::Whole);
        self.note_spelling(&node, ROOT);
        Aligned { node, notes: std::mem::take(&mut self.notes), misfit }
    }

    /// Takes the value out of its envelope, if what is in it may be the answer.
    fn out_of_envelope(&mut self, node: &Node<'a>, left: usize) -> Option<Aligned<'a>> {
        let inner = match &node.data {
            Data::Object(entries) => {
                let (kind, Entry { key, value, .. }) = envelope::held(entries)?;
                // `{"mood": "calm"}` for a `Mood`.
                let is_named = kind == Envelope::Single && self.shapes.is_called(key);
                let kind = if is_named { Envelope::Holder } else { kind };
                self.may_hold(kind, value).then(|| value.clone())?
            }
            Data::List(items) => self.out_of_calls(items)?,
            _ => return None,
        };
        let mut inner = self.opened(inner, left - 1);
        let is_named = match &inner.node.data {
            Data::Object(_) => self.shapes.names_key(&inner.node),
            _ => self.shapes.names_something(&inner.node, ROOT),
        };
        if !is_named && !is_call(node) {
            return None;
        }
        let unwrapped = Note::new(ChangeKind::Wrapper, Loss::Ignored, node.span.clone());
        inner.notes.insert(0, unwrapped.after("what it wraps").at(Path::root()));
        Some(inner)
    }

    /// Returns the content of a list of calls or blocks: of the only one, or one element of each.
    fn out_of_calls(&self, items: &[Node<'a>]) -> Option<Node<'a>> {
        let inner = |item: &Node<'a>| Some(envelope::held(item.entries())?.1.value.clone());
        let items: Vec<&Node<'a>> = items.iter().filter(|item| !envelope::is_thought(item)).collect();
        match items[..] {
            [item] => inner(item),
            _ if self.shapes.get(ROOT).kinds == kind::LIST => {
                let span = items.first()?.span.start..items.last()?.span.end;
                Some(Node::new(span, Data::List(items.into_iter().map(inner).collect::<Option<_>>()?)))
            }
            _ => None,
        }
    }

    /// Returns whether an envelope of this kind may hold `inner` as the answer. A value without
    /// keys of the contract is an answer only if its own key says so. Where one of several objects is
    /// asked for, any other key may be the name of one more.
    fn may_hold(&self, kind: Envelope, inner: &Node<'a>) -> bool {
        match (kind, &inner.data) {
            (Envelope::Single, _) if self.shapes.are_several_objects(ROOT) => false,
            (Envelope::Known, _) | (_, Data::Object(_)) => true,
            // Its key may be the value of another key beside the list.
            (Envelope::Single, Data::List(_)) => self.shapes.get(ROOT).allows(kind::LIST),
            (_, Data::List(_)) => self.shapes.get(ROOT).allows(kind::LIST | kind::OBJECT),
            (Envelope::Holder, Data::Text(_)) => self.shapes.get(ROOT).kinds & kind::ANY != kind::LIST,
            (Envelope::Holder, _) => true,
            (Envelope::Single, Data::Text(text)) => {
                let is_option =
                    || self.shapes.options(ROOT).is_some_and(|options| options.contains(&&**text));
                text.trim_start().starts_with(['{', '[']) || is_option()
            }
            (Envelope::Single, _) => false,
        }
    }

    /// A bare list where an object with one list is asked for.
    fn as_only_list(&mut self, node: &Node<'a>) -> Option<Aligned<'a>> {
        let key = self.only_list(node)?;
        let span = node.span.clone();
        let entry = Entry { start: span.start, key: Cow::Borrowed(key), value: node.clone() };
        let object = Node::new(span.clone(), Data::Object(vec![entry]));
        let mut aligned = self.attempt(object);
        let wrapped = Note::new(ChangeKind::Wrapper, Loss::Lossless, span);
        aligned.notes.insert(0, wrapped.after("the only list of an object").at(Path::root()));
        // A list in it may be the value of another key.
        let is_flattened = aligned.notes.iter().skip(1).any(|note| note.kind == ChangeKind::Wrapper);
        (aligned.misfit == 0 && !is_flattened).then_some(aligned)
    }
}

/// Returns whether `node` is a call, or a list of calls, with a list or an object as its arguments, or of `submit`.
fn is_call(node: &Node<'_>) -> bool {
    if node.is_list() {
        return !node.items().is_empty() && node.items().iter().all(is_call);
    }
    let Some((Envelope::Known, entry)) = envelope::held(node.entries()) else { return false };
    match &entry.value.data {
        Data::Object(_) | Data::List(_) => true,
        Data::Text(text) if text.trim_start().starts_with(['{', '[']) => true,
        // Whatever it has, its name is the tool's.
        _ => envelope::is_submitted(node),
    }
}

/// A candidate after alignment.
#[derive(Debug)]
pub(crate) struct Fitted<'a> {
    /// The candidate, with its value aligned.
    pub(crate) candidate: Candidate<'a>,
    /// How badly it still fits; 0 is a perfect fit.
    pub(crate) misfit: usize,
    /// Why it may not be the answer.
    pub(crate) doubt: Option<Doubt>,
    /// Whether the text offers it as another answer or shows it as an example.
    pub(crate) is_offered: bool,
    /// Whether it has a key of the contract.
    names_key: bool,
}

/// A way to repair a slip.
struct Repair<'a> {
    /// Whether it loses the bracket that ends the text, and how much else it changes.
    rank: (bool, usize),
    parsed: Parsed<'a>,
    /// The value it yields for the contract.
    value: Node<'a>,
}

impl Fitted<'_> {
    /// Returns whether it fits the contract.
    pub(crate) fn fits(&self) -> bool {
        let is_lossy = || self.candidate.notes.iter().any(|note| note.loss == Loss::Lossy);
        self.misfit == 0 && (self.candidate.is_earnest || !is_lossy())
    }

    /// Returns whether it may be meant as the answer: it fits, or has keys of the contract.
    pub(crate) fn is_about(&self) -> bool {
        match self.doubt {
            Some(Doubt::Reference | Doubt::NamesNothing) => false,
            Some(Doubt::Broken) => true,
            _ => {
                let Candidate { is_doubtful, is_cut, .. } = self.candidate;
                self.fits() || !is_doubtful && (is_cut || self.names_key)
            }
        }
    }
}

/// The end of what the text at `span` says, without the last `values` in it: they say something else.
pub(crate) fn said_before<'r>(reply: &'r str, span: Range<usize>, values: &[Fitted<'_>]) -> Cow<'r, str> {
    let mut end = span.end;
    let mut pieces = Vec::new();
    for value in values.iter().rev().filter(|value| value.is_about()).take(MOST_VALUES) {
        let value = value.candidate.span.clone();
        if span.start <= value.start && value.end <= end {
            pieces.extend([last_bytes(&reply[value.end..end], MAX_SAID), "{}"]);
            end = value.start;
        }
    }
    if pieces.is_empty() {
        return Cow::Borrowed(&reply[span]);
    }
    pieces.push(last_bytes(&reply[span.start..end], MAX_SAID));
    pieces.reverse();
    Cow::Owned(pieces.concat())
}

impl<'a> Aligner<'a> {
    /// Aligns `candidate`, which follows `others`. `None` if it was cut and was not meant as a value.
    pub(crate) fn candidate(
        &mut self,
        mut candidate: Candidate<'a>,
        others: &[Fitted<'a>],
    ) -> Option<Fitted<'a>> {
        if let Some(repaired) = self.repaired(&candidate) {
            candidate = repaired;
        }
        if candidate.is_in_literal(self.reply) {
            let span = candidate.span.clone();
            candidate.notes.push(Note::new(ChangeKind::Escape, Loss::Lossy, span));
        }
        if candidate.is_cut {
            return candidate.is_meant(self.reply).then(|| self.fit(candidate));
        }
        let (before, after) = candidate.around(self.reply);
        let said = said_before(self.reply, candidate.answer..candidate.span.start, others);
        let standing = Standing::of(before, after);
        let found = Found { reply: self.reply, before, said: &said, after, standing };
        let is_broken = candidate.slips.as_ref().is_some_and(|slips| slips.are_unclear(&candidate.notes))
            || !candidate.is_joined
                && slip::has_moved_comma(self.reply, &candidate.notes, self.shapes.keys())
            || slip::is_open_before(before, &candidate.notes, candidate.span.start);
        let doubt = found.doubt(&candidate.node, self.shapes).or(is_broken.then_some(Doubt::Broken));
        let is_unopened = candidate.is_unopened();
        let fitted = self.fit(candidate);
        // Without its first bracket, it may be the end of an object whose first members are in another reply.
        let first = self.shapes.get(ROOT).properties.first();
        let has_first = first.is_some_and(|first| fitted.candidate.node.member(&first.name).is_some());
        let doubt = doubt.or((is_unopened && !has_first).then_some(Doubt::Broken));
        let doubt = doubt.or_else(|| self.shapes.doubt_aligned(&fitted.candidate.node, found.standing));
        let is_offered = is_offered(found.said, &self.reply[fitted.candidate.span.end..]);
        Some(Fitted { doubt, is_offered, ..fitted })
    }

    /// The candidate with its slip repaired, if there is one way to do so: of the repairs that leave
    /// nothing over, all yield the same value, and one keeps the bracket that ends the text. If none
    /// leaves nothing over, the only repair that nests.
    fn repaired(&mut self, candidate: &Candidate<'a>) -> Option<Candidate<'a>> {
        let slips = candidate.slips.as_ref()?;
        let repairs = slips.repairs.as_deref().unwrap_or_default();
        let mut best: Option<Repair<'a>> = None;
        let mut unfit = None;
        for slip in repairs {
            let keys = Some(self.shapes.keys());
            let start = candidate.span.start;
            let Some(parsed) = parse::repaired(self.reply, start, self.max_depth, *slip, keys) else {
                continue;
            };
            if !self.look(parsed.node.size()) {
                return None;
            }
            let aligned = self.root(parsed.node.clone());
            let leaves_over = |note: &Note| note.loss == Loss::Lossy || note.kind == ChangeKind::UnknownKey;
            if aligned.misfit > 0 || parsed.notes.iter().chain(&aligned.notes).any(leaves_over) {
                // A value that does not fit is reported with its violations; leftovers would not be
                // reported.
                let is_told = slip.keeps_end && aligned.misfit > 0 && !parsed.notes.iter().any(leaves_over);
                unfit = Some(parsed).filter(|_| is_told);
                continue;
            }
            // Of two ways to the same value, the one with fewer changes is what happened.
            let repair = Repair { rank: (!slip.keeps_end, aligned.notes.len()), parsed, value: aligned.node };
            match &best {
                Some(best) if !best.value.is_same(&repair.value) => return None,
                Some(best) if best.rank <= repair.rank => {}
                _ => best = Some(repair),
            }
        }
        let parsed = match best {
            Some(Repair { rank: (is_end_lost, _), parsed, .. }) => Some(parsed).filter(|_| !is_end_lost)?,
            None => unfit.filter(|_| repairs.len() == 1)?,
        };
        let span = candidate.span.clone();
        Some(Candidate { span, answer: candidate.answer, end: candidate.end, ..Candidate::of(parsed) })
    }

    /// The words for all allowed values, if the contract allows only listed strings or a boolean.
    pub(crate) fn root_options(&self) -> Option<Vec<&'a str>> {
        let mut options = self.shapes.options(ROOT)?;
        options.sort_unstable();
        options.dedup();
        Some(options)
    }

    fn fit(&mut self, mut candidate: Candidate<'a>) -> Fitted<'a> {
        let Aligned { node, mut notes, misfit } = self.root(candidate.node);
        candidate.notes.append(&mut notes);
        let names_key = self.shapes.names_key(&node);
        Fitted {
            candidate: Candidate { node, ..candidate },
            misfit,
            doubt: None,
            is_offered: false,
            names_key,
        }
    }
}
