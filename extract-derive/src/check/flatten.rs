//! `flatten` on types without keys.

use super::known::{Kind, kind, written};
use crate::{Errors, model::Model, parse::is_constraint};

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
        let marks = [&field.attributes.sensitive, &field.attributes.keep_valid_items];
        for mark in marks.into_iter().flatten() {
            errors.report(&mark.at, "a flattened field has no value of its own; mark the fields inside");
        }
        if let Some(example) = &field.attributes.example {
            errors.report(&example.at, "a flattened field has no value of its own; give examples inside");
        }
    }
}
