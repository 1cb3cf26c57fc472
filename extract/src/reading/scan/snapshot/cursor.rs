//! Cursors, which walk through a snapshot without copying.

use serde_json::Value;

use super::{PartState, Sight, View};
use crate::reading::scan::tape::{Data, Node, NodeId};

/// One part of a snapshot.
///
/// The tape is locked during each step and never between steps, so a walk may run foreign code.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'s> {
    snapshot: Sight<'s>,
    node: NodeId,
}

impl<'s> Sight<'s> {
    /// The whole value; `None` before it starts.
    pub(crate) fn root(self) -> Option<Cursor<'s>> {
        let root = Cursor { snapshot: self, node: 0 };
        root.look(|_, _| ()).map(|()| root)
    }
}

impl Cursor<'_> {
    /// How far the part has come; never `Pending`.
    pub(crate) fn state(self) -> PartState {
        let is_done = self.look(|view, node| node.was_done(view.mark));
        if is_done == Some(true) { PartState::Done } else { PartState::Writing }
    }

    /// A copy of its known part.
    pub(crate) fn value(self) -> Option<Value> {
        self.look(|view, node| view.value(node))?
    }

    /// The member of an object under `key`.
    pub(crate) fn member(self, key: &str) -> Option<Self> {
        let node = self.look(|view, node| match &node.data {
            Data::Object(members) => view.tape.member(members, key).filter(|node| view.node(*node).is_some()),
            _ => None,
        })??;
        Some(Self { node, ..self })
    }

    /// The element of a list at `index`.
    pub(crate) fn element(self, index: usize) -> Option<Self> {
        let node = self.look(|view, node| match &node.data {
            Data::List(items) => items.get(index).filter(|item| view.node(*item).is_some()),
            _ => None,
        })??;
        Some(Self { node, ..self })
    }

    /// The elements of a list that have started.
    pub(crate) fn elements(self) -> Vec<Self> {
        let nodes = self.look(|view, node| match &node.data {
            Data::List(items) => items.known(view.mark).to_vec(),
            _ => Vec::new(),
        });
        nodes.unwrap_or_default().into_iter().map(|node| Self { node, ..self }).collect()
    }

    /// The members of an object that have started, with their keys.
    pub(crate) fn entries(self) -> Vec<(String, Self)> {
        let nodes = self.look(|view, node| match &node.data {
            Data::Object(members) => {
                let members = view.tape.members(members);
                let known = members.take_while(|(_, node)| view.node(*node).is_some());
                known.map(|(key, node)| (key.to_owned(), node)).collect()
            }
            _ => Vec::new(),
        });
        let entry = |(key, node)| (key, Self { node, ..self });
        nodes.unwrap_or_default().into_iter().map(entry).collect()
    }

    fn look<R>(self, look: impl FnOnce(View<'_>, &Node) -> R) -> Option<R> {
        let tape = self.snapshot.tape.read();
        let view = View { tape: &tape, mark: self.snapshot.mark };
        view.node(self.node).map(|node| look(view, node))
    }
}
