//! Checks the valid parts of a value that is broken elsewhere, so that one attempt reports
//! everything.
//! A value that breaks the schema cannot become a `T`. Its valid parts can still be deserialized,
//! and their own checks and rules run. Rules of a part with something broken inside do not run.

use std::cmp::Ordering;

use serde_json::Value;

use super::{LazyPath, RuleJudge};
use crate::vocabulary::{
    context::ErasedContext,
    path::{Path, Segment},
    violation::{Code, Violation},
};

/// A part of a value that is broken somewhere.
#[derive(Clone)]
pub struct ValuePart<'p> {
    value: &'p Value,
    place: LazyPath<'p>,
    /// The sorted paths of everything broken at or below this part. All of them start with the same
    /// `depth` segments.
    broken: &'p [&'p [Segment]],
    depth: usize,
    /// The way to the only part that exists so far, until it is reached. The rest of the value is
    /// not written yet.
    way: Option<PartPath<'p>>,
}

impl<'p> ValuePart<'p> {
    /// Returns whether the part is complete, and nothing at or below it is broken.
    pub(crate) fn is_valid(&self) -> bool {
        self.way.is_none() && self.broken.is_empty()
    }

    /// The part that `way` leads to, at `place`.
    fn on(way: PartPath<'p>, place: LazyPath<'p>) -> Self {
        let arrived = way.arrived();
        let value = arrived.unwrap_or(&Value::Null);
        Self { value, place, broken: &[], depth: 0, way: arrived.is_none().then_some(way) }
    }

    pub(crate) fn value(&self) -> &'p Value {
        self.value
    }

    pub(crate) fn place(&self) -> &LazyPath<'p> {
        &self.place
    }

    /// Returns the value under the first of `names` that is present.
    #[must_use]
    pub fn key(&self, names: &[&str]) -> Option<ValuePart<'_>> {
        if let Some(way) = self.way {
            return self.entry_on(way).filter(|(key, _)| names.contains(key)).map(|(_, part)| part);
        }
        let object = self.value.as_object()?;
        let (key, value) = names.iter().find_map(|name| object.get_key_value(*name))?;
        Some(self.at_key(key, value))
    }

    /// Returns the element at `index`.
    #[must_use]
    pub fn index(&self, index: usize) -> Option<ValuePart<'_>> {
        if let Some(way) = self.way {
            return self.element_on(way).filter(|(at, _)| *at == index).map(|(_, part)| part);
        }
        Some(self.at_index(index, self.value.as_array()?.get(index)?))
    }

    /// Returns every element of an array.
    pub fn elements(&self) -> impl Iterator<Item = ValuePart<'_>> {
        let only = self.way.and_then(|way| self.element_on(way)).map(|(_, part)| part);
        let list = self.value.as_array().map_or(&[][..], Vec::as_slice);
        only.into_iter().chain(list.iter().enumerate().map(|(index, value)| self.at_index(index, value)))
    }

    /// Returns the value of every entry of an object.
    pub fn entries(&self) -> impl Iterator<Item = ValuePart<'_>> {
        let only = self.way.and_then(|way| self.entry_on(way)).map(|(_, part)| part);
        let entries = self.value.as_object().into_iter().flatten();
        only.into_iter().chain(entries.map(|(key, value)| self.at_key(key, value)))
    }

    /// Returns whether the string under the key `tag` is one of `names`.
    #[must_use]
    pub fn is_tagged(&self, tag: &str, names: &[&str]) -> bool {
        let is_named = |value: &Value| value.as_str().is_some_and(|name| names.contains(&name));
        match self.way {
            Some(way) => way.known(tag).as_ref().is_some_and(is_named),
            None => self.value.get(tag).is_some_and(is_named),
        }
    }

    /// The member on `way`, with its key.
    fn entry_on(&self, way: PartPath<'p>) -> Option<(&'p str, ValuePart<'_>)> {
        let Segment::Key(key) = way.next()? else { return None };
        Some((key.as_str(), ValuePart::on(way.step(), self.place.key(key.as_str()))))
    }

    /// The element on `way`, with its index.
    fn element_on(&self, way: PartPath<'p>) -> Option<(usize, ValuePart<'_>)> {
        let Segment::Index(index) = way.next()? else { return None };
        Some((*index, ValuePart::on(way.step(), self.place.index(*index))))
    }

    fn at_key<'a>(&'a self, key: &'a str, value: &'a Value) -> ValuePart<'a> {
        let broken = self.below(|segment| match segment {
            Segment::Key(other) => other.as_str().cmp(key),
            Segment::Index(_) => Ordering::Greater,
        });
        ValuePart { value, place: self.place.key(key), broken, depth: self.depth + 1, way: None }
    }

    fn at_index<'a>(&'a self, index: usize, value: &'a Value) -> ValuePart<'a> {
        let broken = self.below(|segment| match segment {
            Segment::Key(_) => Ordering::Less,
            Segment::Index(other) => other.cmp(&index),
        });
        ValuePart { value, place: self.place.index(index), broken, depth: self.depth + 1, way: None }
    }

    /// The paths whose next segment `order` finds equal. `order` must agree with the order of the
    /// paths.
    fn below(&self, order: impl Fn(&Segment) -> Ordering) -> &[&[Segment]] {
        let order = |path: &&[Segment]| path.get(self.depth).map_or(Ordering::Less, &order);
        let start = self.broken.partition_point(|path| order(path).is_lt());
        let length = self.broken[start..].partition_point(|path| order(path).is_eq());
        &self.broken[start..start + length]
    }
}

