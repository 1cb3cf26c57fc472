//! Lets the compiler find out once for each type of a field whether an agent can be asked for it.
//!
//! If generated code named [`DerivedType`] for each field, a missing implementation would be an error in
//! every function that uses the field, at every field that holds the type, and with a list of other
//! types that implement the trait. Instead, generated code calls methods of [`AskedType`], which also
//! exist for other types, and `(&&Asked::<T>::new()).answer()` has another type for these. One function compares the
//! answers, and in it the error is reported once, with a message of its own.

use std::marker::PhantomData;

use schemars::{Schema, SchemaGenerator};

use super::{DerivedType, DescribedType};
use crate::{
    schema::SchemaSource,
    validation::{LazyPath, RuleJudge, ValidParts, ValuePart},
};

/// A type that an agent may be asked for, or not. Methods whose condition `T` does not satisfy come
/// from [`NotAsked`].
#[derive(Debug)]
pub struct AskedType<T: ?Sized>(PhantomData<*const T>);

impl<T: ?Sized> Clone for AskedType<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for AskedType<T> {}

#[expect(clippy::new_without_default, reason = "only generated code makes one")]
impl<T: ?Sized> AskedType<T> {
    /// Asks nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: DescribedType> AskedType<T> {
    /// [`DerivedType::__extract_part`]
    #[inline]
    pub fn part(
        self,
        part: Option<ValuePart<'_>>,
        valid_parts: &mut ValidParts<'_>,
        checks: &dyn Fn(&T, &LazyPath<'_>, &mut RuleJudge<'_>),
    ) {
        T::__extract_part(part, valid_parts, checks);
    }
}

impl<T: DerivedType> AskedType<T> {
    /// [`DerivedType::__EXTRACT_OPTIONAL`]
    pub const OPTIONAL: bool = T::__EXTRACT_OPTIONAL;

    /// [`DerivedType::__EXTRACT_SOURCE`]
    #[inline]
    #[must_use]
    pub fn source(self) -> SchemaSource {
        T::__EXTRACT_SOURCE
    }

    /// [`DerivedType::__extract_judge`]
    #[inline]
    pub fn judge<'v>(self, value: &'v T, place: &LazyPath<'_>, judge: &mut RuleJudge<'v>) {
        value.__extract_judge(place, judge);
    }

    /// [`DerivedType::__extract_valid_parts`]
    #[inline]
    pub fn valid_parts<Use>(self, part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>) {
        T::__extract_valid_parts::<Use>(part, valid_parts);
    }

    /// [`DerivedType::__extract_among`]
    #[inline]
    pub fn among(self, part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>) {
        T::__extract_among(part, valid_parts);
    }

    /// [`DerivedType::__extract_key_schema`]
    #[inline]
    pub fn key_schema(self, generator: &mut SchemaGenerator) -> Option<Schema> {
        T::__extract_key_schema(generator)
    }

    /// [`DerivedType::__extract_key`]
    #[inline]
    pub fn key(self, value: &T) -> std::borrow::Cow<'_, str> {
        value.__extract_key()
    }
}

/// The methods of [`AskedType`] for a type that an agent cannot be asked for.
#[expect(missing_docs, reason = "those of the same name there have it")]
pub trait NotAsked<T>: Sized {
    fn part(
        self,
        _: Option<ValuePart<'_>>,
        _: &mut ValidParts<'_>,
        _: &dyn Fn(&T, &LazyPath<'_>, &mut RuleJudge<'_>),
    ) {
        unreachable!()
    }

    fn source(self) -> SchemaSource {
        unreachable!()
    }

    fn judge<'v>(self, _: &'v T, _: &LazyPath<'_>, _: &mut RuleJudge<'v>) {
        unreachable!()
    }

    fn valid_parts<Use>(self, _: &ValuePart<'_>, _: &mut ValidParts<'_>) {
        unreachable!()
    }

    fn among(self, _: &ValuePart<'_>, _: &mut ValidParts<'_>) {
        unreachable!()
    }

    fn key_schema(self, _: &mut SchemaGenerator) -> Option<Schema> {
        unreachable!()
    }

    fn key(self, _: &T) -> std::borrow::Cow<'_, str> {
        unreachable!()
    }
}

