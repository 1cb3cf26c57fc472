//! "Did you mean": the allowed name that is nearest to the one that was given.

/// Longer names are not compared; the time grows with the square of the length.
const MAX_CHARS: usize = 64;

/// Names that a misspelt one is compared with.
pub(crate) const MAX_COMPARED: usize = 200;

/// Letters and digits from which on a part of a name says which name it is.
const MIN_PART: usize = 3;

/// What to suggest for `given`: the [nearest] candidate, else the only one that starts with it.
///
/// That is enough for a question to a model, and too little to take one for the other.
pub(crate) fn meant<'c>(
    given: &str,
    candidates: impl IntoIterator<Item = &'c str> + Clone,
) -> Option<&'c str> {
    nearest(given, candidates.clone()).or_else(|| only_start(given, candidates))
}

/// The only candidate that starts with `given`, in whatever case and punctuation.
fn only_start<'c>(given: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let (mut start, mut name) = (String::new(), String::new());
    plain(given, &mut start).filter(|chars| *chars >= MIN_PART)?;
    let mut found = candidates
        .into_iter()
        .filter(|candidate| plain(candidate, &mut name).is_some() && name.starts_with(&start));
    found.next().filter(|_| found.next().is_none())
}

/// The candidate that `given` was probably meant to be: the same up to case and punctuation, else at most one edit in
/// three characters away. `None` when nothing is near, or when two are equally near.
pub(crate) fn nearest<'c>(given: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let (mut plain_given, mut name) = (String::with_capacity(MAX_CHARS), String::with_capacity(MAX_CHARS));
    let given_chars = plain(given, &mut plain_given)?;
    let mut best: Option<(usize, &str)> = None;
    let mut is_tie = false;
    for candidate in candidates {
        let Some(chars) = plain(candidate, &mut name) else { continue };
        let most = given_chars.max(chars) / 3;
        // The difference in length is a lower bound of the distance, and cheaper.
        if given_chars.abs_diff(chars) > most {
            continue;
        }
        let distance = strsim::osa_distance(&plain_given, &name);
        match best {
            _ if distance > most => {}
            Some((least, _)) if distance > least => {}
            Some((least, _)) if distance == least => is_tie = true,
            _ => (best, is_tie) = (Some((distance, candidate)), false),
        }
    }
    best.filter(|_| !is_tie).map(|(_, candidate)| candidate)
}

/// Puts the letters and digits of `name` into `plain`, in lower case, and returns how many they are.
fn plain(name: &str, plain: &mut String) -> Option<usize> {
    plain.clear();
    if name.is_ascii() {
        if name.len() <= MAX_CHARS && name.bytes().all(|c| c.is_ascii_alphanumeric()) {
            plain.push_str(name);
            plain.make_ascii_lowercase();
            return (!name.is_empty()).then_some(name.len());
        }
        plain.extend(
            name.bytes()
                .filter(u8::is_ascii_alphanumeric)
                .take(MAX_CHARS + 1)
                .map(|c| char::from(c.to_ascii_lowercase())),
        );
        return (1..=MAX_CHARS).contains(&plain.len()).then_some(plain.len());
    }
    let mut count = 0;
    for c in name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase) {
        count += 1;
        if count > MAX_CHARS {
            return None;
        }
        plain.push(c);
    }
    (count > 0).then_some(count)
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

    #[test]
    fn suggests_the_only_name_that_starts_with_what_was_given() {
        let names = ["refund_denied", "active", "active_trial", "approve_with_conditions"];
        for (given, suggested) in [
            ("refund", Some("refund_denied")),
            ("Refund-", Some("refund_denied")),
            ("approve", Some("approve_with_conditions")),
            ("activ", Some("active")),
            ("act", None),
            ("re", None),
            ("denied", None),
        ] {
            assert_eq!(meant(given, names), suggested, "{given}");
        }
    }
}
