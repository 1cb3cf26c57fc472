//! Reasons why a value is not acceptable, and items that were left out for them.

use std::{borrow::Cow, fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    path::Path,
    text::{cut, said},
};

/// The kind of a [`Violation`]. Names are stable; new kinds may be added.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "Cow<'static, str>", into = "Cow<'static, str>")]
#[non_exhaustive]
pub enum Code {
    /// `NOT_JSON`: no JSON value could be found in the reply.
    NotJson,
    /// `NOT_OBJECT`: a JSON value was found where the contract requires an object.
    NotObject,
    /// `MISSING_FIELD`: a required key is absent.
    MissingField,
    /// `UNKNOWN_FIELD`: a key that the contract does not allow.
    UnknownField,
    /// `WRONG_TYPE`: for example a string instead of a number.
    WrongType,
    /// `INVALID_VALUE`: the right type, but not an allowed value.
    InvalidValue,
    /// `RULE`: a `rule` or `check` of the type rejected it.
    Rule,
    /// `REJECTED`: the `on_submit` callback rejected it.
    Rejected,
    /// `TRUNCATED`: the reply was cut before its end.
    Truncated,
    /// `REPETITION`: the reply repeats itself from this path on, and was therefore cut or ended.
    Repetition,
    /// `REFUSED`: the agent refused to answer, or a content filter withheld the answer.
    Refused,
    /// `NOT_IN_SOURCE`: a quote that does not occur in the document.
    NotInSource,
    /// `NOT_IN_QUOTE`: a value that is not in the quote that should support it.
    NotInQuote,
    /// `AMBIGUOUS_QUOTE`: a quote that occurs several times in the document; a warning.
    AmbiguousQuote,
    /// `PATCH`: a patch of the last submission that cannot be applied, or changes more than it may.
    Patch,
    /// `CONTINUATION`: the rest of a list or string that was cut does not fit the part that is
    /// already there.
    Continuation,
    /// `CHANGED`: an item that was already accepted and [delivered](crate::items) is now different
    /// or missing.
    Changed,
    /// `LEFT_OVER`: a part of the reply that may belong to the answer, and is not in the value.
    LeftOver,
    /// `MORE`: represents unlisted violations; the message has their number.
    More,
    /// Your own code, set with [`Rejection::code`](crate::Rejection::code).
    Custom(Cow<'static, str>),
}

macro_rules! code_names {
    ($($code:ident $name:literal)+) => {
        impl Code {
            /// Returns the stable name, such as `MISSING_FIELD`.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$code => $name,)+
                    Self::Custom(name) => name,
                }
            }
        }

        impl From<Cow<'static, str>> for Code {
            fn from(name: Cow<'static, str>) -> Self {
                match &*name {
                    $($name => Self::$code,)+
                    _ => Self::Custom(name),
                }
            }
        }
    };
}

code_names! {
    NotJson "NOT_JSON"
    NotObject "NOT_OBJECT"
    MissingField "MISSING_FIELD"
    UnknownField "UNKNOWN_FIELD"
    WrongType "WRONG_TYPE"
    InvalidValue "INVALID_VALUE"
    Rule "RULE"
    Rejected "REJECTED"
    Truncated "TRUNCATED"
    Repetition "REPETITION"
    Refused "REFUSED"
    NotInSource "NOT_IN_SOURCE"
    NotInQuote "NOT_IN_QUOTE"
    AmbiguousQuote "AMBIGUOUS_QUOTE"
    Patch "PATCH"
    Continuation "CONTINUATION"
    Changed "CHANGED"
    LeftOver "LEFT_OVER"
    More "MORE"
}

impl From<&'static str> for Code {
    fn from(name: &'static str) -> Self {
        Self::from(Cow::Borrowed(name))
    }
}

impl From<String> for Code {
    fn from(name: String) -> Self {
        Self::from(Cow::Owned(name))
    }
}

impl From<Code> for Cow<'static, str> {
    fn from(code: Code) -> Self {
        match code {
            Code::Custom(name) => name,
            known => Cow::Owned(known.as_str().to_owned()),
        }
    }
}

