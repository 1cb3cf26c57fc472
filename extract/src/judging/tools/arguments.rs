//! From the arguments of a call to the text to read.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::argument_form::{ArgumentForm, KEY};

/// Arguments in a string. The value keeps its spelling, with all digits of its numbers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrappedArguments<'a> {
    /// [`KEY`]
    #[serde(borrow)]
    value: &'a RawValue,
}

/// The submitted value as text.
pub(super) fn submitted(arguments: &Value, input: ArgumentForm) -> String {
    match (input, arguments) {
        (ArgumentForm::Plain, Value::String(text)) => text.clone(),
        (ArgumentForm::Plain, arguments) => arguments.to_string(),
        (ArgumentForm::Wrapped, Value::String(text)) => {
            match serde_json::from_str::<WrappedArguments<'_>>(text) {
                Ok(wrapped) => wrapped.value.get().to_owned(),
                Err(_) => text.clone(),
            }
        }
        (ArgumentForm::Wrapped, arguments) => unwrapped(arguments).unwrap_or(arguments).to_string(),
    }
}

/// The wrapped value; `None` if the agent omitted the wrapper or added another argument.
fn unwrapped(arguments: &Value) -> Option<&Value> {
    let arguments = arguments.as_object()?;
    arguments.get(KEY).filter(|_| arguments.len() == 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn takes_the_value_out_of_its_wrapper_and_nothing_else() {
        for (arguments, expected) in [
            (json!({"value": [1]}), "[1]"),
            (json!("{\"value\": [1]}"), "[1]"),
            (json!("{\"value\": [1.10, 12345678901234567890123]}"), "[1.10, 12345678901234567890123]"),
            (json!("{\"value\": [1], \"note\": 2}"), "{\"value\": [1], \"note\": 2}"),
            (json!({"value": "[1]"}), "\"[1]\""),
            (json!([1]), "[1]"),
            (json!({"value": 1, "note": 2}), "{\"value\":1,\"note\":2}"),
            (json!("```json\n[1]\n```"), "```json\n[1]\n```"),
        ] {
            assert_eq!(submitted(&arguments, ArgumentForm::Wrapped), expected);
        }
    }

    #[test]
    fn an_object_of_the_type_is_taken_as_it_is() {
        assert_eq!(submitted(&json!({"value": 1}), ArgumentForm::Plain), "{\"value\":1}");
        assert_eq!(submitted(&json!("{\"value\": 1,}"), ArgumentForm::Plain), "{\"value\": 1,}");
    }
}
