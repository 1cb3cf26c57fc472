//! Names that stand for two things.

use std::collections::HashSet;

use crate::{
    Errors,
    model::{Content, Data, Enum, Model, Name, Tagging},
};

pub(super) fn check(model: &Model, errors: &mut Errors) {
    match &model.data {
        Data::Struct(content) => {
            check_fields(content, errors);
        }
        Data::Enum(data) => check_enum(data, errors),
        Data::Proxy(_) | Data::Union(_) => {}
    }
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

/// serde itself looks at the names, but not at the aliases.
fn check_tag(tag: &str, content: &Content, errors: &mut Errors) {
    for name in
        content.present().filter(|field| !field.is_flat()).flat_map(|field| field.names.iter().skip(1))
    {
        if name.text == tag {
            let message = format!("the tag of the enum is called `{tag}` too; rename the field or the tag");
            errors.push(syn::Error::new(name.span, message));
        }
    }
}

fn check_unique<'m>(names: impl Iterator<Item = &'m Name>, what: &str, errors: &mut Errors) {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name.text.as_str()) {
            let message = format!("two {what} are called `{}` in the JSON; rename one", name.text);
            errors.push(syn::Error::new(name.span, message));
        }
    }
}
