//! Places of a type.

use std::{fmt, marker::PhantomData};

use super::{Path, PathPattern};

/// A place in the values of the type `T` that holds a `V`. Built by [`at!(T, ...)`](crate::at), so
/// the compiler has checked it.
pub struct TypedPath<T, V> {
    place: PathPattern,
    types: PhantomData<fn(T) -> V>,
}

impl<T, V> TypedPath<T, V> {
    pub(crate) fn new(place: PathPattern) -> Self {
        Self { place, types: PhantomData }
    }
}

impl<T, V> Clone for TypedPath<T, V> {
    fn clone(&self) -> Self {
        Self::new(self.place.clone())
    }
}

impl<T, V> From<TypedPath<T, V>> for PathPattern {
    fn from(place: TypedPath<T, V>) -> Self {
        place.place
    }
}

impl<T, V> fmt::Display for TypedPath<T, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.place.fmt(f)
    }
}

impl<T, V> fmt::Debug for TypedPath<T, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.place, f)
    }
}

/// Types that name a place in the values of a `T`: `at!(T, ...)`, a [`PathPattern`], a [`Path`], or a
/// string such as `"$.lines[*].qty"`. The contract checks places that the compiler did not.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a place of `{T}`",
    label = "a place of another type, or no place",
    note = "name a place of `{T}`: `at!({T}, field)`, `at!({T}, list[..].field)`, or a string such as `\"$.list[*].field\"`"
)]
pub trait IntoPathPattern<T> {
    /// The place, without its type.
    fn into_place(self) -> PathPattern;
}

impl<T, V> IntoPathPattern<T> for TypedPath<T, V> {
    fn into_place(self) -> PathPattern {
        self.place
    }
}

impl<T> IntoPathPattern<T> for PathPattern {
    fn into_place(self) -> PathPattern {
        self
    }
}

macro_rules! untyped {
    ($($type:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T> IntoPathPattern<T> for $type {
            fn into_place(self) -> PathPattern {
                PathPattern::from(self)
            }
        }
    )*};
}

untyped!(Path, &str, String);
