//! Members that a type does not know. No value of the type has them, so they take no part in any
//! comparison. A value of a schema that is known only at run time keeps them, so there they count.

use std::{borrow::Cow, sync::Arc};

use serde_json::Value;

use super::{
    Contract,
    repetition::{RepetitionCheck, UNIQUE},
};
use crate::{
    reading::{Places, Shapes},
    validation,
    vocabulary::{path::Path, violation::Violation},
};

impl Contract {
    /// Drops the members that the type does not know from `value`.
    pub(crate) fn drop_unknown(&self, value: &mut Value) {
        self.drop_unknown_by(self.shapes(), &Path::root(), value);
    }

    /// The same for the `value` at `path` of a value of other `shapes`, which has parts of the type.
    pub(crate) fn drop_unknown_by(&self, shapes: &Arc<Shapes>, path: &Path, value: &mut Value) {
        if self.inner.type_judges.is_some() {
            Places::of(shapes).drop_unknown(path, value);
        }
    }

    /// `value` without the members that the type does not know.
    pub(crate) fn known<'v>(&self, value: &'v Value) -> Cow<'v, Value> {
        let mut known = Cow::Borrowed(value);
        if self.inner.type_judges.is_some() {
            self.drop_unknown(known.to_mut());
        }
        known
    }

    /// Replaces the `violations` of lists with an element twice by those of what the type knows of the
    /// `value` at `path`. `violations_of` finds those of the schema.
    pub(super) fn with_repeated(
        &self,
        mut violations: Vec<Violation>,
        (path, value): (&Path, &Value),
        violations_of: impl FnOnce(&Value) -> Vec<Violation>,
    ) -> Vec<Violation> {
        if self.inner.repetition_check == RepetitionCheck::Type {
            let mut known = value.clone();
            Places::of(self.shapes()).drop_unknown(path, &mut known);
            let is_repeated = |violation: &Violation| violation.keyword.as_deref() == Some(UNIQUE);
            violations.retain(|violation| !is_repeated(violation));
            violations.extend(violations_of(&known).into_iter().filter(is_repeated));
            validation::sort(&mut violations);
        }
        violations
    }
}
