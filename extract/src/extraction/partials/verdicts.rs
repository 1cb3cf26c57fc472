//! What is wrong with the parts of a value that are complete, while the rest is written.

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    context::Given,
    contract::Contract,
    judging::{PartJudge, ValueChecks},
    reading::Snapshot,
    validation::{Around, ClosedPart},
    violation::Violation,
};

/// Levels of the value whose parts are judged when they close. Deeper ones are judged with the part
/// around them. A part is judged with what is inside of it, so every byte is judged at most this
/// often.
const MAX_DEPTH: usize = 4;
/// Violations beyond which no part is judged.
const MAX_VIOLATIONS: usize = 1_000;

/// The violations of the parts of one value, which all its partials share.
pub(super) struct Verdicts<T> {
    /// Judges parts when somebody asks. `None` if they are judged when they are shown, because
    /// their rules need a context that a partial may outlive.
    judge: Option<PartJudge<'static, T>>,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    /// How many of the complete parts were judged.
    judged: usize,
    /// By JSON Pointer, so that what is inside of a part stands behind it. Each with the number of
    /// parts that were complete.
    violations: BTreeMap<String, Vec<(usize, Violation)>>,
    count: usize,
}

impl<T> Verdicts<T> {
    /// The violations at `pointer` and inside of it as far as they are known at `snapshot`.
    pub(super) fn at(&self, pointer: &str, snapshot: &Snapshot) -> Vec<Violation> {
        if let Some(judge) = &self.judge {
            self.judge(snapshot, judge);
        }
        let found = self.found();
        let inside = format!("{pointer}/");
        let start = (Bound::Included(inside.as_str()), Bound::Unbounded);
        let behind = found.violations.range::<str, _>(start);
        let inside = behind.take_while(|(at, _)| at.starts_with(&inside)).map(|(_, list)| list);
        let lists = found.violations.get(pointer).into_iter().chain(inside);
        let known = lists.flatten().filter(|(done, _)| *done <= snapshot.closed_count());
        known.map(|(_, violation)| violation.clone()).collect()
    }

    /// Judges what is complete at `snapshot` and was not before, each part once. The rules of users
    /// run without a lock, so they may ask for violations themselves.
    fn judge(&self, snapshot: &Snapshot, judge: &PartJudge<'_, T>) {
        let next = {
            let mut found = self.found();
            let from = found.judged;
            found.judged = from.max(snapshot.closed_count());
            from..found.judged
        };
        for index in next {
            if self.found().count >= MAX_VIOLATIONS {
                return;
            }
            let Some(closed) = snapshot.closed(index, MAX_DEPTH) else { continue };
            let around = |depth: usize, key: &str| closed.scalar_around(depth, key);
            let around = Around::new(&around);
            let part = ClosedPart { path: &closed.path, value: &closed.value, around };
            match judge.judge(part) {
                Ok(findings) if findings.is_certain => self.found().add(index + 1, findings.violations),
                // The judgement of the whole knows the reason, and reports the panic of a rule.
                Ok(_) | Err(_) => {}
            }
        }
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Found {
    fn add(&mut self, done: usize, violations: Vec<Violation>) {
        for violation in violations {
            let list = self.violations.entry(violation.path.to_pointer()).or_default();
            // A part around says the same again.
            let is_known = list.iter().any(|(_, known)| *known == violation);
            if !is_known && self.count < MAX_VIOLATIONS {
                list.push((done, violation));
                self.count += 1;
            }
        }
    }
}

/// Judges the parts of one value after the other.
pub(super) struct Judging<'a, T> {
    contract: Contract,
    checks: ValueChecks<T>,
    context: Given<'a>,
    /// The verdicts on the value that was shown last.
    last: Option<(Snapshot, Arc<Verdicts<T>>)>,
}

impl<'a, T> Judging<'a, T> {
    pub(super) fn new(contract: Contract, checks: ValueChecks<T>, context: Given<'a>) -> Self {
        Self { contract, checks, context, last: None }
    }

    /// The verdicts on the value of `snapshot`.
    pub(super) fn verdicts(&mut self, snapshot: &Snapshot) -> Arc<Verdicts<T>> {
        let known = self.last.take().filter(|(last, _)| last.shares_value_with(snapshot));
        let verdicts = known.map_or_else(|| Arc::new(self.none_yet()), |(_, verdicts)| verdicts);
        if verdicts.judge.is_none() {
            verdicts.judge(snapshot, &self.judge_within(self.context));
        }
        self.last = Some((snapshot.clone(), Arc::clone(&verdicts)));
        verdicts
    }

    fn none_yet(&self) -> Verdicts<T> {
        let judge = (!self.context.is_some()).then(|| self.judge_within(Given::default()));
        Verdicts { judge, found: Mutex::default() }
    }

    fn judge_within<'c>(&self, context: Given<'c>) -> PartJudge<'c, T> {
        PartJudge::new(self.contract.clone(), self.checks, context)
    }
}
