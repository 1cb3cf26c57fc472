//! Constraints that a decoder does not enforce.

use std::{borrow::Cow, collections::HashMap, fmt};

use serde::{Deserialize, Serialize};

use crate::vocabulary::{path::Path, text::counted};

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
        let mut kinds: Vec<(&Self, Vec<&Path>)> = Vec::new();
        let mut known = HashMap::new();
        for one in unenforced {
            let index = *known.entry((&one.keyword, &one.reason)).or_insert(kinds.len());
            match kinds.get_mut(index) {
                Some((_, paths)) => paths.push(&one.path),
                None => kinds.push((one, vec![&one.path])),
            }
        }
        let kinds = kinds.into_iter().map(|(Self { keyword, reason, .. }, paths)| {
            let mut places: Vec<_> = paths.iter().take(NAMED).map(ToString::to_string).collect();
            if paths.len() > NAMED {
                places.push(format!("and {}", counted(paths.len() - NAMED, "more place")));
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
