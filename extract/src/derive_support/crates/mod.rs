//! Types of well-known crates, each behind a feature named after the crate and its major version.

#[cfg(feature = "rust_decimal1")]
mod rust_decimal1;

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
            $crate::derive_support::scalars::scalar!($name, ::schemars::json_schema!($schema));
            $crate::derive_support::scalars::key!(Some(::schemars::json_schema!($schema)));
        }
    )*};
}

/// Dates and times without a time zone, in the string formats of the serde implementations of `chrono`
/// and `jiff`.
#[cfg(any(feature = "chrono04", feature = "jiff02"))]
macro_rules! local_times {
    ($date:ty, $time:ty, $date_time:ty) => {
        strings! {
            $date: "Date", { "type": "string", "format": "date" };
            $time: "LocalTime", {
                "type": "string",
                "description": "without a time zone",
                "examples": ["23:59:59"],
                "pattern": r"^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?$",
            };
            $date_time: "LocalDateTime", {
                "type": "string",
                "description": "without a time zone",
                "examples": ["2024-12-31T23:59:59"],
                "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?$",
            };
        }
    };
}

#[cfg(feature = "chrono04")]
local_times!(chrono04::NaiveDate, chrono04::NaiveTime, chrono04::NaiveDateTime);

#[cfg(feature = "jiff02")]
local_times!(jiff02::civil::Date, jiff02::civil::Time, jiff02::civil::DateTime);

// `chrono` 0.4, in the string formats of its serde implementations.
#[cfg(feature = "chrono04")]
strings! {
    chrono04::Weekday: "Weekday", {
        "type": "string",
        "enum": ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
    };
}

#[cfg(feature = "chrono04")]
impl<Z: chrono04::TimeZone + 'static> crate::derive_support::DerivedType for chrono04::DateTime<Z>
where
    Self: serde::de::DeserializeOwned,
{
    crate::derive_support::scalars::scalar!(
        "DateTime",
        schemars::json_schema!({ "type": "string", "format": "date-time" })
    );

    fn __extract_key(&self) -> std::borrow::Cow<'_, str> {
        std::borrow::Cow::Owned(self.to_rfc3339())
    }
}

/// The hours, minutes and seconds of a duration in ISO 8601.
#[cfg(feature = "jiff02")]
macro_rules! time_of_duration {
    () => {
        r"T([0-9]+H([0-9]+M)?([0-9]+(\.[0-9]{1,9})?S)?|[0-9]+M([0-9]+(\.[0-9]{1,9})?S)?|[0-9]+(\.[0-9]{1,9})?S)"
    };
}

// `jiff` 0.2, in the string formats of its serde implementations.
#[cfg(feature = "jiff02")]
strings! {
    jiff02::Timestamp: "Timestamp", { "type": "string", "format": "date-time" };
    jiff02::Zoned: "ZonedDateTime", {
        "type": "string",
        "description": "with offset and time zone",
        "examples": ["2024-12-31T23:59:59+01:00[Europe/Berlin]"],
        "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})\[[^\]]+\]$",
    };
    jiff02::Span: "Span", {
        "type": "string",
        "description": "a duration in ISO 8601",
        "examples": ["P1DT2H30M"],
        // The format `duration` (RFC 3339, appendix A) has neither signs nor fractions.
        "pattern": concat!(
            r"^-?P(([0-9]+Y([0-9]+M)?([0-9]+W)?([0-9]+D)?|[0-9]+M([0-9]+W)?([0-9]+D)?|[0-9]+W([0-9]+D)?|[0-9]+D)(",
            time_of_duration!(),
            ")?|",
            time_of_duration!(),
            ")$",
        ),
    };
    jiff02::SignedDuration: "Duration", {
        "type": "string",
        "description": "hours, minutes and seconds in ISO 8601",
        "examples": ["PT1H30M"],
        "pattern": concat!("^-?P", time_of_duration!(), "$"),
    };
}

// `semver` 1.
#[cfg(feature = "semver1")]
strings! {
    semver1::Version: "Version", {
        "type": "string",
        "examples": ["1.2.3"],
        // As https://semver.org suggests it.
        "pattern": r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$",
    };
    semver1::VersionReq: "VersionRequirement", {
        "type": "string",
        "description": "as in Cargo.toml",
        "examples": [">=1.2, <3"],
        "pattern": r"^([*xX]|(=|>|>=|<|<=|~|\^)? ?(0|[1-9]\d*)((\.(0|[1-9]\d*)){2}-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*|(\.((0|[1-9]\d*)|[*xX])){0,2})(, ?(=|>|>=|<|<=|~|\^)? ?(0|[1-9]\d*)((\.(0|[1-9]\d*)){2}-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*|(\.((0|[1-9]\d*)|[*xX])){0,2}))*)$",
    };
}

// `time` 0.3, in the string formats of its serde implementations with `serde-human-readable`.
#[cfg(feature = "time03")]
strings! {
    time03::Date: "Date", { "type": "string", "format": "date" };
    time03::Time: "LocalTime", {
        "type": "string",
        "description": "without a time zone",
        "examples": ["23:59:59.0"],
        "pattern": r"^([01]?[0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{1,9}$",
    };
    time03::PrimitiveDateTime: "LocalDateTime", {
        "type": "string",
        "description": "without a time zone",
        "examples": ["2024-12-31 23:59:59.0"],
        "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2} ([01]?[0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{1,9}$",
    };
    time03::OffsetDateTime: "DateTime", {
        "type": "string",
        "examples": ["2024-12-31 23:59:59.0 +01:00:00"],
        "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2} ([01]?[0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{1,9} [+-][0-9]{2}:[0-9]{2}:[0-9]{2}$",
    };
    time03::Weekday: "Weekday", {
        "type": "string",
        "enum": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    };
    time03::Month: "Month", {
        "type": "string",
        "enum": [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ],
    };
}

// `url` 2.
#[cfg(feature = "url2")]
strings! {
    url2::Url: "Url", { "type": "string", "format": "uri" };
}

// `uuid` 1.
#[cfg(feature = "uuid1")]
strings! {
    uuid1::Uuid: "Uuid", { "type": "string", "format": "uuid" };
}
