//! The rules of a dialect: what it supports, and the formats that constrain.

use serde_json::{Map, Value};

use super::projection::{Inexpressible, UNSUPPORTED};
use crate::{
    schema::constraint::{DialectColumns, DialectSupport, constraint},
    vocabulary::path::Path,
};

/// The rules of a dialect.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about a provider")]
pub(super) struct DialectRules {
    /// Whether an object may have unnamed properties.
    pub(super) objects: ObjectRules,
    /// Whether every property is required. An optional one may then be `null`.
    pub(super) requires_all: bool,
    /// Whether a value of any type can be expressed.
    pub(super) has_any: bool,
    pub(super) has_const: bool,
    pub(super) has_tuples: bool,
    /// Support for a keyword of a scalar, or for the size of a list.
    pub(super) takes: fn(&KeywordUse<'_>) -> KeywordSupport,
    /// Checks the whole schema: its root, its cycles and its sizes.
    pub(super) check: fn(&Map<String, Value>) -> Result<(), Inexpressible>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectRules {
    /// Never: every object has `additionalProperties: false`.
    Closed,
    /// In maps; every object states `additionalProperties`.
    Stated,
    /// As in JSON Schema.
    Open,
}

/// A keyword with its value and its siblings.
pub(super) struct KeywordUse<'v> {
    pub(super) name: &'v str,
    pub(super) value: &'v Value,
    pub(super) beside: &'v Map<String, Value>,
}

impl KeywordUse<'_> {
    /// The support according to a column of the table of constraints.
    pub(super) fn in_table(&self, column: fn(&DialectColumns) -> DialectSupport) -> KeywordSupport {
        match constraint(self.name).map_or(DialectSupport::No, |row| column(&row.dialects)) {
            DialectSupport::Yes => KeywordSupport::AsIs,
            DialectSupport::ForIntegers if self.beside.get("type").is_some_and(|of| of == "integer") => {
                KeywordSupport::AsIs
            }
            DialectSupport::ForIntegers => KeywordSupport::No("is supported for integers only"),
            DialectSupport::No | DialectSupport::Depends => KeywordSupport::No(UNSUPPORTED),
        }
    }

    /// The support for a `format`, which has to be one of `formats`.
    pub(super) fn of_format(&self, formats: &[&str]) -> KeywordSupport {
        let is_known = self.value.as_str().is_some_and(|format| formats.contains(&format));
        if is_known { KeywordSupport::AsIs } else { KeywordSupport::No(UNSUPPORTED_FORMAT) }
    }
}

/// Checks that each of `sizes`, a name with a size, is not above the number after it.
pub(super) fn check_sizes(sizes: &[(&str, usize, usize)]) -> Result<(), Inexpressible> {
    match sizes.iter().find(|(_, size, most)| size > most) {
        Some((what, size, most)) => {
            let reason = format!("{size} {what}, of which there may be {most}");
            Err(Inexpressible::new(&Path::root(), reason))
        }
        None => Ok(()),
    }
}

/// How far a keyword is supported.
pub(super) enum KeywordSupport {
    AsIs,
    /// As another value with the same meaning.
    As(Value),
    /// In part, and why.
    Weakened(Value, &'static str),
    No(&'static str),
}

const UNSUPPORTED_FORMAT: &str = "is of a kind that is not among the supported ones";

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
