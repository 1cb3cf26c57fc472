//! Types without other values inside. As keys of a map, integers are strings, so the bounds of their
//! type become a pattern of digits. The macros are also for scalars of other crates.

use std::{
    borrow::Cow,
    fmt::Write,
    marker::PhantomData,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    num,
    path::PathBuf,
    time::{Duration, SystemTime},
};

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use super::{
    DerivedType,
    partial_types::{JsonGrowth, StringGrowth},
};
use crate::schema::{F32_MAX, NARROWER, STRING_KEYS, unbuffered};

macro_rules! strings {
    ($($type:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl DerivedType for $type {
            scalar!("String", json_schema!({ "type": "string" }), StringGrowth);

            fn __extract_key_schema(_: &mut SchemaGenerator) -> Option<Schema> {
                None
            }

            fn __extract_key(&self) -> Cow<'_, str> {
                Cow::Borrowed(self)
            }
        }
    )*};
}

strings!(String, Box<str>);

/// With the bounds that serde enforces.
macro_rules! integers {
    ($($key:ident $type:ty: $schema:tt),* $(,)?) => {$(
        integers!($key $type = json_schema!($schema));
    )*};
    ($key:ident $type:ty = $schema:expr) => {
        #[diagnostic::do_not_recommend]
        impl DerivedType for $type {
            scalar!(stringify!($type), $schema);
            key!(Some(unbuffered_key(
                $key(&<$type>::MIN.to_string(), &<$type>::MAX.to_string()),
                stringify!($type),
            )));
        }
    };
}

macro_rules! bounded_integers {
    ($($type:ident or $nonzero:ident),* $(,)?) => {$(
        integers!(key_of_integers $type: { "type": "integer", "minimum": $type::MIN, "maximum": $type::MAX });

        #[diagnostic::do_not_recommend]
        impl DerivedType for num::$nonzero {
            scalar!(stringify!($nonzero), nonzero(&json_schema!({
                "type": "integer",
                "minimum": num::$nonzero::MIN.get(),
                "maximum": num::$nonzero::MAX.get(),
            })));
            key!(Some(unbuffered_key(
                key_without_zero(&num::$nonzero::MIN.to_string(), &num::$nonzero::MAX.to_string()),
                stringify!($nonzero),
            )));
        }
    )*};
}

bounded_integers!(
    i8 or NonZeroI8,
    i16 or NonZeroI16,
    i32 or NonZeroI32,
    i64 or NonZeroI64,
    isize or NonZeroIsize,
    u8 or NonZeroU8,
    u16 or NonZeroU16,
    u32 or NonZeroU32,
    u64 or NonZeroU64,
    usize or NonZeroUsize,
);

/// Integers of 128 bits.
macro_rules! wide_integers {
    ($($key:ident $type:ty: $schema:tt),* $(,)?) => {$(
        integers!($key $type = unbuffered(
            json_schema!($schema),
            concat!("`", stringify!($type), "`"),
            NARROWER,
        ));
    )*};
}

/// The schema of keys that are not strings in Rust.
fn unbuffered_key(schema: Schema, type_: &str) -> Schema {
    unbuffered(schema, &format!("a map with keys of the type `{type_}`"), STRING_KEYS)
}

// serde does not read JSON numbers beyond 64 bits as integers.
wide_integers!(
    key_of_integers i128: { "type": "integer", "minimum": i64::MIN, "maximum": u64::MAX },
    key_of_integers u128: { "type": "integer", "minimum": 0, "maximum": u64::MAX },
    key_without_zero num::NonZeroI128: { "type": "integer", "minimum": i64::MIN, "maximum": u64::MAX, "not": { "const": 0 } },
    key_without_zero num::NonZeroU128: { "type": "integer", "minimum": 1, "maximum": u64::MAX },
);

fn nonzero(schema: &Schema) -> Schema {
    let mut schema = schema.clone();
    if schema.get("minimum").and_then(Value::as_i64).is_some_and(|minimum| minimum < 0) {
        schema.insert("not".to_owned(), serde_json::json!({ "const": 0 }));
    }
    schema
}

