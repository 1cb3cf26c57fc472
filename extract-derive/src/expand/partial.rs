//! Generates the partial of a type.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Generics, Ident, Index, Member, ext::IdentExt, parse_quote};

use super::{asked, bounds, located, schema::texts};
use crate::{
    model::{FieldModel, FieldsModel, PartialModel, TypeModel},
    parse::FieldsStyle,
};

/// Returns how the type grows.
pub(super) fn growth(model: &TypeModel) -> TokenStream {
    if model.partial().is_some() { quote!(__extract::FieldsGrowth) } else { quote!(__extract::WholeGrowth) }
}

/// The partial type, which users name. It is placed beside the user's type.
pub(super) fn type_(model: &TypeModel) -> TokenStream {
    let Some((partial, content)) = model.partial() else { return TokenStream::new() };
    let TypeModel { krate, ident: whole, .. } = model;
    let PartialModel { ident, vis, comments, .. } = partial;
    let fields = content.present().map(|field| {
        let FieldModel { member, vis, comments, .. } = field;
        let name = match member {
            Member::Named(name) => Some(quote!(#name:)),
            Member::Unnamed(_) => None,
        };
        let ty = progress(field, model);
        quote!(#(#comments)* #vis #name #ty)
    });
    let defaults = &model.generics.params;
    let Generics { where_clause, .. } = bounds::generics_from(model, &parse_quote!(#krate::__private));
    let params = (!defaults.is_empty()).then(|| quote!(<#defaults>));
    let body = if is_named(content) {
        quote!(#where_clause { #(#fields),* })
    } else {
        quote!((#(#fields),*) #where_clause;)
    };
    let summary = format!("What is known of [`{whole}`] while it is written.");
    let gap = (!comments.is_empty()).then(|| quote!(#[doc = ""]));
    quote! {
        #[doc = #summary]
        #gap
        #(#comments)*
        #[allow(dead_code, non_camel_case_types, non_snake_case)]
        #vis struct #ident #params #body
    }
}

/// Where the compiler reports that an agent cannot be asked for the type of a field. All code about
/// the field is there, so that it is reported once.
fn place(field: &FieldModel, model: &TypeModel) -> Span {
    Span::call_site().located_at(asked::first_place(model, &field.ty))
}

/// The type of a field in the partial.
fn progress(field: &FieldModel, model: &TypeModel) -> TokenStream {
    let place = place(field, model);
    let krate = located(&model.krate.to_token_stream(), &place);
    let ty = without_self(field.ty.to_token_stream(), model);
    let nothing = is_whole(field).then(|| quote!(, ()));
    quote_spanned!(place=> #krate::partials::Progress<#ty #nothing>)
}

/// Returns whether nothing is known of the field until it is complete, because its JSON need not
/// have the form of its type.
fn is_whole(field: &FieldModel) -> bool {
    field.attributes.schema_with.is_some()
}

/// In the partial, `Self` would be another type.
fn without_self(tokens: TokenStream, model: &TypeModel) -> TokenStream {
    let replaced = tokens.into_iter().flat_map(|token| match token {
        TokenTree::Ident(ident) if ident == "Self" => {
            let whole = &model.ident;
            let (_, generics, _) = model.generics.split_for_impl();
            quote!(#whole #generics)
        }
        TokenTree::Group(group) => {
            let inside = without_self(group.stream(), model);
            TokenTree::Group(proc_macro2::Group::new(group.delimiter(), inside)).into_token_stream()
        }
        other => other.into_token_stream(),
    });
    replaced.collect()
}

fn is_named(content: &FieldsModel) -> bool {
    content.present().any(|field| matches!(field.member, Member::Named(_)))
}

/// The implementations for both types.
pub(super) fn implementations(model: &TypeModel) -> TokenStream {
    let Some((partial, content)) = model.partial() else { return TokenStream::new() };
    let ident = &partial.ident;
    let read = content.present().zip(0_usize..).map(|(field, index)| read(content, field, index, model));
    let known = content.present().map(|field| {
        let member = &field.member;
        quote_spanned!(place(field, model)=> __extract::Progress::Done(__extract_value.#member))
    });
    let members: Vec<&Member> = content.present().map(|field| &field.member).collect();
    let (read, known) = if is_named(content) {
        (quote!({ #(#members: #read),* }), quote!({ #(#members: #known),* }))
    } else {
        (quote!((#(#read),*)), quote!((#(#known),*)))
    };
    traits(model, partial, &quote!(#ident #read), &quote!(Self #known), &states(partial, content, model))
}

/// Prints the progress of each field.
fn states(partial: &PartialModel, content: &FieldsModel, model: &TypeModel) -> TokenStream {
    let name = partial.ident.to_string();
    let states = content.present().zip(0_usize..).map(|(field, index)| match &field.member {
        Member::Named(member) => {
            let name = member.unraw().to_string();
            let state = quote_spanned!(place(field, model)=> self.#member.state());
            quote!(.field(#name, &#state))
        }
        Member::Unnamed(_) => {
            let member = Index::from(index);
            let state = quote_spanned!(place(field, model)=> self.#member.state());
            quote!(.field(&#state))
        }
    });
    let open = if is_named(content) { quote!(debug_struct) } else { quote!(debug_tuple) };
    quote!(__extract_formatter.#open(#name) #(#states)* .finish())
}

/// How a field is read from the object or list around it.
fn read(content: &FieldsModel, field: &FieldModel, index: usize, model: &TypeModel) -> TokenStream {
    let place = place(field, model);
    let part = match content.style {
        FieldsStyle::Tuple => quote_spanned!(place=> __extract_part.element(#index)),
        FieldsStyle::Named if !field.is_flat() => {
            let names = texts(&field.names);
            quote_spanned!(place=> __extract_part.member(&[#(#names),*]))
        }
        FieldsStyle::Named | FieldsStyle::Newtype | FieldsStyle::Unit => quote!(__extract_part),
    };
    match (field.is_flat(), is_whole(field), &field.serde.function) {
        (true, false, _) => quote_spanned!(place=> #part.flat()),
        (true, true, _) => quote_spanned!(place=> #part.flat_by()),
        (false, false, _) => quote_spanned!(place=> #part.progress()),
        (false, true, None) => quote_spanned!(place=> #part.progress_by(__extract::read_value)),
        (false, true, Some(function)) => quote_spanned!(place=> #part.progress_by(#function)),
    }
}

/// For a type with mistakes: a partial that causes no further errors.
pub(super) fn stub(model: &TypeModel) -> TokenStream {
    let Some((partial, _)) = model.partial() else { return TokenStream::new() };
    let body = quote!(::core::unreachable!());
    traits(model, partial, &body, &body, &body)
}

fn traits(
    model: &TypeModel,
    partial: &PartialModel,
    read: &TokenStream,
    known: &TokenStream,
    debug: &TokenStream,
) -> TokenStream {
    let (whole, ident): (&Ident, &Ident) = (&model.ident, &partial.ident);
    let generics = bounds::generics(model);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let partial = quote!(#ident #type_generics);
    // The compiler asks of each implementation whether the partial has a size, which its last field decides.
    let last = model.partial().and_then(|(_, content)| content.present().last());
    let there = |tokens: TokenStream| {
        last.map_or_else(|| tokens.clone(), |field| located(&tokens, &place(field, model)))
    };
    let (partial, itself, its) = (there(partial), there(quote!(Self)), there(quote!(Self::Partial)));
    quote! {
        #[automatically_derived]
        impl #impl_generics __extract::HasPartial for #whole #type_generics #where_clause {
            type Partial = #partial;

            fn __extract_fields(__extract_part: __extract::WrittenPart<'_>) -> #its {
                #read
            }
        }

        #[automatically_derived]
        impl #impl_generics ::core::convert::From<#whole #type_generics> for #partial #where_clause {
            fn from(__extract_value: #whole #type_generics) -> #itself {
                #known
            }
        }

        #[automatically_derived]
        impl #impl_generics ::core::default::Default for #partial #where_clause {
            fn default() -> #itself {
                <#whole #type_generics as __extract::HasPartial>::__extract_fields(__extract::WrittenPart::PENDING)
            }
        }

        /// Omits the values, so that they do not end up in a log by accident.
        #[automatically_derived]
        impl #impl_generics ::core::fmt::Debug for #partial #where_clause {
            fn fmt(&self, __extract_formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #debug
            }
        }
    }
}
