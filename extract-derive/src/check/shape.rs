//! Types without a schema.

use syn::Type;

use super::known;
use crate::{
    MistakeCollector,
    model::{EnumModel, FieldModel, FieldsModel, ModelBody, TaggingModel, TypeModel, VariantModel},
    parse::FieldsStyle,
};

pub(super) fn check(model: &TypeModel, errors: &mut MistakeCollector) {
    for lifetime in model.generics.lifetimes() {
        errors.report(
            lifetime,
            "borrowed data cannot outlive the reply it is read from; hold owned data, such as `String`",
        );
    }
    match &model.data {
        ModelBody::Union(token) => errors.report(token, "a union has no JSON form; use an enum"),
        ModelBody::Enum(data) => check_enum(model, data, errors),
        ModelBody::Struct(content) => check_newtype(content, errors),
        ModelBody::Proxy(_) => {}
    }
}

fn check_enum(model: &TypeModel, data: &EnumModel, errors: &mut MistakeCollector) {
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

fn check_newtype(content: &FieldsModel, errors: &mut MistakeCollector) {
    let skipped = content.fields.iter().find_map(|field: &FieldModel| field.serde.skip.as_ref());
    if let (FieldsStyle::Newtype, false, Some(skip)) = (content.style, content.is_transparent, skipped) {
        errors.report(skip, "the only field of a newtype cannot be skipped; make it a unit");
    }
}

/// `serde_json` reads `[]` as a unit there, and serde then rejects it.
fn check_empty_tuple(variant: &VariantModel, errors: &mut MistakeCollector) {
    let is_empty = variant.content.style == FieldsStyle::Tuple && variant.content.present().next().is_none();
    if is_empty && variant.skip.is_none() {
        errors.report(
            &variant.ident,
            "a tuple variant without fields cannot be read from JSON; remove the parentheses",
        );
    }
}

/// Its schema would contain itself endlessly, and no value could have both tags.
fn check_tag_inside_tag(
    model: &TypeModel,
    data: &EnumModel,
    variant: &VariantModel,
    errors: &mut MistakeCollector,
) {
    if !matches!(data.tagging, TaggingModel::Internal(_)) || variant.content.style != FieldsStyle::Newtype {
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
