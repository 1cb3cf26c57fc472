//! A reply that is a JSON Patch (RFC 6902) of the last submission.
//!
//! [`guard`] restricts every operation to the paths with violations, so that a repair cannot break
//! anything else. The patched value is then read and judged like any other.

mod guard;
mod operation;

#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};

use self::{
    guard::{PatchGuard, WriteBudget},
    operation::BoundedOperation,
};
use crate::{
    contract::Contract,
    reading::{Reading, ReadingOptions, ReplyEnd},
    schema::{self, SchemaForms},
    vocabulary::{
        digits,
        path::Path,
        text::{excerpt, quoted},
        violation::{Code, Violation},
    },
};

/// The contract of a patch: what RFC 6902, section 4, requires of an operation.
static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
    let pointer = json!({"type": "string", "pattern": "^(/.*)?$"});
    let operation = |op: &str, operand: &str, schema: &Value| {
        json!({
            "type": "object",
            "properties": {"op": {"const": op}, "path": pointer, operand: schema},
            "required": ["op", "path", operand],
        })
    };
    let anything = json!(true);
    let schema = json!({
        "type": "array",
        "minItems": 1,
        "items": {
            "oneOf": [
                operation("replace", "value", &anything),
                operation("add", "value", &anything),
                json!({
                    "type": "object",
                    "properties": {"op": {"const": "remove"}, "path": pointer},
                    "required": ["op", "path"],
                }),
                operation("move", "from", &pointer),
                operation("copy", "from", &pointer),
                operation("test", "value", &anything),
            ],
        },
    });
    Contract::from_schema(schema).expect("a constant schema that a test compiles")
});

/// The schema of a reply that is a patch.
pub(crate) fn schema() -> &'static Arc<SchemaForms> {
    CONTRACT.forms()
}

/// The submission that the next reply may patch.
#[derive(Debug, Clone)]
pub(crate) struct PatchBase {
    pub(crate) value: Value,
    /// Its violations.
    pub(crate) violations: Vec<Violation>,
}

/// The reading of a reply to a question for a patch.
pub(super) struct PatchedReply {
    /// The patched value, read for the contract. Each of its spans is the whole patch.
    pub(super) reading: Reading,
    /// The patch; `None` if the reply is the whole value.
    pub(super) patch: Option<Value>,
}

/// Reads `reply` as a patch of `base`, or as the whole value if it is one.
pub(super) fn read(
    reply: &str,
    base: &PatchBase,
    contract: &Contract,
    options: &ReadingOptions,
) -> PatchedReply {
    let mut patch = CONTRACT.read_with(reply, options);
    if let Some(operations) = &mut patch.value {
        operation::with_pointers(operations);
    }
    let is_patch = |value: &Value| CONTRACT.allows(value);
    let operations = patch.value.take_if(|value| patch.violations.is_empty() && is_patch(value));
    let Some(operations) = operations else {
        return unpatched(reply, &patch, base, contract, options);
    };
    if let Some(number) = rounded_number(reply).filter(|_| has_decimals(contract)) {
        return PatchedReply { reading: refused(base, rounded(number)), patch: Some(operations) };
    }
    let patched = apply(&base.value, &operations, &base.violations, options);
    let reading = match patched {
        Err(violation) => refused(base, *violation),
        Ok(value) => {
            // This text is complete, however the reply ended.
            let options = ReadingOptions { reply_end: ReplyEnd::Whole, ..*options };
            let mut reading = contract.read_with(&value.to_string(), &options);
            for change in &mut reading.changes {
                change.span = 0..reply.len();
            }
            reading.changes.append(&mut patch.changes);
            reading
        }
    };
    PatchedReply { reading, patch: Some(operations) }
}

/// Returns whether a value of `contract` may have decimals, whose digits are kept.
fn has_decimals(contract: &Contract) -> bool {
    schema::is_marked_within(contract.schema(), schema::DECIMAL)
}

fn rounded(number: &str) -> Violation {
    Violation::new(
        Path::root(),
        Code::Patch,
        "a number in the patch has more digits than are kept in a patch",
    )
    .expected("the whole value")
    .actual(excerpt(number))
}

/// The reading of a reply that is not a patch: the whole value if it is one, otherwise what is
/// wrong with the patch.
fn unpatched(
    reply: &str,
    patch: &Reading,
    base: &PatchBase,
    contract: &Contract,
    options: &ReadingOptions,
) -> PatchedReply {
    let whole = contract.read_with(reply, options);
    let is_whole = whole.value.as_ref().is_some_and(|value| contract.allows(value));
    if is_whole || patch.completeness.is_truncated() || whole.completeness.is_truncated() {
        return PatchedReply { reading: whole, patch: None };
    }
    let actual = patch.value.as_ref().map_or_else(|| excerpt(reply), quoted);
    let violation =
        Violation::new(Path::root(), Code::Patch, "the answer is neither a JSON Patch nor the whole value")
            .expected("the whole value")
            .actual(actual);
    PatchedReply { reading: refused(base, violation), patch: None }
}

/// Returns the unchanged last submission, with the patch's violation before its own.
fn refused(base: &PatchBase, violation: Violation) -> Reading {
    let mut violations = vec![violation];
    violations.extend(base.violations.iter().cloned());
    Reading {
        value: Some(base.value.clone()),
        changes: Vec::new(),
        violations,
        completeness: crate::reading::Completeness::Complete,
        cut_from: None,
    }
}

/// `base` after all `operations`, or why one of them cannot be applied.
fn apply(
    base: &Value,
    operations: &Value,
    violations: &[Violation],
    options: &ReadingOptions,
) -> Result<Value, Box<Violation>> {
    let mut value = base.clone();
    let mut guard = PatchGuard::new(violations);
    let mut room = WriteBudget::new(options);
    for (index, operation) in operations.as_array().into_iter().flatten().enumerate() {
        let refuse = |reason: String| Box::new(refusal(index + 1, operation, &reason));
        let operation = BoundedOperation::parse(operation, &value).map_err(refuse)?;
        guard.check(&operation, &value).map_err(refuse)?;
        room.take(&operation, &value).map_err(refuse)?;
        operation.apply(&mut value).map_err(refuse)?;
    }
    Ok(value)
}

fn refusal(number: usize, operation: &Value, reason: &str) -> Violation {
    let message =
        format!("operation {number} of the patch failed, so none of the patch was applied: {reason}");
    let violation = Violation::new(Path::root(), Code::Patch, message);
    violation.expected("the whole value").actual(quoted(operation))
}

/// The first number in `reply` whose digits a double does not keep. Numbers in strings are kept.
fn rounded_number(reply: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '_' | 'e' | 'E' | '+' | '-' | '\u{2212}');
    let mut at = 0;
    while let Some(offset) = reply[at..].find(is_part) {
        let start = at + offset;
        let token = &reply[start..];
        let token = &token[..token.find(|c| !is_part(c)).unwrap_or(token.len())];
        at = start + token.len();
        let is_value = reply[..start].trim_end().ends_with([':', '[', ',']);
        if is_value && is_rounded(token) {
            return Some(token);
        }
    }
    None
}

fn is_rounded(token: &str) -> bool {
    let digits = token.trim_start_matches(['+', '-', '\u{2212}']).replace('_', "");
    // JSON has neither zeros nor a bare point at the start of a number, and models write both.
    let digits = digits.trim_start_matches('0');
    let is_bare = !digits.starts_with(|c: char| c.is_ascii_digit());
    digits::is_rounded(&if is_bare { format!("0{digits}") } else { digits.to_owned() })
}
