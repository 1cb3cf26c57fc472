//! The names of fields and variants in the JSON.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Ident, LitStr, Type, ext::IdentExt};

use crate::{
    case::NameCase,
    parse::{SerdeField, SerdeVariant},
};

/// A name, with the token that gives it.
#[derive(Debug, Clone)]
pub(crate) struct SpannedName {
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl From<&LitStr> for SpannedName {
    fn from(literal: &LitStr) -> Self {
        Self { text: literal.value(), span: literal.span() }
    }
}

/// The name without `r#`.
pub(super) fn unraw(ident: &Ident) -> String {
    ident.unraw().to_string()
}

pub(super) fn of_field(ident: &Ident, serde: &SerdeField, case: Option<NameCase>) -> Vec<SpannedName> {
    let plain = unraw(ident);
    let renamed = || SpannedName {
        text: case.map_or_else(|| plain.clone(), |case| case.of_field(&plain)),
        span: ident.span(),
    };
    with_aliases(serde.rename.as_ref().map_or_else(renamed, SpannedName::from), &serde.aliases)
}

pub(super) fn of_variant(ident: &Ident, serde: &SerdeVariant, case: Option<NameCase>) -> Vec<SpannedName> {
    let plain = unraw(ident);
    let renamed = || SpannedName {
        text: case.map_or_else(|| plain.clone(), |case| case.of_variant(&plain)),
        span: ident.span(),
    };
    with_aliases(serde.rename.as_ref().map_or_else(renamed, SpannedName::from), &serde.aliases)
}

/// serde accepts an alias that repeats the name.
fn with_aliases(name: SpannedName, aliases: &[LitStr]) -> Vec<SpannedName> {
    let mut names = vec![name];
    for alias in aliases {
        let alias = SpannedName::from(alias);
        if names.iter().all(|name| name.text != alias.text) {
            names.push(alias);
        }
    }
    names
}

pub(super) fn is_phantom(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|segment| segment.ident == "PhantomData"))
}

/// Returns whether the type mentions `param`.
pub(super) fn is_in(param: &Ident, ty: &Type) -> bool {
    fn mentions(tokens: TokenStream, name: &Ident) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Group(group) => mentions(group.stream(), name),
            TokenTree::Ident(ident) => ident == *name,
            _ => false,
        })
    }
    mentions(ty.to_token_stream(), param)
}
