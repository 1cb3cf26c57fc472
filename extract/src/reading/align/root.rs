//! Aligns the whole value: unwraps it or wraps it, as the contract asks.

use std::borrow::Cow;

use super::Aligner;
use crate::{
    change::{ChangeKind, Loss},
    reading::{
        node::{Data, Entry, Node},
        note::Note,
        shape::ROOT,
    },
};

/// How many copies of the whole value may be held while alternatives are tried, and how many values
/// besides.
const COPIES: usize = 4;
const FREE_COPIES: usize = 1 << 11;

/// A value as close as possible to the form that the contract asks for.
#[derive(Debug)]
pub(in crate::reading) struct Aligned<'a> {
    pub(in crate::reading) node: Node<'a>,
    pub(in crate::reading) notes: Vec<Note>,
    /// How badly it still fits; 0 is a perfect fit.
    pub(in crate::reading) misfit: usize,
}

impl<'a> Aligner<'a> {
    /// Aligns a whole value.
    pub(super) fn root(&mut self, node: Node<'a>) -> Aligned<'a> {
        self.copies = COPIES * node.size() + FREE_COPIES;
        let may_be_other = match &node.data {
            Data::Object(entries) => self.may_wrap(entries),
            Data::List(_) => self.shapes.only_list().is_some(),
            _ => false,
        };
        if !may_be_other {
            return self.attempt(node);
        }
        let direct = self.attempt(node.clone());
        // If nothing is required, a wrapper fits as well, but it names nothing.
        let names_something = || self.shapes.names_something(&direct.node, ROOT);
        if self.keeps_names || direct.misfit == 0 && names_something() {
            return direct;
        }
        // Aligning it again is better than holding it beside the copies that are tried.
        drop(direct);
        let other = self.out_of_wrapper(&node).or_else(|| self.as_only_list(&node));
        other.unwrap_or_else(|| self.attempt(node))
    }

    /// Whether an object with these entries may be a wrapper: none of its keys is asked for.
    fn may_wrap(&self, entries: &[Entry<'a>]) -> bool {
        let names = &self.shapes.get(ROOT).names;
        entries.len() <= 8 && !entries.iter().any(|entry| names.contains(&*entry.key))
    }

    fn attempt(&mut self, mut node: Node<'a>) -> Aligned<'a> {
        self.null_string(&mut node, ROOT);
        let misfit = self.align(&mut node, ROOT, true);
        self.note_lost_digits(&node, ROOT);
        Aligned { node, notes: std::mem::take(&mut self.notes), misfit }
    }

    /// `{"result": …}` and `{"name": "f", "arguments": …}`: takes the only entry that fits the
    /// contract.
    fn out_of_wrapper(&mut self, node: &Node<'a>) -> Option<Aligned<'a>> {
        let Data::Object(entries) = &node.data else { return None };
        let mut found = None;
        for entry in entries {
            let mut inner = self.attempt(entry.value.clone());
            if inner.misfit > 0 || !self.shapes.names_something(&inner.node, ROOT) {
                continue;
            }
            if found.is_some() {
                return None;
            }
            let unwrapped = Note::new(ChangeKind::Wrapper, Loss::Ignored, node.span.clone());
            inner.notes.insert(0, unwrapped.after("what it wraps").at(crate::path::Path::root()));
            found = Some(inner);
        }
        found
    }

    /// A bare list where an object with one list is asked for.
    fn as_only_list(&mut self, node: &Node<'a>) -> Option<Aligned<'a>> {
        if !matches!(node.data, Data::List(_)) {
            return None;
        }
        let span = node.span.clone();
        let entry =
            Entry { start: span.start, key: Cow::Borrowed(self.shapes.only_list()?), value: node.clone() };
        let object = Node::new(span.clone(), Data::Object(vec![entry]));
        let mut aligned = self.attempt(object);
        let wrapped = Note::new(ChangeKind::Wrapper, Loss::Lossless, span);
        aligned.notes.insert(0, wrapped.after("the only list of an object").at(crate::path::Path::root()));
        (aligned.misfit == 0).then_some(aligned)
    }
}
