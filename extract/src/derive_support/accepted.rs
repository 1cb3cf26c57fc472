//! The errors for a type that an agent cannot be asked for.

use super::asked_type::{AskedAnswer, CanBeAsked, CannotBeAsked, ReportedElsewhere};
use crate::schema::keyed::HasKeys;

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
