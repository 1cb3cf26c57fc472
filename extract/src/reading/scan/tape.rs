//! The tape of everything scanned so far, which only grows.
//!
//! A snapshot needs only a [mark](Mark) on it: everything written later is after the mark.

use std::{
    collections::HashMap,
    num::NonZeroUsize,
    sync::{
        PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::Number;

/// Number of members above which an object looks up keys by hash.
const FEW: usize = 8;

pub(super) type NodeId = usize;

/// A position on the tape at some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Mark {
    /// Nodes that had started.
    pub(super) nodes: usize,
    /// Bytes of text.
    pub(super) text: usize,
    /// Nodes that were complete.
    pub(super) done: usize,
}

/// A moving mark, for readers that must not wait for a lock.
///
/// Everything it points at is on the tape before the mark is stored. A reader between two of the
/// stores may see less than there is, but never more.
#[derive(Debug, Default)]
pub(crate) struct SharedMark {
    nodes: AtomicUsize,
    text: AtomicUsize,
    done: AtomicUsize,
}

impl SharedMark {
    pub(crate) fn store(&self, mark: Mark) {
        self.nodes.store(mark.nodes, Ordering::Relaxed);
        self.text.store(mark.text, Ordering::Relaxed);
        self.done.store(mark.done, Ordering::Release);
    }

    #[inline]
    pub(crate) fn load(&self) -> Mark {
        let done = self.done.load(Ordering::Acquire);
        let text = self.text.load(Ordering::Relaxed);
        Mark { nodes: self.nodes.load(Ordering::Relaxed), text, done }
    }
}

/// A tape that a scanner writes while its snapshots are read. No foreign code runs while it is
/// locked, so it is locked only briefly.
#[derive(Debug, Default)]
pub(crate) struct SharedTape(RwLock<Tape>);

impl SharedTape {
    #[inline]
    pub(super) fn read(&self) -> RwLockReadGuard<'_, Tape> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn write(&self) -> RwLockWriteGuard<'_, Tape> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The values of a reply in the order in which they start, the root first.
#[derive(Debug, Default)]
pub(super) struct Tape {
    nodes: Vec<Node>,
    /// All keys and strings, one after the other.
    text: String,
    /// The complete nodes, in the order of their completion.
    done: Vec<NodeId>,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) data: Data,
    /// How many nodes were complete, this one included, when it was completed; `None` before.
    done: Option<NonZeroUsize>,
}

#[derive(Debug)]
pub(super) enum Data {
    /// Nothing that may be shown.
    Unknown,
    Null,
    Bool(bool),
    Number(Number),
    String(Text),
    // Boxed, so that a node stays small: most values are scalars.
    List(Box<Items>),
    Object(Members),
}

/// A string.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text {
    start: usize,
    end: usize,
    /// Whether it may be shown while it grows.
    grows: bool,
}

/// The elements of a list.
#[derive(Debug, Default)]
pub(super) struct Items {
    /// How many elements at the start were forgotten.
    pub(super) gone: usize,
    nodes: Vec<NodeId>,
    /// The state of the tape before the first of `nodes`.
    start: Mark,
}

/// The members of an object in the order of the reply.
#[derive(Debug, Default)]
pub(super) struct Members {
    all: Vec<Member>,
    /// The index of each key, if there are many.
    by_key: Option<Box<Index>>,
    /// Whether it has further members that are not shown.
    pub(super) has_hidden: bool,
}

#[derive(Debug, Default)]
struct Index(HashMap<Box<str>, usize>);

impl Index {
    // Objects have few members, so the way to them must not pay for this one.
    #[cold]
    fn find(&self, key: &str) -> Option<usize> {
        self.0.get(key).copied()
    }
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

    /// Forgets the elements of `list`, which must be the last value on the tape, with no element in
    /// progress.
    pub(super) fn forget_items(&mut self, list: NodeId) {
        let Some(Node { data: Data::List(items), .. }) = self.nodes.get_mut(list) else { return };
        if items.nodes.is_empty() {
            return;
        }
        let start = items.start;
        items.gone += items.nodes.len();
        items.nodes.clear();
        self.nodes.truncate(start.nodes);
        self.text.truncate(start.text);
        self.done.truncate(start.done);
    }

