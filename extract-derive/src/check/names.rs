//! Names that stand for two things.

use std::collections::HashMap;

use crate::{
    Errors,
    model::{Content, Data, Enum, Model, Name, Tagging},
};

pub(super) fn check(model: &Model, errors: &mut Errors) {
    match &model.data {
        Data::Struct(content) => {
            check_fields(content, errors);
            if let (Tagging::Internal(tag), Data::Struct(_)) = (tag_of_struct(model), &model.data) {
                check_tag(&tag.value(), content, errors);
            }
        }
        Data::Enum(data) => check_enum(data, errors),
        Data::Proxy(_) | Data::Union(_) => {}
    }
}

/// serde writes a tag for a struct and does not ask for it when it reads.
fn tag_of_struct(model: &Model) -> Tagging {
    model.serde.tag.clone().map_or(Tagging::External, Tagging::Internal)
}

fn check_enum(data: &Enum, errors: &mut Errors) {
    let variants = data.variants.iter().filter(|variant| variant.skip.is_none());
    if !matches!(data.tagging, Tagging::Untagged) {
        let names =
            variants.clone().filter(|variant| !variant.is_untagged).flat_map(|variant| &variant.names);
        check_unique(names, "variants", errors);
    }
    for variant in variants {
        check_fields(&variant.content, errors);
        if let Tagging::Internal(tag) = &data.tagging {
            check_tag(&tag.value(), &variant.content, errors);
        }
    }
    if let Tagging::Adjacent(tag, content) = &data.tagging
        && tag.value() == content.value()
    {
        errors.report(content, format!("tag and content are both called `{}`; rename one", tag.value()));
    }
}

fn check_fields(content: &Content, errors: &mut Errors) {
    check_unique(
        content.present().filter(|field| !field.is_flat()).flat_map(|field| &field.names),
        "fields",
        errors,
    );
}

fn check_tag(tag: &str, content: &Content, errors: &mut Errors) {
    for name in content.present().filter(|field| !field.is_flat()).flat_map(|field| &field.names) {
        if name.text == tag {
            let message = format!("the tag of the enum is called `{tag}` too; rename the field or the tag");
            errors.push(syn::Error::new(name.span, message));
        }
    }
}

fn check_unique<'m>(names: impl Iterator<Item = &'m Name>, what: &str, errors: &mut Errors) {
    let mut seen = HashMap::new();
    for name in names {
        if seen.insert(name.text.as_str(), ()).is_some() {
            let message = format!("two {what} are called `{}` in the JSON; rename one", name.text);
            errors.push(syn::Error::new(name.span, message));
        }
    }
}
