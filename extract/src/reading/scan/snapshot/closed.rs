//! The parts of a snapshot in the order in which they were completed.

use serde_json::Value;

use super::{Sight, View};
use crate::{
    reading::scan::tape::{Data, Node, NodeId},
    vocabulary::path::{Path, Segment},
};

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
