//! Limits on what a patch may write.

use serde_json::Value;

use super::operation::BoundedOperation;
use crate::{
    reading::{self, ReadingOptions},
    vocabulary::{
        path::{Path, Segment},
        text::json_bytes,
    },
};

/// How many bytes of JSON the operations of a patch may still write.
///
/// A `copy` of a few bytes can double the value, and the next one can double it again. So every
/// value that an operation writes counts, and so does each list element that it moves up or down.
/// That bounds the work of a patch as well as the size of the value.
pub(super) struct WriteBudget {
    bytes: usize,
    max_bytes: usize,
    max_depth: usize,
}

impl WriteBudget {
    /// A patch may write as much as a reply may contain, and nest as deep.
    pub(super) fn new(options: &ReadingOptions) -> Self {
        Self { bytes: options.max_bytes, max_bytes: options.max_bytes, max_depth: options.depth() }
    }

    /// Charges `operation` on `value` to the budget, or returns why it may not be applied.
    pub(super) fn take(&mut self, operation: &BoundedOperation, value: &Value) -> Result<(), String> {
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
    let Some(Segment::Index(index)) = path.segments().last() else { return 0 };
    let list = path.parent().and_then(|list| list.resolve(value)?.as_array());
    list.map_or(0, |list| list.len().saturating_sub(*index))
}
