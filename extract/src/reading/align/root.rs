//! The whole value: taken out of what wraps it, put into what was asked for.

use std::sync::Arc;

use super::Aligner;
use crate::reading::{
    change::{ChangeKind, Loss, Note},
    node::{Data, Entry, Node},
    shape::{ROOT, kind},
};

/// A value in the form that the contract asks for, as far as that goes.
#[derive(Debug)]
pub(in crate::reading) struct Aligned {
    pub(in crate::reading) node: Node,
    pub(in crate::reading) notes: Vec<Note>,
    /// How badly it still fits; 0 is a perfect fit.
    pub(in crate::reading) misfit: usize,
}

impl Aligner<'_> {
    /// Aligns a whole value.
    pub(in crate::reading) fn root(&mut self, node: &Node) -> Aligned {
        let direct = self.attempt(node.clone());
        if direct.misfit == 0 {
            return direct;
        }
        self.out_of_wrapper(node).or_else(|| self.as_only_list(node)).unwrap_or(direct)
    }

    fn attempt(&mut self, mut node: Node) -> Aligned {
        let misfit = self.align(&mut node, ROOT, true);
        Aligned { node, notes: std::mem::take(&mut self.notes), misfit }
    }

    /// `{"result": …}` and `{"name": "f", "arguments": …}`: the only entry that is what was asked for.
    fn out_of_wrapper(&mut self, node: &Node) -> Option<Aligned> {
        let Data::Object(entries) = &node.data else { return None };
        let root = self.shapes.get(ROOT);
        if entries.len() > 8 || entries.iter().any(|entry| root.names.contains(&*entry.key)) {
            return None;
        }
        let mut found = None;
        for entry in entries {
            let mut inner = self.attempt(entry.value.clone());
            if inner.misfit > 0 {
                continue;
            }
            if found.is_some() {
                return None;
            }
            let unwrapped = Note::new(ChangeKind::Wrapper, Loss::Ignored, node.span.clone());
            inner.notes.insert(0, unwrapped.after("what it wraps").at(crate::Path::root()));
            found = Some(inner);
        }
        found
    }

    /// A bare list where an object with one list is asked for.
    fn as_only_list(&mut self, node: &Node) -> Option<Aligned> {
        let Data::List(_) = &node.data else { return None };
        let root = self.shapes.get(ROOT);
        let is_list = |id| self.shapes.get(id).kinds & !kind::NULL == kind::LIST;
        let mut lists = root.properties.iter().filter(|property| is_list(property.shape));
        let name = Arc::from(lists.next().filter(|_| lists.next().is_none())?.name.as_str());
        let entry = Entry { start: node.span.start, key: name, value: node.clone() };
        let object = Node::new(node.span.clone(), Data::Object(vec![entry]));
        let mut aligned = self.attempt(object);
        let wrapped = Note::new(ChangeKind::Wrapper, Loss::Lossless, node.span.clone());
        aligned.notes.insert(0, wrapped.after("the only list of an object").at(crate::Path::root()));
        (aligned.misfit == 0).then_some(aligned)
    }
}
