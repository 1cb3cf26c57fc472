//! Checks any schema, and any reply for it.

use arbitrary::{Result, Unstructured};
use extract::{Contract, Violation, feedback::build_repair_prompt};
use jsonschema::Validator;
use serde_json::Value;

use crate::{random, reading};

/// Maximum characters of one feedback: those of a list of violations, with room for the text around
/// it.
const MAX_FEEDBACK: usize = 20_000;

/// Panics if a property does not hold.
pub fn check(data: &[u8]) {
    let _ = checked(&mut Unstructured::new(data));
}

fn checked(u: &mut Unstructured<'_>) -> Result<()> {
    let schema = random::root(u)?;
    let Ok(contract) = Contract::from_schema(schema.clone()) else { return Ok(()) };
    let independent = independent(&schema);
    if let Some(example) = contract.example() {
        assert!(independent.is_valid(example), "the example {example} of {schema}");
    }
    let reply =
        if u.arbitrary()? { random::value(u, 4)?.to_string() } else { u.arbitrary::<&str>()?.to_owned() };
    if let Some(value) = reading::check_with(&contract, &reply) {
        agrees(&contract, &independent, &value);
    }
    assert!(contract.instructions().len() < 100 * schema.to_string().len() + 10_000);
    Ok(())
}

/// The validator that ours is compared with.
pub(crate) fn independent(schema: &Value) -> Validator {
    let options = jsonschema::draft202012::options().should_validate_formats(true);
    options.build(schema).expect("what we compile, the validator compiles")
}

/// Asserts that our list of violations is empty for exactly the values that an independent
/// validator accepts.
pub(crate) fn agrees(contract: &Contract, independent: &Validator, value: &Value) {
    let violations = contract.validate(value);
    let is_accepted = violations.iter().all(Violation::is_warning);
    assert_eq!(is_accepted, independent.is_valid(value), "{value} of {}: {violations:#?}", contract.schema());
    assert!(build_repair_prompt(&violations).chars().count() <= MAX_FEEDBACK);
    for violation in violations.iter().filter(|violation| !violation.is_warning()) {
        let around = violation.path.parent().unwrap_or_default();
        assert!(
            violation.path.resolve(value).is_some() || around.resolve(value).is_some(),
            "{violation} is not in {value}"
        );
    }
}
