//! The subject of an expectation.

/// The subject of an expectation, which begins its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExpectationSubject {
    Value,
    /// A key of an object (`propertyNames`).
    Key,
}

impl ExpectationSubject {
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Value => "a value",
            Self::Key => "a key",
        }
    }

    /// `a string in the format date`, `a key in the format date`
    pub(super) fn string(self, form: &str) -> String {
        match self {
            Self::Value => format!("a string {form}"),
            Self::Key => format!("a key {form}"),
        }
    }

    /// `at least 3 characters`, `a key of at least 3 characters`
    pub(super) fn length(self, length: String) -> String {
        match self {
            Self::Value => length,
            Self::Key => format!("a key of {length}"),
        }
    }

    /// `one of ["a","b"]`, `a key that is one of ["a","b"]`
    pub(super) fn which_is(self, described: String) -> String {
        match self {
            Self::Value => described,
            Self::Key => format!("a key that is {described}"),
        }
    }
}
