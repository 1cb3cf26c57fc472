//! A schema by itself, as prompts write it.

use super::SchemaNotation;
use crate::{
    contract::Contract,
    schema::{OutlineOptions, types},
};

impl Contract {
    /// Returns the schema as a prompt writes it, without the sentence around it.
    ///
    /// [`Auto`](SchemaNotation::Auto) writes types, as for an agent that is not constrained to the
    /// schema. [`None`](SchemaNotation::None) is empty. `Contract::from_types` reads types back,
    /// but nothing reads an outline back: keep the JSON Schema.
    ///
    /// ```
    /// use extract::{Contract, settings::SchemaNotation};
    ///
    /// let contract = Contract::from_schema(serde_json::json!({
    ///     "type": "object",
    ///     "properties": {"guests": {"type": "integer", "minimum": 1}},
    ///     "required": ["guests"],
    /// }))?;
    /// assert_eq!(
    ///     contract.written_as(SchemaNotation::Types),
    ///     "type Answer = {\n  \"guests\": integer // at least 1\n}"
    /// );
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    pub fn written_as(&self, notation: SchemaNotation) -> String {
        let forms = self.forms();
        match notation {
            SchemaNotation::Auto | SchemaNotation::Types => types(forms.schema()).text,
            SchemaNotation::JsonSchema => forms.json().to_owned(),
            SchemaNotation::Outline => {
                forms.outline(OutlineOptions { shows_keys: true, unenforced: &[] }).to_string()
            }
            SchemaNotation::None => String::new(),
        }
    }
}
