//! Accepts a value without its broken items, if the caller asked for that and no attempt is left.
//!
//! This resolves only violations inside items. The remaining value is judged again by all steps, so
//! a list that becomes too short, or a rule over the whole value, decides as for any other value.
//!
//! The lists that may lose items are the value itself, and those that the schema marks. In a union, the
//! mark of one alternative counts for the lists at the same path in all of them.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use serde_json::Value;

use super::{
    judge::judge_whole,
    value_judge::{AcceptedParts, ErasedAsyncJudge},
};
use crate::{
    attempt::AttemptRecord,
    contract::Contract,
    schema::KEEP_VALID_ITEMS,
    settings::ExtractionSettings,
    validation::SchemaNodes,
    vocabulary::{
        attempt_status::AttemptStatus,
        path::{Path, Segment},
        violation::{Code, LeftOutItem, Violation},
    },
};

/// How often the remaining value is judged again because judging found more broken items. Nearly
/// all are found at once.
const MAX_ROUNDS: usize = 100;

/// The value of an attempt that was accepted without its broken items.
pub(crate) struct ValidItems {
    /// The number of the attempt.
    pub(crate) attempt: u32,
    pub(crate) left_out: Vec<LeftOutItem>,
    /// Warnings about the remaining value.
    pub(crate) warnings: Vec<Violation>,
}

/// Judges the attempts of `history` without their broken items until `value_judge` accepts one. The
/// attempt with the most valid items comes first; of equals, the latest. `Err` has the message of a
/// panic in the user's code. An attempt that lacks an item of `accepted`, or has another one there,
/// is not a candidate.
pub(crate) async fn accept_valid_items(
    history: &[AttemptRecord],
    contract: &Contract,
    settings: &ExtractionSettings,
    value_judge: &mut dyn ErasedAsyncJudge,
    accepted: Option<&dyn AcceptedParts>,
) -> Result<Option<ValidItems>, String> {
    let is_changed = |value| accepted.is_some_and(|accepted| !accepted.changes_in(value).is_empty());
    let unchanged = history.iter().rev().filter(|record| !record.submitted().is_some_and(is_changed));
    let candidates = unchanged.filter_map(|record| Some((record, pruned(record, contract)?)));
    let mut candidates: Vec<_> = candidates.collect();
    candidates.sort_by_key(|(_, pruned)| Reverse(pruned.count()));
    for (record, pruned) in candidates {
        if let Some((left_out, warnings)) =
            judge_rest(pruned, contract, settings, value_judge, accepted).await?
        {
            return Ok(Some(ValidItems { attempt: record.number, left_out, warnings }));
        }
    }
    Ok(None)
}

/// The value of an attempt without its broken items, if nothing else is wrong with it. A reply that
/// was cut is not a candidate: nobody knows which items are missing.
fn pruned<'r>(record: &'r AttemptRecord, contract: &'r Contract) -> Option<PrunedValue<'r>> {
    let is_whole = record.verdict == AttemptStatus::Rejected;
    let is_of_form = |violation: &Violation| matches!(violation.code, Code::Patch | Code::Continuation);
    let is_failed = record.violations.iter().any(is_of_form);
    let submitted = record.submitted().filter(|_| is_whole && !is_failed)?;
    PrunedValue::new(submitted, contract).without(&record.violations)
}

