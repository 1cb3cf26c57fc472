//! What a decoder is not held to.

use std::{collections::HashMap, fmt};

use crate::{path::Path, text::counted};

/// Places that are named of a keyword that is left out at several for the same reason.
const NAMED: usize = 3;

/// A keyword that a dialect cannot say.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnenforcedConstraint {
    /// The place in the schema.
    pub path: Path,
    /// The keyword, as in `oneOf`.
    pub keyword: String,
    /// What follows the keyword in a sentence, as in "is not among the supported keywords".
    pub reason: &'static str,
}

/// ``$.properties.total: `multipleOf` is not among the supported keywords``
impl fmt::Display for UnenforcedConstraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}` {}", self.path, self.keyword, self.reason)
    }
}

/// All of `unenforced` in words, the places of each keyword together: every 64-bit integer has bounds, and a line for each of
/// them would hide the rest.
pub(crate) fn in_words(unenforced: &[UnenforcedConstraint]) -> Vec<String> {
    let mut kinds: Vec<(&UnenforcedConstraint, Vec<&Path>)> = Vec::new();
    let mut known = HashMap::new();
    for one in unenforced {
        let index = *known.entry((&one.keyword, one.reason)).or_insert(kinds.len());
        match kinds.get_mut(index) {
            Some((_, paths)) => paths.push(&one.path),
            None => kinds.push((one, vec![&one.path])),
        }
    }
    let kinds = kinds.into_iter().map(|(UnenforcedConstraint { keyword, reason, .. }, paths)| {
        let mut places: Vec<_> = paths.iter().take(NAMED).map(ToString::to_string).collect();
        if paths.len() > NAMED {
            places.push(format!("and {}", counted(paths.len() - NAMED, "more place")));
        }
        format!("{}: `{keyword}` {reason}", places.join(", "))
    });
    kinds.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_of_a_keyword_are_told_together() {
        let one = |path: &str, keyword: &str| UnenforcedConstraint {
            path: Path::from(path),
            keyword: keyword.to_owned(),
            reason: "is beyond a grammar",
        };
        let mut unenforced: Vec<_> = ["$.a", "$.b", "$.c", "$.d"].map(|path| one(path, "minimum")).into();
        unenforced.insert(1, one("$.a", "not"));
        assert_eq!(
            in_words(&unenforced),
            [
                "$.a, $.b, $.c, and 1 more place: `minimum` is beyond a grammar",
                "$.a: `not` is beyond a grammar",
            ]
        );
    }
}
