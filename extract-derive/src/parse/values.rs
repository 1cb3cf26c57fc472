//! Parses the value of a keyword.

use darling::{Error, FromMeta, Result};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Expr, ExprArray, ExprLit, ExprPath, Lit, LitInt, LitStr, Meta, Path, PathArguments, Type};

use super::{items::malformed, name, suggest};

/// A value with the span of its keyword, which is underlined if keyword and type do not fit.
#[derive(Debug, Clone)]
pub(crate) struct SpannedValue<T> {
    pub(crate) at: Path,
    pub(crate) value: T,
}

impl<T: FromMeta> FromMeta for SpannedValue<T> {
    fn from_meta(item: &Meta) -> Result<Self> {
        Ok(Self { at: item.path().clone(), value: T::from_meta(item)? })
    }
}

/// Reads the value after `name =`. `read` gives the error message.
pub(super) fn value<T>(
    item: &Meta,
    read: impl Fn(&Expr) -> std::result::Result<T, &'static str>,
) -> Result<T> {
    let Meta::NameValue(meta) = item else { return Err(malformed(item)) };
    let expr = plain(&meta.value);
    read(expr).map_err(|needed| {
        let message = format!("`{}` takes {needed}", name(item.path()));
        Error::custom(message).with_span(expr)
    })
}

/// The expression inside the invisible group of a `macro_rules` variable, and inside parentheses.
fn plain(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => plain(&group.expr),
        Expr::Paren(paren) => plain(&paren.expr),
        expr => expr,
    }
}

fn string(expr: &Expr) -> Option<&LitStr> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        _ => None,
    }
}

/// A string literal.
#[derive(Debug, Clone)]
pub(crate) struct StringLiteral(pub(crate) LitStr);

impl FromMeta for StringLiteral {
    fn from_meta(item: &Meta) -> Result<Self> {
        let needed = "a string literal, such as `\"...\"`";
        value(item, |expr| string(expr).cloned().map(Self).ok_or(needed))
    }
}

/// A whole number that is not negative.
#[derive(Debug, Clone)]
pub(crate) struct CountLiteral {
    pub(crate) literal: LitInt,
    pub(crate) value: usize,
}

impl FromMeta for CountLiteral {
    fn from_meta(item: &Meta) -> Result<Self> {
        value(item, |expr| match expr {
            Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) => {
                let value = literal.base10_parse().map_err(|_| "a whole number that fits into a `usize`")?;
                Ok(Self { literal: literal.clone(), value })
            }
            _ => Err("a whole number, such as `3`"),
        })
    }
}

/// Any expression.
#[derive(Debug, Clone)]
pub(crate) struct AnyExpression(pub(crate) Expr);

impl FromMeta for AnyExpression {
    fn from_meta(item: &Meta) -> Result<Self> {
        value(item, |expr| Ok(Self(expr.clone())))
    }
}

/// The path of a function.
#[derive(Debug, Clone)]
pub(crate) struct FunctionPath(pub(crate) ExprPath);

impl FromMeta for FunctionPath {
    fn from_meta(item: &Meta) -> Result<Self> {
        value(item, |expr| match expr {
            Expr::Path(path) => Ok(Self(path.clone())),
            Expr::Closure(_) => Err("the path of a function; give the closure a name"),
            expr if string(expr).is_some() => Err("the path of a function, without quotes"),
            _ => Err("the path of a function"),
        })
    }
}

/// The path of a crate or a module.
#[derive(Debug, Clone)]
pub(crate) struct ModulePath(pub(crate) Path);

impl FromMeta for ModulePath {
    fn from_meta(item: &Meta) -> Result<Self> {
        let needed = "the path of the crate `extract`";
        value(item, |expr| match (expr, string(expr)) {
            (Expr::Path(ExprPath { qself: None, path, .. }), _) => Ok(Self(path.clone())),
            (_, Some(text)) => text.parse().map(Self).map_err(|_| needed),
            _ => Err(needed),
        })
    }
}

/// A sized type that borrows nothing.
#[derive(Debug, Clone)]
pub(crate) struct OwnedType(pub(crate) Type);

impl FromMeta for OwnedType {
    fn from_meta(item: &Meta) -> Result<Self> {
        let Meta::NameValue(meta) = item else { return Err(malformed(item)) };
        let ty = match plain(&meta.value) {
            // See `arguments`.
            Expr::Path(ExprPath { qself: Some(itself), .. }) => &*itself.ty,
            expr => {
                let needed = if string(expr).is_some() { "a type, without quotes" } else { "a type" };
                return Err(Error::custom(format!("`{}` takes {needed}", name(item.path()))).with_span(expr));
            }
        };
        match why_not_owned(ty) {
            Some((at, needed)) => {
                let message = format!("`{}` takes {needed}", name(item.path()));
                Err(syn::Error::new_spanned(at, message).into())
            }
            None => Ok(Self(ty.clone())),
        }
    }
}

