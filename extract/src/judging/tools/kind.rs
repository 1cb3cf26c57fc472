//! The kinds of tools.

/// One of the three tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolKind {
    Example,
    Validate,
    Submit,
}

impl ToolKind {
    pub(crate) const ALL: [Self; 3] = [Self::Example, Self::Validate, Self::Submit];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Example => "example",
            Self::Validate => "validate",
            Self::Submit => "submit",
        }
    }
}
