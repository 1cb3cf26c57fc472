//! Expands `extract::at!(order.lines[i].qty)` and `extract::at!(Order, lines[..].qty)`: the path of
//! a part of a value, and a place of a type, both checked by the compiler.

mod of_type;
mod of_value;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Expr, Path, Token, Type,
    parse::{Parse, ParseStream, discouraged::Speculative},
};

const NOT_A_PLACE: &str = "a place is a value, its fields and its elements, such as `order.lines[i].qty`";

struct AtInput {
    krate: Path,
    place: AtStep,
}

enum AtStep {
    OfValue(Expr),
    OfType(Box<Type>, Expr),
}

impl Parse for AtInput {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let krate = input.call(Path::parse_mod_style)?;
        input.parse::<Token![,]>()?;
        if input.is_empty() {
            let message = "name a place, such as `at!(order.lines[i].qty)` or `at!(Order, lines[..].qty)`";
            return Err(syn::Error::new(input.span(), message));
        }
        let place = match type_before_comma(input) {
            Some(type_) => AtStep::OfType(Box::new(type_), of_type::parse(input)?),
            None => AtStep::OfValue(of_value(input)?),
        };
        Ok(Self { krate, place })
    }
}

/// Returns the type at the start, if a path into it follows.
fn type_before_comma(input: ParseStream<'_>) -> Option<Type> {
    let ahead = input.fork();
    let type_ = ahead.parse::<Type>().ok().filter(is_type)?;
    ahead.parse::<Token![,]>().ok()?;
    if ahead.is_empty() {
        return None;
    }
    input.advance_to(&ahead);
    Some(type_)
}

/// Returns whether it is a type: a name in lower case belongs to a value.
fn is_type(type_: &Type) -> bool {
    match type_ {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            let name = last.ident.to_string();
            !last.arguments.is_none() || name.trim_start_matches("r#").starts_with(char::is_uppercase)
        }),
        Type::Infer(_) | Type::Never(_) => false,
        _ => true,
    }
}

fn of_value(input: ParseStream<'_>) -> syn::Result<Expr> {
    let place = input.parse().map_err(|error: syn::Error| syn::Error::new(error.span(), NOT_A_PLACE))?;
    match further(input)? {
        None if is_type_name(&place) => {
            let message = format!(
                "`{0}` is a type; name a place in it, such as `at!({0}, field)`",
                written(&place.to_token_stream())
            );
            Err(syn::Error::new_spanned(place, message))
        }
        None => Ok(place),
        Some(further) => Err(two_parts(&place, &further)),
    }
}

/// Returns whether an expression is only the name of a type, by its case; constants have no lower
/// case.
fn is_type_name(place: &Expr) -> bool {
    let Expr::Path(path) = place else { return false };
    path.path.segments.last().is_some_and(|last| {
        let name = last.ident.to_string();
        name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
    })
}

/// Parses an optional final comma, and returns the tokens after it.
fn further(input: ParseStream<'_>) -> syn::Result<Option<TokenStream>> {
    let comma = input.parse::<Option<Token![,]>>()?;
    let rest: TokenStream = input.parse()?;
    match (comma, rest.is_empty()) {
        (_, true) => Ok(None),
        (Some(_), false) => Ok(Some(rest)),
        (None, false) => Err(syn::Error::new_spanned(rest, NOT_A_PLACE)),
    }
}

/// The error for `at!(order, lines)`, which says what to write instead.
fn two_parts(place: &Expr, further: &TokenStream) -> syn::Error {
    let (value, fields) = (written(&place.to_token_stream()), written(further));
    let message = format!(
        "a comma follows a type, as in `at!(Order, lines[..].qty)`; a place of a value has none: write `at!({value}.{fields})`"
    );
    syn::Error::new_spanned(quote!(#place, #further), message)
}

/// The tokens without the spaces of `TokenStream`'s output.
fn written(tokens: &TokenStream) -> String {
    let written = tokens.clone().into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let (open, close) = match group.delimiter() {
                Delimiter::Parenthesis => ("(", ")"),
                Delimiter::Brace => ("{", "}"),
                Delimiter::Bracket => ("[", "]"),
                Delimiter::None => ("", ""),
            };
            format!("{open}{}{close}", written(&group.stream()))
        }
        token => token.to_string(),
    });
    written.collect()
}

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let result = syn::parse2::<AtInput>(input).and_then(|AtInput { krate, place }| match place {
        AtStep::OfValue(place) => of_value::expand(&krate, &place),
        AtStep::OfType(type_, place) => of_type::expand(&krate, &type_, &place),
    });
    result.unwrap_or_else(syn::Error::into_compile_error)
}

/// The Rust name of a field.
fn name(member: &syn::Member) -> String {
    match member {
        syn::Member::Named(ident) => syn::ext::IdentExt::unraw(ident).to_string(),
        syn::Member::Unnamed(index) => index.index.to_string(),
    }
}
