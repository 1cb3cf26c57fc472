//! Snapshots: a value as known at some time.

mod closed;
mod cursor;

use std::{fmt, sync::Arc};

use serde_json::{Map, Value};

pub(crate) use self::cursor::Cursor;
use super::tape::{Data, Mark, Members, Node, NodeId, SharedTape, Tape};

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

impl Sight<'_> {
    /// The same, owned.
    pub(crate) fn kept(self) -> Snapshot {
        Snapshot::new(Arc::clone(self.tape), self.mark)
    }
}

impl<'t> Sight<'t> {
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
                self.node(self.tape.member(members, &step.replace("~1", "/").replace("~0", "~"))?)
            }
            Data::List(items) => {
                let is_index = step == "0" || !step.starts_with(['0', '+']);
                self.node(items.get(step.parse::<usize>().ok().filter(|_| is_index)?)?)
            }
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
                let known = old.known(older.mark).iter().zip(old.gone()..);
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
                let mut pairs = items.known(self.mark).iter().zip(values.iter().skip(items.gone()));
                has_length
                    && pairs.all(|(item, value)| self.node(*item).is_none_or(|item| self.agrees(item, value)))
            }
            (Data::Object(members), Value::Object(values)) => {
                let has_room = !is_done || members.has_hidden() || values.len() <= members.len();
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
