//! Generates the schema.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::LitStr;

use super::{
    asked, at,
    bounds::ParameterUses,
    keywords::{self, annotations},
    located,
};
use crate::{
    model::{
        EnumModel, FieldModel, FieldsModel, ModelBody, SpannedName, TaggingModel, TypeModel, VariantModel,
    },
    parse::{FieldsStyle, FunctionPath, MergeWord, SpannedValue},
};

/// The name of the type's definition.
pub(super) fn name(model: &TypeModel) -> TokenStream {
    let base = &model.name;
    let used = ParameterUses::of(model);
    let types = model.generics.type_params().filter(|param| used.is_held(&param.ident)).map(|param| {
        let ident = &param.ident;
        quote!(<#ident as __extract::DerivedType>::__extract_schema_name())
    });
    let constants = model.generics.const_params().map(|param| {
        let ident = &param.ident;
        quote!(__extract::constant(&#ident))
    });
    let arguments: Vec<TokenStream> = types.chain(constants).collect();
    if arguments.is_empty() {
        quote!(__extract::Cow::Borrowed(#base))
    } else {
        quote!(__extract::name(#base, &[#(#arguments),*]))
    }
}

pub(super) fn body(model: &TypeModel) -> TokenStream {
    let annotations = annotations(&model.annotations);
    match &model.data {
        ModelBody::Struct(content) => {
            let shape = shape(content);
            quote!(__extract::struct_(__extract_generator, #shape, &[#(#annotations),*]))
        }
        ModelBody::Enum(data) => enum_(data, &annotations),
        ModelBody::Proxy(ty) => {
            let source = type_source(ty);
            let property = quote!(__extract::FieldProperty::new("", #source));
            quote! {
                __extract::struct_(__extract_generator, __extract::FieldsShape::Newtype(#property), &[#(#annotations),*])
            }
        }
        ModelBody::Union(_) => TokenStream::new(),
    }
}

/// serde looks through `transparent` and `from` to decide what may be absent and what may be
/// flattened.
pub(super) fn overrides(model: &TypeModel) -> TokenStream {
    let ty = match &model.data {
        ModelBody::Proxy(ty) => ty,
        ModelBody::Struct(content) if content.is_transparent => match content.present().next() {
            Some(FieldModel { ty, attributes, .. }) if attributes.schema_with.is_none() => ty,
            _ => return TokenStream::new(),
        },
        _ => return TokenStream::new(),
    };
    quote! {
        const __EXTRACT_OPTIONAL: ::core::primitive::bool = __extract::AskedType::<#ty>::OPTIONAL;
    }
}

fn enum_(data: &EnumModel, annotations: &[TokenStream]) -> TokenStream {
    let tagging = match &data.tagging {
        TaggingModel::External => quote!(__extract::EnumTagging::External),
        TaggingModel::Internal(tag) => quote!(__extract::EnumTagging::Internal(#tag)),
        TaggingModel::Adjacent(tag, content) => quote!(__extract::EnumTagging::Adjacent(#tag, #content)),
        TaggingModel::Untagged => quote!(__extract::EnumTagging::Untagged),
    };
    let denies_unknown = data.denies_unknown;
    let variants = data.variants.iter().filter(|variant| variant.skip.is_none());
    let variants = variants.map(variant);
    quote! {
        __extract::enum_(
            __extract_generator,
            #tagging,
            #denies_unknown,
            &[#(#variants),*],
            &[#(#annotations),*],
        )
    }
}

fn variant(variant: &VariantModel) -> TokenStream {
    let names = texts(&variant.names);
    let shape = match &variant.schema_with {
        Some(function) => given(function, variant.content.style),
        None => shape(&variant.content),
    };
    let mut tokens = quote!(__extract::EnumVariant::new(&[#(#names),*], #shape));
    let annotations = annotations(&variant.annotations);
    if !annotations.is_empty() {
        tokens.extend(quote!(.keywords(&[#(#annotations),*])));
    }
    if variant.is_untagged {
        tokens.extend(quote!(.untagged()));
    }
    if variant.is_other {
        tokens.extend(quote!(.other()));
    }
    tokens
}

/// The content of a variant from a custom function. serde does not read the content of a unit
/// variant.
fn given(function: &SpannedValue<FunctionPath>, style: FieldsStyle) -> TokenStream {
    let source = source_with(function);
    let absent = matches!(style, FieldsStyle::Unit).then(|| quote!(.or_absent()));
    quote!(__extract::FieldsShape::Newtype(__extract::FieldProperty::new("", #source #absent)))
}

fn shape(content: &FieldsModel) -> TokenStream {
    let mut properties = content.present().map(property);
    match content.style {
        FieldsStyle::Unit => quote!(__extract::FieldsShape::Unit),
        FieldsStyle::Newtype => {
            let property = properties.next();
            quote!(__extract::FieldsShape::Newtype(#property))
        }
        FieldsStyle::Tuple => quote!(__extract::FieldsShape::Tuple(&[#(#properties),*])),
        FieldsStyle::Named => {
            let denies_unknown = content.denies_unknown;
            quote!(__extract::FieldsShape::Named(&[#(#properties),*], #denies_unknown))
        }
    }
}

fn property(field: &FieldModel) -> TokenStream {
    let names = texts(&field.names);
    let name = names.first().map_or_else(|| quote!(""), ToTokens::to_token_stream);
    let source = source(field);
    let mut tokens = quote!(__extract::FieldProperty::new(#name, #source));
    if let [_, aliases @ ..] = &names[..]
        && !aliases.is_empty()
    {
        tokens.extend(quote!(.aliases(&[#(#aliases),*])));
    }
    let keywords = keywords::of_field(field);
    if !keywords.is_empty() {
        tokens.extend(quote!(.keywords(&[#(#keywords),*])));
    }
    if let Some(SpannedValue { value: MergeWord::Greatest(function), .. }) = &field.attributes.merge {
        tokens.extend(greatest(&field.ty, function));
    }
    if field.has_default {
        tokens.extend(quote!(.defaulted()));
    }
    if field.is_flat() {
        tokens.extend(quote!(.flat()));
    }
    tokens
}

/// A wrong signature is reported at the function.
fn greatest(ty: &syn::Type, function: &FunctionPath) -> TokenStream {
    let path = &function.0;
    let ty = located(&ty.to_token_stream(), path);
    let order = quote_spanned!(at(path)=> |left, right| __extract::ordered::<#ty>(left, right, #path));
    quote!(.greatest(#order))
}

fn source(field: &FieldModel) -> TokenStream {
    match &field.attributes.schema_with {
        Some(function) => source_with(function),
        None => type_source(&field.ty),
    }
}

fn source_with(function: &SpannedValue<FunctionPath>) -> TokenStream {
    let path = &function.value.0;
    quote_spanned!(at(path)=> __extract::SchemaSource::with(#path))
}

fn type_source(ty: &syn::Type) -> TokenStream {
    let source = asked::call(ty, "source");
    quote_spanned!(at(ty)=> #source())
}

pub(super) fn texts(names: &[SpannedName]) -> Vec<LitStr> {
    names.iter().map(|name| LitStr::new(&name.text, name.span)).collect()
}
