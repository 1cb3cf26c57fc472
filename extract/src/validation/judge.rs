//! Running the checks and rules of a type over a value.

use std::cell::OnceCell;

use super::later::{Awaited, Later};
use crate::{
    context::Given,
    path::{Path, Segment},
    rejection::IntoRejections,
    violation::{Code, Violation},
};

/// Where the judge stands: a path that allocates nothing until a violation needs it, and then shares the keys around it.
///
/// Each place lives on the stack of the call that looks at it and points to the place around it.
#[derive(Debug, Clone)]
pub struct Place<'a> {
    around: Option<&'a Place<'a>>,
    step: Step<'a>,
}

#[derive(Debug, Clone)]
enum Step<'a> {
    /// What a path leads to, from which all others start.
    Start(Path),
    /// The key, and the same as the paths share it, once one was asked for.
    Key(&'a str, OnceCell<Segment>),
    Index(usize),
}

impl Place<'_> {
    /// The whole value.
    pub fn root() -> Self {
        Self::at(Path::root())
    }

    /// The place that `path` leads to.
    pub(super) fn at(path: Path) -> Self {
        Self { around: None, step: Step::Start(path) }
    }

    /// The value under `key` of this place.
    pub fn key<'a>(&'a self, key: &'a str) -> Place<'a> {
        Place { around: Some(self), step: Step::Key(key, OnceCell::new()) }
    }

    /// The element at `index` of this place.
    pub fn index(&self, index: usize) -> Place<'_> {
        Place { around: Some(self), step: Step::Index(index) }
    }

    /// This place as a path of its own. Each key on the way is copied once, however many places are below it.
    pub fn to_path(&self) -> Path {
        let around = || std::iter::successors(Some(self), |place| place.around);
        let mut segments = Vec::with_capacity(around().count());
        let mut start = None;
        for place in around() {
            match &place.step {
                Step::Start(path) => start = Some(path),
                Step::Key(key, shared) => {
                    segments.push(shared.get_or_init(|| Segment::Key((*key).into())).clone());
                }
                Step::Index(index) => segments.push(Segment::Index(*index)),
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

/// Collects what checks and rules reject.
///
/// It goes through a value once to run them, and, if some have to be awaited, once more to gather those.
#[derive(Debug, Default)]
pub struct Judge<'v> {
    violations: Vec<Violation>,
    context: Given<'v>,
    gathers: bool,
    has_later: bool,
    later: Vec<Later<'v>>,
}

impl<'v> Judge<'v> {
    pub(crate) fn new(context: Given<'v>) -> Self {
        Self { context, ..Self::default() }
    }

    /// Gathers what has to be awaited instead of running the rest.
    pub(crate) fn gathering(context: Given<'v>) -> Self {
        Self { gathers: true, ..Self::new(context) }
    }

    pub(crate) fn into_later(self) -> Vec<Later<'v>> {
        self.later
    }

    /// Whether some of what was met has to be awaited.
    pub(crate) fn has_later(&self) -> bool {
        self.has_later
    }

    /// Whether checks and rules are run now, and not gathered.
    #[must_use]
    pub fn hears(&self) -> bool {
        !self.gathers
    }

    /// The context, if it is one of this type.
    #[must_use]
    pub fn context<C: 'static>(&self) -> Option<&'v C> {
        self.context.get()
    }

    /// The context, if it is one of this type and rules are run now.
    #[must_use]
    pub fn hears_within<C: 'static>(&self) -> Option<&'v C> {
        self.context().filter(|_| self.hears())
    }

    /// Takes down what one `check` or `rule` said of the value at `place`.
    pub fn hear<E: IntoRejections>(&mut self, verdict: Result<(), E>, place: &Place<'_>) {
        if let Err(error) = verdict {
            self.reject(error, place, &Code::Rule);
        }
    }

    /// Puts off one `async_check` or `async_rule` of the value at `place`.
    pub fn later<F: Awaited + Send + 'v>(
        &mut self,
        check: impl FnOnce() -> F + Send + 'v,
        place: &Place<'_>,
    ) {
        if self.gathers {
            self.later.push(Later::new(check, place.to_path()));
        } else {
            self.has_later = true;
        }
    }

    pub(crate) fn reject(&mut self, error: impl IntoRejections, place: &Place<'_>, code: &Code) {
        self.violations.extend(error.into_rejections().into_violations(&place.to_path(), code));
    }

    pub(crate) fn into_violations(self) -> Vec<Violation> {
        self.violations
    }
}
