//! The violations of the complete parts of a value, while the rest is written.

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    contract::Contract,
    judging::{PartJudge, ValueChecks},
    reading::{Mark, SharedTape, Sight, Snapshot},
    validation::{ClosedPart, SurroundingValues},
    vocabulary::{context::ErasedContext, violation::Violation},
};

/// Levels of the value whose parts are judged when they close. Deeper ones are judged with the part
/// around them. A part is judged with everything inside it, so each byte is judged at most this
/// often.
const MAX_DEPTH: usize = 4;
/// Number of violations after which no part is judged.
const MAX_VIOLATIONS: usize = 1_000;

/// One value and the violations of its parts, which all its partials share.
pub(super) struct PartialViolations<T> {
    tape: Arc<SharedTape>,
    /// Judges parts on demand. `None` if parts are judged when they are shown, because their rules
    /// need a context that a partial may outlive.
    judge: Option<PartJudge<'static, T>>,
    found: Mutex<PartViolations>,
}

#[derive(Default)]
struct PartViolations {
    /// How many of the complete parts were judged.
    judged: usize,
    /// By JSON Pointer, so that nested parts follow the part around them. Each violation has the
    /// number of parts that were complete when it was found.
    violations: BTreeMap<String, Vec<(usize, Violation)>>,
    count: usize,
}

impl<T> PartialViolations<T> {
    /// Returns the part of the value that is known at `mark`.
    pub(super) fn sight(&self, mark: Mark) -> Sight<'_> {
        Snapshot::new(&self.tape, mark)
    }

    /// Returns the violations at `pointer` and inside it that are known at `mark`.
    pub(super) fn violations(&self, pointer: &str, mark: Mark) -> Vec<Violation> {
        let snapshot = self.sight(mark);
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

    /// Judges the parts that are complete at `snapshot` and were not judged before. The rules of
    /// users run without a lock, so they may ask for violations themselves.
    fn judge(&self, snapshot: Sight<'_>, judge: &PartJudge<'_, T>) {
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
            let around = SurroundingValues::new(&around);
            let part = ClosedPart { path: &closed.path, value: &closed.value, around };
            match judge.judge(part) {
                Ok(findings) if findings.is_certain => self.found().add(index + 1, findings.violations),
                // The judgement of the whole knows the reason, and reports the panic of a rule.
                Ok(_) | Err(_) => {}
            }
        }
    }

    fn found(&self) -> MutexGuard<'_, PartViolations> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PartViolations {
    fn add(&mut self, done: usize, violations: Vec<Violation>) {
        for violation in violations {
            let list = self.violations.entry(violation.path.to_pointer()).or_default();
            // The part around it reports the same violation again.
            let is_known = list.iter().any(|(_, known)| *known == violation);
            if !is_known && self.count < MAX_VIOLATIONS {
                list.push((done, violation));
                self.count += 1;
            }
        }
    }
}

/// Judges the parts of the values that are shown.
pub(super) struct PartialJudge<'a, T> {
    contract: Contract,
    checks: ValueChecks<T>,
    context: ErasedContext<'a>,
}

impl<'a, T> PartialJudge<'a, T> {
    pub(super) fn new(contract: Contract, checks: ValueChecks<T>, context: ErasedContext<'a>) -> Self {
        Self { contract, checks, context }
    }

    /// The violations on the value on `tape`: none yet.
    pub(super) fn violations(&self, tape: Arc<SharedTape>) -> Arc<PartialViolations<T>> {
        let judge = (!self.context.is_some()).then(|| self.judge_within(ErasedContext::default()));
        Arc::new(PartialViolations { tape, judge, found: Mutex::default() })
    }

    /// Judges the parts that are complete at `mark`, unless partials can do so later.
    #[inline]
    pub(super) fn judge(&self, violations: &PartialViolations<T>, mark: Mark) {
        if violations.judge.is_none() {
            violations.judge(violations.sight(mark), &self.judge_within(self.context));
        }
    }

    fn judge_within<'c>(&self, context: ErasedContext<'c>) -> PartJudge<'c, T> {
        PartJudge::new(self.contract.clone(), self.checks, context)
    }
}
