//! How far an agent is with a typed part.

use super::{Growth, WhileWriting};
use crate::{described::Derived, reading::PartState};

/// How far an agent is with a part of its answer, and what is known of it.
///
/// `Progress<T>` is what a field of type `T` becomes in the type that `#[extract(partial)]`
/// generates. What is known of a `T` while it is written is in [`WhileWriting`]; for a field with a
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
    /// Not begun.
    Pending,
    /// Begun, and not known to be complete; or it is complete and cannot be deserialized, so that
    /// the attempt will fail.
    Writing(W),
    /// Complete. It does not change within an attempt. Whether it satisfies the rules is another
    /// matter.
    Done(T),
}

impl<T, W> Progress<T, W> {
    /// How far the agent is.
    pub fn state(&self) -> PartState {
        match self {
            Self::Pending => PartState::Pending,
            Self::Writing(_) => PartState::Writing,
            Self::Done(_) => PartState::Done,
        }
    }

    /// The part, if it is complete.
    pub fn done(&self) -> Option<&T> {
        match self {
            Self::Done(value) => Some(value),
            Self::Pending | Self::Writing(_) => None,
        }
    }

    /// The part, if it is complete.
    pub fn into_done(self) -> Option<T> {
        match self {
            Self::Done(value) => Some(value),
            Self::Pending | Self::Writing(_) => None,
        }
    }

    /// What is known of the part, if it is being written.
    pub fn writing(&self) -> Option<&W> {
        match self {
            Self::Writing(known) => Some(known),
            Self::Pending | Self::Done(_) => None,
        }
    }
}

impl<T: Derived> Progress<T> {
    /// What is known of the part, in the same form whether it is complete or not: the text of a
    /// string, the elements of a list, the fields of a type with `#[extract(partial)]`. `None`
    /// before the part begins, and for null.
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

/// Not begun.
impl<T, W> Default for Progress<T, W> {
    fn default() -> Self {
        Self::Pending
    }
}
