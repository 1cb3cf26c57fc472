//! The result of a projection: what is not enforced, and why a part of a schema has none.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::vocabulary::{
    grouped,
    path::Path,
    text::{counted, listed},
};

/// A schema in a dialect.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Projection {
    /// The schema for the provider.
    pub schema: Value,
    /// The constraints it does not enforce; the contract still does. Empty if the dialect supports
    /// everything.
    pub unenforced: Vec<UnenforcedConstraint>,
    /// Whether `schema` describes an object that holds the answer under its only key, `answer`; see
    /// [`Dialect::offer`](super::Dialect::offer).
    pub is_enveloped: bool,
}

/// Maximum keywords that a note names.
const NOTED: usize = 8;

impl Projection {
    /// Returns the constraints that the decoder does not enforce, in one line with the first eight
    /// keywords; `None` if it enforces all. Meant for the [notes](crate::agent::Reply::with_note)
    /// of a reply.
    ///
    /// ```
    /// use extract::schema::dialect::Dialect;
    ///
    /// let schema = serde_json::json!({"type": "object", "properties": {"name": {"type": "string", "minLength": 1}}});
    /// assert_eq!(
    ///     Dialect::OpenAi.project(&schema)?.note().unwrap(),
    ///     "the decoder does not enforce: \
    ///      $.properties.name: `minLength` is not among the supported keywords",
    /// );
    /// # Ok::<(), extract::schema::dialect::Inexpressible>(())
    /// ```
    pub fn note(&self) -> Option<String> {
        let reasons = UnenforcedConstraint::lines(&self.unenforced);
        let listed_reasons = listed(&reasons, NOTED);
        (!reasons.is_empty()).then(|| format!("the decoder does not enforce: {listed_reasons}"))
    }

    /// Removes `keywords` from every subschema, for a server that supports less than its dialect
    /// does. The removed ones are added to the unenforced constraints, with paths of the answer.
    ///
    /// ```
    /// use extract::schema::dialect::{Dialect, REFUSED_BY_AZURE};
    ///
    /// let schema = serde_json::json!({"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}});
    /// let offered = Dialect::OpenAi.offer(&schema)?.without(&REFUSED_BY_AZURE);
    /// assert_eq!(offered.unenforced[0].to_string(), "$.items: `pattern` is not among the supported keywords");
    /// # Ok::<(), extract::schema::dialect::Inexpressible>(())
    /// ```
    #[must_use]
    pub fn without(mut self, keywords: &[&str]) -> Self {
        let mut removal = KeywordRemoval { keywords, removed: Vec::new() };
        let answer = if self.is_enveloped { "/properties/answer" } else { "" };
        if let Some(answer) = self.schema.pointer_mut(answer) {
            removal.of(answer, &Path::root());
        }
        if let Some(definitions) = self.schema.get_mut("$defs").filter(|_| self.is_enveloped) {
            removal.of_each(definitions, &Path::root().key("$defs"));
        }
        self.unenforced.extend(removal.removed);
        self
    }
}

/// Removes keywords from a schema and its subschemas.
struct KeywordRemoval<'k> {
    keywords: &'k [&'k str],
    removed: Vec<UnenforcedConstraint>,
}

impl KeywordRemoval<'_> {
    fn of(&mut self, schema: &mut Value, path: &Path) {
        let Value::Object(members) = schema else { return };
        members.retain(|name, _| {
            let is_removed = self.keywords.contains(&&**name);
            if is_removed {
                self.removed.push(UnenforcedConstraint::new(path.clone(), name, UNSUPPORTED));
            }
            !is_removed
        });
        for (name, inner) in members {
            let path = path.clone().key(name);
            match name.as_str() {
                "properties" | "$defs" => self.of_each(inner, &path),
                "items" | "additionalProperties" => self.of(inner, &path),
                "anyOf" | "oneOf" | "prefixItems" => {
                    for (index, inner) in inner.as_array_mut().into_iter().flatten().enumerate() {
                        self.of(inner, &path.clone().index(index));
                    }
                }
                // Values of `enum` and `const` may look like schemas.
                _ => {}
            }
        }
    }

    fn of_each(&mut self, schemas: &mut Value, path: &Path) {
        for (name, inner) in schemas.as_object_mut().into_iter().flatten() {
            self.of(inner, &path.clone().key(name));
        }
    }
}

