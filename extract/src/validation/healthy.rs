//! Judging the healthy parts of a value that is broken elsewhere, so that everything wrong is said at once.
//!
//! A value that breaks the schema cannot become a `T`. The parts of it that are not broken can become what they should be,
//! and are judged by their own checks and rules; the rules of whatever has something broken in it are not run.

use std::cmp::Ordering;

use serde_json::Value;

use super::{Judge, Place, deserialize};
use crate::{Code, Extractable, Violation, context::Given, path::Segment};

/// What the healthy parts of `value` reject, which is broken where `broken` says.
pub(crate) fn judge_parts<T: Extractable>(
    value: &Value,
    broken: &[Violation],
    context: Given<'_>,
) -> Vec<Violation> {
    // Where not all is listed, nobody knows what is healthy.
    if broken.is_empty() || broken.iter().any(|violation| violation.code == Code::More) {
        return Vec::new();
    }
    let mut paths: Vec<&[Segment]> = broken.iter().map(|violation| violation.path.segments()).collect();
    paths.sort_unstable();
    let mut healthy = Healthy { context, violations: Vec::new() };
    let part = Part { value, place: Place::root(), broken: &paths, depth: 0 };
    T::__extract_healthy::<()>(&part, &mut healthy);
    healthy.violations
}

/// What is wrong with `value`, which satisfies the schema and which serde rejects as a whole for the reasons in `broken`.
pub(crate) fn with_parts<T: Extractable>(
    value: &Value,
    mut broken: Vec<Violation>,
    context: Given<'_>,
) -> Vec<Violation> {
    let parts = judge_parts::<T>(value, &broken, context);
    // serde does not always know where; a part that fails for the same reason does.
    broken.retain(|violation| {
        !parts.iter().any(|part| part.message == violation.message && part.path.is_within(&violation.path))
    });
    broken.extend(parts);
    broken
}

/// One value inside of the one that is broken somewhere.
#[derive(Debug, Clone)]
pub struct Part<'p> {
    value: &'p Value,
    place: Place<'p>,
    /// The paths of what is broken here and below, sorted; all of them have the first `depth` steps in common.
    broken: &'p [&'p [Segment]],
    depth: usize,
}

impl Part<'_> {
    /// The value under the first of `names` that is there.
    #[must_use]
    pub fn key(&self, names: &[&str]) -> Option<Part<'_>> {
        let object = self.value.as_object()?;
        let (key, value) = names.iter().find_map(|name| object.get_key_value(*name))?;
        Some(self.at_key(key, value))
    }

    /// The element at `index`.
    #[must_use]
    pub fn index(&self, index: usize) -> Option<Part<'_>> {
        Some(self.at_index(index, self.value.as_array()?.get(index)?))
    }

    /// Every element of an array.
    pub fn elements(&self) -> impl Iterator<Item = Part<'_>> {
        let list = self.value.as_array().map_or(&[][..], Vec::as_slice);
        list.iter().enumerate().map(|(index, value)| self.at_index(index, value))
    }

    /// The value of every entry of an object.
    pub fn entries(&self) -> impl Iterator<Item = Part<'_>> {
        self.value.as_object().into_iter().flatten().map(|(key, value)| self.at_key(key, value))
    }

    /// Whether the text under the key `tag` is one of `names`.
    #[must_use]
    pub fn is_tagged(&self, tag: &str, names: &[&str]) -> bool {
        self.value.get(tag).and_then(Value::as_str).is_some_and(|name| names.contains(&name))
    }

    fn at_key<'a>(&'a self, key: &'a str, value: &'a Value) -> Part<'a> {
        let broken = self.below(|segment| match segment {
            Segment::Key(other) => other.as_str().cmp(key),
            Segment::Index(_) => Ordering::Greater,
        });
        Part { value, place: self.place.key(key), broken, depth: self.depth + 1 }
    }

    fn at_index<'a>(&'a self, index: usize, value: &'a Value) -> Part<'a> {
        let broken = self.below(|segment| match segment {
            Segment::Key(_) => Ordering::Less,
            Segment::Index(other) => other.cmp(&index),
        });
        Part { value, place: self.place.index(index), broken, depth: self.depth + 1 }
    }

    /// What is broken in the step that `order` finds equal; it agrees with the order of the paths.
    fn below(&self, order: impl Fn(&Segment) -> Ordering) -> &[&[Segment]] {
        let order = |path: &&[Segment]| path.get(self.depth).map_or(Ordering::Less, &order);
        let start = self.broken.partition_point(|path| order(path).is_lt());
        let length = self.broken[start..].partition_point(|path| order(path).is_eq());
        &self.broken[start..start + length]
    }
}

/// Collects what healthy parts reject.
#[derive(Debug)]
pub struct Healthy<'c> {
    context: Given<'c>,
    violations: Vec<Violation>,
}

impl Healthy<'_> {
    /// Judges a part that should be a `T`, whole if it is healthy, else its own parts.
    pub fn judge<T: Extractable>(&mut self, part: Option<Part<'_>>) {
        self.judge_with(part, &|_: &T, _, _| {});
    }

    /// As [`judge`](Self::judge), and runs further `checks` of a part that is healthy.
    ///
    /// They are behind a reference so that this is compiled once for a type and not once for each field of it.
    pub fn judge_with<T: Extractable>(
        &mut self,
        part: Option<Part<'_>>,
        checks: &dyn Fn(&T, &Place<'_>, &mut Judge<'_>),
    ) {
        let Some(part) = part else { return };
        if !part.broken.is_empty() {
            return T::__extract_healthy::<()>(&part, self);
        }
        match deserialize::<T>(part.value) {
            Ok(value) => {
                let mut judge = Judge::new(self.context);
                value.__extract_judge(&part.place, &mut judge);
                checks(&value, &part.place, &mut judge);
                self.violations.extend(judge.into_violations());
            }
            // What the schema could not say is wrong here too.
            Err(violations) => self.violations.extend(violations.into_iter().map(|violation| {
                let path = part.place.to_path().join(&violation.path);
                Violation { path, ..violation }
            })),
        }
    }
}
