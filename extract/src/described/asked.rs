//! Lets the compiler find out once for each type of a field whether an agent can be asked for it.
//!
//! If generated code named [`Derived`] for each field, a missing implementation would be an error in
//! every function that uses the field, at every field that holds the type, and with a list of other
//! types that implement the trait. Instead, generated code calls methods of [`Asked`], which also
//! exist for other types, and `(&&Asked::<T>::new()).answer()` has another type for these. One function compares the
//! answers, and in it the error is reported once, with a message of its own.

use std::marker::PhantomData;

use schemars::{Schema, SchemaGenerator};

use super::{Derived, Described};
use crate::{
    schema::Source,
    validation::{Healthy, Judge, LazyPath, Part},
};

/// A type that an agent may be asked for, or not. Methods whose condition `T` does not satisfy come
/// from [`NotAsked`].
#[derive(Debug)]
pub struct Asked<T: ?Sized>(PhantomData<*const T>);

impl<T: ?Sized> Clone for Asked<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Asked<T> {}

#[expect(clippy::new_without_default, reason = "only generated code makes one")]
impl<T: ?Sized> Asked<T> {
    /// Asks nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: Described> Asked<T> {
    /// [`Derived::__extract_part`]
    #[inline]
    pub fn part(
        self,
        part: Option<Part<'_>>,
        healthy: &mut Healthy<'_>,
        checks: &dyn Fn(&T, &LazyPath<'_>, &mut Judge<'_>),
    ) {
        T::__extract_part(part, healthy, checks);
    }
}

impl<T: Derived> Asked<T> {
    /// [`Derived::__EXTRACT_OPTIONAL`]
    pub const OPTIONAL: bool = T::__EXTRACT_OPTIONAL;

    /// [`Derived::__EXTRACT_SOURCE`]
    #[inline]
    #[must_use]
    pub fn source(self) -> Source {
        T::__EXTRACT_SOURCE
    }

    /// [`Derived::__extract_judge`]
    #[inline]
    pub fn judge<'v>(self, value: &'v T, place: &LazyPath<'_>, judge: &mut Judge<'v>) {
        value.__extract_judge(place, judge);
    }

    /// [`Derived::__extract_healthy`]
    #[inline]
    pub fn healthy<Use>(self, part: &Part<'_>, healthy: &mut Healthy<'_>) {
        T::__extract_healthy::<Use>(part, healthy);
    }

    /// [`Derived::__extract_among`]
    #[inline]
    pub fn among(self, part: &Part<'_>, healthy: &mut Healthy<'_>) {
        T::__extract_among(part, healthy);
    }

    /// [`Derived::__extract_key_schema`]
    #[inline]
    pub fn key_schema(self, generator: &mut SchemaGenerator) -> Option<Schema> {
        T::__extract_key_schema(generator)
    }

    /// [`Derived::__extract_key`]
    #[inline]
    pub fn key(self, value: &T) -> std::borrow::Cow<'_, str> {
        value.__extract_key()
    }
}

/// The methods of [`Asked`] for a type that an agent cannot be asked for.
#[expect(missing_docs, reason = "those of the same name there have it")]
pub trait NotAsked<T>: Sized {
    fn part(self, _: Option<Part<'_>>, _: &mut Healthy<'_>, _: &dyn Fn(&T, &LazyPath<'_>, &mut Judge<'_>)) {
        unreachable!()
    }

    fn source(self) -> Source {
        unreachable!()
    }

    fn judge<'v>(self, _: &'v T, _: &LazyPath<'_>, _: &mut Judge<'v>) {
        unreachable!()
    }

    fn healthy<Use>(self, _: &Part<'_>, _: &mut Healthy<'_>) {
        unreachable!()
    }

    fn among(self, _: &Part<'_>, _: &mut Healthy<'_>) {
        unreachable!()
    }

    fn key_schema(self, _: &mut SchemaGenerator) -> Option<Schema> {
        unreachable!()
    }

    fn key(self, _: &T) -> std::borrow::Cow<'_, str> {
        unreachable!()
    }
}

impl<T> NotAsked<T> for &Asked<T> {}

/// The constant of [`Asked`] for a type that an agent cannot be asked for.
pub trait NotOptional {
    /// Not known.
    const OPTIONAL: bool = false;
}

impl<T> NotOptional for Asked<T> {}

/// The answer for a type that an agent can be asked for.
#[derive(Debug, Clone, Copy)]
pub struct Able;

/// The answer for a type whose error is reported elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct Elsewhere;

/// The answer for a type that an agent cannot be asked for.
#[derive(Debug, Clone, Copy)]
pub struct Unable;

/// An answer, and what follows from it for the types around and inside.
pub trait Answer: Sized {
    /// The answer for a type inside this one, which counts only if this one is not able.
    type Inside<A: Answer>: Answer;

    /// The answer for a type that has one with this answer inside and is not able itself.
    type Around: Answer;

    /// The answer after one inside.
    type After<A: Answer>: Answer;

    /// The answer `inside`, if it matters.
    fn inside<A: Answer>(self, inside: A) -> Self::Inside<A>;

    /// The answer after `inside`, which may be the reason for it.
    fn after<A: Answer>(self, inside: A) -> Self::After<A>;

    /// Wraps it.
    fn around(self) -> Self::Around;
}

impl Answer for Able {
    type Inside<A: Answer> = Self;
    type Around = Unable;
    type After<A: Answer> = Self;

    fn inside<A: Answer>(self, _: A) -> Self {
        self
    }

    fn after<A: Answer>(self, _: A) -> Self {
        self
    }

    fn around(self) -> Unable {
        Unable
    }
}

impl Answer for Elsewhere {
    type Inside<A: Answer> = Self;
    type Around = Self;
    type After<A: Answer> = Self;

    fn inside<A: Answer>(self, _: A) -> Self {
        self
    }

    fn after<A: Answer>(self, _: A) -> Self {
        self
    }

    fn around(self) -> Self {
        self
    }
}

impl Answer for Unable {
    type Inside<A: Answer> = A;
    type Around = Elsewhere;
    type After<A: Answer> = A::Around;

    fn inside<A: Answer>(self, inside: A) -> A {
        inside
    }

    fn after<A: Answer>(self, inside: A) -> A::Around {
        inside.around()
    }

    fn around(self) -> Elsewhere {
        Elsewhere
    }
}

/// The first of the four traits with a method `answer`, in the order in which the compiler tries
/// them for a `&&Asked<T>`.
pub trait IsDescribed {
    /// An agent can be asked for the type.
    fn answer(&self) -> Able;
}

impl<T: Described> IsDescribed for &Asked<T> {
    fn answer(&self) -> Able {
        Able
    }
}

/// A type with the derive that serde does not read.
pub trait IsDerived {
    /// The error is at the type.
    fn answer(&self) -> Elsewhere;
}

impl<T: Derived> IsDerived for &&Asked<T> {
    fn answer(&self) -> Elsewhere {
        Elsewhere
    }
}

/// Any other type.
pub trait IsSized {
    /// An agent cannot be asked for it.
    fn answer(&self) -> Unable;
}

impl<T> IsSized for Asked<T> {
    fn answer(&self) -> Unable {
        Unable
    }
}

/// The content of a pointer.
pub trait IsUnsized {
    /// The pointer is extractable, or not; its content never is.
    fn answer(self) -> Able;
}

impl<T: ?Sized> IsUnsized for Asked<T> {
    fn answer(self) -> Able {
        Able
    }
}
