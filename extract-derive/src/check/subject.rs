//! The subject of a constraint.

use syn::{Member, Type};

use super::{
    known::{JsonKind, kind, written},
    literal::LiteralValue,
};
use crate::model::FieldModel;

/// The subject of a constraint, as messages describe it.
pub(super) struct ConstraintSubject<'m> {
    /// `title` is a `String`
    pub(super) is: String,
    pub(super) kind: JsonKind<'m>,
}

impl<'m> ConstraintSubject<'m> {
    pub(super) fn field(field: &'m FieldModel) -> Self {
        let name = match &field.member {
            Member::Named(ident) => format!("`{ident}`"),
            Member::Unnamed(_) => "this field".to_owned(),
        };
        Self::new(&name, Some(&field.ty))
    }

    pub(super) fn inside(what: &str, ty: Option<&'m Type>) -> Self {
        Self::new(what, ty)
    }

    fn new(name: &str, ty: Option<&'m Type>) -> Self {
        match ty {
            Some(ty) => Self { is: format!("{name} is a `{}`", written(ty)), kind: kind(ty) },
            None => Self { is: name.to_owned(), kind: JsonKind::Unknown },
        }
    }

    /// Returns whether `literal` is known not to be a value of this type.
    pub(super) fn is_never(&self, literal: &LiteralValue) -> bool {
        !matches!(
            (&self.kind, literal),
            (JsonKind::Unknown, _)
                | (JsonKind::Integer(_), LiteralValue::Integer(_))
                | (JsonKind::Float, LiteralValue::Integer(_) | LiteralValue::Float(_))
                | (JsonKind::String, LiteralValue::String(_))
                | (JsonKind::Boolean, LiteralValue::Boolean(_))
                | (JsonKind::Character, LiteralValue::Character(_) | LiteralValue::String(_))
        )
    }
}
