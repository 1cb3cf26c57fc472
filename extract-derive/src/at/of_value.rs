//! `at!(order.lines[i].qty)`

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Expr, Path, spanned::Spanned};

use super::{NOT_A_PLACE, name};

pub(super) fn expand(krate: &Path, place: &Expr) -> syn::Result<TokenStream> {
    let steps = steps(place)?;
    // Each step makes the compiler check the value before it; a path without steps would check
    // nothing.
    let alone = steps.is_empty().then(|| quote_spanned!(place.span()=> let _ = || { let _ = &#place; };));
    Ok(quote! {{
        use #krate::__private::DerivedType as _;
        #alone
        #krate::__private::BuiltPath::root() #steps .into_path()
    }})
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
            let name = name(&field.member);
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
