//! The context that the rules of a type need.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::parse_quote;

use super::{
    asked, at,
    bounds::{self, ParameterUses},
    located,
};
use crate::model::TypeModel;

/// The contexts of the type and of its parameters, as nested pairs.
pub(super) fn type_(model: &TypeModel) -> TokenStream {
    let own =
        model.context.as_ref().map(|context| quote_spanned!(at(context)=> __extract::NeedsContext<#context>));
    let inside = ParameterUses::of(model).inside(model).into_iter();
    let inside = inside.map(|ty| quote!(<#ty as __extract::DerivedType>::__ExtractContext));
    let need = own.into_iter().chain(inside).reduce(|all, need| quote!((#all, #need)));
    need.unwrap_or_else(|| quote!(__extract::NoContext))
}

/// A function that is never called. In it the compiler checks for each field whether an agent can be
/// asked for its type, and whether its rules can use the context.
///
/// Not part of `type_`, which would be circular if a type contains itself.
pub(super) fn question(model: &TypeModel) -> TokenStream {
    let context =
        model.context.as_ref().map_or_else(|| quote!(__extract::NoContext), ToTokens::to_token_stream);
    let mut seen = BTreeSet::new();
    let fields = model.plain_fields().into_iter().filter(|field| !field.is_skipped());
    let asked: Vec<TokenStream> = fields
        .filter(|field| field.attributes.schema_with.is_none())
        .filter(|field| seen.insert(field.ty.to_token_stream().to_string()))
        .map(|field| {
            let ty = &field.ty;
            // The error appears at the field, so the context has its position too.
            let context = located(&context, ty);
            quote_spanned!(at(ty)=> __extract::ContextCheck::<#ty>::new().within::<#context>();)
        })
        .collect();
    let answers = asked::answers(model);
    if asked.is_empty() && answers.is_empty() {
        return TokenStream::new();
    }
    let mut generics = bounds::generics(model);
    for ty in ParameterUses::of(model).inside(model) {
        let clause = generics.make_where_clause();
        clause
            .predicates
            .push(parse_quote!(#context: __extract::ProvidesContext<<#ty as __extract::DerivedType>::__ExtractContext>));
    }
    let ident = &model.ident;
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics __extract::FieldContextChecks for #ident #type_generics #where_clause {
            #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
            fn __extract_context_checks() {
                #answers
                #[allow(unused_imports)]
                use __extract::NoContextCheck as _;
                #(#asked)*
            }
        }
    }
}