/// Collects the violations of valid parts.
#[derive(Debug)]
pub struct ValidParts<'c> {
    context: ErasedContext<'c>,
    violations: Vec<Violation>,
    /// Whether a valid part was found.
    is_reached: bool,
    has_deferred: bool,
}

/// The findings of checks and rules on a part that is judged before the value around it is
/// complete.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PartFindings {
    pub(crate) violations: Vec<Violation>,
    /// Whether the whole value will have the same violations. If the alternative around the part is
    /// still unknown, they may belong to another one.
    pub(crate) is_certain: bool,
    /// Whether all of its checks and rules ran. Async ones wait for the whole value, and so does
    /// every check of a part whose type depends on it.
    pub(crate) is_settled: bool,
}

impl<'c> ValidParts<'c> {
    /// The violations that `judge_parts` finds in the valid parts of `value`. `broken` lists the
    /// violations of the schema.
    pub(crate) fn judge(
        value: &Value,
        broken: &[Violation],
        context: ErasedContext<'c>,
        judge_parts: impl FnOnce(&ValuePart<'_>, &mut Self),
    ) -> Vec<Violation> {
        // If `broken` is incomplete, the valid parts are unknown.
        if broken.is_empty() || broken.iter().any(|violation| violation.code == Code::More) {
            return Vec::new();
        }
        let mut paths: Vec<&[Segment]> = broken.iter().map(|violation| violation.path.segments()).collect();
        paths.sort_unstable();
        let mut valid_parts = Self::new(context);
        let part = ValuePart { value, place: LazyPath::root(), broken: &paths, depth: 0, way: None };
        judge_parts(&part, &mut valid_parts);
        valid_parts.violations
    }

    /// The findings of `judge_part` on `closed`, which it reaches from the root.
    pub(crate) fn judge_closed(
        closed: ClosedPart<'_>,
        context: ErasedContext<'c>,
        judge_part: impl FnOnce(ValuePart<'_>, &mut Self),
    ) -> PartFindings {
        let mut valid_parts = Self::new(context);
        judge_part(ValuePart::on(PartPath::to(closed), LazyPath::root()), &mut valid_parts);
        let Self { violations, is_reached, has_deferred, .. } = valid_parts;
        PartFindings { violations, is_certain: true, is_settled: is_reached && !has_deferred }
    }

    fn new(context: ErasedContext<'c>) -> Self {
        Self { context, violations: Vec::new(), is_reached: false, has_deferred: false }
    }

    /// The context of the rules.
    pub(crate) fn context(&self) -> ErasedContext<'c> {
        self.context
    }

    /// Adds the findings on a valid part.
    pub(crate) fn add(&mut self, judge: RuleJudge<'_>) {
        self.has_deferred |= judge.has_deferred;
        self.add_violations(judge.into_violations());
    }

    /// Adds the reasons why serde rejects a valid part.
    pub(crate) fn add_violations(&mut self, violations: impl IntoIterator<Item = Violation>) {
        self.is_reached = true;
        self.violations.extend(violations);
    }
}

/// A complete part of a value, with the known values around it.
#[derive(Clone, Copy)]
pub(crate) struct ClosedPart<'p> {
    /// Its path in the whole value.
    pub(crate) path: &'p Path,
    pub(crate) value: &'p Value,
    pub(crate) around: SurroundingValues<'p>,
}

/// The known members of the objects around a part: those that are complete and have no parts, such
/// as the tag of an enum.
#[derive(Clone, Copy)]
pub(crate) struct SurroundingValues<'p>(ScalarLookup<'p>);

/// The scalar under `key` of the object that `depth` steps of `path` lead to in a complete value.
pub(crate) fn scalar_around(whole: &Value, path: &Path, depth: usize, key: &str) -> Option<Value> {
    let mut steps = path.segments().iter().take(depth);
    let around = steps.try_fold(whole, |value, step| step.within(value))?;
    around.get(key).filter(|member| !member.is_object() && !member.is_array()).cloned()
}

/// Looks up a scalar by the number of steps to an object around the part, and a key of that object.
type ScalarLookup<'p> = &'p dyn Fn(usize, &str) -> Option<Value>;

impl<'p> SurroundingValues<'p> {
    /// `known` gets how many steps of the path lead to an object, and one of its keys.
    pub(crate) fn new(known: ScalarLookup<'p>) -> Self {
        Self(known)
    }

    /// The value under `key` of the object that `depth` steps lead to.
    pub(super) fn get(self, depth: usize, key: &str) -> Option<Value> {
        (self.0)(depth, key)
    }
}

/// The path from a value around a part to the part.
#[derive(Clone, Copy)]
pub(super) struct PartPath<'p> {
    part: ClosedPart<'p>,
    /// The number of steps taken.
    depth: usize,
}

impl<'p> PartPath<'p> {
    pub(super) fn to(part: ClosedPart<'p>) -> Self {
        Self { part, depth: 0 }
    }

    pub(super) fn next(self) -> Option<&'p Segment> {
        self.part.path.segments().get(self.depth)
    }

    /// Takes one more step.
    pub(super) fn step(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    /// Returns the part, if this is its path.
    pub(super) fn arrived(self) -> Option<&'p Value> {
        self.next().is_none().then_some(self.part.value)
    }

    /// The value under `key` of the object here, if it is known.
    pub(super) fn known(self, key: &str) -> Option<Value> {
        self.part.around.get(self.depth, key)
    }
}
