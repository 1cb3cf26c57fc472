//! `chrono` 0.4, in the string formats of its serde implementations.

use chrono04::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeZone};

super::strings! {
    NaiveDate: "Date", { "type": "string", "format": "date" };
    NaiveTime: "LocalTime", {
        "type": "string",
        "description": "without a time zone",
        "examples": ["23:59:59"],
        "pattern": r"^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?$",
    };
    NaiveDateTime: "LocalDateTime", {
        "type": "string",
        "description": "without a time zone",
        "examples": ["2024-12-31T23:59:59"],
        "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?$",
    };
}

impl<Z: TimeZone + 'static> crate::derive_support::DerivedType for DateTime<Z>
where
    Self: serde::de::DeserializeOwned,
{
    crate::derive_support::macros::scalar!(
        "DateTime",
        schemars::json_schema!({ "type": "string", "format": "date-time" })
    );

    fn __extract_key(&self) -> std::borrow::Cow<'_, str> {
        std::borrow::Cow::Owned(self.to_rfc3339())
    }
}
