//! `flatten` on types without keys.

use super::known::{Kind, kind, written};
use crate::{
    Errors,
    model::Model,
    parse::{FieldAttributes, is_constraint},
};

pub(super) fn check(model: &Model, errors: &mut Errors) {
    for field in model.fields().into_iter().filter(|field| !field.is_skipped()) {
        let Some(flatten) = &field.serde.flatten else { continue };
        if matches!(
            kind(&field.ty),
            Kind::Integer(_)
                | Kind::Float
                | Kind::String
                | Kind::Boolean
                | Kind::Character
                | Kind::Sequence(_)
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
        if let Some(example) = &field.attributes.example {
            errors.report(&example.at, "a flattened field has no value of its own; give examples inside");
        }
    }
}
