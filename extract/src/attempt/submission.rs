//! The value of an attempt, which is built only if somebody looks at it.

use std::{fmt, sync::OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The value that was read from a reply, if any. It is compared, printed and serialized as the
/// `Option<Value>` that it stands for.
#[derive(Clone, Default)]
pub(crate) struct Submission {
    value: OnceLock<Value>,
    /// The text of the value, if it is strict JSON that was judged without building the value.
    text: Option<Box<str>>,
}

impl Submission {
    /// The value of a strict JSON `text`.
    pub(crate) fn of_text(text: &str) -> Self {
        Self { value: OnceLock::new(), text: Some(text.into()) }
    }

    pub(crate) fn value(&self) -> Option<&Value> {
        match &self.text {
            Some(text) => Some(self.value.get_or_init(|| serde_json::from_str(text).unwrap_or_default())),
            None => self.value.get(),
        }
    }
}

impl From<Option<Value>> for Submission {
    fn from(value: Option<Value>) -> Self {
        Self { value: value.map_or_else(OnceLock::new, OnceLock::from), text: None }
    }
}

impl PartialEq for Submission {
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}

impl fmt::Debug for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

impl Serialize for Submission {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Submission {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_stands_for_its_value() {
        let value = json!({"b": [1, 2.5], "a": "\u{e9}"});
        let built = Submission::from(Some(value.clone()));
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let submission = Submission::of_text(&text);
            assert_eq!(submission, built);
            assert_eq!(format!("{submission:?}"), format!("{:?}", Some(&value)));
            let stored = serde_json::to_string(&submission).unwrap();
            assert_eq!(stored, value.to_string());
            assert_eq!(serde_json::from_str::<Submission>(&stored).unwrap(), submission);
        }
        assert_ne!(Submission::of_text("1"), built);
        let nothing = Submission::default();
        assert_eq!((nothing.value(), serde_json::to_value(&nothing).unwrap()), (None, Value::Null));
        assert_eq!(serde_json::from_str::<Submission>("null").unwrap(), nothing);
    }
}
