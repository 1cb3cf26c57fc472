//! Snapshots: a value as known at some time, its completed parts, and cursors that walk through it
//! without copying.

use std::{fmt, sync::Arc};

use serde_json::{Map, Value};

use super::tape::{Data, Mark, Members, Node, NodeId, SharedTape, Tape};
use crate::vocabulary::{
    json_pointer,
    path::{Path, Segment},
};

/// How far an agent has come with a part of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PartState {
    /// Not started.
    Pending,
    /// Started, and possibly incomplete.
    Writing,
    /// Complete.
    Done,
}

/// A value as known at some time. Cheap to clone: all snapshots share their parts with the scanner.
/// A snapshot that borrows the tape is free.
#[derive(Clone, Copy)]
pub(crate) struct Snapshot<A = Arc<SharedTape>> {
    tape: A,
    mark: Mark,
}

/// A snapshot that borrows the tape.
pub(crate) type Sight<'t> = Snapshot<&'t Arc<SharedTape>>;

impl<A> Snapshot<A> {
    pub(crate) fn new(tape: A, mark: Mark) -> Self {
        Self { tape, mark }
    }

    /// How much is known. Grows with each byte that adds to it.
    pub(crate) fn mark(&self) -> Mark {
        self.mark
    }
}

impl<'t> Sight<'t> {
    /// The same, owned.
    pub(crate) fn kept(self) -> Snapshot {
        Snapshot::new(Arc::clone(self.tape), self.mark)
    }

    /// The tape it belongs to.
    pub(crate) fn tape(self) -> &'t Arc<SharedTape> {
        self.tape
    }

    /// Returns whether it belongs to `tape`.
    pub(crate) fn is_of(&self, tape: &Arc<SharedTape>) -> bool {
        Arc::ptr_eq(self.tape, tape)
    }
}

impl<A: AsRef<SharedTape>> Snapshot<A> {
    /// How far the part at the JSON Pointer `pointer` has come.
    pub(crate) fn state(&self, pointer: &str) -> PartState {
        self.at(pointer, |found| match found {
            None => PartState::Pending,
            Some((_, node)) if node.was_done(self.mark) => PartState::Done,
            Some(_) => PartState::Writing,
        })
    }

    /// The known part of the value at `pointer`.
    pub(crate) fn value(&self, pointer: &str) -> Option<Value> {
        self.at(pointer, |found| found.and_then(|(view, node)| view.value(node)))
    }

    /// How many elements or members at `pointer` have started.
    pub(crate) fn len(&self, pointer: &str) -> Option<usize> {
        self.at(pointer, |found| match found {
            Some((_, Node { data: Data::List(items), .. })) => Some(items.len(self.mark)),
            Some((view, Node { data: Data::Object(members), .. })) => Some(view.member_count(members)),
            _ => None,
        })
    }

    /// Returns whether this snapshot is consistent with `value`, the final value.
    pub(crate) fn agrees_with(&self, value: &Value) -> bool {
        self.at("", |root| root.is_none_or(|(view, node)| view.agrees(node, value)))
    }

    /// Returns whether it shows everything that `older`, a snapshot of another tape, shows, and at
    /// least as complete.
    pub(crate) fn has_all_of<B: AsRef<SharedTape>>(&self, older: &Snapshot<B>) -> bool {
        older.at("", |old| {
            let Some((old_view, old)) = old else { return true };
            self.at("", |new| new.is_some_and(|(view, new)| view.has_all_of(new, old_view, old)))
        })
    }

    fn at<R>(&self, pointer: &str, look: impl FnOnce(Option<(View<'_>, &Node)>) -> R) -> R {
        let tape = self.tape.as_ref().read();
        let view = View { tape: &tape, mark: self.mark };
        look(view.find(pointer).map(|node| (view, node)))
    }
}

impl<A> fmt::Debug for Snapshot<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("mark", &self.mark).finish_non_exhaustive()
    }
}

/// The tape up to a mark.
#[derive(Clone, Copy)]
struct View<'t> {
    tape: &'t Tape,
    mark: Mark,
}

