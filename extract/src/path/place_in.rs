//! Places of a type.

use std::{fmt, marker::PhantomData};

use super::{Path, Place};

/// A place in the values of the type `T` that holds a `V`. Built by [`at!(T, ...)`](crate::at), so
/// the compiler has checked it.
pub struct PlaceIn<T, V> {
    place: Place,
    types: PhantomData<fn(T) -> V>,
}

impl<T, V> PlaceIn<T, V> {
    pub(crate) fn new(place: Place) -> Self {
        Self { place, types: PhantomData }
    }
}

impl<T, V> Clone for PlaceIn<T, V> {
    fn clone(&self) -> Self {
        Self::new(self.place.clone())
    }
}

impl<T, V> From<PlaceIn<T, V>> for Place {
    fn from(place: PlaceIn<T, V>) -> Self {
        place.place
    }
}

impl<T, V> fmt::Display for PlaceIn<T, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.place.fmt(f)
    }
}

impl<T, V> fmt::Debug for PlaceIn<T, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.place, f)
    }
}

/// Types that name a place in the values of a `T`: `at!(T, ...)`, a [`Place`], a [`Path`], or a
/// string such as `"$.lines[*].qty"`. The contract checks places that the compiler did not.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a place of `{T}`",
    label = "a place of another type, or no place",
    note = "name a place of `{T}`: `at!({T}, field)`, `at!({T}, list[..].field)`, or a string such as `\"$.list[*].field\"`"
)]
pub trait IntoPlace<T> {
    /// The place, without its type.
    fn into_place(self) -> Place;
}

impl<T, V> IntoPlace<T> for PlaceIn<T, V> {
    fn into_place(self) -> Place {
        self.place
    }
}

impl<T> IntoPlace<T> for Place {
    fn into_place(self) -> Place {
        self
    }
}

macro_rules! untyped {
    ($($type:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T> IntoPlace<T> for $type {
            fn into_place(self) -> Place {
                Place::from(self)
            }
        }
    )*};
}

untyped!(Path, &str, String);
