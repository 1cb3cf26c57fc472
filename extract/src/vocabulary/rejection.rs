//! Rejections by the user's own validation.

use std::{borrow::Cow, fmt};

use crate::vocabulary::{
    path::Path,
    violation::{Code, Severity, Violation},
};

/// The error of a `rule`, a `check` or an `on_submit` callback that rejects a value.
///
/// Any string is a rejection (`Err("the total is negative")`). This type adds a path, a code, what
/// was expected and found, and whether a retry makes sense.
///
/// ```
/// use extract::Rejection;
///
/// fn ends_after_it_starts(start: u32, end: u32) -> Result<(), Rejection> {
///     if start <= end {
///         return Ok(());
///     }
///     Err(Rejection::new("the end lies before the start").at("end").expected(start).actual(end))
/// }
/// # assert!(ends_after_it_starts(2, 1).is_err());
/// ```
// Not `Display`, so that everything displayable can convert into it.
// Boxed to keep `Result<(), Rejection>` small, because user functions return it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection(Box<RejectionDetails>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct RejectionDetails {
    path: Path,
    code: Option<Code>,
    message: String,
    expected: Option<String>,
    actual: Option<String>,
    severity: Severity,
}

impl Rejection {
    /// Creates a rejection that the agent may fix; `message` goes to the agent.
    pub fn new(message: impl Into<String>) -> Self {
        Self::with(Severity::Fixable, message.into())
    }

    fn with(severity: Severity, message: String) -> Self {
        let path = Path::root();
        Self(Box::new(RejectionDetails { path, code: None, message, expected: None, actual: None, severity }))
    }

    /// Creates a rejection that ends the extraction because a retry is pointless: for a wrong
    /// document or a forbidden operation, not for a value that the agent could fix.
    pub fn fatal(message: impl Into<String>) -> Self {
        Self::with(Severity::Fatal, message.into())
    }

    /// Creates a warning: it is reported in the metrics, and the value is accepted.
    pub fn warning(message: impl Into<String>) -> Self {
        Self::with(Severity::Warning, message.into())
    }

    /// Sets the path, relative to the validated value: `"end"`, `"lines[2].qty"`.
    #[must_use]
    pub fn at(mut self, path: impl Into<Path>) -> Self {
        self.0.path = path.into();
        self
    }

    /// Replaces the code (`RULE` or `REJECTED`) with your own.
    #[must_use]
    pub fn code(mut self, code: impl Into<Cow<'static, str>>) -> Self {
        self.0.code = Some(Code::from(code.into()));
        self
    }

    /// Sets what would be accepted. State the condition, not the one value that meets it: a model
    /// that is told the right sum copies it instead of reading the terms again.
    #[must_use]
    pub fn expected(mut self, expected: impl fmt::Display) -> Self {
        self.0.expected = Some(expected.to_string());
        self
    }

    /// Sets what was found.
    #[must_use]
    pub fn actual(mut self, actual: impl fmt::Display) -> Self {
        self.0.actual = Some(actual.to_string());
        self
    }

    fn into_violation(self, at: Path, code: Code) -> Violation {
        let RejectionDetails { path, code: own, message, expected, actual, severity } = *self.0;
        let violation = Violation::new(at.join(&path), own.unwrap_or(code), message).severity(severity);
        Violation { expected, actual, ..violation }
    }
}

/// Several rejections of one value.
///
/// ```
/// use extract::{Rejection, Rejections};
///
/// fn both_positive(a: i32, b: i32) -> Result<(), Rejections> {
///     let mut rejections = Rejections::new();
///     if a <= 0 {
///         rejections.push(Rejection::new("must be positive").at("a").actual(a));
///     }
///     if b <= 0 {
///         rejections.push(Rejection::new("must be positive").at("b").actual(b));
///     }
///     rejections.into_result()
/// }
/// # assert!(both_positive(0, 0).is_err() && both_positive(1, 1).is_ok());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rejections(Vec<Rejection>);

impl Rejections {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn push(&mut self, rejection: impl Into<Rejection>) {
        self.0.push(rejection.into());
    }

    /// Returns whether there are no rejections.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rejections as violations of the value at `at`. An empty list becomes one violation,
    /// because an error without a reason still rejects.
    pub(crate) fn into_violations(mut self, at: &Path, code: &Code) -> impl Iterator<Item = Violation> {
        if self.is_empty() {
            self.push(Rejection::new("rejected without a reason"));
        }
        self.into_iter().map(move |rejection| rejection.into_violation(at.clone(), code.clone()))
    }

    /// Returns `Ok` without rejections.
    ///
    /// # Errors
    ///
    /// The rejections themselves.
    pub fn into_result(self) -> Result<(), Self> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl FromIterator<Rejection> for Rejections {
    fn from_iter<I: IntoIterator<Item = Rejection>>(rejections: I) -> Self {
        Self(rejections.into_iter().collect())
    }
}

impl IntoIterator for Rejections {
    type Item = Rejection;
    type IntoIter = std::vec::IntoIter<Rejection>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<E: fmt::Display> From<E> for Rejection {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}

/// The possible errors of a rule, a check or a callback: anything displayable, a [`Rejection`] or
/// [`Rejections`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a rule, a check or a callback",
    label = "neither displayable nor a `Rejection`",
    note = "return `Result<(), E>` where `E` implements `Display`, or is `extract::Rejection` or `extract::Rejections`"
)]
pub trait IntoRejections {
    /// The rejections; at least one for every error.
    fn into_rejections(self) -> Rejections;
}

#[diagnostic::do_not_recommend]
impl<E: fmt::Display> IntoRejections for E {
    fn into_rejections(self) -> Rejections {
        Rejections(vec![Rejection::new(self.to_string())])
    }
}

#[diagnostic::do_not_recommend]
impl IntoRejections for Rejection {
    fn into_rejections(self) -> Rejections {
        Rejections(vec![self])
    }
}

#[diagnostic::do_not_recommend]
impl IntoRejections for Rejections {
    fn into_rejections(self) -> Rejections {
        self
    }
}
