//! Running the checks and rules of a type over a value.

use crate::{Code, Extractable, IntoRejections, Path, Rejection, Violation, context::Given, path::Segment};

/// Where the judge stands: a path that allocates nothing until a violation needs it.
///
/// Each place lives on the stack of the call that looks at it and points to the place around it.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    around: Option<&'a Place<'a>>,
    step: Step<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

impl Place<'_> {
    /// The whole value.
    pub fn root() -> Self {
        Self { around: None, step: Step::Root }
    }

    /// The value under `key` of this place.
    pub fn key<'a>(&'a self, key: &'a str) -> Place<'a> {
        Place { around: Some(self), step: Step::Key(key) }
    }

    /// The element at `index` of this place.
    pub fn index(&self, index: usize) -> Place<'_> {
        Place { around: Some(self), step: Step::Index(index) }
    }

    /// This place as a path of its own.
    pub fn to_path(&self) -> Path {
        let mut segments = Vec::new();
        let mut place = Some(self);
        while let Some(at) = place {
            match at.step {
                Step::Root => {}
                Step::Key(key) => segments.push(Segment::Key(key.to_owned())),
                Step::Index(index) => segments.push(Segment::Index(index)),
            }
            place = at.around;
        }
        segments.into_iter().rev().fold(Path::root(), |path, segment| match segment {
            Segment::Key(key) => path.key(key),
            Segment::Index(index) => path.index(index),
        })
    }
}

/// Collects what checks and rules reject.
#[derive(Debug, Default)]
pub struct Judge<'c> {
    violations: Vec<Violation>,
    context: Given<'c>,
}

impl<'c> Judge<'c> {
    /// Everything that the checks and rules of `value` and of the values inside it reject. Those that need a context
    /// which is not `context` are not run.
    pub(crate) fn judge<T: Extractable>(value: &T, context: Given<'c>) -> Vec<Violation> {
        let mut judge = Self { violations: Vec::new(), context };
        value.__extract_judge(&Place::root(), &mut judge);
        judge.violations
    }

    /// Goes on from `violations`.
    pub(crate) fn with(violations: Vec<Violation>) -> Self {
        Self { violations, context: Given::default() }
    }

    /// The context, if it is one of this type.
    #[must_use]
    pub fn context<C: 'static>(&self) -> Option<&'c C> {
        self.context.get()
    }

    /// Takes down what one `check` or `rule` said of the value at `place`.
    pub fn hear<E: IntoRejections>(&mut self, verdict: Result<(), E>, place: &Place<'_>) {
        if let Err(error) = verdict {
            self.reject(error, place, &Code::Rule);
        }
    }

    pub(crate) fn reject(&mut self, error: impl IntoRejections, place: &Place<'_>, code: &Code) {
        let at = place.to_path();
        let mut rejections = error.into_rejections();
        if rejections.is_empty() {
            // An error is an error, also when it gives no reason.
            rejections.push(Rejection::new("rejected without a reason"));
        }
        self.violations.extend(
            rejections.into_iter().map(|rejection| rejection.into_violation(at.clone(), code.clone())),
        );
    }

    pub(crate) fn into_violations(self) -> Vec<Violation> {
        self.violations
    }
}
