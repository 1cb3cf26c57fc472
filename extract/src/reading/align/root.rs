//! Aligns the whole value: unwraps it or wraps it, as the contract asks.

use std::borrow::Cow;

use super::Aligner;
use crate::{
    reading::{
        envelope::{self, Envelope},
        node::{Data, Entry, Node},
        note::Note,
        shape::{ROOT, kind},
    },
    vocabulary::{
        change::{ChangeKind, Loss},
        path::Path,
    },
};

/// Most envelopes around one value.
const MAX_ENVELOPES: usize = 4;

/// How many copies of the whole value may be held while alternatives are tried, and how many values
/// besides.
const COPIES: usize = 4;
const FREE_COPIES: usize = 1 << 11;

/// A value as close as possible to the form that the contract asks for.
#[derive(Debug)]
pub(crate) struct Aligned<'a> {
    pub(crate) node: Node<'a>,
    pub(crate) notes: Vec<Note>,
    /// How badly it still fits; 0 is a perfect fit.
    pub(crate) misfit: usize,
}

impl<'a> Aligner<'a> {
    /// Aligns a whole value.
    pub(super) fn root(&mut self, node: Node<'a>) -> Aligned<'a> {
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
        self.shapes.only_list().filter(|_| matches!(node.data, Data::List(_)))
    }

    /// Returns whether `node` has the form of an envelope, and the contract does not ask for its
    /// keys.
    fn may_be_held(&self, node: &Node<'a>) -> bool {
        let root = self.shapes.get(ROOT);
        // An object with free keys is an answer as it is.
        let takes_any = root.allows(kind::OBJECT) && (root.is_open || !root.knows_names());
        match &node.data {
            Data::Object(_) if takes_any => envelope::is_submitted(node),
            Data::Object(entries) => envelope::held(entries)
                .is_some_and(|(_, index)| !self.shapes.get(ROOT).names.contains(&*entries[index].key)),
            Data::List(items) => envelope::are_known(items),
            _ => false,
        }
    }

    fn attempt(&mut self, mut node: Node<'a>) -> Aligned<'a> {
        self.null_string(&mut node, ROOT);
        let misfit = self.align(&mut node, ROOT, true);
        self.note_lost_digits(&node, ROOT);
        Aligned { node, notes: std::mem::take(&mut self.notes), misfit }
    }

    /// Takes the value out of its envelope, if what is in it may be the answer.
    fn out_of_envelope(&mut self, node: &Node<'a>, left: usize) -> Option<Aligned<'a>> {
        let inner = match &node.data {
            Data::Object(entries) => {
                let (kind, index) = envelope::held(entries)?;
                let inner = &entries[index].value;
                self.may_hold(kind, inner).then(|| inner.clone())?
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
        let inner = |item: &Node<'a>| match &item.data {
            Data::Object(entries) => Some(entries[envelope::held(entries)?.1].value.clone()),
            _ => None,
        };
        match items {
            [item] => inner(item),
            _ if self.shapes.get(ROOT).kinds == kind::LIST => {
                let span = items.first()?.span.start..items.last()?.span.end;
                Some(Node::new(span, Data::List(items.iter().map(inner).collect::<Option<_>>()?)))
            }
            _ => None,
        }
    }

    /// Returns whether an envelope of this kind may hold `inner` as the answer. A value without
    /// keys of the contract is an answer only if its own key says so.
    fn may_hold(&self, kind: Envelope, inner: &Node<'a>) -> bool {
        match (kind, &inner.data) {
            (Envelope::Known, _) | (_, Data::Object(_)) => true,
            (_, Data::List(_)) => self.shapes.get(ROOT).allows(kind::LIST | kind::OBJECT),
            (Envelope::Holder, Data::Text(_)) => self.shapes.get(ROOT).kinds & kind::ANY != kind::LIST,
            (Envelope::Holder, _) => true,
            (Envelope::Single, Data::Text(text)) => text.trim_start().starts_with(['{', '[']),
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
        (aligned.misfit == 0).then_some(aligned)
    }
}

/// Returns whether `node` is a call, or a list of calls, with a list or an object as its arguments.
fn is_call(node: &Node<'_>) -> bool {
    match &node.data {
        Data::Object(entries) => match envelope::held(entries) {
            Some((Envelope::Known, index)) => match &entries[index].value.data {
                Data::Object(_) | Data::List(_) => true,
                Data::Text(text) => text.trim_start().starts_with(['{', '[']),
                _ => false,
            },
            _ => false,
        },
        Data::List(items) => !items.is_empty() && items.iter().all(is_call),
        _ => false,
    }
}
