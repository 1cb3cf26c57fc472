//! The subject of a constraint.

use syn::{Member, Type};

use super::{
    known::{Kind, kind, written},
    literal::Literal,
};
use crate::model::Field;

/// The subject of a constraint, as messages describe it.
pub(super) struct Subject<'m> {
    /// `title` is a `String`
    pub(super) is: String,
    pub(super) kind: Kind<'m>,
}

impl<'m> Subject<'m> {
    pub(super) fn field(field: &'m Field) -> Self {
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
            None => Self { is: name.to_owned(), kind: Kind::Unknown },
        }
    }

    /// Returns whether `literal` is known not to be a value of this type.
    pub(super) fn is_never(&self, literal: &Literal) -> bool {
        !matches!(
            (&self.kind, literal),
            (Kind::Unknown, _)
                | (Kind::Integer(_), Literal::Integer(_))
                | (Kind::Float, Literal::Integer(_) | Literal::Float(_))
                | (Kind::String, Literal::String(_))
                | (Kind::Boolean, Literal::Boolean(_))
                | (Kind::Character, Literal::Character(_) | Literal::String(_))
        )
    }
}