/// The mistake and its position.
fn why_not_owned(ty: &Type) -> Option<(TokenStream, &'static str)> {
    let needed = match ty {
        Type::Group(group) => return why_not_owned(&group.elem),
        Type::Paren(paren) => return why_not_owned(&paren.elem),
        Type::Reference(_) => "a type, without `&`; rules get a reference to it",
        Type::TraitObject(_) | Type::Slice(_) => "a sized type, such as one in a `Box` or an `Arc`",
        Type::ImplTrait(_) | Type::Infer(_) | Type::Macro(_) | Type::Never(_) => "a type",
        Type::Path(path) if is_call(&path.path) => "a type",
        _ => {
            let lifetime = borrowed(ty.to_token_stream())?;
            let needed = "a type that borrows nothing, because rules find it by its type while they run; \
                          let it own its data, or share them in an `Arc`";
            return Some((lifetime, needed));
        }
    };
    Some((ty.to_token_stream(), needed))
}

/// Returns whether it ends like a call: `Catalogue()`.
fn is_call(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| matches!(last.arguments, PathArguments::Parenthesized(_)))
}

/// The first lifetime that is not `'static`. With `for<'a>`, the compiler decides.
fn borrowed(tokens: TokenStream) -> Option<TokenStream> {
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) if ident == "for" => return None,
            TokenTree::Group(group) => {
                if let Some(found) = borrowed(group.stream()) {
                    return Some(found);
                }
            }
            TokenTree::Punct(sign) if sign.as_char() == '\'' => match tokens.next() {
                Some(TokenTree::Ident(name)) if name != "static" => {
                    return Some([TokenTree::from(sign), TokenTree::from(name)].into_iter().collect());
                }
                _ => {}
            },
            _ => {}
        }
    }
    None
}

/// The allowed values.
#[derive(Debug, Clone)]
pub(crate) enum OneOf {
    Array(ExprArray),
    Constant(ExprPath),
}

impl FromMeta for OneOf {
    fn from_meta(item: &Meta) -> Result<Self> {
        value(item, Self::from_list_or_path)
    }
}

impl OneOf {
    fn from_list_or_path(expr: &Expr) -> std::result::Result<Self, &'static str> {
        match plain(expr) {
            Expr::Array(array) => Ok(Self::Array(array.clone())),
            Expr::Path(path) => Ok(Self::Constant(path.clone())),
            Expr::Reference(reference) => Self::from_list_or_path(&reference.expr),
            _ => Err("a list, such as `[\"a\", \"b\"]`, or the path of a constant"),
        }
    }
}

/// How different values from several chunks of a document are merged.
#[derive(Debug, Clone)]
pub(crate) enum MergeWord {
    First,
    Last,
    All,
    Most,
    /// The greatest, according to a function that compares two.
    Greatest(FunctionPath),
}

impl MergeWord {
    const NAMES: [&str; 4] = ["first", "last", "all", "most"];

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "first" => Self::First,
            "last" => Self::Last,
            "all" => Self::All,
            "most" => Self::Most,
            _ => return None,
        })
    }
}

impl FromMeta for MergeWord {
    fn from_meta(item: &Meta) -> Result<Self> {
        let Meta::NameValue(meta) = item else { return Err(malformed(item)) };
        let expr = plain(&meta.value);
        let Expr::Path(function) = expr else {
            let message = match string(expr).map(LitStr::value) {
                Some(name) if Self::named(&name).is_some() => {
                    format!("`merge` takes a word without quotes; write `merge = {name}`")
                }
                _ => format!(
                    "`merge` takes {}, or the path of a function that compares two values",
                    suggest::listed(Self::NAMES)
                ),
            };
            return Err(Error::custom(message).with_span(expr));
        };
        // Any other word is a function, even if it looks like a misspelt policy: `least` is near
        // `last`.
        let policy = function.path.get_ident().and_then(|word| Self::named(&word.to_string()));
        Ok(policy.unwrap_or_else(|| Self::Greatest(FunctionPath(function.clone()))))
    }
}

/// A keyword without a value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BareKeyword;

impl FromMeta for BareKeyword {
    fn from_meta(item: &Meta) -> Result<Self> {
        if matches!(item, Meta::Path(_)) { Ok(Self) } else { Err(malformed(item)) }
    }
}
