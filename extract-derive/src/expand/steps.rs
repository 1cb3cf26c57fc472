//! The positions of fields in the JSON, for `at!`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Member, ext::IdentExt};

use crate::{
    model::{FieldModel, FieldsModel, ModelBody, TypeModel},
    parse::FieldsStyle,
};

/// Lists only fields whose JSON name differs from their Rust name. Most types have none.
pub(super) fn constant(model: &TypeModel) -> TokenStream {
    let ModelBody::Struct(content) = &model.data else { return TokenStream::new() };
    let steps: Vec<TokenStream> = content
        .present()
        .zip(0_usize..)
        .filter_map(|(field, index)| {
            let (name, step) = step(content, field, index)?;
            Some(quote!((#name, #step)))
        })
        .collect();
    if steps.is_empty() {
        return TokenStream::new();
    }
    quote! {
        const __EXTRACT_STEPS: &'static [__extract::FieldStep] = &[#(#steps),*];
    }
}

fn step(content: &FieldsModel, field: &FieldModel, index: usize) -> Option<(String, TokenStream)> {
    let name = match &field.member {
        Member::Named(ident) => ident.unraw().to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    };
    let step = match content.style {
        FieldsStyle::Unit => return None,
        FieldsStyle::Newtype => quote!(__extract::FieldPosition::Here),
        FieldsStyle::Named if field.is_flat() => quote!(__extract::FieldPosition::Here),
        FieldsStyle::Tuple if index.to_string() == name => return None,
        FieldsStyle::Tuple => quote!(__extract::FieldPosition::Index(#index)),
        FieldsStyle::Named => {
            let key = &field.names.first().filter(|key| key.text != name)?.text;
            quote!(__extract::FieldPosition::Key(#key))
        }
    };
    Some((name, step))
}
