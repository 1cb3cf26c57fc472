//! Types that serde deserializes.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::DerivedType;
use crate::schema::SerdeRefusal;

/// A type that can be asked for and deserialized.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `Extractable`",
    label = "an agent cannot be asked for this type",
    note = "for a type of your own, add `#[derive(serde::Deserialize, extract::Extractable)]` to it",
    note = "for a type of another crate, enable the feature named after it, such as `url2`, or use `extract::BySchemars<{Self}>` if it implements `Deserialize` and `schemars::JsonSchema`"
)]
pub trait DescribedType: DerivedType + DeserializeOwned {}

impl<T: DerivedType + DeserializeOwned> DescribedType for T {}

/// A type that serde deserializes. It is a separate trait for its error message.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not implement `serde::Deserialize`",
    label = "serde cannot deserialize this type",
    note = "derive it beside `Extractable`: `#[derive(serde::Deserialize, extract::Extractable)]`",
    note = "where it is derived already, serde reports a mistake in the type; fix that first"
)]
pub trait DeserializableType {
    /// Returns why serde refuses `value`; `None` if it reads it.
    fn refusal(value: &Value) -> Option<String>;
}

#[diagnostic::do_not_recommend]
impl<T: for<'de> Deserialize<'de>> DeserializableType for T {
    fn refusal(value: &Value) -> Option<String> {
        T::deserialize(value).err().map(|error| error.to_string())
    }
}

/// Compiles if serde deserializes a `T`. Returns the function that says what it refuses.
pub const fn is_deserializable<T: DeserializableType>() -> Option<SerdeRefusal> {
    Some(T::refusal)
}
