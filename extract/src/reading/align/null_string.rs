//! Strings that mean null.

use super::Aligner;
use crate::{
    reading::{
        node::{Data, Node},
        shape::Id,
    },
    vocabulary::change::{ChangeKind, Loss},
};

impl<'a> Aligner<'a> {
    /// Reads `node` as null if it is a string that means null here. `id` must describe the whole
    /// position: one part may allow null where the others do not.
    pub(super) fn null_string(&mut self, node: &mut Node<'a>, id: Id) {
        let Data::Text(text) = &node.data else { return };
        if !self.reads_nulls || !self.shapes.get(id).null_strings.contain(text) {
            return;
        }
        // Not every reader would take this string for null: it may be a name.
        self.note(ChangeKind::NullString, Loss::Ignored, node, || "null");
        node.data = Data::Null;
        self.has_read_null = true;
    }

    /// Returns whether a string was read as null in any of the aligned values.
    pub(crate) fn has_read_null(&self) -> bool {
        self.has_read_null
    }
}
