//! `time` 0.3, in the string formats of its serde implementations with `serde-human-readable`.

use time03::{Date, OffsetDateTime, PrimitiveDateTime, Time};

super::strings! {
    Date: "Date", { "type": "string", "format": "date" };
    Time: "LocalTime", {
        "type": "string",
        "description": "without a time zone",
        "examples": ["23:59:59.0"],
        "pattern": r"^([01]?[0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{1,9}$",
    };
    PrimitiveDateTime: "LocalDateTime", {
        "type": "string",
        "description": "without a time zone",
        "examples": ["2024-12-31 23:59:59.0"],
        "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2} ([01]?[0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{1,9}$",
    };
    OffsetDateTime: "DateTime", {
        "type": "string",
        "examples": ["2024-12-31 23:59:59.0 +01:00:00"],
        "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2} ([01]?[0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{1,9} [+-][0-9]{2}:[0-9]{2}:[0-9]{2}$",
    };
}
