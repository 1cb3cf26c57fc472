//! `extract::at!(order.lines[i].qty)`: a path that the compiler checks.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    Expr, Member, Path, Token,
    parse::{Parse, ParseStream},
    spanned::Spanned,
};

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
        Ok(Self { krate, place: input.parse()? })
    }
}

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let result = syn::parse2::<Input>(input).and_then(|Input { krate, place }| {
        let steps = steps(&place)?;
        Ok(quote! {{
            use #krate::__private::Described as _;
            #krate::__private::At::root() #steps .into_path()
        }})
    });
    result.unwrap_or_else(syn::Error::into_compile_error)
}

/// One call for each step. What is stepped from is named in a closure that is never called: its type tells the name that
/// a field has in the JSON, and the compiler sees whether it has such a field.
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
        other => Err(syn::Error::new_spanned(
            other.to_token_stream(),
            "a place is a value, its fields and its elements, such as `order.lines[i].qty`",
        )),
    }
}
