//! Schemas that the tests of several rooms share.

pub(crate) mod constraints;

use crate::contract::Contract;

#[test]
fn the_contract_judges_every_constraint() {
    for case in constraints::all() {
        let contract = Contract::from_schema(case.schema.clone()).unwrap();
        for value in &case.fits {
            assert_eq!(contract.validate(value), [], "{}: {value}", case.name);
        }
        for value in &case.breaks {
            assert_ne!(contract.validate(value), [], "{}: {value}", case.name);
        }
        assert!(!case.fits.is_empty() && !case.breaks.is_empty(), "{}", case.name);
    }
}

#[test]
fn every_constraint_has_its_own_name() {
    let mut names: Vec<_> = constraints::all().iter().map(|case| case.name).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// The validation keywords of JSON Schema 2020-12 (validation, section 6; core, sections 10 and
/// 11).
#[test]
fn every_keyword_has_a_case() {
    const KEYWORDS: [&str; 43] = [
        "type",
        "enum",
        "const",
        "multipleOf",
        "maximum",
        "exclusiveMaximum",
        "minimum",
        "exclusiveMinimum",
        "maxLength",
        "minLength",
        "pattern",
        "maxItems",
        "minItems",
        "uniqueItems",
        "maxContains",
        "minContains",
        "maxProperties",
        "minProperties",
        "required",
        "dependentRequired",
        "format",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "dependentSchemas",
        "prefixItems",
        "items",
        "contains",
        "properties",
        "patternProperties",
        "additionalProperties",
        "propertyNames",
        "unevaluatedItems",
        "unevaluatedProperties",
        "$ref",
        "$dynamicRef",
        "$anchor",
        "$dynamicAnchor",
        "$defs",
    ];
    let all: Vec<String> = constraints::all().iter().map(|case| case.schema.to_string()).collect();
    for keyword in KEYWORDS {
        let quoted = format!("{keyword:?}:");
        assert!(all.iter().any(|schema| schema.contains(&quoted)), "{keyword}");
    }
}
