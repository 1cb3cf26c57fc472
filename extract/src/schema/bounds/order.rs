//! Visits schemas in an order in which each comes after all of its targets.

use super::subschemas::SubschemaIndex;

#[derive(Clone, Copy, PartialEq, Eq)]
enum VisitState {
    New,
    /// On the path from the start to the current schema.
    OnWay,
    Visited,
}

/// Calls `visit` once for each of `schemas`, after its targets. `target` is the nth target of a
/// schema. A target already on the current path closes a cycle, which is passed to `circle`. Does
/// not recurse, because nothing is known yet of how far the targets lead.
///
/// # Errors
///
/// The first error of `circle` or `visit`.
pub(super) fn visit_targets_first<E>(
    schemas: usize,
    target: impl Fn(SubschemaIndex, usize) -> Option<SubschemaIndex>,
    circle: impl Fn(&[SubschemaIndex], SubschemaIndex) -> Result<(), E>,
    mut visit: impl FnMut(SubschemaIndex) -> Result<(), E>,
) -> Result<(), E> {
    let mut states = vec![VisitState::New; schemas];
    let mut next = vec![0; schemas];
    for start in 0..schemas {
        let mut way = Vec::new();
        if states[start] == VisitState::New {
            states[start] = VisitState::OnWay;
            way.push(start);
        }
        while let Some(&id) = way.last() {
            let Some(target) = target(id, next[id]) else {
                visit(id)?;
                states[id] = VisitState::Visited;
                way.pop();
                continue;
            };
            next[id] += 1;
            match states[target] {
                VisitState::New => {
                    states[target] = VisitState::OnWay;
                    way.push(target);
                }
                VisitState::OnWay => circle(&way, target)?,
                VisitState::Visited => {}
            }
        }
    }
    Ok(())
}