macro_rules! floats {
    ($($type:ty: $schema:tt),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl DerivedType for $type {
            scalar!(stringify!($type), json_schema!($schema));
            key!(Some(unbuffered_key(
                json_schema!({
                    "type": "string",
                    "pattern": r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$",
                }),
                stringify!($type),
            )));
        }
    )*};
}

// Without its bounds, serde would read a larger number as infinity. JSON has no number beyond `f64`.
floats!(
    f32: { "type": "number", "minimum": -F32_MAX, "maximum": F32_MAX },
    f64: { "type": "number" },
);

#[diagnostic::do_not_recommend]
impl DerivedType for bool {
    scalar!("Boolean", json_schema!({ "type": "boolean" }));
    key!(Some(unbuffered_key(json_schema!({ "type": "string", "enum": ["true", "false"] }), "bool")));
}

#[diagnostic::do_not_recommend]
impl DerivedType for char {
    scalar!("Character", json_schema!({ "type": "string", "minLength": 1, "maxLength": 1 }));
    key!(Some(json_schema!({ "type": "string", "minLength": 1, "maxLength": 1 })));
}

#[diagnostic::do_not_recommend]
impl DerivedType for PathBuf {
    scalar!("Path", json_schema!({ "type": "string" }));

    fn __extract_key_schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }

    fn __extract_key(&self) -> Cow<'_, str> {
        self.to_string_lossy()
    }
}

#[diagnostic::do_not_recommend]
impl DerivedType for () {
    scalar!("Null", json_schema!({ "type": "null" }));
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized + 'static> DerivedType for PhantomData<T> {
    scalar!("Null", json_schema!({ "type": "null" }));
}

#[diagnostic::do_not_recommend]
impl DerivedType for Value {
    scalar!("Any", json_schema!(true), JsonGrowth);
}

#[diagnostic::do_not_recommend]
impl DerivedType for serde_json::Map<String, Value> {
    scalar!("Object", json_schema!({ "type": "object", "additionalProperties": true }), JsonGrowth);
}

#[diagnostic::do_not_recommend]
impl DerivedType for Ipv4Addr {
    scalar!("Ipv4Address", json_schema!({ "type": "string", "format": "ipv4" }));
    key!(Some(json_schema!({ "type": "string", "format": "ipv4" })));
}

#[diagnostic::do_not_recommend]
impl DerivedType for Ipv6Addr {
    scalar!("Ipv6Address", json_schema!({ "type": "string", "format": "ipv6" }));
    key!(Some(json_schema!({ "type": "string", "format": "ipv6" })));
}

#[diagnostic::do_not_recommend]
impl DerivedType for IpAddr {
    scalar!("IpAddress", ip_address());
    key!(Some(ip_address()));
}

fn ip_address() -> Schema {
    json_schema!({ "type": "string", "anyOf": [{ "format": "ipv4" }, { "format": "ipv6" }] })
}

/// A time or a duration is an object of whole seconds and nanoseconds, as in serde.
macro_rules! times {
    ($($type:ty: $name:literal, $seconds:literal up to $most:expr, $nanos:literal),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl DerivedType for $type {
            scalar!($name, json_schema!({
                "type": "object",
                "properties": {
                    $seconds: { "type": "integer", "minimum": 0, "maximum": $most },
                    $nanos: { "type": "integer", "minimum": 0, "maximum": 999_999_999 },
                },
                "required": [$seconds, $nanos],
                "additionalProperties": false,
            }));
        }
    )*};
}

times!(
    Duration: "Duration", "secs" up to u64::MAX, "nanos",
    SystemTime: "SystemTime", "secs_since_epoch" up to i64::MAX, "nanos_since_epoch",
);

/// Number of digits from which a pattern of the exact bound costs more tokens than it saves. serde
/// still rejects keys out of range.
const MANY_DIGITS: usize = 11;

