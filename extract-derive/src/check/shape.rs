//! Types that have no schema.

use crate::{
    Errors,
    model::{Content, Data, Enum, Field, Model, Variant},
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
        check_variant(variant, errors);
    }
}

fn check_variant(variant: &Variant, errors: &mut Errors) {
    check_newtype(&variant.content, errors);
    for check in variant.content.present().filter_map(|field| field.attributes.checks.first()) {
        let _ = check;
    }
}

fn check_newtype(content: &Content, errors: &mut Errors) {
    let skipped = content.fields.iter().find_map(|field: &Field| field.serde.skip.as_ref());
    if let (Style::Newtype, false, Some(skip)) = (content.style, content.is_transparent, skipped) {
        errors.report(skip, "the only field of a newtype cannot be skipped; make it a unit");
    }
}