impl<'t> View<'t> {
    fn node(self, node: NodeId) -> Option<&'t Node> {
        self.tape.node(node, self.mark)
    }

    /// The node at `pointer`.
    fn find(self, pointer: &str) -> Option<&'t Node> {
        let root = self.node(0)?;
        if pointer.is_empty() {
            return Some(root);
        }
        // Pointers are short, and each delta looks one up: scanning their bytes costs a third of
        // `str::split`.
        let mut node = root;
        let mut rest = pointer.strip_prefix('/')?;
        loop {
            let special = rest.bytes().position(|byte| matches!(byte, b'/' | b'~'));
            let special = special.unwrap_or(rest.len());
            let is_escaped = rest.as_bytes().get(special) == Some(&b'~');
            let end = if is_escaped { rest.find('/').unwrap_or(rest.len()) } else { special };
            node = self.step(node, &rest[..end], is_escaped)?;
            let Some(next) = rest.get(end + 1..) else { return Some(node) };
            rest = next;
        }
    }

    /// The child of `node` that `step` names; `is_escaped` if there is a `~` in it.
    fn step(self, node: &'t Node, step: &str, is_escaped: bool) -> Option<&'t Node> {
        match &node.data {
            Data::Object(members) if is_escaped => {
                self.node(self.tape.member(members, &json_pointer::key(step))?)
            }
            Data::List(items) => self.node(items.get(json_pointer::index(step)?)?),
            Data::Object(members) => self.node(self.tape.member(members, step)?),
            _ => None,
        }
    }

    fn member_count(self, members: &Members) -> usize {
        let nodes = members.nodes();
        let all = nodes.len();
        all - nodes.rev().take_while(|node| *node >= self.mark.nodes).count()
    }

    /// The members that have started.
    fn members(self, members: &'t Members) -> impl Iterator<Item = (&'t str, &'t Node)> {
        self.tape.members(members).map_while(move |(key, node)| Some((key, self.node(node)?)))
    }

    fn value(self, node: &'t Node) -> Option<Value> {
        let is_done = node.was_done(self.mark);
        Some(match &node.data {
            Data::List(items) => {
                let items = items.known(self.mark).iter().filter_map(|item| self.node(*item));
                Value::Array(items.filter_map(|item| self.value(item)).collect())
            }
            Data::Object(members) => {
                let members = self.members(members);
                let known = members.filter_map(|(key, node)| Some((key.to_owned(), self.value(node)?)));
                Value::Object(known.collect::<Map<_, _>>())
            }
            Data::String(text) => Value::String(self.tape.text(*text, is_done, self.mark)?.to_owned()),
            _ if !is_done => return None,
            Data::Unknown => return None,
            Data::Null => Value::Null,
            Data::Bool(value) => Value::Bool(*value),
            Data::Number(number) => Value::Number(number.clone()),
        })
    }

    /// Returns whether `node` shows everything that `older` shows of `old`.
    fn has_all_of(self, node: &'t Node, older: View<'_>, old: &Node) -> bool {
        let was_done = old.was_done(older.mark);
        if was_done && !node.was_done(self.mark) {
            return false;
        }
        match (&old.data, &node.data) {
            (Data::List(old), Data::List(items)) => {
                let known = old.known(older.mark).iter().zip(old.gone..);
                let item = |index| items.get(index).and_then(|item| self.node(item));
                let mut pairs = known.map(|(old, index)| (older.node(*old), item(index)));
                old.len(older.mark) <= items.len(self.mark)
                    && pairs.all(
                        |pair| matches!(pair, (Some(old), Some(item)) if self.has_all_of(item, older, old)),
                    )
            }
            (Data::Object(old), Data::Object(members)) => older.members(old).all(|(key, old)| {
                let member = self.tape.member(members, key).and_then(|node| self.node(node));
                member.is_some_and(|node| self.has_all_of(node, older, old))
            }),
            (Data::String(old), data) => match (older.tape.text(*old, was_done, older.mark), data) {
                (None, _) => true,
                (Some(old), Data::String(text)) => {
                    let text = self.tape.text(*text, node.was_done(self.mark), self.mark);
                    text.is_some_and(|text| if was_done { text == old } else { text.starts_with(old) })
                }
                (Some(_), _) => false,
            },
            (Data::List(_) | Data::Object(_), _) => false,
            (_, _) if !was_done => true,
            (Data::Null, Data::Null) => true,
            (Data::Bool(old), Data::Bool(new)) => old == new,
            (Data::Number(old), Data::Number(new)) => old == new,
            _ => false,
        }
    }

    /// Returns whether `node` is consistent with `value`, its final value.
    fn agrees(self, node: &'t Node, value: &Value) -> bool {
        let is_done = node.was_done(self.mark);
        match (&node.data, value) {
            (Data::List(items), Value::Array(values)) => {
                let len = items.len(self.mark);
                let has_length = if is_done { len == values.len() } else { len <= values.len() };
                let mut pairs = items.known(self.mark).iter().zip(values.iter().skip(items.gone));
                has_length
                    && pairs.all(|(item, value)| self.node(*item).is_none_or(|item| self.agrees(item, value)))
            }
            (Data::Object(members), Value::Object(values)) => {
                let has_room = !is_done || members.has_hidden || values.len() <= members.len();
                // They are nearly always in the same order, which saves a look-up.
                let mut in_order = values.iter();
                has_room
                    && self.members(members).all(|(key, node)| {
                        let next = in_order.next().filter(|(next, _)| *next == key);
                        match next.map(|(_, value)| value).or_else(|| values.get(key)) {
                            Some(value) => self.agrees(node, value),
                            // No part was shown.
                            None => self.value(node).is_none(),
                        }
                    })
            }
            (Data::String(text), value) => match (self.tape.text(*text, is_done, self.mark), value) {
                (None, _) => true,
                (Some(text), Value::String(value)) if is_done => value == text,
                (Some(text), Value::String(value)) => value.starts_with(text),
                (Some(_), _) => false,
            },
            (Data::List(_) | Data::Object(_), _) => false,
            (Data::Unknown, _) => true,
            (_, _) if !is_done => true,
            (Data::Null, value) => value.is_null(),
            (Data::Bool(shown), value) => value == shown,
            (Data::Number(shown), Value::Number(value)) => value == shown,
            (Data::Number(_), _) => false,
        }
    }
}

