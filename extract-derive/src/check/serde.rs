//! serde attributes that the schema cannot honour.

use crate::{
    Errors,
    model::{Data, Model},
};

pub(super) fn check(model: &Model, errors: &mut Errors) {
    for path in &model.serde.refused {
        let cure = if path.is_ident("remote") {
            "wrap the foreign type in `extract::Foreign`, or derive for a type of your own with `from`"
        } else {
            "it makes an identifier, which is no value to ask for; remove `Extractable`"
        };
        let name = path.get_ident().map(ToString::to_string).unwrap_or_default();
        errors.report(path, format!("serde attribute `{name}` cannot be honoured; {cure}"));
    }
    let flat = model.fields().into_iter().find_map(|field| field.serde.flatten.as_ref());
    if let (Some(deny), Some(_)) = (&model.serde.deny_unknown_fields, flat) {
        errors.report(
            deny,
            "serde does not support `deny_unknown_fields` beside `flatten`; remove one of them",
        );
    }
    for field in model.fields() {
        if let (Some(with), None) = (&field.serde.with, &field.attributes.schema_with) {
            errors.report(
                with,
                "a function of your own reads this field, so its schema is not that of its type; \
                 add `#[extract(schema_with = path::to::function)]`",
            );
        }
    }
    if let Data::Enum(data) = &model.data {
        for with in data.variants.iter().filter_map(|variant| variant.with.as_ref()) {
            errors.report(
                with,
                "a function of your own reads this variant, and its schema is not known; \
                 put the attribute on a field and add `#[extract(schema_with = path::to::function)]`",
            );
        }
    }
}
