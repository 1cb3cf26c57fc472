//! A reply that is a JSON Patch (RFC 6902) of the last submission.
//!
//! [`PatchGuard`] restricts every operation to the paths with violations, so that a repair cannot break
//! anything else. The patched value is then read and judged like any other.

mod operation;
#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use serde_json::{Value, json};

use self::operation::{BoundedOperation, with_pointers};
use crate::{
    contract::Contract,
    reading::{self, Completeness, Reading, ReadingOptions, ReplyEnd},
    schema::{self, SchemaForms},
    vocabulary::{
        change::{Change, ChangeKind, Loss},
        digits,
        path::{Path, Segment},
        suggest,
        text::{excerpt, json_bytes, quoted},
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
    /// Its changes.
    pub(crate) changes: Vec<Change>,
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
        with_pointers(operations);
    }
    let is_patch = |value: &Value| CONTRACT.allows(value);
    let operations = patch.value.take_if(|value| patch.violations.is_empty() && is_patch(value));
    let Some(operations) = operations else {
        return unpatched(reply, &patch, base, contract, options);
    };
    if let Some(number) = rounded_number(reply).filter(|_| has_decimals(contract)) {
        return PatchedReply { reading: refused(base, rounded(number)), patch: Some(operations) };
    }
    let patched = apply(base, &operations, options);
    let reading = match patched {
        Err(violation) => refused(base, *violation),
        Ok(PatchedValue { value, kept }) => {
            // This text is complete, however the reply ended.
            let options = ReadingOptions { reply_end: ReplyEnd::Whole, ..*options };
            let mut reading = contract.read_with(&value.to_string(), &options);
            reading.violations.extend(reading::refused(&kept, &options));
            reading.changes.splice(0..0, kept);
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
        completeness: Completeness::Complete,
        cut_from: None,
    }
}

/// A value after a patch.
struct PatchedValue {
    value: Value,
    /// The changes of the parts that the patch kept.
    kept: Vec<Change>,
}

/// `base` after all `operations`, or why one of them cannot be applied.
fn apply(
    base: &PatchBase,
    operations: &Value,
    options: &ReadingOptions,
) -> Result<PatchedValue, Box<Violation>> {
    let mut value = base.value.clone();
    let mut kept: Vec<_> = base.changes.iter().filter(|change| is_in_value(change.kind)).cloned().collect();
    let mut guard = PatchGuard::new(&base.violations);
    let mut room = WriteBudget::new(options);
    for (index, operation) in operations.as_array().into_iter().flatten().enumerate() {
        let refuse = |reason: String| Box::new(refusal(index + 1, operation, &reason));
        let operation = BoundedOperation::parse(operation, &value).map_err(refuse)?;
        guard.check(&operation, &value).map_err(refuse)?;
        room.take(&operation, &value).map_err(refuse)?;
        kept = kept
            .into_iter()
            .filter(|change| change.loss != Loss::Lossy || !operation.changes_within(&change.path))
            .filter_map(|change| Some(Change { path: operation.kept(&change.path, &value)?, ..change }))
            .collect();
        operation.apply(&mut value).map_err(refuse)?;
    }
    Ok(PatchedValue { value, kept })
}

/// Returns whether a change of this kind is to be kept with the part of a value that it made.
/// Others are about the text around the value, or are made anew when the value is read again.
fn is_in_value(kind: ChangeKind) -> bool {
    !matches!(
        kind,
        ChangeKind::Surroundings
            | ChangeKind::OtherValue
            | ChangeKind::AnotherTurn
            | ChangeKind::LeftOver
            | ChangeKind::UnknownKey
            | ChangeKind::Other
            | ChangeKind::Quotation
    )
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

/// Restricts operations to the paths with violations.
///
/// These paths and everything inside them may change, and the value of an enum that is none of its
/// variants. A value around them may be replaced if it
/// differs only at these paths, and a missing key may be added beside them.
struct PatchGuard {
    open: Vec<Path>,
    /// Lists whose elements moved, with the first position that moved.
    moved: HashMap<Path, usize>,
}

impl PatchGuard {
    fn new(violations: &[Violation]) -> Self {
        let errors = violations.iter().filter(|violation| !violation.is_warning());
        let open = errors.map(|violation| violation.whole().unwrap_or_else(|| violation.path.clone()));
        Self { open: open.collect(), moved: HashMap::new() }
    }

    /// Why `operation` may not be applied to `value`.
    fn check(&mut self, operation: &BoundedOperation, value: &Value) -> Result<(), String> {
        if operation.is_test() {
            return Ok(());
        }
        for path in operation.taken.iter().chain([&operation.path]) {
            self.check_position(path)?;
        }
        if let Some(taken) = operation.taken.as_ref().filter(|taken| !self.is_open(taken)) {
            if self.open.iter().any(|open| open.is_within(taken)) {
                return Err(format!("not all of {taken} was wrong, so it may not be removed"));
            }
            if !(operation.is_move() && self.is_renaming(taken, &operation.path, value)) {
                return Err(format!("{taken} was right and may not be removed"));
            }
        }
        self.check_target(operation, value)?;
        if let Some(taken) = &operation.taken {
            self.shift(taken, value);
        }
        if operation.inserts() {
            self.shift(&operation.path, value);
        }
        Ok(())
    }

    /// Returns whether an unexpected key of an object is moved to a similar missing key of the same
    /// object.
    fn is_renaming(&self, from: &Path, to: &Path, value: &Value) -> bool {
        let (Some(Segment::Key(given)), Some(Segment::Key(absent))) =
            (from.segments().last(), to.segments().last())
        else {
            return false;
        };
        let is_absent = self.open.contains(to) && to.resolve(value).is_none();
        is_absent && from.parent() == to.parent() && suggest::nearest(absent, [given.as_str()]).is_some()
    }

    fn check_target(&self, operation: &BoundedOperation, value: &Value) -> Result<(), String> {
        let path = &operation.path;
        if self.is_open(path) {
            return Ok(());
        }
        let may_not = || format!("{path} was right and may not change");
        match (path.resolve(value), operation.replacement()) {
            (None, _) if operation.inserts() && self.is_key_beside_open(path, value) => Ok(()),
            (Some(_), Some(_)) if operation.inserts() && path.as_item().is_some() => Err(may_not()),
            (Some(old), Some(new)) => match self.closed_difference(path.clone(), old, new) {
                None => Ok(()),
                Some(changed) => Err(format!("{changed} was right and may not change")),
            },
            _ => Err(may_not()),
        }
    }

    fn is_open(&self, path: &Path) -> bool {
        self.open.iter().any(|open| path.is_within(open))
    }

    /// Returns whether the object to which `path` adds a key has a violation inside.
    fn is_key_beside_open(&self, path: &Path, value: &Value) -> bool {
        let object = path.parent().filter(|around| around.resolve(value).is_some_and(Value::is_object));
        object.is_some_and(|object| self.open.iter().any(|open| open.is_within(&object)))
    }

    /// Returns the first path outside the open ones where `old` and `new` differ.
    fn closed_difference(&self, path: Path, old: &Value, new: &Value) -> Option<Path> {
        if old == new || self.is_open(&path) {
            return None;
        }
        match (old, new) {
            (Value::Object(old), Value::Object(new)) => {
                // As with `add`: a missing key may be added beside one that was wrong.
                let is_beside_open = self.open.iter().any(|open| open.is_within(&path));
                let added = new.keys().filter(|key| !is_beside_open && !old.contains_key(*key));
                old.keys().chain(added).find_map(|key| {
                    let (old, new) = (old.get(key), new.get(key));
                    self.closed_entry(path.clone().key(key), old, new)
                })
            }
            (Value::Array(old), Value::Array(new)) => (0..old.len().max(new.len())).find_map(|index| {
                self.closed_entry(path.clone().index(index), old.get(index), new.get(index))
            }),
            _ => Some(path),
        }
    }

    fn closed_entry(&self, path: Path, old: Option<&Value>, new: Option<&Value>) -> Option<Path> {
        match (old, new) {
            (Some(old), Some(new)) => self.closed_difference(path, old, new),
            _ if self.is_open(&path) => None,
            _ => Some(path),
        }
    }

    /// Refuses positions after an insertion or a removal: they may mean the old or the new element,
    /// and we do not guess.
    fn check_position(&self, path: &Path) -> Result<(), String> {
        let mut inside = path.clone();
        while let Some(around) = inside.parent().filter(|_| !self.moved.is_empty()) {
            if let (Some(Segment::Index(index)), Some(first)) =
                (inside.segments().last(), self.moved.get(&around))
                && index >= first
            {
                return Err(format!(
                    "the elements of {around} have moved by then; start with the last element and go to the first"
                ));
            }
            inside = around;
        }
        Ok(())
    }

    fn shift(&mut self, path: &Path, value: &Value) {
        let Some((list, index)) = path.as_item() else { return };
        // A key of an object can look like a position; `Path` tells them apart.
        let elements = list.resolve(value).and_then(Value::as_array).map_or(0, Vec::len);
        if index < elements {
            let first = self.moved.entry(list).or_insert(index);
            *first = index.min(*first);
        }
    }
}

/// How many bytes of JSON the operations of a patch may still write.
///
/// A `copy` of a few bytes can double the value, and the next one can double it again. So every
/// value that an operation writes counts, and so does each list element that it moves up or down.
/// That bounds the work of a patch as well as the size of the value.
struct WriteBudget {
    bytes: usize,
    max_bytes: usize,
    max_depth: usize,
}

impl WriteBudget {
    /// A patch may write as much as a reply may contain, and nest as deep.
    fn new(options: &ReadingOptions) -> Self {
        Self { bytes: options.max_bytes, max_bytes: options.max_bytes, max_depth: options.depth() }
    }

    /// Charges `operation` on `value` to the budget, or returns why it may not be applied.
    fn take(&mut self, operation: &BoundedOperation, value: &Value) -> Result<(), String> {
        let changed = operation.taken.iter().chain(operation.inserts().then_some(&operation.path));
        let moved = changed.map(|path| elements_behind(path, value)).sum();
        let put = operation.put(value);
        let bytes = put.map(|put| json_bytes(put, self.bytes));
        let left =
            bytes.unwrap_or(Some(0)).and_then(|bytes| self.bytes.checked_sub(bytes)?.checked_sub(moved));
        self.bytes =
            left.ok_or_else(|| format!("the patch would write more than {} bytes", self.max_bytes))?;
        let levels = put.map_or(0, |put| operation.path.segments().len() + reading::depth(put));
        if levels > self.max_depth {
            return Err(format!("the value would nest more than {} levels deep", self.max_depth));
        }
        Ok(())
    }
}

/// The number of list elements from `path` on.
fn elements_behind(path: &Path, value: &Value) -> usize {
    let Some((list, index)) = path.as_item() else { return 0 };
    list.resolve(value).and_then(Value::as_array).map_or(0, |list| list.len().saturating_sub(index))
}
