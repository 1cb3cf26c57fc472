//! serde attributes that the schema cannot express.

use crate::{
    MistakeCollector,
    model::{ModelBody, TypeModel, VariantModel},
};

/// `with` and `schema_with` require each other, and constraints on the fields have no effect then.
fn check_variant(variant: &VariantModel, errors: &mut MistakeCollector) {
    match (&variant.with, &variant.schema_with) {
        (Some(with), None) => errors.report(
            with,
            "a function of your own reads this variant, so its schema is not that of its fields; \
             add `#[extract(schema_with = path::to::function)]`",
        ),
        (None, Some(schema)) if variant.skip.is_none() => errors.report(
            &schema.at,
            "`schema_with` on a variant needs serde's `with` or `deserialize_with` beside it; \
             for the schema of one field, put it on that field",
        ),
        (Some(_), Some(_)) => {
            for at in variant.content.fields.iter().flat_map(|field| &field.written) {
                errors.report(
                    at,
                    "no effect here, a function of your own reads the whole variant; \
                     say it in the schema that `schema_with` gives, or in a `rule` on the variant",
                );
            }
        }
        _ => {}
    }
}

pub(super) fn check(model: &TypeModel, errors: &mut MistakeCollector) {
    for path in &model.serde.refused {
        let cure = if path.is_ident("remote") {
            "wrap the type in `extract::BySchemars`, or derive for a type of your own with `from`"
        } else {
            "it makes an identifier, and an agent cannot be asked for one; remove `Extractable`"
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
    for field in model.plain_fields() {
        if let (Some(with), None) = (&field.serde.with, &field.attributes.schema_with) {
            errors.report(
                with,
                "a function of your own reads this field, so its schema is not that of its type; \
                 add `#[extract(schema_with = path::to::function)]`",
            );
        }
    }
    if let ModelBody::Enum(data) = &model.data {
        data.variants.iter().for_each(|variant| check_variant(variant, errors));
    }
}
