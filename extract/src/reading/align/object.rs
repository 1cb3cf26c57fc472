//! Objects: names of keys, and `null` that means absence.

use std::{collections::HashMap, sync::Arc};

use super::Aligner;
use crate::{
    path::Segment,
    reading::{
        change::{ChangeKind, Loss, Note},
        node::{Data, Entry},
        shape::{Additional, Shape, kind},
        spelling,
    },
};

/// How badly a value without a required key fits.
const MISSING: usize = 2;

impl Aligner<'_> {
    pub(super) fn object(&mut self, entries: &mut Vec<Entry>, shape: &Shape, is_whole: bool) -> usize {
        let is_told = is_whole && shape.knows_names() && !shape.is_only_union();
        if is_told {
            self.rename(entries, shape);
        }
        let mut misfit = 0;
        entries.retain_mut(|entry| {
            if let Some(id) = shape.property(&entry.key) {
                if self.is_absent(entry, shape, id) {
                    return false;
                }
                misfit += self.align_at(Segment::Key((*entry.key).to_owned()), &mut entry.value, id);
                return true;
            }
            match shape.additional {
                Additional::Of(id) => {
                    misfit += self.align_at(Segment::Key((*entry.key).to_owned()), &mut entry.value, id);
                }
                Additional::Closed => misfit += 1,
                Additional::Unsaid if is_told && !shape.names.contains(&*entry.key) => self.unknown(entry),
                Additional::Unsaid | Additional::Data => {}
            }
            true
        });
        if !shape.required.is_empty() {
            let is_missing = |name: &&String| !entries.iter().any(|entry| *entry.key == **name);
            misfit += MISSING * shape.required.iter().filter(is_missing).count();
        }
        misfit
    }

    /// Leaves out `null` for a key that may be absent, but not null.
    fn is_absent(&mut self, entry: &Entry, shape: &Shape, id: usize) -> bool {
        let allowed = self.shapes.get(id);
        let is_null = match &entry.value.data {
            Data::Null => true,
            Data::Text(text) => {
                !allowed.allows(kind::TEXT) && matches!(&*text.to_ascii_lowercase(), "null" | "none" | "nil")
            }
            _ => false,
        };
        if !is_null || allowed.allows(kind::NULL) || shape.requires(&entry.key) {
            return false;
        }
        let path = self.here().key(&*entry.key);
        let span = entry.start..entry.value.span.end.max(entry.start);
        self.notes.push(Note::new(ChangeKind::Absent, Loss::Lossless, span).at(path));
        true
    }

    fn unknown(&mut self, entry: &Entry) {
        let path = self.here().key(&*entry.key);
        let span = entry.start..entry.value.span.end.max(entry.start);
        self.notes.push(Note::new(ChangeKind::UnknownKey, Loss::Ignored, span).at(path));
    }

    /// Brings keys into the spelling of the contract, where only one name is meant by only one key.
    fn rename(&mut self, entries: &mut [Entry], shape: &Shape) {
        if entries.iter().all(|entry| shape.names.contains(&*entry.key)) {
            return;
        }
        let mut wanted: HashMap<String, usize> = HashMap::new();
        for entry in entries.iter() {
            *wanted.entry(spelling::bare(&entry.key)).or_default() += 1;
        }
        for entry in entries {
            if shape.names.contains(&*entry.key) {
                continue;
            }
            let bare = spelling::bare(&entry.key);
            let Some([name]) = shape.spellings.get(&bare).map(Vec::as_slice) else { continue };
            let is_data = matches!(shape.additional, Additional::Data | Additional::Of(_));
            // A key that is there already, in whatever spelling, is counted too.
            if wanted[&bare] != 1 || is_data && !shape.requires(name) {
                continue;
            }
            let path = self.here().key(name);
            let span = entry.start..entry.value.span.start.max(entry.start);
            let note = Note::new(ChangeKind::Name, Loss::Lossless, span).after(format!("{name:?}")).at(path);
            self.notes.push(note);
            entry.key = Arc::from(name.as_str());
        }
    }
}