/// The schema of the integers from `min` to `max`.
fn key_of_integers(min: &str, max: &str) -> Schema {
    json_schema!({ "type": "string", "pattern": format!("^(0|{})$", pattern(min, max)) })
}

/// The schema of the integers from `min` to `max` without zero.
fn key_without_zero(min: &str, max: &str) -> Schema {
    json_schema!({ "type": "string", "pattern": format!("^({})$", pattern(min, max)) })
}

fn pattern(min: &str, max: &str) -> String {
    let positive = from_one_to(max);
    match min.strip_prefix('-') {
        None => positive,
        Some(_) if max.len() >= MANY_DIGITS => format!("-?{positive}"),
        Some(_) => format!("-?({positive})|{min}"),
    }
}

/// Each way to stay below `max`: fewer digits, or a smaller first digit.
fn from_one_to(max: &str) -> String {
    let longest = max.len();
    if longest >= MANY_DIGITS {
        return format!("[1-9][0-9]{{0,{}}}", longest - 1);
    }
    let mut pattern = format!("[1-9][0-9]{{0,{}}}", longest - 2);
    for (at, digit) in max.bytes().enumerate() {
        let (least, rest) = (if at == 0 { b'1' } else { b'0' }, longest - at - 1);
        if digit > least {
            let (same, least, most) = (&max[..at], char::from(least), char::from(digit - 1));
            write!(pattern, "|{same}[{least}-{most}][0-9]{{{rest}}}").expect("a string can be written to");
        }
    }
    format!("{pattern}|{max}")
}

/// The shared part of scalars: a name, an inline schema, and how it grows if not as a whole.
macro_rules! scalar {
    ($name:expr, $schema:expr) => {
        $crate::derive_support::scalars::scalar!(
            $name,
            $schema,
            $crate::derive_support::partial_types::WholeGrowth
        );
    };
    ($name:expr, $schema:expr, $growth:ty) => {
        type __ExtractContext = $crate::vocabulary::context::NoContext;
        type __ExtractGrowth = $growth;

        fn __extract_schema_name() -> ::std::borrow::Cow<'static, str> {
            ::std::borrow::Cow::Borrowed($name)
        }

        fn __extract_inline_schema() -> bool {
            true
        }

        fn __extract_json_schema(_: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
            $schema
        }
    };
}

/// The keys of a map are the strings that these types print.
macro_rules! key {
    ($schema:expr) => {
        fn __extract_key_schema(_: &mut ::schemars::SchemaGenerator) -> Option<::schemars::Schema> {
            $schema
        }

        fn __extract_key(&self) -> ::std::borrow::Cow<'_, str> {
            ::std::borrow::Cow::Owned(self.to_string())
        }
    };
}

pub(super) use {key, scalar};

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(schema: &Schema, candidates: std::ops::Range<i64>) -> Vec<i64> {
        let validator = jsonschema::validator_for(schema.as_value()).unwrap();
        candidates.filter(|number| validator.is_valid(&number.to_string().into())).collect()
    }

    #[test]
    fn the_bounds_are_exact() {
        assert_eq!(accepted(&key_of_integers("0", "255"), -300..1200), (0..=255).collect::<Vec<_>>());
        assert_eq!(accepted(&key_of_integers("-128", "127"), -1200..1200), (-128..=127).collect::<Vec<_>>());
        let without: Vec<i64> = (-128..=127).filter(|number| *number != 0).collect();
        assert_eq!(accepted(&key_without_zero("-128", "127"), -1200..1200), without);
        assert_eq!(
            accepted(&key_of_integers("0", "4294967295"), 4_294_967_000..4_294_968_000).last(),
            Some(&4_294_967_295)
        );
    }

    #[test]
    fn there_is_one_spelling() {
        let validator = jsonschema::validator_for(
            key_of_integers("-9223372036854775808", "9223372036854775807").as_value(),
        )
        .unwrap();
        for (text, is_key) in
            [("-1", true), ("9223372036854775807", true), ("-0", false), ("01", false), ("", false)]
        {
            assert_eq!(validator.is_valid(&text.into()), is_key, "{text}");
        }
    }
}
