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
    schema::{SchemaSource, flatten::HasKeys},
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

    /// [`DerivedType::__EXTRACT_RULED`]
    pub const RULED: bool = T::__EXTRACT_RULED;

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

/// The constants of [`AskedType`] for a type that an agent cannot be asked for.
pub trait NotOptional {
    /// Not known.
    const OPTIONAL: bool = false;
    /// Not known, either.
    const RULED: bool = false;
}

/// Fails to compile if the type in `from` or `try_from` is `ruled`: only a value of the type itself is judged.
///
/// # Panics
///
/// Then, at compile time.
pub const fn source_without_rules(ruled: bool) {
    assert!(
        !ruled,
        "the checks and rules of the type in `from` would not run, as the answer becomes another type; move them to \
         the type with `from`"
    );
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

/// The answers that hold whatever is inside.
macro_rules! certain {
    ($answer:ident around: $around:ident) => {
        impl AskedAnswer for $answer {
            type Inside<A: AskedAnswer> = Self;
            type Around = $around;
            type After<A: AskedAnswer> = Self;

            fn inside<A: AskedAnswer>(self, _: A) -> Self {
                self
            }

            fn after<A: AskedAnswer>(self, _: A) -> Self {
                self
            }

            fn around(self) -> $around {
                $around
            }
        }
    };
}

certain!(CanBeAsked around: CannotBeAsked);
certain!(ReportedElsewhere around: ReportedElsewhere);

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

/// An answer that is not an error. The traits differ only in their messages: which one generated
/// code uses for a type depends on the name of the type.
macro_rules! accepted {
    ($($(#[$attribute:meta])* $name:ident;)*) => {$(
        $(#[$attribute])*
        pub trait $name<T: ?Sized>: Sized {
            /// Compiles if the answer is not an error.
            fn accept(self) {}
        }

        #[diagnostic::do_not_recommend]
        impl<T: ?Sized> $name<T> for CanBeAsked {}

        #[diagnostic::do_not_recommend]
        impl<T: ?Sized> $name<T> for ReportedElsewhere {}
    )*};
}

accepted! {
    /// For any type.
    #[diagnostic::on_unimplemented(
        message = "`{T}` is not `Extractable`",
        label = "for a type of your own, derive `serde::Deserialize` and `extract::Extractable`",
        note = "for a type of another crate, enable the feature named after it, such as `url2`, or use `extract::BySchemars<{T}>` if it implements `Deserialize` and `schemars::JsonSchema`"
    )]
    Accepted;
}

accepted! {
    /// For arrays.
    #[diagnostic::on_unimplemented(
        message = "`{T}` is not `Extractable`",
        label = "serde reads arrays of up to 32 elements; use a `Vec` with `#[extract(length(equal = ...))]`",
        note = "in a generic type, serde reads an array where a bound says so: `where [T; N]: serde::de::DeserializeOwned`"
    )]
    AcceptedArray;
}

accepted! {
    /// For types that two crates have.
    #[diagnostic::on_unimplemented(
        message = "`{T}` is not `Extractable`",
        label = "a type of `chrono` needs the feature `chrono04`, and one of `time` the feature `time03`",
        note = "`cargo add extractable --features ...` enables it; a type of your own needs `#[derive(serde::Deserialize, extract::Extractable)]`"
    )]
    AcceptedWithChrono04OrTime03;
}

accepted! {
    /// For types that two crates have.
    #[diagnostic::on_unimplemented(
        message = "`{T}` is not `Extractable`",
        label = "a type of `jiff` needs the feature `jiff02`, and one of `time` the feature `time03`",
        note = "`cargo add extractable --features ...` enables it; a type of your own needs `#[derive(serde::Deserialize, extract::Extractable)]`"
    )]
    AcceptedWithJiff02OrTime03;
}

/// A feature that is enabled: a type behind it is not extractable only because of a type inside.
#[derive(Debug)]
pub struct EnabledFeature;

impl EnabledFeature {
    /// The answer of a type inside.
    pub fn weigh<A: AskedAnswer>(inside: A) -> A {
        inside
    }
}

/// A feature that is not enabled: a type behind it is not extractable whatever is inside.
#[derive(Debug)]
pub struct DisabledFeature;

impl DisabledFeature {
    /// No reason.
    pub fn weigh<A: AskedAnswer>(_: A) -> CanBeAsked {
        CanBeAsked
    }
}

