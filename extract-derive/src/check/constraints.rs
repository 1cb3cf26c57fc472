//! Checks constraints, alone and against each other.

use super::{example, format, known::JsonKind, length, one_of, pattern, range, subject::ConstraintSubject};
use crate::{MistakeCollector, model::TypeModel, parse::FieldConstraints};

pub(super) fn check(model: &TypeModel, errors: &mut MistakeCollector) {
    for field in model.fields().into_iter().filter(|field| !field.is_skipped()) {
        let constraints = &field.attributes.constraints;
        // With `schema_with`, the Rust type says nothing about the JSON.
        let subject = match field.attributes.schema_with {
            Some(_) => ConstraintSubject::inside("this field", None),
            None => ConstraintSubject::field(field),
        };
        check_one(constraints, &subject, errors);
        if let Some(placed) = &field.attributes.keep_valid_items {
            length::check_sequence("keep_valid_items", &placed.at, &subject, errors);
        }
        if let Some(placed) = &field.attributes.example {
            example::check(&placed.value.0, constraints, &subject, errors);
        }
    }
}

fn check_one(constraints: &FieldConstraints, subject: &ConstraintSubject<'_>, errors: &mut MistakeCollector) {
    range::check(constraints, subject, errors);
    length::check(constraints, subject, errors);
    pattern::check(constraints, subject, errors);
    format::check(constraints, subject, errors);
    one_of::check(constraints, subject, errors);
    let element = match subject.kind {
        JsonKind::Sequence(element) => element,
        _ => None,
    };
    let (key, value) = match subject.kind {
        JsonKind::Map(key, value) => (key, value),
        _ => (None, None),
    };
    let inside = [
        (&constraints.items, "the element", element),
        (&constraints.keys, "the key", key),
        (&constraints.values, "the value", value),
    ];
    for (nested, what, ty) in inside {
        if let Some(nested) = nested {
            check_one(&nested.value.0, &ConstraintSubject::inside(what, ty), errors);
        }
    }
}
