//! Types with `#[extract(partial)]`.

use super::{GrowthOf, WrittenPart, read_value};
use crate::derive_support::DescribedType;

/// A type with `#[extract(partial)]`, whose fields can be shown while it streams in.
///
/// The derive implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no partial",
    label = "its fields cannot be shown while it is written",
    note = "for a struct of your own, add `#[extract(partial)]` to it",
    note = "`Partial::progress` works for every type, and `Partial::get` for every part"
)]
pub trait HasPartial: Sized {
    /// The known fields while the value streams in. By default none has started; in the partial of
    /// a complete value all are done.
    type Partial: From<Self> + Default;

    #[doc(hidden)]
    fn __extract_fields(part: WrittenPart<'_>) -> Self::Partial;
}

/// The fields of a type with `#[extract(partial)]`.
#[derive(Debug)]
pub enum FieldsGrowth {}

impl<T: HasPartial> GrowthOf<T> for FieldsGrowth {
    type Writing = T::Partial;

    fn writing(part: WrittenPart<'_>) -> T::Partial {
        T::__extract_fields(part)
    }

    fn writing_among(part: WrittenPart<'_>) -> T::Partial {
        T::__extract_fields(part)
    }

    fn known(value: T) -> Option<T::Partial> {
        Some(value.into())
    }
}

impl WrittenPart<'_> {
    /// Returns the fields of a `T`. If it is complete, they come from deserializing the whole, so
    /// missing fields have their defaults.
    pub(crate) fn fields<T: HasPartial + DescribedType>(self) -> T::Partial {
        match self.done(read_value::<T>) {
            Some(value) => value.into(),
            None => T::__extract_fields(self),
        }
    }
}
