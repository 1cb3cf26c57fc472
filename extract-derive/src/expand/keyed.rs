//! Types whose keys can be merged into the surrounding object.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Generics, Type, parse_quote};

use super::{at, bounds, located};
use crate::{
    model::{FieldsModel, ModelBody, TaggingModel, TypeModel, VariantModel},
    parse::FieldsStyle,
};

/// An implementation of `HasKeys`, unless the type is an array in JSON. A type that delegates to
/// another one is an object if the other is. As with the constraints of a newtype, the parameter
/// defers the check to where the type is used.
pub(super) fn implementation(model: &TypeModel) -> TokenStream {
    let stands_for = match &model.data {
        ModelBody::Proxy(ty) => Some(ty),
        ModelBody::Struct(FieldsModel { style: FieldsStyle::Tuple, .. }) => return TokenStream::new(),
        ModelBody::Struct(content) if matches!(content.style, FieldsStyle::Newtype) => {
            let inside = content.present().next();
            inside.filter(|field| field.attributes.schema_with.is_none()).map(|field| &field.ty)
        }
        _ => None,
    };
    implementation_of(model, stands_for)
}

/// For a type with mistakes: keys are not its mistake.
pub(super) fn stub(model: &TypeModel) -> TokenStream {
    implementation_of(model, None)
}

/// Without `#[diagnostic::do_not_recommend]`: `#![no_implicit_prelude]` hides `diagnostic`.
fn implementation_of(model: &TypeModel, stands_for: Option<&Type>) -> TokenStream {
    let ident = &model.ident;
    let mut generics = bounds::generics(model);
    let own = generics.clone();
    let (_, type_generics, _) = own.split_for_impl();
    generics.params.push(parse_quote!(__ExtractUse));
    if let Some(ty) = stands_for {
        generics.make_where_clause().predicates.push(parse_quote!(#ty: __extract::HasKeys<__ExtractUse>));
    }
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics __extract::HasKeys<__ExtractUse> for #ident #type_generics #where_clause {}
    }
}

/// Makes the compiler check whether types whose keys are merged into another object have keys. For a
/// type parameter the schema decides.
pub(super) fn checks(model: &TypeModel) -> TokenStream {
    let asked = merged(model)
        .into_iter()
        .filter(|(ty, _)| !mentions_parameter(ty.to_token_stream(), &model.generics));
    asked
        .map(|(ty, at)| {
            let ty = located(&ty.to_token_stream(), &at);
            quote_spanned!(at=> <_ as __extract::AcceptedAsKeys<#ty>>::accept_as_keys((&&__extract::AskedType::<#ty>::new()).answer());)
        })
        .collect()
}

/// These types, each with the span for an error.
fn merged(model: &TypeModel) -> Vec<(&Type, Span)> {
    let flat = model.asked_fields().into_iter().filter_map(|field| {
        let flatten = field.serde.flatten.as_ref()?;
        Some((&field.ty, at(flatten)))
    });
    let beside = match &model.data {
        ModelBody::Enum(data) => {
            let variants = data.variants.iter().filter(|variant| variant.skip.is_none());
            variants.filter_map(|variant| beside_tag(variant, &data.tagging)).collect()
        }
        _ => Vec::new(),
    };
    flat.chain(beside.into_iter().map(|ty| (ty, at(ty)))).collect()
}

/// The type whose keys are beside the tag.
fn beside_tag<'v>(variant: &'v VariantModel, tagging: &TaggingModel) -> Option<&'v Type> {
    let is_beside =
        matches!(tagging, TaggingModel::Internal(_)) && matches!(variant.content.style, FieldsStyle::Newtype);
    let is_known = !variant.is_untagged && variant.schema_with.is_none();
    let field = variant.content.present().next().filter(|_| is_beside && is_known)?;
    field.attributes.schema_with.is_none().then_some(&field.ty)
}

fn mentions_parameter(tokens: TokenStream, generics: &Generics) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => mentions_parameter(group.stream(), generics),
        TokenTree::Ident(ident) => generics.type_params().any(|param| param.ident == ident),
        _ => false,
    })
}
