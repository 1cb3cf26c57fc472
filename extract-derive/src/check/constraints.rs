//! Constraints, one by one and against each other.

use syn::{Member, Type};

use super::{
    example, format,
    known::{Kind, kind, written},
    length,
    literal::Literal,
    one_of, pattern, range,
};
use crate::{
    Errors,
    model::{Field, Model},
    parse::Constraints,
};

/// What is constrained.
pub(super) struct Subject<'m> {
    /// `title` is a `String`
    pub(super) is: String,
    pub(super) kind: Kind<'m>,
}

impl<'m> Subject<'m> {
    fn field(field: &'m Field) -> Self {
        let name = match &field.member {
            Member::Named(ident) => format!("`{ident}`"),
            Member::Unnamed(_) => "this field".to_owned(),
        };
        Self::new(&name, Some(&field.ty))
    }

    fn inside(what: &str, ty: Option<&'m Type>) -> Self {
        Self::new(what, ty)
    }

    fn new(name: &str, ty: Option<&'m Type>) -> Self {
        match ty {
            Some(ty) => Self { is: format!("{name} is a `{}`", written(ty)), kind: kind(ty) },
            None => Self { is: name.to_owned(), kind: Kind::Unknown },
        }
    }
}

pub(super) fn check(model: &Model, errors: &mut Errors) {
    for field in model.fields().into_iter().filter(|field| !field.is_skipped()) {
        let constraints = &field.attributes.constraints;
        // With a schema of its own, what the type is in Rust says nothing.
        let subject = match field.attributes.schema_with {
            Some(_) => Subject::inside("this field", None),
            None => Subject::field(field),
        };
        check_one(constraints, &subject, errors);
        if let Some(placed) = &field.attributes.example {
            example::check(&placed.value.0, constraints, &subject, errors);
        }
    }
}

fn check_one(constraints: &Constraints, subject: &Subject<'_>, errors: &mut Errors) {
    range::check(constraints, subject, errors);
    length::check(constraints, subject, errors);
    pattern::check(constraints, subject, errors);
    format::check(constraints, subject, errors);
    one_of::check(constraints, subject, errors);
    let element = match subject.kind {
        Kind::Sequence(element) => element,
        _ => None,
    };
    let (key, value) = match subject.kind {
        Kind::Map(key, value) => (key, value),
        _ => (None, None),
    };
    let inside = [
        (&constraints.items, "the element", element),
        (&constraints.keys, "the key", key),
        (&constraints.values, "the value", value),
    ];
    for (nested, what, ty) in inside {
        if let Some(nested) = nested {
            check_one(&nested.value, &Subject::inside(what, ty), errors);
        }
    }
}

/// Why `literal` cannot be a value that satisfies `constraints`, as what follows its name in a sentence.
pub(super) fn violated(literal: &Literal, constraints: &Constraints) -> Option<String> {
    range::violated(literal, constraints)
        .or_else(|| length::violated(literal, constraints))
        .or_else(|| pattern::violated(literal, constraints))
}

/// Why `literal` is no value of `kind`.
pub(super) fn mistyped(literal: &Literal, kind: &Kind<'_>) -> bool {
    !matches!(
        (kind, literal),
        (Kind::Unknown, _)
            | (Kind::Integer(_), Literal::Integer(_))
            | (Kind::Float, Literal::Integer(_) | Literal::Float(_))
            | (Kind::Text, Literal::Text(_))
            | (Kind::Boolean, Literal::Boolean(_))
            | (Kind::Character, Literal::Character(_) | Literal::Text(_))
    )
}
