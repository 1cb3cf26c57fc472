//! Runs the checks and rules of a type on a value. Those that are async are deferred.

use std::{
    cell::OnceCell,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
};

use serde_json::Value;

use crate::vocabulary::{
    context::ErasedContext,
    path::{Path, Segment},
    rejection::{IntoRejections, Rejections},
    text::panic_message,
    violation::{Code, Violation},
};

/// The path of a value that is being judged. It allocates nothing until a violation needs the path,
/// and paths share their keys.
///
/// Each one lives on the stack of the call that visits its value, and points to the path of the
/// enclosing value.
#[derive(Debug, Clone)]
pub struct LazyPath<'a> {
    around: Option<&'a LazyPath<'a>>,
    step: PathStep<'a>,
}

#[derive(Debug, Clone)]
enum PathStep<'a> {
    /// The path where judging started.
    Start(Path),
    /// The key, and its shared form once a path needed it.
    Key(&'a str, OnceCell<Segment>),
    Index(usize),
    /// Everything inside has the path of what it is in.
    Inside,
    /// A part of the object at the path of what it is in. The other keys belong to something else.
    Among,
}

impl LazyPath<'_> {
    /// The whole value.
    pub fn root() -> Self {
        Self::at(Path::root())
    }

    /// Starts at `path`.
    pub(super) fn at(path: Path) -> Self {
        Self { around: None, step: PathStep::Start(path) }
    }

    /// Returns the path of the value under `key`.
    pub fn key<'a>(&'a self, key: &'a str) -> LazyPath<'a> {
        LazyPath { around: Some(self), step: PathStep::Key(key, OnceCell::new()) }
    }

    /// Returns the path of the element at `index`.
    pub fn index(&self, index: usize) -> LazyPath<'_> {
        LazyPath { around: Some(self), step: PathStep::Index(index) }
    }

    /// Returns the path of each element of a set, which is that of the set. So is that of everything in it.
    pub fn inside(&self) -> LazyPath<'_> {
        LazyPath { around: Some(self), step: PathStep::Inside }
    }

    /// Returns the path of a value whose keys are among others, for example of a flattened field.
    pub fn among(&self) -> LazyPath<'_> {
        LazyPath { around: Some(self), step: PathStep::Among }
    }

    /// The value at this path in `whole`; nothing if other keys are beside its own.
    fn whole_in<'j>(&self, whole: &'j Value) -> Option<&'j Value> {
        if matches!(self.step, PathStep::Among) { None } else { self.find_in(whole) }
    }

    fn find_in<'j>(&self, whole: &'j Value) -> Option<&'j Value> {
        let around = || self.around?.find_in(whole);
        match &self.step {
            PathStep::Start(_) => Some(whole),
            PathStep::Key(key, _) => around()?.get(key),
            PathStep::Index(index) => around()?.get(index),
            PathStep::Among => around(),
            PathStep::Inside => None,
        }
    }

    /// Converts to a [`Path`]. Each key is copied once, however many paths contain it.
    pub fn to_path(&self) -> Path {
        let around = || std::iter::successors(Some(self), |place| place.around);
        let mut segments = Vec::with_capacity(around().count());
        let mut start = None;
        for place in around() {
            match &place.step {
                PathStep::Start(path) => start = Some(path),
                PathStep::Key(key, shared) => {
                    segments.push(shared.get_or_init(|| Segment::Key((*key).into())).clone());
                }
                PathStep::Index(index) => segments.push(Segment::Index(*index)),
                PathStep::Inside => segments.clear(),
                PathStep::Among => {}
            }
        }
        match start {
            Some(start) if segments.is_empty() => start.clone(),
            Some(start) => {
                segments.extend(start.segments().iter().rev().cloned());
                segments.reverse();
                Path::from(segments)
            }
            None => Path::from(segments),
        }
    }
}

/// The return type of a `check` or a `rule`. It is a separate trait for its error message.
#[diagnostic::on_unimplemented(
    message = "`check` and `rule` take a function that returns `Result<(), E>`; this one returns `{Self}`",
    label = "returns `{Self}`",
    note = "`E` says what is wrong, in words for the model: a `&str`, a `String`, an `extract::Rejection` or anything else that implements `Display`",
    note = "an `async fn` is an `async_check` or an `async_rule`"
)]
pub trait RuleResult {
    /// Records it for the value at `place`.
    fn record(self, judge: &mut RuleJudge<'_>, place: &LazyPath<'_>);
}

impl<E: IntoRejections> RuleResult for Result<(), E> {
    fn record(self, judge: &mut RuleJudge<'_>, place: &LazyPath<'_>) {
        if let Err(error) = self {
            judge.reject(error, place, &Code::Rule);
        }
    }
}

/// Runs checks and rules, and collects their rejections.
///
/// One pass over the value runs the synchronous ones. If there are async ones, a second pass
/// collects those.
#[derive(Default)]
pub struct RuleJudge<'v> {
    violations: Vec<Violation>,
    context: ErasedContext<'v>,
    /// The JSON of the whole value, if it is known.
    json: Option<&'v Value>,
    is_collecting: bool,
    /// Whether there are async checks or rules.
    pub(crate) has_deferred: bool,
    pub(crate) deferred: Vec<DeferredCheck<'v>>,
}

