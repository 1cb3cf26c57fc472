//! Options of an outline, and its words about one value.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use crate::{
    schema::{
        dialect::UnenforcedConstraint,
        notation::{node::NotationNode, notes, type_text::TypeText},
        view::keywords::is_annotation,
    },
    vocabulary::path::Path,
};

/// Options of an outline.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutlineOptions<'u> {
    /// Whether to name all keys, with their descriptions. Otherwise only keys with unenforced
    /// constraints are named.
    pub(crate) shows_keys: bool,
    /// The constraints to state. Their paths lead into the schema.
    pub(crate) unenforced: &'u [UnenforcedConstraint],
}

/// The words to write for each schema.
pub(super) struct OutlineWords<'u> {
    shows_descriptions: bool,
    unenforced: HashMap<&'u Path, HashSet<&'u str>>,
}

impl<'u> OutlineWords<'u> {
    pub(super) fn new(options: OutlineOptions<'u>) -> Self {
        let mut words = Self { shows_descriptions: options.shows_keys, unenforced: HashMap::new() };
        for one in options.unenforced {
            words.unenforced.entry(&one.path).or_default().insert(&one.keyword);
        }
        words
    }

    /// The description of `schema`, which is at `path`, and its unenforced constraints.
    pub(super) fn of(&self, schema: &Map<String, Value>, path: &Path) -> Vec<String> {
        let mut node = NotationNode::new(schema);
        let unenforced = self.unenforced.get(path);
        let is_said = |keyword: &str| unenforced.is_some_and(|all| all.contains(keyword));
        node.take_all(|keyword| !(is_said(keyword) || self.shows_descriptions && is_annotation(keyword)));
        let mut text = TypeText::default();
        notes::write(&mut node, &mut text);
        let mut words: Vec<_> = text.description.into_iter().chain(text.notes).collect();
        words.extend(node.rest().map(|rest| format!("by JSON Schema {rest}")));
        words
    }
}