/// For the maps and sets of the crate `indexmap`.
#[cfg(feature = "indexmap2")]
pub type FeatureIndexmap2 = EnabledFeature;

/// For the maps and sets of the crate `indexmap`.
#[cfg(not(feature = "indexmap2"))]
pub type FeatureIndexmap2 = DisabledFeature;

/// For `Rc` and `Arc`.
#[cfg(feature = "rc")]
pub type FeatureRc = EnabledFeature;

/// For `Rc` and `Arc`.
#[cfg(not(feature = "rc"))]
pub type FeatureRc = DisabledFeature;

/// With the feature, the name does not explain why the type is not extractable.
macro_rules! behind {
    ($($feature:tt $name:ident: $label:tt, $note:tt;)*) => {$(
        accepted! {
            /// For types behind a feature.
            #[cfg_attr(
                not(feature = $feature),
                diagnostic::on_unimplemented(
                    message = "`{T}` is not `Extractable`",
                    label = $label,
                    note = $note
                )
            )]
            #[cfg_attr(
                feature = $feature,
                diagnostic::on_unimplemented(
                    message = "`{T}` is not `Extractable`",
                    label = "for a type of your own, derive `serde::Deserialize` and `extract::Extractable`",
                    note = "for a type of another crate that implements `Deserialize` and `schemars::JsonSchema`, use `extract::BySchemars<{T}>`"
                )
            )]
            $name;
        }
    )*};
}

behind! {
    "chrono04" AcceptedWithChrono04: "a type of the crate `chrono` needs the feature `chrono04`",
        "`cargo add extractable --features chrono04` enables it; a type of your own needs `#[derive(serde::Deserialize, extract::Extractable)]`";
    "indexmap2" AcceptedWithIndexmap2: "a type of the crate `indexmap` needs the feature `indexmap2`",
        "`cargo add extractable --features indexmap2` enables it; a type of your own needs `#[derive(serde::Deserialize, extract::Extractable)]`";
    "jiff02" AcceptedWithJiff02: "a type of the crate `jiff` needs the feature `jiff02`",
        "`cargo add extractable --features jiff02` enables it; a type of your own needs `#[derive(serde::Deserialize, extract::Extractable)]`";
    "rust_decimal1" AcceptedWithRustDecimal1: "a type of the crate `rust_decimal` needs the feature `rust_decimal1`",
        "`cargo add extractable --features rust_decimal1` enables it; a type of your own needs `#[derive(serde::Deserialize, extract::Extractable)]`";
    "semver1" AcceptedWithSemver1: "a type of the crate `semver` needs the feature `semver1`",
        "`cargo add extractable --features semver1` enables it; a type of your own needs `#[derive(serde::Deserialize, extract::Extractable)]`";
    "time03" AcceptedWithTime03: "a type of the crate `time` needs the feature `time03`",
        "`cargo add extractable --features time03` enables it; a type of your own needs `#[derive(serde::Deserialize, extract::Extractable)]`";
    "url2" AcceptedWithUrl2: "a type of the crate `url` needs the feature `url2`",
        "`cargo add extractable --features url2` enables it; a type of your own needs `#[derive(serde::Deserialize, extract::Extractable)]`";
    "uuid1" AcceptedWithUuid1: "a type of the crate `uuid` needs the feature `uuid1`",
        "`cargo add extractable --features uuid1` enables it; a type of your own needs `#[derive(serde::Deserialize, extract::Extractable)]`";
    "rc" AcceptedWithRc: "shared pointers need the feature `rc`",
        "`cargo add extractable --features rc` enables it; a type of your own needs `#[derive(serde::Deserialize, extract::Extractable)]`";
}

/// An answer for a type whose keys are merged into another object. Only an extractable one has to
/// have keys; for another, this is not its mistake.
pub trait AcceptedAsKeys<T>: Sized {
    /// Compiles if the type has keys.
    fn accept_as_keys(self) {}
}

impl<T: HasKeys> AcceptedAsKeys<T> for CanBeAsked {}

#[diagnostic::do_not_recommend]
impl<T> AcceptedAsKeys<T> for ReportedElsewhere {}

#[diagnostic::do_not_recommend]
impl<T> AcceptedAsKeys<T> for CannotBeAsked {}
