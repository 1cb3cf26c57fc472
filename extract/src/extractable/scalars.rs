//! Types that hold no other value.

use std::{
    borrow::Cow,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    path::PathBuf,
    time::Duration,
};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use super::Extractable;

/// Delegates to the schema that `schemars` gives to the type itself.
macro_rules! scalars {
    ($($type:ty),* $(,)?) => {$(
        impl Extractable for $type {
            fn __extract_schema_name() -> Cow<'static, str> {
                <$type as JsonSchema>::schema_name()
            }

            fn __extract_schema_id() -> Cow<'static, str> {
                <$type as JsonSchema>::schema_id()
            }

            fn __extract_inline_schema() -> bool {
                <$type as JsonSchema>::inline_schema()
            }

            fn __extract_json_schema(generator: &mut SchemaGenerator) -> Schema {
                <$type as JsonSchema>::json_schema(generator)
            }
        }
    )*};
}

scalars!(bool, char, f32, f64, String, Box<str>, (), Value, PathBuf, Duration, IpAddr, Ipv4Addr, Ipv6Addr);

/// As [`scalars`], with the bounds that serde enforces; `schemars` states those of the smallest types only.
macro_rules! integers {
    ($($type:ty),* $(,)?) => {$(
        impl Extractable for $type {
            fn __extract_schema_name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($type))
            }

            fn __extract_inline_schema() -> bool {
                true
            }

            fn __extract_json_schema(_: &mut SchemaGenerator) -> Schema {
                schemars::json_schema!({
                    "type": "integer",
                    "minimum": <$type>::MIN,
                    "maximum": <$type>::MAX,
                })
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);
