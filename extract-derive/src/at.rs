//! `extract::at!(order.lines[i].qty)`: a path that the compiler checks.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    Expr, Member, Path, Token,
    parse::{Parse, ParseStream},
    spanned::Spanned,
};

use crate::case::Case;

const NOT_A_PLACE: &str = "a place is a value, its fields and its elements, such as `order.lines[i].qty`";

struct Input {
    krate: Path,
    place: Expr,
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let krate = input.call(Path::parse_mod_style)?;
        input.parse::<Token![,]>()?;
        if input.is_empty() {
            return Err(syn::Error::new(input.span(), "name a place, such as `at!(order.lines[i].qty)`"));
        }
        let place = input.parse().map_err(|error: syn::Error| syn::Error::new(error.span(), NOT_A_PLACE))?;
        match further(input)? {
            None => Ok(Self { krate, place }),
            Some(further) => Err(two_parts(&place, &further)),
        }
    }
}

/// What may follow the path: a final comma.
fn further(input: ParseStream<'_>) -> syn::Result<Option<TokenStream>> {
    let comma = input.parse::<Option<Token![,]>>()?;
    let rest: TokenStream = input.parse()?;
    match (comma, rest.is_empty()) {
        (_, true) => Ok(None),
        (Some(_), false) => Ok(Some(rest)),
        (None, false) => Err(syn::Error::new_spanned(rest, NOT_A_PLACE)),
    }
}

/// `at!(Order, lines)`, as with `offset_of!`: the error says what to write instead.
fn two_parts(place: &Expr, further: &TokenStream) -> syn::Error {
    let (value, fields) = (value_of(place), written(further));
    let message = format!(
        "`at!` takes one place, which starts from a value and not from its type; write `at!({value}.{fields})`"
    );
    syn::Error::new_spanned(quote!(#place, #further), message)
}

/// The value where the path starts; for a type name, a suggestion for the name of a value.
fn value_of(place: &Expr) -> String {
    let type_ = match place {
        Expr::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    };
    match type_.filter(|name| name.starts_with(char::is_uppercase)) {
        Some(name) => Case::Snake.of_variant(&name),
        None => written(&place.to_token_stream()),
    }
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
    let result = syn::parse2::<Input>(input).and_then(|Input { krate, place }| {
        let steps = steps(&place)?;
        // Each step makes the compiler check the value before it; a path without steps would check
        // nothing.
        let alone = steps.is_empty().then(|| quote_spanned!(place.span()=> let _ = || { let _ = &#place; };));
        Ok(quote! {{
            use #krate::__private::Derived as _;
            #alone
            #krate::__private::At::root() #steps .into_path()
        }})
    });
    result.unwrap_or_else(syn::Error::into_compile_error)
}

/// One call per step. The value before the step is in a closure that is never called: its type
/// gives the JSON name of the field, and the compiler checks that it has such a field.
fn steps(place: &Expr) -> syn::Result<TokenStream> {
    match place {
        Expr::Path(_) => Ok(TokenStream::new()),
        Expr::Group(group) => steps(&group.expr),
        Expr::Paren(paren) => steps(&paren.expr),
        Expr::Reference(reference) => steps(&reference.expr),
        Expr::Field(field) => {
            let (before, base) = (steps(&field.base)?, &field.base);
            let name = match &field.member {
                Member::Named(ident) => syn::ext::IdentExt::unraw(ident).to_string(),
                Member::Unnamed(index) => index.index.to_string(),
            };
            Ok(
                quote_spanned!(field.member.span()=> #before .field(|| #base.__extract_type(), || { let _ = &#place; }, #name)),
            )
        }
        Expr::Index(index) => {
            let (before, at) = (steps(&index.expr)?, &index.index);
            Ok(quote_spanned!(at.span()=> #before .element(#at, || { let _ = &#place; })))
        }
        other => Err(syn::Error::new_spanned(other, NOT_A_PLACE)),
    }
}
