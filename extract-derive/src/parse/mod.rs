//! Parses attributes.

mod arguments;
mod docs;
mod extract;
mod items;
#[cfg(test)]
mod overview;
mod serde;
pub(crate) mod suggest;
mod table;
mod values;

pub(crate) use self::{
    docs::Docs,
    extract::{Attributes, Constraints, FieldAttributes, Range, TypeAttributes, VariantAttributes},
    serde::{SerdeField, SerdeType, SerdeVariant},
    table::{Position, is_constraint},
    values::{Function, OneOf, Placed, Policy, Text},
};

use syn::{Attribute, DeriveInput, Fields, Generics, Ident};

use crate::Errors;

/// A type with its parsed attributes, before they are interpreted.
#[derive(Debug)]
pub(crate) struct ParsedType {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) docs: Docs,
    pub(crate) extract: Attributes<TypeAttributes>,
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
    pub(crate) docs: Docs,
    pub(crate) extract: Attributes<VariantAttributes>,
    pub(crate) serde: SerdeVariant,
    pub(crate) fields: ParsedFields,
}

#[derive(Debug)]
pub(crate) struct ParsedFields {
    pub(crate) style: Style,
    pub(crate) fields: Vec<ParsedField>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Unit,
    Newtype,
    Tuple,
    Named,
}

#[derive(Debug)]
pub(crate) struct ParsedField {
    pub(crate) ident: Option<Ident>,
    pub(crate) ty: syn::Type,
    pub(crate) docs: Docs,
    pub(crate) extract: Attributes<FieldAttributes>,
    pub(crate) serde: SerdeField,
}

pub(crate) fn type_(input: &DeriveInput, errors: &mut Errors) -> ParsedType {
    ParsedType {
        ident: input.ident.clone(),
        generics: input.generics.clone(),
        docs: Docs::read(&input.attrs),
        extract: extract::read(&input.attrs, Position::Type, errors),
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

fn variant(variant: &syn::Variant, errors: &mut Errors) -> ParsedVariant {
    ParsedVariant {
        ident: variant.ident.clone(),
        docs: Docs::read(&variant.attrs),
        extract: extract::read(&variant.attrs, Position::Variant, errors),
        serde: SerdeVariant::read(&variant.attrs, errors),
        fields: fields(&variant.fields, errors),
    }
}

fn fields(fields: &Fields, errors: &mut Errors) -> ParsedFields {
    let style = match fields {
        Fields::Named(_) => Style::Named,
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => Style::Newtype,
        Fields::Unnamed(_) => Style::Tuple,
        Fields::Unit => Style::Unit,
    };
    ParsedFields { style, fields: fields.iter().map(|f| field(f, errors)).collect() }
}

fn field(field: &syn::Field, errors: &mut Errors) -> ParsedField {
    ParsedField {
        ident: field.ident.clone(),
        ty: field.ty.clone(),
        docs: Docs::read(&field.attrs),
        extract: extract::read(&field.attrs, Position::Field, errors),
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