/// Judges the remaining value, and leaves out further items that are found to be broken. `None` if
/// something else is wrong with it.
async fn judge_rest(
    mut pruned: PrunedValue<'_>,
    contract: &Contract,
    settings: &ExtractionSettings,
    value_judge: &mut dyn ErasedAsyncJudge,
    accepted: Option<&dyn AcceptedParts>,
) -> Result<Option<(Vec<LeftOutItem>, Vec<Violation>)>, String> {
    for _ in 0..MAX_ROUNDS {
        if accepted.is_some_and(|accepted| pruned.lacks_some_of(accepted)) {
            return Ok(None);
        }
        let judged = judge_whole(&pruned.value(), contract, value_judge).await;
        let mut violations = judged.violations;
        if let Some(message) = judged.panic {
            return Err(message);
        }
        if judged.verdict == AttemptStatus::Accepted {
            return Ok(Some((pruned.left_out(contract), violations)));
        }
        settings.apply_fatal_codes(&mut violations);
        match pruned.without(&violations) {
            Some(next) => pruned = next,
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// A submitted value without its broken items. All paths refer to the submitted value.
struct PrunedValue<'v> {
    submitted: &'v Value,
    schema: &'v Value,
    /// None of them is inside another.
    broken: BTreeSet<Path>,
    /// Why they are broken.
    violations: Vec<Violation>,
}

impl<'v> PrunedValue<'v> {
    fn new(submitted: &'v Value, contract: &'v Contract) -> Self {
        Self { submitted, schema: contract.schema(), broken: BTreeSet::new(), violations: Vec::new() }
    }

    /// Leaves out the items with `violations`, whose paths refer to [`value`](Self::value). `None`
    /// if that does not resolve all of them.
    fn without(mut self, violations: &[Violation]) -> Option<Self> {
        // Unlisted violations are found when the rest is judged.
        let is_listed = |one: &&Violation| !one.is_warning() && one.code != Code::More;
        let violations = violations.iter().filter(is_listed).map(|violation| {
            let path = self.submitted_path(&violation.path);
            Violation { path, ..violation.clone() }
        });
        let violations: Vec<_> = violations.collect();
        for violation in &violations {
            let item = item_around(self.schema, &violation.path, self.submitted);
            self.broken.insert(item.filter(|_| !violation.is_fatal())?);
        }
        let has_new = !violations.is_empty();
        self.violations.extend(violations);
        (has_new && self.drop_emptied_lists()).then_some(self)
    }

    /// Leaves out the items around lists without any valid item: such a list is not an answer, and
    /// breaks the item around it. `false` if there is no item around.
    fn drop_emptied_lists(&mut self) -> bool {
        loop {
            self.keep_outermost();
            let mut around = BTreeSet::new();
            for list in self.emptied_lists() {
                let Some(item) = item_around(self.schema, &list, self.submitted) else { return false };
                around.insert(item);
            }
            if around.is_empty() {
                return true;
            }
            self.broken.append(&mut around);
        }
    }

    fn emptied_lists(&self) -> Vec<Path> {
        let mut counts: BTreeMap<Path, usize> = BTreeMap::new();
        for list in self.broken.iter().filter_map(Path::parent) {
            *counts.entry(list).or_default() += 1;
        }
        let len = |list: &Path| list.resolve(self.submitted).and_then(Value::as_array).map(Vec::len);
        counts.into_iter().filter(|(list, count)| len(list) == Some(*count)).map(|(list, _)| list).collect()
    }

    fn keep_outermost(&mut self) {
        let is_inside = |item: &Path| ancestors(item).any(|around| self.broken.contains(&around));
        self.broken = self.broken.iter().filter(|item| !is_inside(item)).cloned().collect();
    }

    /// Returns whether some of `accepted` was left out.
    fn lacks_some_of(&self, accepted: &dyn AcceptedParts) -> bool {
        self.broken.iter().any(|item| accepted.include(item) || accepted.are_within(item))
    }

    /// How many items are left.
    fn count(&self) -> usize {
        count_items(self.schema, &self.value())
    }

    /// The remaining value.
    fn value(&self) -> Value {
        self.rest(self.submitted, &Path::root())
    }

    fn rest(&self, value: &Value, at: &Path) -> Value {
        if self.broken_within(at).next().is_none() {
            return value.clone();
        }
        match value {
            Value::Array(list) => {
                let items = list.iter().enumerate().map(|(index, item)| (at.clone().index(index), item));
                let left = items.filter(|(at, _)| !self.broken.contains(at));
                left.map(|(at, item)| self.rest(item, &at)).collect()
            }
            Value::Object(map) => {
                let entries = map.iter().map(|(key, value)| (key, value, at.clone().key(key)));
                entries.map(|(key, value, at)| (key.clone(), self.rest(value, &at))).collect()
            }
            scalar => scalar.clone(),
        }
    }

    /// The broken items at `path` and inside it.
    fn broken_within<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Path> {
        self.broken.range(path..).take_while(|item| item.is_within(path))
    }

    /// The path in the submitted value of `path` in the remaining value.
    fn submitted_path(&self, path: &Path) -> Path {
        path.segments().iter().fold(Path::root(), |at, segment| match segment {
            Segment::Index(index) => {
                let index = self.submitted_index(&at, *index);
                at.index(index)
            }
            Segment::Key(_) => at.step(segment.clone()),
        })
    }

    fn submitted_index(&self, list: &Path, left: usize) -> usize {
        let depth = list.segments().len();
        let broken = self.broken_within(list).filter(|item| item.segments().len() == depth + 1);
        broken.fold(left, |index, item| match item.segments().last() {
            Some(Segment::Index(broken)) if *broken <= index => index + 1,
            _ => index,
        })
    }

    /// The items that are left out, in order.
    fn left_out(self, contract: &Contract) -> Vec<LeftOutItem> {
        let mut reasons: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for violation in self.violations {
            let mut around = std::iter::once(violation.path.clone()).chain(ancestors(&violation.path));
            if let Some(item) = around.find(|path| self.broken.contains(path)) {
                reasons.entry(item).or_default().push(violation);
            }
        }
        let sensitive =
            contract.sensitive().map(|sensitive| (sensitive, sensitive.values_in(self.submitted)));
        let items = reasons.into_iter().map(|(path, violations)| {
            let mut value = path.resolve(self.submitted).cloned().unwrap_or_default();
            if let Some((sensitive, values)) = &sensitive {
                sensitive.redact_at(&path, &mut value, values);
            }
            LeftOutItem { path, value, violations, chunk: None }
        });
        items.collect()
    }
}

/// Returns the paths around `path`, from the inside out.
fn ancestors(path: &Path) -> impl Iterator<Item = Path> + use<> {
    std::iter::successors(path.parent(), Path::parent)
}

/// The innermost item at or around `path` in `value` that its list may lose.
fn item_around(schema: &Value, path: &Path, value: &Value) -> Option<Path> {
    let mut nodes = SchemaNodes::of(schema);
    let (mut at, mut here, mut found) = (Path::root(), Some(value), None);
    for segment in path.segments() {
        let may_lose = matches!(segment, Segment::Index(_)) && may_lose(&nodes, &at, here);
        nodes = nodes.step(segment);
        here = here.and_then(|value| segment.within(value));
        at = at.step(segment.clone());
        // A violation may concern a missing item.
        if may_lose && here.is_some() {
            found = Some(at.clone());
        }
    }
    found
}

/// The total number of items in `value` that their lists may lose.
fn count_items(schema: &Value, value: &Value) -> usize {
    count(&SchemaNodes::of(schema), value, &Path::root())
}

fn count(nodes: &SchemaNodes<'_>, value: &Value, at: &Path) -> usize {
    let own = value.as_array().filter(|_| may_lose(nodes, at, Some(value))).map_or(0, Vec::len);
    let inside = |(step, part)| count(&nodes.step(&step), part, &at.clone().step(step));
    own + Segment::parts(value).map(inside).sum::<usize>()
}

/// Returns whether the value `here`, at the path `at` and described by `nodes`, is a list that may
/// lose items. In a tuple the position of an item is its meaning, so no item may move.
fn may_lose(nodes: &SchemaNodes<'_>, at: &Path, here: Option<&Value>) -> bool {
    let is_asked_for = at.is_root() || nodes.are_marked(KEEP_VALID_ITEMS);
    let is_tuple = nodes.all.iter().any(|node| node.get("prefixItems").is_some());
    here.is_some_and(Value::is_array) && is_asked_for && !is_tuple
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn around(schema: &Value, value: &Value, path: &str) -> Option<String> {
        item_around(schema, &Path::from(path), value).map(|path| path.to_string())
    }

    #[test]
    fn the_innermost_item_of_a_marked_list_is_found() {
        let schema = json!({
            "properties": {
                "orders": {"$ref": "#/$defs/Orders", "x-keep-valid-items": true},
                "other": {"items": {"type": "integer"}},
            },
            "$defs": {
                "Orders": {"type": ["array", "null"], "items": {"$ref": "#/$defs/Order"}},
                "Order": {"properties": {"lines": {"type": "array", "x-keep-valid-items": true}, "tags": {}}},
            },
        });
        let value = json!({"orders": [{"lines": [1, {"a": 2}], "tags": [3]}], "other": ["x"]});
        for (path, expected) in [
            ("$.orders[0].lines[1].a", Some("$.orders[0].lines[1]")),
            ("$.orders[0].lines[1]", Some("$.orders[0].lines[1]")),
            ("$.orders[0].lines", Some("$.orders[0]")),
            ("$.orders[0].tags[0]", Some("$.orders[0]")),
            ("$.orders[1]", None),
            ("$.orders", None),
            ("$.other[0]", None),
            ("$", None),
        ] {
            assert_eq!(around(&schema, &value, path).as_deref(), expected, "{path}");
        }
        assert_eq!(count_items(&schema, &value), 3);
    }

    #[test]
    fn the_items_of_a_list_by_itself_are_found_and_those_of_a_tuple_are_not() {
        assert_eq!(around(&json!({"items": {}}), &json!([[1]]), "$[0][0]").as_deref(), Some("$[0]"));
        let tuple = json!({"prefixItems": [{}, {}], "x-keep-valid-items": true});
        assert_eq!(around(&tuple, &json!([1, 2]), "$[0]"), None);
        assert_eq!(around(&json!({}), &json!({"0": 1}), "$[0]"), None);
    }
}