/// Why a schema cannot be expressed in a dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inexpressible {
    /// The path in the schema.
    pub path: Path,
    /// The reason.
    pub reason: String,
}

impl Inexpressible {
    pub(super) fn new(path: &Path, reason: impl Into<String>) -> Self {
        Self { path: path.clone(), reason: reason.into() }
    }
}

/// `$.properties.prices: a map with free keys`
impl fmt::Display for Inexpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.reason)
    }
}

impl std::error::Error for Inexpressible {}

/// Why a part of a schema has no projection.
#[derive(Debug)]
pub(super) enum ProjectionFailure {
    /// No value satisfies it, so it can be left out where other values are possible.
    Never(Inexpressible),
    /// The dialect cannot express it.
    Beyond(Inexpressible),
}

pub(super) type ProjectionResult<T> = Result<T, ProjectionFailure>;

impl ProjectionFailure {
    pub(super) fn reason(self) -> Inexpressible {
        match self {
            Self::Never(reason) | Self::Beyond(reason) => reason,
        }
    }
}

impl From<Inexpressible> for ProjectionFailure {
    fn from(reason: Inexpressible) -> Self {
        Self::Beyond(reason)
    }
}

/// Maximum paths that are listed for one keyword and reason.
const NAMED: usize = 3;

/// The reason for a keyword that a dialect does not support at all.
pub(super) const UNSUPPORTED: &str = "is not among the supported keywords";

/// A keyword that a decoder does not enforce.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UnenforcedConstraint {
    /// The path in the schema.
    pub path: Path,
    /// The keyword, as in `oneOf`.
    pub keyword: String,
    /// The rest of the sentence after the keyword, as in "is not among the supported keywords".
    pub reason: Cow<'static, str>,
}

/// ``$.properties.total: `multipleOf` is not among the supported keywords``
impl fmt::Display for UnenforcedConstraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}` {}", self.path, self.keyword, self.reason)
    }
}

impl UnenforcedConstraint {
    /// Describes a constraint by `keyword` at `path` of a schema. `reason` completes a sentence
    /// after the keyword, as in "is beyond a grammar".
    pub fn new(path: Path, keyword: impl Into<String>, reason: impl Into<Cow<'static, str>>) -> Self {
        Self { path, keyword: keyword.into(), reason: reason.into() }
    }

    /// One line for each keyword and reason, with the first three paths. Every 64-bit integer has
    /// bounds, and one line for each would bury the rest.
    ///
    /// ```
    /// use extract::{Path, schema::dialect::UnenforcedConstraint};
    ///
    /// let unenforced = ["$.a", "$.b"].map(|path| UnenforcedConstraint::new(path.into(), "not", "is beyond a grammar"));
    /// assert_eq!(UnenforcedConstraint::lines(&unenforced), ["$.a, $.b: `not` is beyond a grammar"]);
    /// ```
    pub fn lines(unenforced: &[Self]) -> Vec<String> {
        let kinds = grouped(unenforced.iter().map(|one| ((&one.keyword, &one.reason), one)));
        let kinds = kinds.into_iter().map(|kind| {
            let Self { keyword, reason, .. } = kind[0];
            let mut places: Vec<_> = kind.iter().take(NAMED).map(|one| one.path.to_string()).collect();
            if kind.len() > NAMED {
                places.push(format!("and {}", counted(kind.len() - NAMED, "more place")));
            }
            format!("{}: `{keyword}` {reason}", places.join(", "))
        });
        kinds.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paths_of_a_keyword_share_a_line() {
        let one = |path: &str, keyword: &str| {
            UnenforcedConstraint::new(Path::from(path), keyword, "is beyond a grammar")
        };
        let mut unenforced: Vec<_> = ["$.a", "$.b", "$.c", "$.d"].map(|path| one(path, "minimum")).into();
        unenforced.insert(1, one("$.a", "not"));
        assert_eq!(
            UnenforcedConstraint::lines(&unenforced),
            [
                "$.a, $.b, $.c, and 1 more place: `minimum` is beyond a grammar",
                "$.a: `not` is beyond a grammar",
            ]
        );
    }
}