impl<T> NotAsked<T> for &AskedType<T> {}

/// The constant of [`AskedType`] for a type that an agent cannot be asked for.
pub trait NotOptional {
    /// Not known.
    const OPTIONAL: bool = false;
}

impl<T> NotOptional for AskedType<T> {}

/// The answer for a type that an agent can be asked for.
#[derive(Debug, Clone, Copy)]
pub struct CanBeAsked;

/// The answer for a type whose error is reported elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct ReportedElsewhere;

/// The answer for a type that an agent cannot be asked for.
#[derive(Debug, Clone, Copy)]
pub struct CannotBeAsked;

/// An answer, and what follows from it for the types around and inside.
pub trait AskedAnswer: Sized {
    /// The answer for a type inside this one, which counts only if this one is not able.
    type Inside<A: AskedAnswer>: AskedAnswer;

    /// The answer for a type that has one with this answer inside and is not able itself.
    type Around: AskedAnswer;

    /// The answer after one inside.
    type After<A: AskedAnswer>: AskedAnswer;

    /// The answer `inside`, if it matters.
    fn inside<A: AskedAnswer>(self, inside: A) -> Self::Inside<A>;

    /// The answer after `inside`, which may be the reason for it.
    fn after<A: AskedAnswer>(self, inside: A) -> Self::After<A>;

    /// Wraps it.
    fn around(self) -> Self::Around;
}

impl AskedAnswer for CanBeAsked {
    type Inside<A: AskedAnswer> = Self;
    type Around = CannotBeAsked;
    type After<A: AskedAnswer> = Self;

    fn inside<A: AskedAnswer>(self, _: A) -> Self {
        self
    }

    fn after<A: AskedAnswer>(self, _: A) -> Self {
        self
    }

    fn around(self) -> CannotBeAsked {
        CannotBeAsked
    }
}

impl AskedAnswer for ReportedElsewhere {
    type Inside<A: AskedAnswer> = Self;
    type Around = Self;
    type After<A: AskedAnswer> = Self;

    fn inside<A: AskedAnswer>(self, _: A) -> Self {
        self
    }

    fn after<A: AskedAnswer>(self, _: A) -> Self {
        self
    }

    fn around(self) -> Self {
        self
    }
}

impl AskedAnswer for CannotBeAsked {
    type Inside<A: AskedAnswer> = A;
    type Around = ReportedElsewhere;
    type After<A: AskedAnswer> = A::Around;

    fn inside<A: AskedAnswer>(self, inside: A) -> A {
        inside
    }

    fn after<A: AskedAnswer>(self, inside: A) -> A::Around {
        inside.around()
    }

    fn around(self) -> ReportedElsewhere {
        ReportedElsewhere
    }
}

/// The first of the four traits with a method `answer`, in the order in which the compiler tries
/// them for a `&&Asked<T>`.
pub trait IsDescribed {
    /// An agent can be asked for the type.
    fn answer(&self) -> CanBeAsked;
}

impl<T: DescribedType> IsDescribed for &AskedType<T> {
    fn answer(&self) -> CanBeAsked {
        CanBeAsked
    }
}

/// A type with the derive that serde does not read.
pub trait IsDerived {
    /// The error is at the type.
    fn answer(&self) -> ReportedElsewhere;
}

impl<T: DerivedType> IsDerived for &&AskedType<T> {
    fn answer(&self) -> ReportedElsewhere {
        ReportedElsewhere
    }
}

/// Any other type.
pub trait IsSized {
    /// An agent cannot be asked for it.
    fn answer(&self) -> CannotBeAsked;
}

impl<T> IsSized for AskedType<T> {
    fn answer(&self) -> CannotBeAsked {
        CannotBeAsked
    }
}

/// The content of a pointer.
pub trait IsUnsized {
    /// The pointer is extractable, or not; its content never is.
    fn answer(self) -> CanBeAsked;
}

impl<T: ?Sized> IsUnsized for AskedType<T> {
    fn answer(self) -> CanBeAsked {
        CanBeAsked
    }
}
