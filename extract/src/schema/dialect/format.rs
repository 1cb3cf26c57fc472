//! Formats that constrain.

/// The formats of JSON Schema 2020-12 (validation, section 7.3) that the contract checks. Any other
/// is an annotation, such as the `int32` that some generators write. So are `idn-email` and
/// `idn-hostname`, which the validator is built without.
const JUDGED: [&str; 17] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

/// Returns whether a contract checks strings of this `format`. Any other format is an annotation.
///
/// ```
/// use extract::schema::dialect::is_judged_format;
///
/// assert!(is_judged_format("date-time") && !is_judged_format("int32"));
/// ```
pub fn is_judged_format(format: &str) -> bool {
    JUDGED.contains(&format)
}

#[test]
fn the_contract_judges_these_and_no_other() {
    let judges = |format: &str| {
        let schema = serde_json::json!({"type": "string", "format": format});
        // Not even a relative reference.
        !crate::contract::Contract::from_schema(schema)
            .unwrap()
            .validate(&serde_json::json!("( {%"))
            .is_empty()
    };
    assert!(JUDGED.into_iter().all(judges));
    for annotation in ["int32", "idn-email", "idn-hostname", "phone", "password", "unknown", ""] {
        assert!(!is_judged_format(annotation) && !judges(annotation), "{annotation}");
    }
}
