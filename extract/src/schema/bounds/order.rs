//! An order in which a schema comes after all that it leads to.

use super::subschemas::Id;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// On the way from the start to the schema that is looked at.
    OnWay,
    Visited,
}

/// Calls `visit` once for each of `schemas`, after its targets. `target` is the nth one of a schema; one that is on the way
/// already closes a circle. Does not recurse: nothing is known yet of how far the targets lead.
///
/// # Errors
///
/// The first error of `circle` or `visit`.
pub(super) fn visit_targets_first<E>(
    schemas: usize,
    target: impl Fn(Id, usize) -> Option<Id>,
    circle: impl Fn(&[Id], Id) -> Result<(), E>,
    mut visit: impl FnMut(Id) -> Result<(), E>,
) -> Result<(), E> {
    let mut states = vec![State::New; schemas];
    let mut next = vec![0; schemas];
    for start in 0..schemas {
        let mut way = Vec::new();
        if states[start] == State::New {
            states[start] = State::OnWay;
            way.push(start);
        }
        while let Some(&id) = way.last() {
            let Some(target) = target(id, next[id]) else {
                visit(id)?;
                states[id] = State::Visited;
                way.pop();
                continue;
            };
            next[id] += 1;
            match states[target] {
                State::New => {
                    states[target] = State::OnWay;
                    way.push(target);
                }
                State::OnWay => circle(&way, target)?,
                State::Visited => {}
            }
        }
    }
    Ok(())
}