/// A completed part.
#[derive(Debug)]
pub(crate) struct Closed<'s> {
    snapshot: Sight<'s>,
    pub(crate) path: Path,
    pub(crate) value: Value,
    /// The values around it, outermost first.
    around: Vec<NodeId>,
    /// How many parts had been completed by then, this one included.
    done: usize,
}

impl<'s> Sight<'s> {
    /// How many parts are complete.
    pub(crate) fn closed_count(self) -> usize {
        self.mark.done
    }

    /// The part that was completed at position `index`. `None` for the whole value, and for parts
    /// nested more than `max_depth` levels deep.
    pub(crate) fn closed(self, index: usize, max_depth: usize) -> Option<Closed<'s>> {
        let tape = self.tape.read();
        let view = View { tape: &tape, mark: self.mark };
        let target = tape.done_at(index)?;
        let (mut path, mut around, mut at) = (Path::root(), Vec::new(), 0);
        while at != target {
            if around.len() == max_depth {
                return None;
            }
            let (segment, next) = view.towards(view.node(at)?, target)?;
            path = path.step(segment);
            around.push(std::mem::replace(&mut at, next));
        }
        let value = view.value(view.node(target)?).filter(|_| !around.is_empty())?;
        Some(Closed { snapshot: self, path, value, around, done: index + 1 })
    }
}

impl View<'_> {
    /// The step from `node` to its child that holds the node `target`. Nodes are numbered in the
    /// order in which they start, so it is the last child that started before `target`.
    fn towards(self, node: &Node, target: NodeId) -> Option<(Segment, NodeId)> {
        match &node.data {
            Data::List(items) => {
                let (index, node) = items.before(target)?;
                Some((Segment::Index(index), node))
            }
            Data::Object(members) => {
                let (key, node) = self.tape.member_before(members, target)?;
                Some((Segment::Key(key.into()), node))
            }
            _ => None,
        }
    }
}

impl Closed<'_> {
    /// The scalar under `key` of the object that is `depth` steps down the path, if it was
    /// completed before this part.
    pub(crate) fn scalar_around(&self, depth: usize, key: &str) -> Option<Value> {
        let tape = self.snapshot.tape.read();
        let view = View { tape: &tape, mark: self.snapshot.mark };
        let Data::Object(members) = &view.node(*self.around.get(depth)?)?.data else { return None };
        let member = view.node(tape.member(members, key)?)?;
        let is_scalar = !matches!(member.data, Data::List(_) | Data::Object(_));
        let was_done = is_scalar && member.was_done_before(self.done);
        was_done.then(|| view.value(member)).flatten()
    }
}

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
