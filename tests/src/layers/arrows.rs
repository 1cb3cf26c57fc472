//! The dependencies between modules.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::PathBuf,
};

use super::source::{Module, Name};

/// Maximum chain of re-exports that is followed.
const MAX_STEPS: usize = 16;

/// A module uses an item of another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrow {
    pub(super) from: Name,
    pub(super) to: Name,
    pub(super) file: PathBuf,
    pub(super) line: usize,
    /// Whether the path goes through the crate's root, where users find everything.
    pub(super) is_by_root: bool,
}

impl fmt::Display for Arrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        write!(f, "{file}:{}: `{}` uses `{}`", self.line, self.from.join("::"), self.to.join("::"))
    }
}

/// All arrows, one per pair of modules and line.
pub(super) fn arrows(modules: &BTreeMap<Name, Module>) -> Vec<Arrow> {
    let mut found = BTreeSet::new();
    for (from, module) in modules {
        for mention in &module.mentions {
            let Some(to) = definer(modules, &mention.path, 0).filter(|to| to != from) else { continue };
            let first = mention.path.first();
            let is_by_root = first.is_some_and(|first| !modules.contains_key(std::slice::from_ref(first)));
            let (file, line) = (module.file.clone(), mention.line);
            found.insert(Arrow { from: from.clone(), to, file, line, is_by_root });
        }
    }
    found.into_iter().collect()
}

/// Returns the module that defines `path`, after all re-exports.
fn definer(modules: &BTreeMap<Name, Module>, path: &[String], steps: usize) -> Option<Name> {
    let depth = (0..=path.len()).rev().find(|depth| modules.contains_key(&path[..*depth]))?;
    let (name, rest) = path.split_at(depth);
    let Some(word) = rest.first().filter(|_| steps < MAX_STEPS) else { return Some(name.to_owned()) };
    let module = &modules[name];
    let named = module.imports.iter().filter(|import| import.name.as_ref() == Some(word));
    let by_name = named.map(|import| [&import.path[..], &rest[1..]].concat()).find(|next| *next != path);
    match by_name {
        Some(next) => definer(modules, &next, steps + 1),
        None => Some(name.to_owned()),
    }
}

/// The `arrows` that are part of a cycle.
pub(super) fn in_circles<'a>(arrows: &[&'a Arrow]) -> Vec<&'a Arrow> {
    let back = |arrow: &Arrow| reached(arrows, &arrow.to).contains(&arrow.from);
    arrows.iter().copied().filter(|arrow| back(arrow)).collect()
}

/// Every module that is reachable from `from`.
fn reached<'a>(arrows: &[&'a Arrow], from: &'a Name) -> BTreeSet<&'a Name> {
    let (mut reached, mut next) = (BTreeSet::from([from]), vec![from]);
    while let Some(at) = next.pop() {
        let ways = arrows.iter().filter(|arrow| arrow.from == *at).map(|arrow| &arrow.to);
        next.extend(ways.filter(|to| reached.insert(to)));
    }
    reached
}
