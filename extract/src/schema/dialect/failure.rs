//! Why a part of a schema has no projection.

use super::projection::Inexpressible;

/// Why a part of a schema has no projection.
#[derive(Debug)]
pub(super) enum ProjectionFailure {
    /// No value satisfies it, so it can be left out where other values are possible.
    Never(Inexpressible),
    /// The dialect cannot express it.
    Beyond(Inexpressible),
}

pub(super) type ProjectionResult<T> = Result<T, ProjectionFailure>;

impl ProjectionFailure {
    pub(super) fn reason(self) -> Inexpressible {
        match self {
            Self::Never(reason) | Self::Beyond(reason) => reason,
        }
    }
}

impl From<Inexpressible> for ProjectionFailure {
    fn from(reason: Inexpressible) -> Self {
        Self::Beyond(reason)
    }
}
