//! Names that are used twice.

use std::collections::HashSet;

use crate::{
    MistakeCollector,
    model::{EnumModel, FieldsModel, ModelBody, SpannedName, TaggingModel, TypeModel},
};

pub(super) fn check(model: &TypeModel, errors: &mut MistakeCollector) {
    match &model.data {
        ModelBody::Struct(content) => {
            check_fields(content, errors);
        }
        ModelBody::Enum(data) => check_enum(data, errors),
        ModelBody::Proxy(_) | ModelBody::Union(_) => {}
    }
}

fn check_enum(data: &EnumModel, errors: &mut MistakeCollector) {
    let variants = data.variants.iter().filter(|variant| variant.skip.is_none());
    if !matches!(data.tagging, TaggingModel::Untagged) {
        let names =
            variants.clone().filter(|variant| !variant.is_untagged).flat_map(|variant| &variant.names);
        check_unique(names, "variants", errors);
    }
    for variant in variants {
        check_fields(&variant.content, errors);
        if let TaggingModel::Internal(tag) = &data.tagging
            && !variant.is_untagged
        {
            check_tag(&tag.value(), &variant.content, errors);
        }
    }
    if let TaggingModel::Adjacent(tag, content) = &data.tagging
        && tag.value() == content.value()
    {
        let name = tag.value();
        errors.report_of_type_as_serde(
            format!("enum tags `{name}` for type and content conflict with each other"),
            content.span(),
            &name,
            "tag and content have the same name; rename one",
        );
    }
}

fn check_fields(content: &FieldsModel, errors: &mut MistakeCollector) {
    check_unique(
        content.present().filter(|field| !field.is_flat()).flat_map(|field| &field.names),
        "fields",
        errors,
    );
}

fn check_tag(tag: &str, content: &FieldsModel, errors: &mut MistakeCollector) {
    let names = content.present().filter(|field| !field.is_flat()).flat_map(|field| &field.names);
    for name in names.filter(|name| name.text == tag) {
        errors.report_of_type_as_serde(
            format!("variant field name `{tag}` conflicts with internal tag"),
            name.span,
            tag,
            "the tag of the enum has this name; rename the field or the tag",
        );
    }
}

fn check_unique<'m>(names: impl Iterator<Item = &'m SpannedName>, what: &str, errors: &mut MistakeCollector) {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name.text.as_str()) {
            let message = format!("two {what} are called `{}` in the JSON; rename one", name.text);
            errors.push(syn::Error::new(name.span, message));
        }
    }
}
