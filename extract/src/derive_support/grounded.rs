//! Values with a quote.

use std::borrow::Cow;

use schemars::{Schema, SchemaGenerator, json_schema};
use serde::de::DeserializeOwned;

use super::{DerivedType, FieldSchema, macros::scalar, partial_types::WholeGrowth};
use crate::{
    document::{Grounded, Quote},
    schema::{GROUNDED, QUOTE, keyed::HasKeys},
    validation::{LazyPath, RuleJudge, ValidParts, ValuePart},
};

/// The description of a quote for agents.
const COPIED: &str = "words copied from the text exactly as they stand there";

impl DerivedType for Quote {
    scalar!("Quote", quote(COPIED));
}

impl<T: DerivedType + DeserializeOwned> DerivedType for Grounded<T> {
    type __ExtractContext = T::__ExtractContext;

    // Its value is only shown together with the quote that supports it.
    type __ExtractGrowth = WholeGrowth;

    fn __extract_schema_name() -> Cow<'static, str> {
        Cow::Owned(format!("Grounded_{}", T::__extract_schema_name()))
    }

    fn __extract_json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<FieldSchema<T>>();
        json_schema!({
            "type": "object",
            "properties": {"value": value, "quote": quote(&format!("{COPIED}, that show the value"))},
            "required": ["value", "quote"],
            GROUNDED: true,
        })
    }

    fn __extract_judge<'v>(&'v self, place: &LazyPath<'_>, judge: &mut RuleJudge<'v>) {
        self.value.__extract_judge(&place.key("value"), judge);
    }

    fn __extract_valid_parts<Use>(part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>) {
        T::__extract_part(part.key(&["value"]), valid_parts, &|_, _, _| {});
    }

    const __EXTRACT_IS_RECORD: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T, D> HasKeys<D> for Grounded<T> {}

fn quote(description: &str) -> Schema {
    json_schema!({"type": "string", "minLength": 1, "description": description, QUOTE: true})
}
