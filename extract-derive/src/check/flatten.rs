//! `flatten` on types without keys.

use super::known::{JsonKind, kind, written};
use crate::{
    MistakeCollector,
    model::TypeModel,
    parse::{FieldAttributes, is_constraint},
};

pub(super) fn check(model: &TypeModel, errors: &mut MistakeCollector) {
    for field in model.fields().into_iter().filter(|field| !field.is_skipped()) {
        let Some(flatten) = &field.serde.flatten else { continue };
        if matches!(
            kind(&field.ty),
            JsonKind::Integer(_)
                | JsonKind::Float
                | JsonKind::String
                | JsonKind::Boolean
                | JsonKind::Character
                | JsonKind::Sequence(_)
        ) {
            errors.report(
                flatten,
                format!("only an object can be flattened; this is a `{}`", written(&field.ty)),
            );
        }
        for at in field.written.iter().filter(|at| is_constraint(at)) {
            errors.report(at, "a flattened field has no value of its own; constrain the fields inside");
        }
        let FieldAttributes { sensitive, keep_valid_items, key, merge, .. } = &field.attributes;
        let marks = [sensitive, keep_valid_items, key].into_iter().flatten().map(|mark| &mark.at);
        for at in marks.chain(merge.as_ref().map(|merge| &merge.at)) {
            errors.report(at, "a flattened field has no value of its own; mark the fields inside");
        }
        for at in field.written.iter().filter(|at| at.is_ident("description") || at.is_ident("title")) {
            errors.report(at, "a flattened field has no value of its own; describe the fields inside");
        }
        if let Some(example) = &field.attributes.example {
            errors.report(&example.at, "a flattened field has no value of its own; give examples inside");
        }
    }
}
