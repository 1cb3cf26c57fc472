//! What stands after a keyword.

use darling::{Error, FromMeta, Result, ast::NestedMeta};
use syn::{Expr, ExprArray, ExprPath, Lit, LitInt, LitStr, Meta, Path, Type, parse_quote};

/// A value with the place of its keyword, which is underlined when keyword and type do not fit.
#[derive(Debug, Clone)]
pub(crate) struct Placed<T> {
    pub(crate) at: Path,
    pub(crate) value: T,
}

impl<T: FromMeta> FromMeta for Placed<T> {
    fn from_meta(item: &Meta) -> Result<Self> {
        Ok(Self { at: item.path().clone(), value: T::from_meta(item)? })
    }
}

fn refused<T>(expr: &Expr, needed: &str) -> Result<T> {
    Err(Error::custom(format!("expected {needed}")).with_span(plain(expr)))
}

/// The expression inside the invisible group that a `macro_rules` variable leaves, and inside parentheses.
fn plain(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => plain(&group.expr),
        Expr::Paren(paren) => plain(&paren.expr),
        expr => expr,
    }
}

/// A string literal.
#[derive(Debug, Clone)]
pub(crate) struct Text(pub(crate) LitStr);

impl FromMeta for Text {
    fn from_expr(expr: &Expr) -> Result<Self> {
        match plain(expr) {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Ok(Self(text.clone())),
                _ => refused(expr, "a string literal, such as `\"...\"`"),
            },
            _ => refused(expr, "a string literal, such as `\"...\"`"),
        }
    }
}

/// A whole number that is not negative.
#[derive(Debug, Clone)]
pub(crate) struct Count {
    pub(crate) literal: LitInt,
    pub(crate) value: usize,
}

impl FromMeta for Count {
    fn from_expr(expr: &Expr) -> Result<Self> {
        if let Expr::Lit(literal) = plain(expr)
            && let Lit::Int(literal) = &literal.lit
            && let Ok(value) = literal.base10_parse()
        {
            return Ok(Self { literal: literal.clone(), value });
        }
        refused(expr, "a whole number, such as `3`")
    }
}

/// Any expression.
#[derive(Debug, Clone)]
pub(crate) struct Expression(pub(crate) Expr);

impl FromMeta for Expression {
    fn from_expr(expr: &Expr) -> Result<Self> {
        Ok(Self(plain(expr).clone()))
    }
}

/// The path of a function.
#[derive(Debug, Clone)]
pub(crate) struct Function(pub(crate) ExprPath);

impl FromMeta for Function {
    fn from_expr(expr: &Expr) -> Result<Self> {
        match plain(expr) {
            Expr::Path(path) => Ok(Self(path.clone())),
            Expr::Lit(literal) if matches!(literal.lit, Lit::Str(_)) => {
                refused(expr, "the path of a function, without quotes")
            }
            Expr::Closure(_) => refused(expr, "the path of a function; give the closure a name"),
            _ => refused(expr, "the path of a function"),
        }
    }
}

/// The path of a crate or a module.
#[derive(Debug, Clone)]
pub(crate) struct Module(pub(crate) Path);

impl FromMeta for Module {
    fn from_expr(expr: &Expr) -> Result<Self> {
        match plain(expr) {
            Expr::Path(ExprPath { qself: None, path, .. }) => Ok(Self(path.clone())),
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => text.parse().map(Self).map_err(Error::from),
                _ => refused(expr, "the path of the crate `extract`"),
            },
            _ => refused(expr, "the path of the crate `extract`"),
        }
    }
}

/// The path of a type.
#[derive(Debug, Clone)]
pub(crate) struct TypePath(pub(crate) Type);

impl FromMeta for TypePath {
    fn from_expr(expr: &Expr) -> Result<Self> {
        match plain(expr) {
            Expr::Path(path) => Ok(Self(parse_quote!(#path))),
            Expr::Lit(literal) if matches!(literal.lit, Lit::Str(_)) => {
                refused(expr, "the path of a type, without quotes")
            }
            Expr::Reference(_) => {
                refused(expr, "the path of a type, without `&`; rules get a reference to it")
            }
            _ => refused(expr, "the path of a type"),
        }
    }
}

/// The only values.
#[derive(Debug, Clone)]
pub(crate) enum OneOf {
    Array(ExprArray),
    Constant(ExprPath),
}

impl FromMeta for OneOf {
    fn from_expr(expr: &Expr) -> Result<Self> {
        match plain(expr) {
            Expr::Array(array) => Ok(Self::Array(array.clone())),
            Expr::Path(path) => Ok(Self::Constant(path.clone())),
            Expr::Reference(reference) => Self::from_expr(&reference.expr),
            _ => refused(expr, "a list, such as `[\"a\", \"b\"]`, or the path of a constant"),
        }
    }
}

/// A keyword without a value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word;

impl FromMeta for Word {
    fn from_word() -> Result<Self> {
        Ok(Self)
    }
}

/// At least one argument, so that a forgotten one is noticed.
pub(super) fn not_empty(items: &[NestedMeta], form: &str) -> Result<()> {
    if items.is_empty() {
        return Err(Error::custom(format!("nothing is asked for; write `{form}`")));
    }
    Ok(())
}
