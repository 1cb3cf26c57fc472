//! `jiff` 0.2, in the string formats of its serde implementations.

use jiff02::{
    SignedDuration, Span, Timestamp, Zoned,
    civil::{Date, DateTime, Time},
};

super::strings! {
    Timestamp: "Timestamp", { "type": "string", "format": "date-time" };
    Date: "Date", { "type": "string", "format": "date" };
    Time: "LocalTime", {
        "type": "string",
        "description": "without a time zone",
        "examples": ["23:59:59"],
        "pattern": r"^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?$",
    };
    DateTime: "LocalDateTime", {
        "type": "string",
        "description": "without a time zone",
        "examples": ["2024-12-31T23:59:59"],
        "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?$",
    };
    Zoned: "ZonedDateTime", {
        "type": "string",
        "description": "with offset and time zone",
        "examples": ["2024-12-31T23:59:59+01:00[Europe/Berlin]"],
        "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})\[[^\]]+\]$",
    };
    Span: "Span", { "type": "string", "format": "duration" };
    SignedDuration: "Duration", {
        "type": "string",
        "description": "hours, minutes and seconds in ISO 8601",
        "examples": ["PT1H30M"],
        "format": "duration",
        "pattern": "^PT",
    };
}
