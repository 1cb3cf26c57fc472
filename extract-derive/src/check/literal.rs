//! The values of literals.

use std::fmt;

use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp};

/// The value of a literal.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum LiteralValue {
    Integer(i128),
    Float(f64),
    String(String),
    Boolean(bool),
    Character(char),
}

impl LiteralValue {
    /// The value of `expr`, if it is a literal or a negated one.
    pub(super) fn of(expr: &Expr) -> Option<Self> {
        match expr {
            Expr::Lit(ExprLit { lit, .. }) => Self::of_lit(lit),
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match Self::of(expr)? {
                Self::Integer(number) => Some(Self::Integer(-number)),
                Self::Float(number) => Some(Self::Float(-number)),
                _ => None,
            },
            Expr::Group(group) => Self::of(&group.expr),
            Expr::Paren(paren) => Self::of(&paren.expr),
            _ => None,
        }
    }

    fn of_lit(lit: &Lit) -> Option<Self> {
        match lit {
            Lit::Int(number) if matches!(number.suffix(), "f32" | "f64") => {
                number.base10_digits().parse().ok().map(Self::Float)
            }
            Lit::Int(number) => number.base10_parse().ok().map(Self::Integer),
            Lit::Float(number) => number.base10_parse().ok().map(Self::Float),
            Lit::Str(text) => Some(Self::String(text.value())),
            Lit::Bool(boolean) => Some(Self::Boolean(boolean.value)),
            Lit::Char(character) => Some(Self::Character(character.value())),
            _ => None,
        }
    }

    /// Returns the literal as a number. Bounds beyond 2^53 are compared after rounding, which never
    /// reports a false mistake.
    #[allow(clippy::cast_precision_loss)]
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns its kind, with an article.
    pub(super) fn article(&self) -> &'static str {
        match self {
            Self::Integer(_) => "a whole number",
            Self::Float(_) => "a fraction",
            Self::String(_) => "a string",
            Self::Boolean(_) => "a boolean",
            Self::Character(_) => "a character",
        }
    }
}

impl fmt::Display for LiteralValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(f),
            Self::Float(number) => number.fmt(f),
            Self::String(text) => text.fmt(f),
            Self::Boolean(boolean) => boolean.fmt(f),
            Self::Character(character) => character.fmt(f),
        }
    }
}
