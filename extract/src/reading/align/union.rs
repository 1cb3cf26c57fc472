//! Alternatives: takes the one with the right tag, otherwise the one that fits best. Strings and tags
//! outside the listed ones are for `#[serde(other)]`.

use std::borrow::Cow;

use super::{Aligned, Aligner, kind_of};
use crate::{
    reading::{
        node::{Data, Entry, Node},
        receipt::{self, Note},
        shape::{Id, Shape, ShapeScope, kind},
        spelling,
    },
    vocabulary::{
        change::{ChangeKind, Loss},
        digits,
    },
};

impl Aligned<'_> {
    /// Its rank, lower is better: how badly it fits, then how much is left over, and how much was
    /// changed.
    fn rank(&self) -> (usize, usize, usize) {
        let count = |notes: &mut dyn Iterator<Item = &Note>| notes.map(|note| note.count).sum();
        let mut left_over = self.notes.iter().filter(|note| note.kind == ChangeKind::LeftOver);
        (self.misfit, count(&mut left_over), count(&mut self.notes.iter()))
    }
}

impl<'a> Aligner<'a> {
    /// Aligns `node` to one of the alternatives `branches`.
    pub(super) fn union(&mut self, node: &mut Node<'a>, branches: &[Id], scope: ShapeScope) -> usize {
        if let Some(misfit) = self.open_union(node, branches, scope) {
            return misfit;
        }
        let only = self.only_branch(node, branches).or_else(|| self.tagged(node, branches));
        if let Some(branch) = only.or_else(|| self.decimal_branch(node, branches)) {
            return self.align(node, branch, scope);
        }
        // One copy for the trial, one for the best so far. If they may not be held, no alternative
        // is taken.
        let best = self.with_copies(2, node, |aligner, size| aligner.best(node, size, branches, scope));
        let Some((best, branch, is_tie)) = best.flatten() else { return super::WRONG_KIND };
        let misfit = best.misfit;
        if is_tie {
            // Two readings are equally good: neither is taken. An object may conform as it is.
            if matches!(node.data, Data::Object(_)) {
                self.note(ChangeKind::LeftOver, Loss::Lossy, node, || "");
            }
            return misfit.max(1);
        }
        if best.rank() > (0, 0, 0) {
            self.keep(node, best);
        }
        if misfit == 0 && matches!(node.data, Data::Object(_)) {
            self.note_dropped(node, (branch, branches), scope);
        }
        misfit
    }

