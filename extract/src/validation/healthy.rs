//! Checks the healthy parts of a value that is broken elsewhere, so that one attempt reports
//! everything.
//!
//! A value that breaks the schema cannot become a `T`. Its healthy parts can still be deserialized,
//! and their own checks and rules run. The rules of a part that contains something broken do not
//! run.

use std::cmp::Ordering;

use serde_json::Value;

use super::LazyPath;
use crate::{
    context::Given,
    path::Segment,
    violation::{Code, Violation},
};

/// A part of a value that is broken somewhere.
#[derive(Debug, Clone)]
pub struct Part<'p> {
    value: &'p Value,
    place: LazyPath<'p>,
    /// The sorted paths of what is broken here and below. All of them start with the same `depth`
    /// segments.
    broken: &'p [&'p [Segment]],
    depth: usize,
}

impl<'p> Part<'p> {
    /// Whether nothing is broken here and below.
    pub(crate) fn is_healthy(&self) -> bool {
        self.broken.is_empty()
    }

    pub(crate) fn value(&self) -> &'p Value {
        self.value
    }

    pub(crate) fn place(&self) -> &LazyPath<'p> {
        &self.place
    }

    /// The value under the first of `names` that is present.
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

    /// Whether the string under the key `tag` is one of `names`.
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

    /// The paths whose next segment `order` finds equal. `order` agrees with the order of the
    /// paths.
    fn below(&self, order: impl Fn(&Segment) -> Ordering) -> &[&[Segment]] {
        let order = |path: &&[Segment]| path.get(self.depth).map_or(Ordering::Less, &order);
        let start = self.broken.partition_point(|path| order(path).is_lt());
        let length = self.broken[start..].partition_point(|path| order(path).is_eq());
        &self.broken[start..start + length]
    }
}

/// Collects the violations of healthy parts.
#[derive(Debug)]
pub struct Healthy<'c> {
    context: Given<'c>,
    violations: Vec<Violation>,
}

impl<'c> Healthy<'c> {
    /// The violations that `judge_parts` finds in the healthy parts of `value`. `broken` lists
    /// where it is broken.
    pub(crate) fn judge(
        value: &Value,
        broken: &[Violation],
        context: Given<'c>,
        judge_parts: impl FnOnce(&Part<'_>, &mut Self),
    ) -> Vec<Violation> {
        // If `broken` is incomplete, the healthy parts are unknown.
        if broken.is_empty() || broken.iter().any(|violation| violation.code == Code::More) {
            return Vec::new();
        }
        let mut paths: Vec<&[Segment]> = broken.iter().map(|violation| violation.path.segments()).collect();
        paths.sort_unstable();
        let mut healthy = Self { context, violations: Vec::new() };
        let part = Part { value, place: LazyPath::root(), broken: &paths, depth: 0 };
        judge_parts(&part, &mut healthy);
        healthy.violations
    }

    /// The context of the rules.
    pub(crate) fn context(&self) -> Given<'c> {
        self.context
    }

    pub(crate) fn extend(&mut self, violations: impl IntoIterator<Item = Violation>) {
        self.violations.extend(violations);
    }
}
