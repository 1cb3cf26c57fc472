//! Strings and tags outside the listed ones, for `#[serde(other)]`.

use std::borrow::Cow;

use super::Aligner;
use crate::{
    reading::{
        node::{Data, Entry, Node},
        note::Note,
        shape::{Id, kind},
        spelling,
    },
    vocabulary::change::{ChangeKind, Loss},
};

impl<'a> Aligner<'a> {
    /// Aligns `node` to `branches`, one of which takes all strings that the others do not list.
    /// Another spelling of a listed name becomes that name. Any other string stays, with an entry
    /// in the receipt. `None` if no branch is of this kind.
    pub(super) fn open_union(
        &mut self,
        node: &mut Node<'a>,
        branches: &[Id],
        is_whole: bool,
    ) -> Option<usize> {
        if !self.shapes.has_other() {
            return None;
        }
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
                if let Some(note) = other {
                    self.notes.push(note);
                }
                Some(self.align(node, branch, is_whole))
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
        let Data::Text(text) = &entry.value.data else { return None };
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
