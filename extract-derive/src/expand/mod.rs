//! Generates code from the model: only calls into `extract::__private`, so that nothing here needs
//! its own tests.
//!
//! Everything is in a `const _` with one name, `__extract`, so that it shadows no user name and is
//! shadowed by none.

mod asked;
mod behind;
mod bounds;
mod context;
mod judge;
mod keyed;
mod keywords;
mod map_key;
mod newtype;
mod partial;
mod schema;
mod steps;
mod valid_parts;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{parse_quote, spanned::Spanned};

use crate::model::TypeModel;

/// The implementation of the trait.
pub(crate) fn implementation(model: &TypeModel) -> TokenStream {
    let schema_name = schema::name(model);
    let schema = schema::body(model);
    let overrides = schema::overrides(model);
    let steps = steps::constant(model);
    let judge = judge::method(model);
    let (ruled, source_rules) = (judge::ruled(model), judge::source_rules(model));
    let valid_parts = valid_parts::method(model);
    let key = map_key::methods(model);
    let newtype = newtype::implementations(model);
    let keyed = keyed::implementation(model);
    let (context, contexts) = (context::type_(model), context::question(model));
    let growth = partial::growth(model);
    let is_deserializable = quote_spanned!(at(&model.ident)=> __extract::is_deserializable::<Self>());
    let body = quote! {
        const __EXTRACT_IS_DESERIALIZABLE: __extract::Option<__extract::SerdeRefusal> = #is_deserializable;

        type __ExtractContext = #context;
        type __ExtractGrowth = #growth;

        fn __extract_schema_name() -> __extract::NameText<'static> {
            #schema_name
        }

        fn __extract_json_schema(__extract_generator: &mut __extract::SchemaGenerator) -> __extract::Schema {
            #schema
        }

        #overrides
        #steps
        #ruled
        #judge
        #valid_parts
        #key
    };
    let (partial, partials) = (partial::type_(model), partial::implementations(model));
    let wrapped = wrap(model, &body, &quote!(#newtype #keyed #contexts #partials #source_rules));
    quote!(#partial #wrapped)
}

/// The implementation of a type with mistakes. It only prevents a second error about the missing
/// implementation. If serde's derive fails too, there is one of `Deserialize` as well.
pub(crate) fn stub(model: &TypeModel, serde_fails: bool) -> TokenStream {
    let growth = partial::growth(model);
    let body = quote! {
        type __ExtractContext = __extract::NoContext;
        type __ExtractGrowth = #growth;

        fn __extract_schema_name() -> __extract::NameText<'static> {
            ::core::unreachable!()
        }

        fn __extract_json_schema(_: &mut __extract::SchemaGenerator) -> __extract::Schema {
            ::core::unreachable!()
        }
    };
    let keyed = keyed::stub(model);
    let deserialize = serde_fails.then(|| deserialize(model));
    let (partial, partials) = (partial::type_(model), partial::stub(model));
    let wrapped = wrap(model, &body, &quote!(#keyed #deserialize #partials));
    quote!(#partial #wrapped)
}

fn deserialize(model: &TypeModel) -> TokenStream {
    let ident = &model.ident;
    let mut generics = bounds::generics(model);
    let own = generics.clone();
    let (_, type_generics, _) = own.split_for_impl();
    generics.params.insert(0, parse_quote!('__extract_de));
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics __extract::Deserialize<'__extract_de> for #ident #type_generics #where_clause {
            fn deserialize<__ExtractDeserializer: __extract::Deserializer<'__extract_de>>(
                _: __ExtractDeserializer,
            ) -> ::core::result::Result<Self, __ExtractDeserializer::Error> {
                ::core::unreachable!()
            }
        }
    }
}

/// The span of `tokens` for messages. Names are resolved as in all generated code, even if the
/// tokens come from the user's macro.
fn at(tokens: &impl Spanned) -> Span {
    Span::call_site().located_at(tokens.span())
}

/// `tokens` with the span of `place`.
fn located(tokens: &TokenStream, place: &impl Spanned) -> TokenStream {
    let place = place.span();
    let tokens = tokens.clone().into_iter().map(|mut token| {
        token.set_span(token.span().located_at(place));
        token
    });
    tokens.collect()
}

fn wrap(model: &TypeModel, body: &TokenStream, beside: &TokenStream) -> TokenStream {
    let TypeModel { ident, krate, .. } = model;
    let generics = bounds::generics(model);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let otherwise = asked::otherwise();
    quote! {
        const _: () = {
            use #krate::__private as __extract;
            #otherwise

            #[automatically_derived]
            impl #impl_generics __extract::DerivedType for #ident #type_generics #where_clause {
                #body
            }

            #beside
        };
    }
}
