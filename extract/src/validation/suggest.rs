//! "Did you mean": the allowed name that is nearest to the one that was given.

/// Longer names are not compared; the time grows with the square of the length.
const MAX_CHARS: usize = 64;

/// The candidate that `given` was probably meant to be: the same up to case and punctuation, else at most one edit in
/// three characters away. `None` when nothing is near, or when two are equally near.
pub(super) fn nearest<'c>(given: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let given = plain(given)?;
    let mut best: Option<(usize, &str)> = None;
    let mut is_tie = false;
    for candidate in candidates {
        let Some(name) = plain(candidate) else { continue };
        let distance = strsim::damerau_levenshtein(&given, &name);
        if distance > given.chars().count().max(name.chars().count()) / 3 {
            continue;
        }
        match best {
            Some((least, _)) if distance > least => {}
            Some((least, _)) if distance == least => is_tie = true,
            _ => (best, is_tie) = (Some((distance, candidate)), false),
        }
    }
    best.filter(|_| !is_tie).map(|(_, candidate)| candidate)
}

/// Letters and digits only, in lower case.
fn plain(name: &str) -> Option<String> {
    let plain: String = name
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .take(MAX_CHARS + 1)
        .collect();
    (!plain.is_empty() && plain.chars().count() <= MAX_CHARS).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant_and_does_not_guess() {
        let keys = ["quantity", "unitPrice", "unit", "kind"];
        for (given, meant) in [
            ("quantiy", Some("quantity")),
            ("unit_price", Some("unitPrice")),
            ("UNIT PRICE", Some("unitPrice")),
            ("Kind", Some("kind")),
            ("colour", None),
            ("", None),
            ("—", None),
        ] {
            assert_eq!(nearest(given, keys), meant, "{given}");
        }
        assert_eq!(nearest("cat", ["bat", "hat"]), None, "two are equally near");
        assert_eq!(nearest(&"a".repeat(1_000_000), keys), None);
    }
}
