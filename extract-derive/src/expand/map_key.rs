//! The type as the key of a map, if its JSON is a string.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;

use super::{asked, keywords};
use crate::{
    model::{EnumModel, FieldModel, FieldsModel, ModelBody, TaggingModel, TypeModel},
    parse::FieldsStyle,
};

pub(super) fn methods(model: &TypeModel) -> TokenStream {
    match &model.data {
        ModelBody::Struct(content) => match newtype(content) {
            Some(field) => inner(field),
            None => TokenStream::new(),
        },
        ModelBody::Enum(data) if is_text(data) => names(data),
        ModelBody::Proxy(ty) => of_proxy(ty),
        _ => TokenStream::new(),
    }
}

/// The field of a newtype that decides.
pub(super) fn newtype(content: &FieldsModel) -> Option<&FieldModel> {
    let field = content.present().next().filter(|field| field.attributes.schema_with.is_none());
    field.filter(|_| content.style == FieldsStyle::Newtype)
}

fn is_text(data: &EnumModel) -> bool {
    matches!(data.tagging, TaggingModel::External)
        && data
            .variants
            .iter()
            .all(|variant| variant.content.style == FieldsStyle::Unit && !variant.is_untagged)
}

fn names(data: &EnumModel) -> TokenStream {
    let arms = data.variants.iter().filter(|variant| variant.skip.is_none()).filter_map(|variant| {
        let (ident, name) = (&variant.ident, &variant.names.first()?.text);
        Some(quote!(Self::#ident => #name,))
    });
    let rest = data.variants.iter().any(|variant| variant.skip.is_some()).then(|| quote!(_ => "*",));
    quote! {
        fn __extract_key(&self) -> __extract::NameText<'_> {
            __extract::Cow::Borrowed(match self {
                #(#arms)*
                #rest
            })
        }
    }
}

/// serde reads the key as the type in `from`.
fn of_proxy(ty: &Type) -> TokenStream {
    let schema = asked::call(ty, "key_schema");
    quote! {
        fn __extract_key_schema(
            __extract_generator: &mut __extract::SchemaGenerator,
        ) -> __extract::Option<__extract::Schema> {
            #schema(__extract_generator)
        }
    }
}

fn inner(field: &FieldModel) -> TokenStream {
    let (member, ty) = (&field.member, &field.ty);
    let keywords = keywords::of_field(field);
    let (schema, key) = (asked::call(ty, "key_schema"), asked::call(ty, "key"));
    quote! {
        fn __extract_key_schema(
            __extract_generator: &mut __extract::SchemaGenerator,
        ) -> __extract::Option<__extract::Schema> {
            let __extract_inner = #schema(__extract_generator);
            __extract::key(__extract_inner, &[#(#keywords),*])
        }

        fn __extract_key(&self) -> __extract::NameText<'_> {
            #key(&self.#member)
        }
    }
}
