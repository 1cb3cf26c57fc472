//! The parts of an attribute list, even if one of them does not parse.

use darling::ast::NestedMeta;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::{
    Attribute, Meta, Token, Type,
    parse::{ParseStream, Parser as _},
    spanned::Spanned as _,
};

use crate::MistakeCollector;

/// The parts between the commas of all attributes with this name.
pub(super) fn read(attributes: &[Attribute], name: &str, errors: &mut MistakeCollector) -> Vec<NestedMeta> {
    let mut items = Vec::new();
    for attribute in super::named(attributes, name) {
        match &attribute.meta {
            Meta::List(list) => {
                items.extend(parts(&negatives_apart(types_apart(list.tokens.clone())), errors));
            }
            other => errors.report(other, format!("expected `#[{name}(...)]`")),
        }
    }
    items
}

/// Writes `context = Type` as `context = <Type>::context`, because the value of an attribute is
/// read as an expression, and `Vec<String>` is not one. Anything other than a type stays as it is.
fn types_apart(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_start = |index: usize| match &tokens[..index] {
        [] => true,
        [.., before] => is(before, ','),
    };
    let place = (0..tokens.len()).find(|&index| {
        let names = matches!(&tokens[index], TokenTree::Ident(name) if name == "context");
        names && is_start(index) && tokens.get(index + 1).is_some_and(|sign| is(sign, '='))
    });
    let Some(place) = place else { return tokens.into_iter().collect() };
    let (before, after) = tokens.split_at(place + 2);
    let (name, before) = (&tokens[place], before.iter().cloned().collect::<TokenStream>());
    let after: TokenStream = after.iter().cloned().collect();
    let Some((ty, rest)) = first_type(after.clone()) else { return quote!(#before #after) };
    let rest = types_apart(rest);
    quote_spanned!(ty.span()=> #before <#ty>::#name #rest)
}

/// The type at the start, and the rest, which starts with a comma if there is one.
fn first_type(tokens: TokenStream) -> Option<(Type, TokenStream)> {
    let parser = |input: ParseStream<'_>| {
        let ty: Type = input.parse()?;
        let is_end = input.is_empty() || input.peek(Token![,]);
        let rest: TokenStream = input.parse()?;
        Ok(is_end.then_some((ty, rest)))
    };
    parser.parse2(tokens).ok().flatten()
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

fn parts(tokens: &TokenStream, errors: &mut MistakeCollector) -> Vec<NestedMeta> {
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
