//! The progress of a typed part.

use super::{GrowthOf, WhileWriting};
use crate::{derive_support::DerivedType, reading::PartState};

/// How far an agent has come with a part of its answer, and the known part of its value.
///
/// `Progress<T>` is the type of a field of type `T` in the partial that `#[extract(partial)]`
/// generates. [`WhileWriting`] is the known part of a `T` while it streams in; for a field with a
/// `schema_with` it is `()`.
///
/// ```
/// use extract::partials::Progress;
///
/// fn shown(total: &Progress<f64>) -> String {
///     match total {
///         Progress::Pending => String::new(),
///         Progress::Writing(()) => "…".to_owned(),
///         Progress::Done(total) => format!("{total:.2}"),
///     }
/// }
///
/// assert_eq!(shown(&Progress::Done(12.0)), "12.00");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress<T, W = WhileWriting<T>> {
    /// Not started.
    Pending,
    /// Started and possibly incomplete, or complete but not deserializable, so that the attempt
    /// will fail.
    Writing(W),
    /// Complete. It does not change within an attempt. It may still break a rule.
    Done(T),
}

impl<T, W> Progress<T, W> {
    /// Returns how far the agent has come.
    pub fn state(&self) -> PartState {
        match self {
            Self::Pending => PartState::Pending,
            Self::Writing(_) => PartState::Writing,
            Self::Done(_) => PartState::Done,
        }
    }

    /// Returns the part, if it is complete.
    pub fn done(&self) -> Option<&T> {
        match self {
            Self::Done(value) => Some(value),
            Self::Pending | Self::Writing(_) => None,
        }
    }

    /// Returns the part, if it is complete.
    pub fn into_done(self) -> Option<T> {
        match self {
            Self::Done(value) => Some(value),
            Self::Pending | Self::Writing(_) => None,
        }
    }

    /// Returns the known part, while it streams in.
    pub fn writing(&self) -> Option<&W> {
        match self {
            Self::Writing(known) => Some(known),
            Self::Pending | Self::Done(_) => None,
        }
    }
}

impl<T: DerivedType> Progress<T> {
    /// Returns the known part in the same form whether it is complete or not: the start of a
    /// string, the elements of a list, the fields of a type with `#[extract(partial)]`. `None`
    /// before the part starts, and for null.
    ///
    /// ```
    /// use extract::partials::Progress;
    ///
    /// let number: Progress<String> = Progress::Writing("INV-".to_owned());
    /// assert_eq!(number.known().as_deref(), Some("INV-"));
    ///
    /// let lines: Progress<Vec<u8>> = Progress::Done(vec![1, 2]);
    /// assert_eq!(lines.known(), Some(vec![Progress::Done(1), Progress::Done(2)]));
    /// ```
    pub fn known(self) -> Option<WhileWriting<T>> {
        match self {
            Self::Pending => None,
            Self::Writing(known) => Some(known),
            Self::Done(value) => T::__ExtractGrowth::known(value),
        }
    }
}

/// Not started.
impl<T, W> Default for Progress<T, W> {
    fn default() -> Self {
        Self::Pending
    }
}
