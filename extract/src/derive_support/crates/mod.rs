//! Types of well-known crates, each behind a feature named after the crate and its major version.

#[cfg(feature = "chrono04")]
mod chrono04;
#[cfg(feature = "indexmap2")]
mod indexmap2;
#[cfg(feature = "jiff02")]
mod jiff02;
#[cfg(feature = "rust_decimal1")]
mod rust_decimal1;
#[cfg(feature = "semver1")]
mod semver1;
#[cfg(feature = "time03")]
mod time03;
#[cfg(feature = "url2")]
mod url2;
#[cfg(feature = "uuid1")]
mod uuid1;

/// A string with its own schema, which may also be the key of a map.
#[cfg(any(
    feature = "chrono04",
    feature = "jiff02",
    feature = "semver1",
    feature = "time03",
    feature = "url2",
    feature = "uuid1",
))]
macro_rules! strings {
    ($($(<$parameter:ident: $bound:path>)? $type:ty: $name:literal, $schema:tt;)*) => {$(
        impl $(<$parameter: $bound>)? $crate::derive_support::DerivedType for $type
        where
            Self: ::serde::de::DeserializeOwned + ::std::fmt::Display,
        {
            $crate::derive_support::macros::scalar!($name, ::schemars::json_schema!($schema));
            $crate::derive_support::macros::key!(Some(::schemars::json_schema!($schema)));
        }
    )*};
}

#[cfg(any(
    feature = "chrono04",
    feature = "jiff02",
    feature = "semver1",
    feature = "time03",
    feature = "url2",
    feature = "uuid1",
))]
use strings;
