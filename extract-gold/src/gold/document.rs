//! One checked document.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use extract::{Code, Contract, Violation, document::Document};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::alternatives;
use crate::compare::ValueComparer;

/// A document and the value that a person found right for it: one line of a gold set.
///
/// ```
/// use extract_gold::GoldDocument;
///
/// let line = r#"{"text": "Two of us come to Lyon.", "value": {"guests": 2}, "checked_by": "ann"}"#;
/// let document: GoldDocument = serde_json::from_str(line)?;
/// assert_eq!(document.checked_by.as_deref(), Some("ann"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "GoldLine")]
#[non_exhaustive]
pub struct GoldDocument {
    /// Name of the document. Without one, its text tells it from the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Text of the document. A file whose lines have a `path` is filled in by [`GoldSet::read`](crate::GoldSet::read).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// File with the text, relative to the folder of the gold set and inside of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Media type of a document that is not a text, such as `image/png`. It has neither a text nor a
    /// path; its value counts as reviewed, and it is not part of a [`GoldSet`](crate::GoldSet).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// What to ask about the document, if it differs from one document to the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// The right value. A line that is [withdrawn](Self::withdrawn) needs none.
    pub value: Value,
    /// Other right values of parts, by the JSON Pointer of each part in [`value`](Self::value). `null`
    /// is for a part that may be absent. A part that is absent from `value` may have some too.
    ///
    /// ```
    /// use extract_gold::{GoldDocument, ValueComparer};
    ///
    /// let line = r#"{"text": "Two for the fifth", "value": {"guests": "two"}, "alternatives": {"/guests": ["2"]}}"#;
    /// let document: GoldDocument = serde_json::from_str(line)?;
    /// assert_eq!(document.value_nearest(&serde_json::json!({"guests": "2"}), &ValueComparer::new())["guests"], "2");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub alternatives: BTreeMap<String, Vec<Value>>,
    /// Who checked it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked_by: Option<String>,
    /// When it was checked, as the reviewer's tool wrote it (RFC 3339 where it is ours).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked_at: Option<String>,
    /// The schema that the value was checked against.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<GoldSchema>,
    /// Takes earlier lines about the document back: it is not in the set.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub withdrawn: bool,
    /// Members with other names. They are kept.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The schema of a [`GoldDocument`].
///
/// ```
/// use extract_gold::{GoldDocument, GoldSchema};
///
/// let line = r#"{"text": "Two of us", "value": 2, "schema": {"type": "integer"}}"#;
/// let document: GoldDocument = serde_json::from_str(line)?;
/// assert!(matches!(document.schema, Some(GoldSchema::Whole(_))));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum GoldSchema {
    /// The [fingerprint](Contract::fingerprint) of a schema that is elsewhere.
    Fingerprint(String),
    /// The JSON Schema itself. [`Evaluation::by_own_schemas`](crate::Evaluation::by_own_schemas) asks by it.
    Whole(Value),
}

/// A line as it is written.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct GoldLine {
    key: Option<String>,
    #[serde(default)]
    text: String,
    path: Option<PathBuf>,
    media_type: Option<String>,
    instruction: Option<String>,
    #[serde(default, deserialize_with = "present")]
    value: Option<Value>,
    #[serde(default)]
    alternatives: BTreeMap<String, Vec<Value>>,
    checked_by: Option<String>,
    checked_at: Option<String>,
    schema: Option<GoldSchema>,
    #[serde(default)]
    withdrawn: bool,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// Reads a value that is there, `null` too.
fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}

impl TryFrom<GoldLine> for GoldDocument {
    type Error = String;

    fn try_from(line: GoldLine) -> Result<Self, Self::Error> {
        let value = line.value.or(line.withdrawn.then_some(Value::Null)).ok_or("missing field `value`")?;
        let is_lost = |pointer: &&String| alternatives::with(&value, pointer, &Value::Null).is_none();
        if let Some(pointer) = line.alternatives.keys().find(is_lost) {
            return Err(format!("the value has no place for the alternatives of `{pointer}`"));
        }
        Ok(Self {
            key: line.key,
            text: line.text,
            path: line.path,
            media_type: line.media_type,
            instruction: line.instruction,
            value,
            alternatives: line.alternatives,
            checked_by: line.checked_by,
            checked_at: line.checked_at,
            schema: line.schema,
            withdrawn: line.withdrawn,
            other: line.other,
        })
    }
}

impl GoldDocument {
    /// Creates a document with a text and its right value.
    pub fn new(text: impl Into<String>, value: impl Into<Value>) -> Self {
        Self {
            key: None,
            text: text.into(),
            path: None,
            media_type: None,
            instruction: None,
            value: value.into(),
            alternatives: BTreeMap::new(),
            checked_by: None,
            checked_at: None,
            schema: None,
            withdrawn: false,
            other: Map::new(),
        }
    }

    /// Names the document.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Returns what tells the document from the others: its key, else its path, else its text.
    pub fn identity(&self) -> &str {
        let path = || self.path.as_deref().and_then(Path::to_str);
        self.key.as_deref().or_else(path).unwrap_or(&self.text)
    }

    /// Returns why a schema refuses the value: no agent can be right about it then. Warnings do not
    /// count, and quotes are looked up only in a text that is known.
    ///
    /// ```
    /// use extract::Contract;
    /// use extract_gold::GoldDocument;
    /// use serde_json::json;
    ///
    /// let contract = Contract::from_schema(json!({"type": "integer"}))?;
    /// assert!(GoldDocument::new("two", 2).violations(&contract).is_empty());
    /// assert_eq!(GoldDocument::new("two", "2").violations(&contract).len(), 1);
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    pub fn violations(&self, contract: &Contract) -> Vec<Violation> {
        let contract = contract.document(&Document::from_text(self.text.as_str()));
        let mut violations = contract.validate(&self.value);
        let is_text_known = !self.text.is_empty();
        violations.retain(|violation| {
            !violation.is_warning() && (is_text_known || violation.code != Code::NotInSource)
        });
        violations
    }

    /// Returns the right value with those [alternatives](Self::alternatives) by which fewer leaves of
    /// `extracted` are wrong.
    pub fn value_nearest(&self, extracted: &Value, comparer: &ValueComparer) -> Cow<'_, Value> {
        let count_wrong = |right: &Value| {
            let leaves = comparer.compare(right, extracted);
            leaves.iter().filter(|leaf| !leaf.outcome.is_right()).count()
        };
        let mut nearest = Cow::Borrowed(&self.value);
        for (pointer, other) in
            self.alternatives.iter().flat_map(|(pointer, all)| all.iter().map(move |other| (pointer, other)))
        {
            let changed = alternatives::with(&nearest, pointer, other);
            nearest = match changed.filter(|changed| count_wrong(changed) < count_wrong(&nearest)) {
                Some(changed) => Cow::Owned(changed),
                None => nearest,
            };
        }
        nearest
    }

    /// Compiles the document's own schema.
    pub(super) fn contract(&self) -> Result<Contract, String> {
        match &self.schema {
            Some(GoldSchema::Whole(schema)) => {
                Contract::from_schema(schema.clone()).map_err(|error| error.to_string())
            }
            _ => Err("it has no schema of its own".to_owned()),
        }
    }
}
