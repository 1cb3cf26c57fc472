//! `rust_decimal` 1.

super::strings! {
    rust_decimal1::Decimal: "Decimal", {
        "type": ["string", "number"],
        "description": "a decimal number; as a string, it keeps every digit",
        "examples": ["19.90"],
        // The mantissa has 96 bits.
        "minimum": -7.9e28,
        "maximum": 7.9e28,
        "pattern": r"^-?[0-9]{1,20}(\.[0-9]{1,8})?$",
    };
}
