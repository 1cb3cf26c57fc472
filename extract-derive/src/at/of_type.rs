//! `at!(Order, lines[..].qty)`

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{
    Expr, Path, RangeLimits, Token, Type,
    parse::{ParseStream, Parser},
    spanned::Spanned,
    token,
};

use super::name;

const NOT_A_PLACE: &str = "a place of a type is its fields and elements, such as `at!(Order, lines[..].qty)`: \
     `[..]` is every element, and `?` the inside of an `Option`";

/// The name of a placeholder for a value of the type.
const VALUE: &str = "__extract_value";

/// Parses the place after the comma, as an expression that starts from [`VALUE`].
pub(super) fn parse(input: ParseStream<'_>) -> syn::Result<Expr> {
    let follows_directly = input.peek(token::Bracket) || input.peek(Token![?]) || input.peek(Token![.]);
    let dot = (!follows_directly).then(|| quote_spanned!(input.span()=> .));
    let span = input.span();
    let place: TokenStream = input.parse()?;
    let value = value_at(span);
    let whole = |input: ParseStream<'_>| {
        let place = input.parse::<Expr>()?;
        input.parse::<Option<Token![,]>>()?;
        Ok(place)
    };
    let parsed = Parser::parse2(whole, quote!(#value #dot #place));
    parsed.map_err(|error| {
        let is_inside = error.span().source_text().is_some();
        syn::Error::new(if is_inside { error.span() } else { span }, NOT_A_PLACE)
    })
}

/// The placeholder's name at `span`, for messages. User code cannot refer to it.
fn value_at(span: Span) -> Ident {
    Ident::new(VALUE, Span::mixed_site().located_at(span))
}

pub(super) fn expand(krate: &Path, type_: &Type, place: &Expr) -> syn::Result<TokenStream> {
    let value = &value_at(place.span());
    let TypedStep { calls, typed } = PathBuilder { krate, value }.step(place)?;
    Ok(quote! {{
        use #krate::__private::DerivedType as _;
        #krate::__private::TypePath::<#type_>::root() #calls .finish(
            |#value| #krate::__private::Option::Some(#krate::__private::type_of(&#typed))
        )
    }})
}

struct PathBuilder<'b> {
    krate: &'b Path,
    value: &'b Ident,
}

/// The calls up to a step, and an expression of its type.
struct TypedStep {
    calls: TokenStream,
    typed: TokenStream,
}

impl PathBuilder<'_> {
    /// Like the builder for values: one call per step, with closures that are never called. Without
    /// an element they return early, so that nothing needs to be evaluated for its type.
    fn step(&self, place: &Expr) -> syn::Result<TypedStep> {
        let Self { krate, value } = self;
        let some = quote_spanned!(place.span()=> #krate::__private::Option::Some);
        match place {
            Expr::Path(path) if path.path.is_ident(VALUE) => {
                let span = path.span().resolved_at(Span::call_site());
                Ok(TypedStep { calls: TokenStream::new(), typed: quote_spanned!(span=> (*#path)) })
            }
            Expr::Group(group) => self.step(&group.expr),
            Expr::Paren(paren) => self.step(&paren.expr),
            Expr::Field(field) => {
                let TypedStep { calls, typed: before } = self.step(&field.base)?;
                let (member, name) = (&field.member, name(&field.member));
                let typed = quote_spanned!(member.span()=> #before.#member);
                let calls = quote_spanned! {member.span()=>
                    #calls .field(
                        |#value| #some(#before.__extract_type()),
                        |#value| { let _ = &#typed; #some(()) },
                        #name
                    )
                };
                Ok(TypedStep { calls, typed })
            }
            Expr::Index(index) => {
                let TypedStep { calls, typed: before } = self.step(&index.expr)?;
                if !is_all(&index.index) {
                    return Err(positions(&index.index));
                }
                let span = index.index.span();
                let typed = quote_spanned!(span=> (*#krate::__private::element(&#before)?));
                let calls = quote_spanned!(span=> #calls .each(|#value| { let _ = &#typed; #some(()) }));
                Ok(TypedStep { calls, typed })
            }
            Expr::Try(inside) => {
                let TypedStep { calls, typed: before } = self.step(&inside.expr)?;
                let typed = quote_spanned! {inside.question_token.span()=>
                    (*#krate::__private::inside(&#before)?)
                };
                Ok(TypedStep { calls, typed })
            }
            other => Err(syn::Error::new_spanned(other, NOT_A_PLACE)),
        }
    }
}

fn is_all(index: &Expr) -> bool {
    matches!(index, Expr::Range(range)
        if range.start.is_none() && range.end.is_none() && matches!(range.limits, RangeLimits::HalfOpen(_)))
}

fn positions(index: &Expr) -> syn::Error {
    let message = "a place of a type has no single elements; write `[..]` for every element of a list, \
         or the value of every entry of a map";
    syn::Error::new_spanned(index, message)
}
