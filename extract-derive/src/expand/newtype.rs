//! A newtype accepts the constraints of its inner type.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse_quote;

use super::{bounds, map_key};
use crate::model::{ModelBody, TypeModel};

/// Each condition uses the parameter `__ExtractUse`, so the compiler checks it where the newtype is
/// constrained and not here, where it may be false.
pub(super) fn implementations(model: &TypeModel) -> TokenStream {
    let ModelBody::Struct(content) = &model.data else { return TokenStream::new() };
    let Some(field) = map_key::newtype(content) else { return TokenStream::new() };
    let (ident, ty) = (&model.ident, &field.ty);
    let mut generics = bounds::generics(model);
    let own = generics.clone();
    let (_, type_generics, _) = own.split_for_impl();
    generics.params.push(parse_quote!(__ExtractUse));
    let implementation = |trait_: TokenStream, items: TokenStream| {
        let mut generics = generics.clone();
        let clause = generics.make_where_clause();
        clause.predicates.push(parse_quote!(#ty: __extract::#trait_<__ExtractUse>));
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        quote! {
            #[automatically_derived]
            impl #impl_generics __extract::#trait_<__ExtractUse> for #ident #type_generics #where_clause {
                #items
            }
        }
    };
    let as_inner = |trait_: TokenStream| quote!(<#ty as __extract::#trait_<__ExtractUse>>);
    let (length, elements, entries) = (
        as_inner(quote!(AcceptsLength)),
        as_inner(quote!(AcceptsElements)),
        as_inner(quote!(AcceptsEntries)),
    );
    [
        implementation(quote!(AcceptsRange), TokenStream::new()),
        implementation(quote!(AcceptsPattern), TokenStream::new()),
        implementation(quote!(AcceptsLength), quote!(const LENGTH: __extract::LengthUnit = #length::LENGTH;)),
        implementation(quote!(AcceptsElements), quote!(type Element = #elements::Element;)),
        implementation(
            quote!(AcceptsEntries),
            quote!(type Key = #entries::Key; type Value = #entries::Value;),
        ),
    ]
    .into_iter()
    .collect()
}
