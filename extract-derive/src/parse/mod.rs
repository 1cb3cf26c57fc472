//! Parses attributes.

mod arguments;
mod docs;
mod extract;
mod items;
#[cfg(test)]
mod overview;
mod partial;
mod serde;
pub(crate) mod suggest;
mod table;
mod values;

pub(crate) use self::{
    docs::DocText,
    extract::{
        FieldAttributes, FieldConstraints, ItemAttributes, RangeLimits, TypeAttributes, VariantAttributes,
    },
    serde::{SerdeField, SerdeType, SerdeVariant},
    table::{AttributePosition, is_constraint},
    values::{FunctionPath, MergeWord, OneOf, SpannedValue, StringLiteral},
};

use syn::{Attribute, DeriveInput, Fields, Generics, Ident, Visibility};

use crate::MistakeCollector;

/// A type with its parsed attributes, before they are interpreted.
#[derive(Debug)]
pub(crate) struct ParsedType {
    pub(crate) ident: Ident,
    pub(crate) vis: Visibility,
    pub(crate) generics: Generics,
    pub(crate) docs: DocText,
    /// The doc comments as written.
    pub(crate) comments: Vec<Attribute>,
    pub(crate) extract: ItemAttributes<TypeAttributes>,
    pub(crate) serde: SerdeType,
    pub(crate) data: ParsedData,
}

#[derive(Debug)]
pub(crate) enum ParsedData {
    Struct(ParsedFields),
    Enum(Vec<ParsedVariant>),
    Union(syn::Token![union]),
}

#[derive(Debug)]
pub(crate) struct ParsedVariant {
    pub(crate) ident: Ident,
    pub(crate) docs: DocText,
    pub(crate) extract: ItemAttributes<VariantAttributes>,
    pub(crate) serde: SerdeVariant,
    pub(crate) fields: ParsedFields,
}

#[derive(Debug)]
pub(crate) struct ParsedFields {
    pub(crate) style: FieldsStyle,
    pub(crate) fields: Vec<ParsedField>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldsStyle {
    Unit,
    Newtype,
    Tuple,
    Named,
}

#[derive(Debug)]
pub(crate) struct ParsedField {
    pub(crate) ident: Option<Ident>,
    pub(crate) vis: Visibility,
    pub(crate) ty: syn::Type,
    pub(crate) docs: DocText,
    /// The doc comments as written.
    pub(crate) comments: Vec<Attribute>,
    pub(crate) extract: ItemAttributes<FieldAttributes>,
    pub(crate) serde: SerdeField,
}

pub(crate) fn type_(input: &DeriveInput, errors: &mut MistakeCollector) -> ParsedType {
    ParsedType {
        ident: input.ident.clone(),
        vis: input.vis.clone(),
        comments: named(&input.attrs, "doc").cloned().collect(),
        generics: input.generics.clone(),
        docs: DocText::read(&input.attrs),
        extract: extract::read(&input.attrs, AttributePosition::Type, errors),
        serde: SerdeType::read(&input.attrs, errors),
        data: match &input.data {
            syn::Data::Struct(data) => ParsedData::Struct(fields(&data.fields, errors)),
            syn::Data::Enum(data) => {
                ParsedData::Enum(data.variants.iter().map(|v| variant(v, errors)).collect())
            }
            syn::Data::Union(data) => ParsedData::Union(data.union_token),
        },
    }
}

fn variant(variant: &syn::Variant, errors: &mut MistakeCollector) -> ParsedVariant {
    ParsedVariant {
        ident: variant.ident.clone(),
        docs: DocText::read(&variant.attrs),
        extract: extract::read(&variant.attrs, AttributePosition::Variant, errors),
        serde: SerdeVariant::read(&variant.attrs, errors),
        fields: fields(&variant.fields, errors),
    }
}

fn fields(fields: &Fields, errors: &mut MistakeCollector) -> ParsedFields {
    let style = match fields {
        Fields::Named(_) => FieldsStyle::Named,
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => FieldsStyle::Newtype,
        Fields::Unnamed(_) => FieldsStyle::Tuple,
        Fields::Unit => FieldsStyle::Unit,
    };
    ParsedFields { style, fields: fields.iter().map(|f| field(f, errors)).collect() }
}

fn field(field: &syn::Field, errors: &mut MistakeCollector) -> ParsedField {
    ParsedField {
        ident: field.ident.clone(),
        vis: field.vis.clone(),
        comments: named(&field.attrs, "doc").cloned().collect(),
        ty: field.ty.clone(),
        docs: DocText::read(&field.attrs),
        extract: extract::read(&field.attrs, AttributePosition::Field, errors),
        serde: SerdeField::read(&field.attrs, errors),
    }
}

/// The attributes with this name.
fn named<'a>(attributes: &'a [Attribute], name: &str) -> impl Iterator<Item = &'a Attribute> {
    attributes.iter().filter(move |attribute| attribute.path().is_ident(name))
}

/// A name for messages; empty for a path.
fn name(path: &syn::Path) -> String {
    path.get_ident().map(ToString::to_string).unwrap_or_default()
}