    /// Makes `node` the next element of `list`.
    pub(super) fn push_item(&mut self, list: NodeId, node: NodeId) {
        let (text, done) = (self.text.len(), self.done.len());
        if let Data::List(items) = &mut self.nodes[list].data {
            if items.nodes.is_empty() {
                items.start = Mark { nodes: node, text, done };
            }
            items.nodes.push(node);
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
        self.nodes[node].done = NonZeroUsize::new(self.done.len());
    }

    /// Starts a string at the end of the tape. It may be shown while it grows if `grows` is set,
    /// otherwise once it is complete.
    pub(super) fn begin_string(&mut self, node: NodeId, grows: bool) {
        let start = self.text.len();
        self.nodes[node].data = Data::String(Text { start, end: start, grows });
    }

    /// Appends to the string `node`, which must be the last one on the tape.
    pub(super) fn append(&mut self, node: NodeId, text: &str) {
        self.write(node, |string| string.push_str(text));
    }

    /// Lets `write` append to the string `node`, which must be the last one on the tape.
    pub(super) fn write<R>(&mut self, node: NodeId, write: impl FnOnce(&mut String) -> R) -> R {
        let result = write(&mut self.text);
        if let Data::String(text) = &mut self.nodes[node].data {
            text.end = self.text.len();
        }
        result
    }

    /// Returns the part of the string `node` that is written.
    pub(super) fn string(&self, node: NodeId) -> &str {
        match &self.nodes[node].data {
            Data::String(text) => &self.text[text.start..text.end],
            _ => "",
        }
    }

    pub(super) fn has_member(&self, object: NodeId, key: &str) -> bool {
        matches!(&self.nodes[object].data, Data::Object(members) if members.find(key, &self.text).is_some())
    }

    /// Records that `object` has a member that is not shown.
    pub(super) fn hide_member(&mut self, object: NodeId) {
        if let Data::Object(members) = &mut self.nodes[object].data {
            members.has_hidden = true;
        }
    }

    pub(super) fn is_empty_object(&self, node: NodeId) -> bool {
        matches!(&self.nodes[node].data, Data::Object(members) if members.all.is_empty())
    }

    /// The node, if it had started at `mark`.
    pub(super) fn node(&self, node: NodeId, mark: Mark) -> Option<&Node> {
        self.nodes.get(node).filter(|_| node < mark.nodes)
    }

    /// The node that was completed at position `index`.
    pub(super) fn done_at(&self, index: usize) -> Option<NodeId> {
        self.done.get(index).copied()
    }

    /// The part of `text` that was known at `mark`.
    pub(super) fn text(&self, text: Text, is_done: bool, mark: Mark) -> Option<&str> {
        let is_shown = is_done || text.grows && text.start < mark.text;
        is_shown.then(|| &self.text[text.start..text.end.min(mark.text)])
    }

    /// The node under `key`.
    pub(super) fn member(&self, members: &Members, key: &str) -> Option<NodeId> {
        members.find(key, &self.text).map(|index| members.all[index].node)
    }

    /// The last of `members` that started no later than `target`.
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

    /// Returns whether it was among the first `count` nodes to be completed.
    pub(super) fn was_done_before(&self, count: usize) -> bool {
        self.done.is_some_and(|done| done.get() <= count)
    }
}

impl Items {
    /// How many elements had started at `mark`.
    pub(super) fn len(&self, mark: Mark) -> usize {
        self.gone + self.known(mark).len()
    }

    pub(super) fn get(&self, index: usize) -> Option<NodeId> {
        self.nodes.get(index.checked_sub(self.gone)?).copied()
    }

    /// The remaining elements that had started at `mark`. Most snapshots are looked at before there
    /// are more.
    pub(super) fn known(&self, mark: Mark) -> &[NodeId] {
        match self.nodes.last() {
            Some(last) if *last >= mark.nodes => {
                &self.nodes[..self.nodes.partition_point(|item| *item < mark.nodes)]
            }
            _ => &self.nodes,
        }
    }

    /// The last element that started no later than `target`, with its index.
    pub(super) fn before(&self, target: NodeId) -> Option<(usize, NodeId)> {
        let index = self.nodes.partition_point(|item| *item <= target).checked_sub(1)?;
        Some((self.gone + index, *self.nodes.get(index)?))
    }
}

impl Members {
    fn push(&mut self, member: Member, text: &str) {
        self.all.push(member);
        if self.all.len() <= FEW {
            return;
        }
        let Index(by_key) = &mut **self.by_key.get_or_insert_default();
        for index in by_key.len()..self.all.len() {
            let (start, end) = self.all[index].key;
            by_key.insert(text[start..end].into(), index);
        }
    }

    #[inline]
    fn find(&self, key: &str, text: &str) -> Option<usize> {
        if let Some(index) = &self.by_key {
            return index.find(key);
        }
        // As bytes: a slice of a `str` also checks that it starts and ends at a character.
        let key_of = |member: &Member| &text.as_bytes()[member.key.0..member.key.1];
        self.all.iter().position(|member| key_of(member) == key.as_bytes())
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator {
        self.all.iter().map(|member| member.node)
    }
}
