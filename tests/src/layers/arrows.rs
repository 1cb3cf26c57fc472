//! Which module uses which other one.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::PathBuf,
};

use super::source::{Module, Name};

/// Steps from one re-export to the next before the search for a name ends.
const MAX_STEPS: usize = 16;

/// A module uses what another one defines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrow {
    pub(super) from: Name,
    pub(super) to: Name,
    pub(super) file: PathBuf,
    pub(super) line: usize,
    /// Whether the path leads through the crate's root, where users find everything.
    pub(super) is_by_root: bool,
}

impl fmt::Display for Arrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        write!(f, "{file}:{}: `{}` uses `{}`", self.line, self.from.join("::"), self.to.join("::"))
    }
}

/// All arrows, one for each pair of modules and line.
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

/// The module that defines what `path` names, behind all re-exports.
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

/// A way from each of `names` back to itself, if there is one, as the arrows that make it.
pub(super) fn cycle<'a>(arrows: &'a [Arrow], is_inside: impl Fn(&Arrow) -> bool) -> Vec<&'a Arrow> {
    let inside: Vec<&Arrow> = arrows.iter().filter(|arrow| is_inside(arrow)).collect();
    let back = |arrow: &Arrow| way(&inside, &arrow.to, &arrow.from);
    let cycles = inside.iter().filter_map(|arrow| {
        let mut cycle = back(arrow)?;
        cycle.insert(0, arrow);
        Some(cycle)
    });
    cycles.min_by_key(Vec::len).unwrap_or_default()
}

/// The shortest way.
fn way<'a>(arrows: &[&'a Arrow], from: &Name, to: &Name) -> Option<Vec<&'a Arrow>> {
    let mut ways: Vec<(&Name, Vec<&'a Arrow>)> = vec![(from, Vec::new())];
    let mut seen = BTreeSet::from([from]);
    let mut next = 0;
    while let Some((at, way)) = ways.get(next).cloned() {
        if at == to {
            return Some(way);
        }
        for arrow in arrows.iter().filter(|arrow| arrow.from == *at) {
            if seen.insert(&arrow.to) {
                ways.push((&arrow.to, [&way[..], &[*arrow]].concat()));
            }
        }
        next += 1;
    }
    None
}