    /// Notes the members of `node`, aligned to `branch`, that get lost although another one of the `branches`
    /// knows them. A type takes the first alternative that fits, and drops what that one does not know.
    fn note_dropped(&mut self, node: &Node<'a>, (branch, branches): (Id, &[Id]), scope: ShapeScope) {
        let (shapes, around) = (self.shapes, self.around.clone());
        let is_of_another = |entry: &Entry<'_>, taken| {
            shapes.is_of_another(&entry.key, taken, branches)
                && around.iter().all(|shape| shape.property(&entry.key).is_none())
        };
        if !shapes.are_of_type() && !node.entries().iter().any(|entry| is_of_another(entry, branch)) {
            return;
        }
        let fitting = self.with_copies(1, node, |aligner, size| {
            let value = aligner.look(size).then(|| node.clone().into_value())?;
            Some(shapes.fitting(branches, &value))
        });
        let fitting = fitting.flatten().unwrap_or_default();
        let first = fitting.first().filter(|_| shapes.are_of_type());
        let taken = first.copied().unwrap_or(branch);
        if taken != branch && scope == ShapeScope::Whole {
            let tried = self.trial(node, |aligner, node| aligner.align(node, taken, scope));
            let is_dropped = |note: &Note| matches!(note.kind, ChangeKind::UnknownKey | ChangeKind::LeftOver);
            let dropped = tried.notes.into_iter().filter(is_dropped);
            let dropped = dropped.map(|note| Note { kind: ChangeKind::LeftOver, loss: Loss::Lossy, ..note });
            return receipt::extend(&mut self.notes, dropped);
        }
        // Without a type, the value keeps what fits another alternative.
        let is_kept =
            |key: &str| !shapes.are_of_type() && fitting.iter().any(|id| shapes.get(*id).names.contains(key));
        for entry in node.entries() {
            if is_of_another(entry, taken) && !is_kept(&entry.key) {
                self.note_member(entry, ChangeKind::LeftOver, Loss::Lossy);
            }
        }
    }

    /// The value of the alternative that fits best, which one that is, and whether another one ranks the same and
    /// yields a different value.
    /// `None` if the looks are used up.
    fn best(
        &mut self,
        node: &Node<'a>,
        size: usize,
        branches: &[Id],
        scope: ShapeScope,
    ) -> Option<(Aligned<'a>, Id, bool)> {
        let mut best: Option<(Aligned<'a>, Id, bool)> = None;
        for branch in branches {
            if !self.look(size) {
                return None;
            }
            let trial = self.trial(node, |aligner, node| aligner.align(node, *branch, scope));
            // Nothing can be better than the unchanged value.
            let is_perfect = trial.rank() == (0, 0, 0);
            match &mut best {
                Some((best, ..)) if trial.rank() > best.rank() => {}
                Some((best, _, is_tie)) if trial.rank() == best.rank() => {
                    *is_tie |= !best.node.is_same(&trial.node);
                }
                best => *best = Some((trial, *branch, false)),
            }
            if is_perfect {
                break;
            }
        }
        best
    }

    /// The only alternative that takes values of this type. A string may be meant as another type.
    fn only_branch(&self, node: &Node<'_>, branches: &[Id]) -> Option<Id> {
        let mut fitting = branches.iter().filter(|branch| self.shapes.get(**branch).allows(kind_of(node)));
        let only = fitting.next().filter(|_| fitting.next().is_none())?;
        let has_choices = self.shapes.get(*only).choices.is_some();
        (!matches!(node.data, Data::Text(_)) || !has_choices).then_some(*only)
    }

    /// The alternative for decimals, if `node` is a number that any other one would round.
    fn decimal_branch(&self, node: &Node<'a>, branches: &[Id]) -> Option<Id> {
        let branch = branches.iter().copied().find(|branch| self.shapes.get(*branch).is_decimal)?;
        self.json(node).is_some_and(|json| digits::is_rounded(&json)).then_some(branch)
    }

    /// The alternative whose tag the object carries.
    fn tagged(&self, node: &Node<'_>, branches: &[Id]) -> Option<Id> {
        let objects: Vec<(Id, &Shape)> = branches
            .iter()
            .map(|branch| (*branch, self.shapes.get(*branch)))
            .filter(|(_, shape)| shape.allows(kind::OBJECT))
            .collect();
        node.entries().iter().find_map(|entry| {
            let text = entry.value.text()?;
            let tags: Vec<&str> =
                objects.iter().map(|(_, shape)| self.tag(shape, &entry.key)).collect::<Option<_>>()?;
            let meant = meant(text, &tags)?;
            let mut tagged = objects.iter().zip(&tags).filter(|(_, tag)| **tag == meant);
            let only = tagged.next().filter(|_| tagged.next().is_none())?;
            Some(only.0.0)
        })
    }

    /// The only string that `shape` allows under `key`.
    fn tag(&self, shape: &'a Shape, key: &str) -> Option<&'a str> {
        match self.shapes.get(shape.property(key)?).choices.as_deref()? {
            [tag] => tag.as_str(),
            _ => None,
        }
    }

    /// Aligns `node` to `branches`, one of which takes all strings that the others do not list.
    /// Another spelling of a listed name becomes that name. Any other string stays, with an entry
    /// in the receipt. `None` if no branch is of this kind.
    fn open_union(&mut self, node: &mut Node<'a>, branches: &[Id], scope: ShapeScope) -> Option<usize> {
        match &node.data {
            Data::Text(text) => {
                let is_open = |id: &Id| self.shapes.get(*id).is_other;
                branches.iter().any(is_open).then_some(())?;
                let names = branches.iter().flat_map(|id| self.listed(*id)).collect::<Vec<_>>();
                match meant(text, &names) {
                    Some(name) if name == text => {}
                    Some(name) => {
                        self.note(ChangeKind::Choice, Loss::Lossless, node, || format!("{name:?}"));
                        node.data = Data::Text(Cow::Borrowed(name));
                    }
                    None => {
                        let after = text.clone().into_owned();
                        self.note(ChangeKind::Other, Loss::Ignored, node, || format!("{after:?}"));
                    }
                }
                Some(0)
            }
            Data::Object(entries) => {
                let (branch, other) = self.open_tag(entries, branches)?;
                receipt::extend(&mut self.notes, other);
                Some(self.align(node, branch, scope))
            }
            _ => None,
        }
    }

    /// The branch for an object whose tag may be outside the listed ones, and the change to record.
    fn open_tag(&self, entries: &[Entry<'a>], branches: &[Id]) -> Option<(Id, Option<Note>)> {
        let objects = || branches.iter().copied().filter(|id| self.shapes.get(*id).allows(kind::OBJECT));
        let (open, key) = objects().find_map(|id| {
            let mut properties = self.shapes.get(id).properties.iter();
            let tag = properties.find(|property| self.shapes.get(property.shape).is_other)?;
            Some((id, tag.name.as_str()))
        })?;
        let is_spelled = |entry: &&Entry<'a>| spelling::is_same(&entry.key, key, &std::iter::once(key));
        let entry =
            entries.iter().find(|entry| entry.key == key).or_else(|| entries.iter().find(is_spelled))?;
        let text = entry.value.text()?;
        let listed = |id| self.shapes.get(id).property(key).map(|tag| self.listed(tag)).unwrap_or_default();
        let names: Vec<&str> = objects().flat_map(listed).collect();
        if let Some(name) = meant(text, &names) {
            return Some((objects().find(|id| listed(*id).contains(&name))?, None));
        }
        let note = Note::new(ChangeKind::Other, Loss::Ignored, entry.value.span.clone());
        Some((open, Some(note.after(format!("{text:?}")).at(self.here().key(key)))))
    }

    /// The strings listed in a shape.
    fn listed(&self, id: Id) -> Vec<&'a str> {
        let choices = self.shapes.get(id).choices.as_deref().unwrap_or_default();
        choices.iter().filter_map(serde_json::Value::as_str).collect()
    }
}

fn meant<'n>(text: &str, names: &[&'n str]) -> Option<&'n str> {
    names.iter().find(|name| **name == text).copied().or_else(|| spelling::only(text, names))
}