impl FromStr for Code {
    type Err = std::convert::Infallible;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Ok(Self::from(name.to_owned()))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How much a [`Violation`] matters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Severity {
    /// A remark; the value is acceptable.
    Warning,
    /// The value is not acceptable, and the agent may fix it.
    #[default]
    Fixable,
    /// The value is not acceptable, and a retry is pointless.
    Fatal,
}

/// One reason why a value is not acceptable.
///
/// ```
/// use extract::{Code, Path, Violation};
///
/// let violation = Violation::new(Path::root().key("currency"), Code::InvalidValue, "not an allowed value")
///     .expected(r#"one of ["EUR","USD"]"#)
///     .actual(r#""Euro""#);
/// assert_eq!(
///     violation.to_string(),
///     r#"[INVALID_VALUE] $.currency: not an allowed value (expected one of ["EUR","USD"], got "Euro")"#,
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Violation {
    /// The path, with the names of the JSON value.
    pub path: Path,
    /// The kind.
    pub code: Code,
    /// The violation, in words for a model.
    pub message: String,
    /// A suggestion: `did you mean "EUR"?`. It may quote the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// An acceptable value.
    pub expected: Option<String>,
    /// The actual value, as JSON of limited length.
    pub actual: Option<String>,
    /// The JSON Schema keyword that is not satisfied, such as `maximum`. `None` for rules and
    /// callbacks, for replies without JSON, and where several alternatives together exclude a
    /// value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyword: Option<Cow<'static, str>>,
    /// How much it matters.
    pub severity: Severity,
    /// How many steps of the path lead to the value that is wrong as a whole, if one is: a value of
    /// an enum that is none of its variants.
    #[serde(skip)]
    pub(crate) steps_to_whole: Option<usize>,
}

impl Violation {
    /// Creates a fixable violation.
    pub fn new(path: Path, code: Code, message: impl Into<String>) -> Self {
        Self {
            path,
            code,
            message: message.into(),
            hint: None,
            expected: None,
            actual: None,
            keyword: None,
            severity: Severity::default(),
            steps_to_whole: None,
        }
    }

    /// The path of the value that is wrong as a whole, if one is around the violation.
    pub(crate) fn whole(&self) -> Option<Path> {
        let steps = self.steps_to_whole.filter(|steps| *steps < self.path.segments().len())?;
        Some(Path::from(self.path.segments()[..steps].to_vec()))
    }

    /// Sets the suggestion.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Sets what would be acceptable.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    /// Sets what was found.
    #[must_use]
    pub fn actual(mut self, actual: impl Into<String>) -> Self {
        self.actual = Some(actual.into());
        self
    }

    /// Sets the JSON Schema keyword that is not satisfied.
    #[must_use]
    pub fn keyword(mut self, keyword: impl Into<Cow<'static, str>>) -> Self {
        self.keyword = Some(keyword.into());
        self
    }

    /// Sets how much it matters.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The message, followed by the hint.
    pub(crate) fn message_with_hint(&self) -> Cow<'_, str> {
        match &self.hint {
            Some(hint) => Cow::Owned(format!("{}; {hint}", self.message)),
            None => Cow::Borrowed(&self.message),
        }
    }

    /// Returns whether asking again is pointless.
    pub fn is_fatal(&self) -> bool {
        self.severity == Severity::Fatal
    }

    /// Returns whether the value is acceptable despite the violation.
    pub fn is_warning(&self) -> bool {
        self.severity == Severity::Warning
    }
}

/// Maximum characters of a code.
const CODE_CHARS: usize = 60;

/// `[CODE] path: message; hint (expected …, got …)`, on one line of limited length: the message
/// with its hint, the expectation and the found value have at most 1,000 characters each.
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = cut(&said(self.code.as_str()), CODE_CHARS);
        write!(f, "[{code}] {}: {}", self.path, said(&self.message_with_hint()))?;
        match (self.expected.as_deref().map(said), self.actual.as_deref().map(said)) {
            (Some(expected), Some(actual)) => write!(f, " (expected {expected}, got {actual})"),
            (Some(expected), None) => write!(f, " (expected {expected})"),
            (None, Some(actual)) => write!(f, " (got {actual})"),
            (None, None) => Ok(()),
        }
    }
}

/// A broken item that was left out of an accepted list, because the caller asked to
/// [keep the valid items](crate::Extraction::keep_valid_items).
///
/// ```
/// use extract::{Contract, testing::{ScriptedAgent, block_on}};
///
/// let contract = Contract::from_schema(serde_json::json!({"items": {"type": "integer"}}))?;
/// let agent = ScriptedAgent::new(["[1, \"two\", 3]"]);
/// let extraction = contract.extract(&agent, "Which numbers?").max_attempts(1).keep_valid_items(true);
/// let (numbers, metrics) = block_on(extraction)?;
///
/// assert_eq!(numbers, serde_json::json!([1, 3]));
/// let item = &metrics.left_out[0];
/// assert_eq!((item.path.to_string().as_str(), &item.value), ("$[1]", &"two".into()));
/// assert_eq!(item.violations[0].code, extract::Code::WrongType);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeftOutItem {
    /// Its path in the submitted value, which still has the broken items.
    pub path: Path,
    /// The item as submitted, with its sensitive values redacted.
    pub value: Value,
    /// Why it was left out: its violations, at paths in the submitted value. Never empty.
    pub violations: Vec<Violation>,
    /// The chunk of a document in whose answer it was, counted from 0; `None` for the value as a
    /// whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<usize>,
}
