//! Values with a quote.

use std::borrow::Cow;

use schemars::{Schema, SchemaGenerator, json_schema};
use serde::de::DeserializeOwned;

use super::{Derived, Field, growth::Whole, macros::scalar};
use crate::{
    document::{Grounded, Quote},
    schema::{GROUNDED, QUOTE, keyed::HasKeys},
    validation::{Healthy, Judge, LazyPath, Part},
};

/// The description of a quote for agents.
const COPIED: &str = "words copied from the text exactly as they stand there";

impl Derived for Quote {
    scalar!("Quote", quote(COPIED));
}

impl<T: Derived + DeserializeOwned> Derived for Grounded<T> {
    type __ExtractContext = T::__ExtractContext;

    // Its value is only shown together with the quote that supports it.
    type __ExtractGrowth = Whole;

    fn __extract_schema_name() -> Cow<'static, str> {
        Cow::Owned(format!("Grounded_{}", T::__extract_schema_name()))
    }

    fn __extract_json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<Field<T>>();
        json_schema!({
            "type": "object",
            "properties": {"value": value, "quote": quote(&format!("{COPIED}, that show the value"))},
            "required": ["value", "quote"],
            GROUNDED: true,
        })
    }

    fn __extract_judge<'v>(&'v self, place: &LazyPath<'_>, judge: &mut Judge<'v>) {
        self.value.__extract_judge(&place.key("value"), judge);
    }

    fn __extract_healthy<Use>(part: &Part<'_>, healthy: &mut Healthy<'_>) {
        T::__extract_part(part.key(&["value"]), healthy, &|_, _, _| {});
    }

    const __EXTRACT_IS_RECORD: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T, D> HasKeys<D> for Grounded<T> {}

fn quote(description: &str) -> Schema {
    json_schema!({"type": "string", "minLength": 1, "description": description, QUOTE: true})
}
