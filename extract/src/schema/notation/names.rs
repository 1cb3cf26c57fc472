//! Names types, one for each target of a reference.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::schema::view::{SchemaView, pointer::last_step};

/// Words that have another meaning in the notation.
const TAKEN: [&str; 10] =
    ["string", "number", "integer", "boolean", "null", "object", "unknown", "never", "true", "false"];

pub(super) struct NotationNames<'s> {
    view: &'s SchemaView<'s>,
    /// The root schema, then the others in the order in which they were named.
    definitions: Vec<(String, &'s Value)>,
    /// Indices by address, because several references may share one target.
    known: HashMap<*const Value, usize>,
    taken: HashSet<String>,
    /// How many types asked for each name.
    counts: HashMap<String, usize>,
}

impl<'s> NotationNames<'s> {
    pub(super) fn new(view: &'s SchemaView<'s>) -> Self {
        let root = view.root();
        let mut names = Self {
            view,
            definitions: Vec::new(),
            known: HashMap::new(),
            taken: TAKEN.map(str::to_owned).into(),
            counts: HashMap::new(),
        };
        let title = root.get("title").and_then(Value::as_str).map(identifier);
        names.define(title.as_deref().unwrap_or_default(), root);
        names
    }

    /// The name of the target of `reference`; `None` if the target is not in the schema.
    pub(super) fn name(&mut self, reference: &str) -> Option<String> {
        let target = self.view.target(reference)?;
        if let Some(index) = self.known.get(&std::ptr::from_ref(target)) {
            return Some(self.of(*index).to_owned());
        }
        self.define(&identifier(&last_step(reference)), target);
        self.definitions.last().map(|(name, _)| name.clone())
    }

    pub(super) fn of(&self, index: usize) -> &str {
        &self.definitions[index].0
    }

    pub(super) fn target(&self, index: usize) -> Option<&'s Value> {
        self.definitions.get(index).map(|(_, target)| *target)
    }

    fn define(&mut self, wanted: &str, target: &'s Value) {
        let wanted = if wanted.is_empty() { "Answer" } else { wanted };
        let mut name = wanted.to_owned();
        while !self.taken.insert(name.clone()) {
            let number = self.counts.entry(wanted.to_owned()).or_insert(1);
            *number += 1;
            name = format!("{wanted}_{number}");
        }
        self.known.insert(std::ptr::from_ref(target), self.definitions.len());
        self.definitions.push((name, target));
    }
}

/// `text` as a name: letters, digits and underscores, without a leading digit.
pub(super) fn identifier(text: &str) -> String {
    let name: String = text.trim().chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_numeric()) { format!("_{name}") } else { name }
}
