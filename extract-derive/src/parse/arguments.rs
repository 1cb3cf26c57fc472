//! The parts of an attribute list, even if one of them does not parse.

use darling::ast::NestedMeta;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::{Attribute, Meta};

use crate::Errors;

/// The parts between the commas of all attributes with this name.
pub(super) fn read(attributes: &[Attribute], name: &str, errors: &mut Errors) -> Vec<NestedMeta> {
    let mut items = Vec::new();
    for attribute in super::named(attributes, name) {
        match &attribute.meta {
            Meta::List(list) => items.extend(parts(&negatives_apart(list.tokens.clone()), errors)),
            other => errors.report(other, format!("expected `#[{name}(...)]`")),
        }
    }
    items
}

/// Puts parentheses around every `-1` that is a value. `syn` reads the two tokens as one literal,
/// and only the minus could be underlined.
fn negatives_apart(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().map(inside_apart).peekable();
    let mut apart = Vec::new();
    while let Some(token) = tokens.next() {
        let is_value = is(&token, '-') && apart.last().is_some_and(|before| is(before, '='));
        let literal = tokens.next_if(|next| is_value && matches!(next, TokenTree::Literal(_)));
        apart.push(token);
        let Some(literal) = literal else { continue };
        if tokens.peek().is_none_or(|next| is(next, ',')) {
            let negative = apart.pop().into_iter().chain([literal]).collect();
            apart.push(Group::new(Delimiter::Parenthesis, negative).into());
        } else {
            apart.push(literal);
        }
    }
    apart.into_iter().collect()
}

fn is(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

fn inside_apart(token: TokenTree) -> TokenTree {
    match token {
        TokenTree::Group(group) => {
            let mut apart = Group::new(group.delimiter(), negatives_apart(group.stream()));
            apart.set_span(group.span());
            apart.into()
        }
        other => other,
    }
}

fn parts(tokens: &TokenStream, errors: &mut Errors) -> Vec<NestedMeta> {
    if let Ok(items) = NestedMeta::parse_meta_list(tokens.clone()) {
        return items;
    }
    let mut items = Vec::new();
    for part in split(tokens) {
        match NestedMeta::parse_meta_list(part) {
            Ok(part) => items.extend(part),
            Err(error) => errors.push(error),
        }
    }
    items
}

/// A mistake in one part does not hide the others.
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