impl<'v> RuleJudge<'v> {
    pub(crate) fn new(context: ErasedContext<'v>) -> Self {
        Self { context, ..Self::default() }
    }

    /// The same for a value that was read from `json`.
    pub(crate) fn of(json: &'v Value, context: ErasedContext<'v>) -> Self {
        Self { json: Some(json), ..Self::new(context) }
    }

    /// Rejects the set or map at `place`, of which `kept` entries are left, if its JSON has more: some
    /// of them differ as JSON and are equal as Rust values, and serde keeps only one of those.
    pub(crate) fn require_all(&mut self, kept: usize, place: &LazyPath<'_>) {
        let Some(json) = self.json.filter(|_| self.is_running()).and_then(|json| place.whole_in(json)) else {
            return;
        };
        let (count, entries) = match json {
            Value::Array(elements) => (elements.len(), "elements"),
            Value::Object(members) => (members.len(), "keys"),
            _ => return,
        };
        if count > kept {
            let message = format!("{count} {entries}, of which only {kept} mean different values");
            let violation = Violation::new(place.to_path(), Code::InvalidValue, message);
            self.violations.push(violation.expected(format!("each of the {entries} once, in one spelling")));
        }
    }

    /// Collects async checks and rules instead of running the others.
    pub(crate) fn collecting(context: ErasedContext<'v>) -> Self {
        Self { is_collecting: true, ..Self::new(context) }
    }

    /// Returns whether synchronous checks and rules run now, instead of async ones being collected.
    #[must_use]
    pub fn is_running(&self) -> bool {
        !self.is_collecting
    }

    /// Returns the context, if it has this type.
    #[must_use]
    pub fn context<C: 'static>(&self) -> Option<&'v C> {
        self.context.get()
    }

    /// Returns the context, if it has this type and rules run now.
    #[must_use]
    pub fn context_if_running<C: 'static>(&self) -> Option<&'v C> {
        self.context().filter(|_| self.is_running())
    }

    /// Defers an `async_check` or `async_rule` of the value at `place`.
    pub fn defer<F: AwaitedCheck + Send + 'v>(
        &mut self,
        check: impl FnOnce() -> F + Send + 'v,
        place: &LazyPath<'_>,
    ) {
        if self.is_collecting {
            // The function is called when the future is polled: it may do something before its
            // first `await`.
            let verdict = Box::pin(async move { check().verdict().await });
            self.deferred.push(DeferredCheck { path: place.to_path(), verdict });
        } else {
            self.has_deferred = true;
        }
    }

    pub(crate) fn reject(&mut self, error: impl IntoRejections, place: &LazyPath<'_>, code: &Code) {
        self.violations.extend(error.into_rejections().into_violations(&place.to_path(), code));
    }

    pub(crate) fn into_violations(self) -> Vec<Violation> {
        self.violations
    }
}

/// The future that an `async_check` or an `async_rule` returns.
#[diagnostic::on_unimplemented(
    message = "`async_check` and `async_rule` take an `async fn` that returns `Result<(), E>`; this one returns `{Self}`",
    label = "returns `{Self}`",
    note = "a function that is not `async` is a `check` or a `rule`",
    note = "`E` implements `Display`, or is `extract::Rejection` or `extract::Rejections`"
)]
pub trait AwaitedCheck {
    /// Awaits the verdict.
    fn verdict(self) -> impl Future<Output = Result<(), Rejections>> + Send
    where
        Self: Send;
}

#[diagnostic::do_not_recommend]
impl<F: Future<Output = Result<(), E>>, E: IntoRejections> AwaitedCheck for F {
    async fn verdict(self) -> Result<(), Rejections>
    where
        Self: Send,
    {
        self.await.map_err(IntoRejections::into_rejections)
    }
}

/// A check or rule that has not run yet, and the path of its value.
pub(crate) struct DeferredCheck<'v> {
    path: Path,
    verdict: Pin<Box<dyn Future<Output = Result<(), Rejections>> + Send + 'v>>,
}

impl DeferredCheck<'_> {
    /// Runs it. `Err` holds the message of a panic.
    pub(crate) async fn ask(mut self) -> Result<Vec<Violation>, String> {
        let verdict = poll_fn(|context| {
            // After a panic the future is not polled again.
            let polled = catch_unwind(AssertUnwindSafe(|| self.verdict.as_mut().poll(context)));
            match polled {
                Ok(polled) => polled.map(Ok),
                Err(panic) => std::task::Poll::Ready(Err(panic_message(&*panic).to_owned())),
            }
        });
        match verdict.await? {
            Ok(()) => Ok(Vec::new()),
            Err(rejections) => Ok(rejections.into_violations(&self.path, &Code::Rule).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LazyPath;

    #[test]
    fn what_is_in_an_element_of_a_set_has_the_path_of_the_set() {
        let root = LazyPath::root();
        let list = root.key("lists");
        let row = list.index(2);
        let set = row.key("set");
        let element = set.inside();
        assert_eq!(element.key("v").to_path().to_string(), "$.lists[2].set");
        assert_eq!(set.key("v").to_path().to_string(), "$.lists[2].set.v");
    }
}
