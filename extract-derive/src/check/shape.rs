//! Types without a schema.

use syn::Type;

use super::known;
use crate::{
    Errors,
    model::{Content, Data, Enum, Field, Model, Tagging, Variant},
    parse::Style,
};

pub(super) fn check(model: &Model, errors: &mut Errors) {
    for lifetime in model.generics.lifetimes() {
        errors.report(
            lifetime,
            "borrowed data cannot outlive the reply it is read from; hold owned data, such as `String`",
        );
    }
    match &model.data {
        Data::Union(token) => errors.report(token, "a union has no JSON form; use an enum"),
        Data::Enum(data) => check_enum(model, data, errors),
        Data::Struct(content) => check_newtype(content, errors),
        Data::Proxy(_) => {}
    }
}

fn check_enum(model: &Model, data: &Enum, errors: &mut Errors) {
    if data.variants.iter().all(|variant| variant.skip.is_some()) {
        errors.report(
            &model.ident,
            "no value of this enum can be asked for; add a variant that is not skipped",
        );
    }
    for variant in &data.variants {
        check_newtype(&variant.content, errors);
        check_empty_tuple(variant, errors);
        check_tag_inside_tag(model, data, variant, errors);
    }
}

fn check_newtype(content: &Content, errors: &mut Errors) {
    let skipped = content.fields.iter().find_map(|field: &Field| field.serde.skip.as_ref());
    if let (Style::Newtype, false, Some(skip)) = (content.style, content.is_transparent, skipped) {
        errors.report(skip, "the only field of a newtype cannot be skipped; make it a unit");
    }
}

/// `serde_json` reads `[]` as a unit there, and serde then rejects it.
fn check_empty_tuple(variant: &Variant, errors: &mut Errors) {
    let is_empty = variant.content.style == Style::Tuple && variant.content.present().next().is_none();
    if is_empty && variant.skip.is_none() {
        errors.report(
            &variant.ident,
            "a tuple variant without fields cannot be read from JSON; remove the parentheses",
        );
    }
}

/// Its schema would contain itself endlessly, and no value could have both tags.
fn check_tag_inside_tag(model: &Model, data: &Enum, variant: &Variant, errors: &mut Errors) {
    if !matches!(data.tagging, Tagging::Internal(_)) || variant.content.style != Style::Newtype {
        return;
    }
    for field in variant.content.present() {
        let inside = known::argument_of(&field.ty, "Box").unwrap_or(&field.ty);
        if matches!(inside, Type::Path(path) if path.path.is_ident(&model.ident) || path.path.is_ident("Self"))
        {
            errors.report(
                inside,
                "the enum beside its own tag would need the tag twice; give the variant a named field",
            );
        }
    }
}
