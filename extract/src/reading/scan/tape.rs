//! What has been scanned so far, as a tape that only grows.
//!
//! A [mark](Mark) on it is all that a snapshot needs: what was written later is behind the mark.

use std::collections::HashMap;

use serde_json::Number;

/// Members of an object beyond which their keys are looked up by hash.
const FEW: usize = 8;

pub(super) type NodeId = usize;

/// How far the tape was at some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Mark {
    /// Nodes that had begun.
    pub(super) nodes: usize,
    /// Bytes of text.
    pub(super) text: usize,
    /// Nodes that were done.
    pub(super) done: usize,
}

/// The values of a reply in the order in which they begin, the root first.
#[derive(Debug, Default)]
pub(super) struct Tape {
    nodes: Vec<Node>,
    /// All keys and strings, one after the other.
    text: String,
    /// Those that are done, in that order.
    done: Vec<NodeId>,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) data: Data,
    /// How many nodes were done when this one was; `None` until then.
    done: Option<usize>,
}

#[derive(Debug)]
pub(super) enum Data {
    /// Nothing that may be shown.
    Unknown,
    Null,
    Bool(bool),
    Number(Number),
    String(Text),
    List(Vec<NodeId>),
    Object(Members),
}

/// A string.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text {
    start: usize,
    end: usize,
    /// Whether it may be shown before it is done.
    grows: bool,
}

/// The members of an object in the order of the reply.
#[derive(Debug, Default)]
pub(super) struct Members {
    all: Vec<Member>,
    /// Where each key stands, if there are many.
    by_key: HashMap<Box<str>, usize>,
}

#[derive(Debug)]
struct Member {
    key: (usize, usize),
    node: NodeId,
}

impl Tape {
    pub(super) fn mark(&self) -> Mark {
        Mark { nodes: self.nodes.len(), text: self.text.len(), done: self.done.len() }
    }

    /// Adds a value.
    pub(super) fn begin(&mut self, data: Data) -> NodeId {
        self.nodes.push(Node { data, done: None });
        self.nodes.len() - 1
    }

    /// Makes `node` the next element of `list`.
    pub(super) fn push_item(&mut self, list: NodeId, node: NodeId) {
        if let Data::List(items) = &mut self.nodes[list].data {
            items.push(node);
        }
    }

    /// Makes `node` the next member of `object`.
    pub(super) fn push_member(&mut self, object: NodeId, key: &str, node: NodeId) {
        let start = self.text.len();
        self.text.push_str(key);
        if let Data::Object(members) = &mut self.nodes[object].data {
            members.push(Member { key: (start, self.text.len()), node }, &self.text);
        }
    }

    pub(super) fn set(&mut self, node: NodeId, data: Data) {
        self.nodes[node].data = data;
    }

    pub(super) fn is_done(&mut self, node: NodeId) {
        self.done.push(node);
        self.nodes[node].done = Some(self.done.len());
    }

    /// A string at the end of the tape that may be shown while it grows; or, if not `grows`, as soon as it is done.
    pub(super) fn begin_string(&mut self, node: NodeId, grows: bool) {
        let start = self.text.len();
        self.nodes[node].data = Data::String(Text { start, end: start, grows });
    }

    /// Lets `write` add to the string `node`, which is the last one on the tape.
    pub(super) fn write<R>(&mut self, node: NodeId, write: impl FnOnce(&mut String) -> R) -> R {
        let result = write(&mut self.text);
        if let Data::String(text) = &mut self.nodes[node].data {
            text.end = self.text.len();
        }
        result
    }

    /// The whole string `node`.
    pub(super) fn string(&self, node: NodeId) -> &str {
        match &self.nodes[node].data {
            Data::String(text) => &self.text[text.start..text.end],
            _ => "",
        }
    }

    pub(super) fn has_member(&self, object: NodeId, key: &str) -> bool {
        matches!(&self.nodes[object].data, Data::Object(members) if members.find(key, &self.text).is_some())
    }

    pub(super) fn is_empty_object(&self, node: NodeId) -> bool {
        matches!(&self.nodes[node].data, Data::Object(members) if members.all.is_empty())
    }

    /// The node, if it had begun at `mark`.
    pub(super) fn node(&self, node: NodeId, mark: Mark) -> Option<&Node> {
        self.nodes.get(node).filter(|_| node < mark.nodes)
    }

    /// The node that was the one at `index` to be done.
    pub(super) fn done_at(&self, index: usize) -> Option<NodeId> {
        self.done.get(index).copied()
    }

    /// What of `text` is known at `mark`.
    pub(super) fn text(&self, text: Text, is_done: bool, mark: Mark) -> Option<&str> {
        let is_shown = is_done || text.grows && text.start < mark.text;
        is_shown.then(|| &self.text[text.start..text.end.min(mark.text)])
    }

    /// The node under `key`.
    pub(super) fn member(&self, members: &Members, key: &str) -> Option<NodeId> {
        members.find(key, &self.text).map(|index| members.all[index].node)
    }

    /// The last of `members` that is `target` or began before it.
    pub(super) fn member_before(&self, members: &Members, target: NodeId) -> Option<(&str, NodeId)> {
        let index = members.all.partition_point(|member| member.node <= target).checked_sub(1)?;
        let Member { key: (start, end), node } = members.all.get(index)?;
        Some((&self.text[*start..*end], *node))
    }

    /// The keys and nodes of `members`.
    pub(super) fn members<'t>(&'t self, members: &'t Members) -> impl Iterator<Item = (&'t str, NodeId)> {
        members.all.iter().map(|member| (&self.text[member.key.0..member.key.1], member.node))
    }
}

impl Node {
    pub(super) fn was_done(&self, mark: Mark) -> bool {
        self.was_done_before(mark.done)
    }

    /// Whether it was among the first `count` nodes to be done.
    pub(super) fn was_done_before(&self, count: usize) -> bool {
        self.done.is_some_and(|done| done <= count)
    }
}

impl Members {
    fn push(&mut self, member: Member, text: &str) {
        self.all.push(member);
        if self.all.len() <= FEW {
            return;
        }
        for index in self.by_key.len()..self.all.len() {
            let (start, end) = self.all[index].key;
            self.by_key.insert(text[start..end].into(), index);
        }
    }

    fn find(&self, key: &str, text: &str) -> Option<usize> {
        if !self.by_key.is_empty() {
            return self.by_key.get(key).copied();
        }
        self.all.iter().position(|member| &text[member.key.0..member.key.1] == key)
    }

    pub(super) fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator {
        self.all.iter().map(|member| member.node)
    }
}
