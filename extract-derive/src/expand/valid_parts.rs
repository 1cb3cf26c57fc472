//! Generates the code that judges the valid parts of a broken value.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::Type;

use super::{
    asked, at,
    judge::{JudgingCalls, is_scalar},
    schema::texts,
};
use crate::{
    model::{EnumModel, FieldModel, FieldsModel, ModelBody, TaggingModel, TypeModel, VariantModel},
    parse::FieldsStyle,
};

/// Walks the fields by their JSON names. Fields that a custom function reads are skipped, because
/// their form is unknown.
pub(super) fn method(model: &TypeModel) -> TokenStream {
    let judging = JudgingCalls::new(model);
    let part = quote!(__extract_part);
    let parts = match &model.data {
        ModelBody::Struct(content) => self::content(content, &part, &judging),
        ModelBody::Enum(data) => enum_(data, &judging),
        ModelBody::Proxy(_) | ModelBody::Union(_) => TokenStream::new(),
    };
    let is_record = matches!(&model.data, ModelBody::Struct(FieldsModel { style: FieldsStyle::Named, .. }))
        .then(|| {
            quote!(
                const __EXTRACT_IS_RECORD: ::core::primitive::bool = true;
            )
        });
    let method = (!parts.is_empty()).then(|| {
        quote! {
            fn __extract_valid_parts<__ExtractUse>(
                __extract_part: &__extract::ValuePart<'_>,
                __extract_valid_parts: &mut __extract::ValidParts<'_>,
            ) {
                #parts
            }
        }
    });
    quote!(#method #is_record)
}

/// The fields of `part`, a reference.
fn content(content: &FieldsModel, part: &TokenStream, judging: &JudgingCalls<'_>) -> TokenStream {
    let fields = content.present().zip(0_usize..);
    fields.map(|(placed, index)| field(placed, index, content.style, part, judging)).collect()
}

fn field(
    field: &FieldModel,
    index: usize,
    style: FieldsStyle,
    part: &TokenStream,
    judging: &JudgingCalls<'_>,
) -> TokenStream {
    if field.attributes.schema_with.is_some() || field.serde.with.is_some() {
        return TokenStream::new();
    }
    let ty = &field.ty;
    let part = match style {
        FieldsStyle::Unit => return TokenStream::new(),
        FieldsStyle::Newtype => return call(ty, "valid_parts", part, None),
        FieldsStyle::Named if field.is_flat() => {
            return call(ty, "among", part, None);
        }
        FieldsStyle::Tuple => quote!(#part.index(#index)),
        FieldsStyle::Named => {
            let names = texts(&field.names);
            quote!(#part.key(&[#(#names),*]))
        }
    };
    judged(field, &part, judging)
}

/// Judges the field at `part`, an `Option`.
fn judged(field: &FieldModel, part: &TokenStream, judging: &JudgingCalls<'_>) -> TokenStream {
    let ty = &field.ty;
    let value = quote!(__extract_value);
    let checks = judging.now(&field.checks, std::slice::from_ref(&value), &quote!(__extract_at));
    match checks {
        Some(checks) => {
            let checks = quote!(&|__extract_value, __extract_at, __extract_judge| { #checks });
            call(ty, "part", part, Some(&checks))
        }
        // The schema checks it completely.
        None if is_scalar(ty) => TokenStream::new(),
        None => call(ty, "part", part, Some(&quote!(&|_, _, _| {}))),
    }
}

/// The path has the position of the type, so the compiler reports a mistake once.
fn call(ty: &Type, method: &str, part: &TokenStream, checks: Option<&TokenStream>) -> TokenStream {
    // Compiled only where it is used; see the trait.
    let lazily = (method == "valid_parts").then(|| quote!(::<__ExtractUse>));
    let method = asked::call(ty, method);
    let method = quote_spanned!(at(ty)=> #method #lazily);
    let checks = checks.into_iter();
    quote!(#method(#part, __extract_valid_parts #(, #checks)*);)
}

fn enum_(data: &EnumModel, judging: &JudgingCalls<'_>) -> TokenStream {
    let variants = data.variants.iter().filter(|variant| variant.skip.is_none() && variant.with.is_none());
    variants.map(|one| variant(one, &data.tagging, judging)).collect()
}

/// The parts of the variant that the tag names. Without a tag the intended variant is unknown.
fn variant(variant: &VariantModel, tagging: &TaggingModel, judging: &JudgingCalls<'_>) -> TokenStream {
    if variant.is_untagged || variant.is_other {
        return TokenStream::new();
    }
    let names = texts(&variant.names);
    match tagging {
        TaggingModel::Untagged => TokenStream::new(),
        TaggingModel::Internal(tag) => {
            let part = quote!(__extract_part);
            let parts = match (variant.content.style, variant.content.present().next()) {
                (FieldsStyle::Newtype, Some(inside)) if inside.attributes.schema_with.is_none() => {
                    call(&inside.ty, "among", &part, None)
                }
                (FieldsStyle::Newtype, _) => TokenStream::new(),
                _ => content(&variant.content, &part, judging),
            };
            tagged(&parts, tag, &names)
        }
        TaggingModel::Adjacent(tag, key) => {
            let inside = quote!(__extract_part.key(&[#key]));
            tagged(&content_at(variant, &inside, judging), tag, &names)
        }
        TaggingModel::External => content_at(variant, &quote!(__extract_part.key(&[#(#names),*])), judging),
    }
}

fn tagged(parts: &TokenStream, tag: &impl ToTokens, names: &[syn::LitStr]) -> TokenStream {
    if parts.is_empty() {
        return TokenStream::new();
    }
    quote!(if __extract_part.is_tagged(#tag, &[#(#names),*]) { #parts })
}

/// The content of a variant at `part`, an `Option`.
fn content_at(variant: &VariantModel, part: &TokenStream, judging: &JudgingCalls<'_>) -> TokenStream {
    if variant.content.style == FieldsStyle::Newtype {
        let inside = variant.content.present().next();
        let inside =
            inside.filter(|field| field.attributes.schema_with.is_none() && field.serde.with.is_none());
        return inside.map(|field| judged(field, part, judging)).unwrap_or_default();
    }
    let parts = content(&variant.content, &quote!(__extract_content), judging);
    if parts.is_empty() {
        return TokenStream::new();
    }
    quote!(if let __extract::Option::Some(__extract_content) = &#part { #parts })
}
