//! The parts of an attribute list, also where one of them does not parse.

use darling::ast::NestedMeta;
use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Meta, spanned::Spanned};

use crate::Errors;

/// What stands between the commas of all attributes with this name.
pub(super) fn read(attributes: &[Attribute], name: &str, errors: &mut Errors) -> Vec<NestedMeta> {
    let mut items = Vec::new();
    for attribute in super::named(attributes, name) {
        match &attribute.meta {
            Meta::List(list) => items.extend(parts(&list.tokens, errors)),
            other => errors.report(other, format!("expected `#[{name}(...)]`")),
        }
    }
    items
}

fn parts(tokens: &TokenStream, errors: &mut Errors) -> Vec<NestedMeta> {
    if let Ok(items) = NestedMeta::parse_meta_list(tokens.clone()) {
        return items.into_iter().filter_map(|item| named(item, errors)).collect();
    }
    let mut items = Vec::new();
    for part in split(tokens) {
        match NestedMeta::parse_meta_list(part) {
            Ok(part) => items.extend(part.into_iter().filter_map(|item| named(item, errors))),
            Err(error) => errors.push(error),
        }
    }
    items
}

fn named(item: NestedMeta, errors: &mut Errors) -> Option<NestedMeta> {
    match item {
        NestedMeta::Lit(literal) => {
            errors.report(literal, "expected `name`, `name = value` or `name(...)`");
            None
        }
        NestedMeta::NameValueInvalidExpr(invalid) => {
            errors.push(syn::Error::new(invalid.value.span(), "expected an expression"));
            None
        }
        meta @ NestedMeta::Meta(_) => Some(meta),
    }
}

/// One mistake between two commas does not hide the others.
fn split(tokens: &TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    for token in tokens.clone() {
        match (&token, parts.last_mut()) {
            (TokenTree::Punct(punct), _) if punct.as_char() == ',' => parts.push(TokenStream::new()),
            (_, Some(part)) => part.extend([token]),
            (_, None) => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}
