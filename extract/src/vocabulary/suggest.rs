//! "Did you mean": the allowed name nearest to the given one.

use crate::vocabulary::text::ticked;

/// Maximum characters of a name that is compared. The time grows with the square of the length.
const MAX_CHARS: usize = 64;

/// Maximum number of names that a misspelt one is compared with.
pub(crate) const MAX_COMPARED: usize = 200;

/// Minimum letters and digits of a prefix that identifies a name.
const MIN_PART: usize = 3;

/// Returns the suggestion for `given`: the [nearest] candidate, else the only one that starts with
/// it.
///
/// That is enough for a suggestion, and too little for a repair.
pub(crate) fn meant<'c>(
    given: &str,
    candidates: impl IntoIterator<Item = &'c str> + Clone,
) -> Option<&'c str> {
    nearest(given, candidates.clone()).or_else(|| only_start(given, candidates))
}

/// The hint that `meant`, written as it is here, was probably meant.
pub(crate) fn did_you_mean(meant: &str) -> String {
    ["did you mean ", meant, "?"].concat()
}

/// The hint that the key `given` was written instead of an absent one.
pub(crate) fn looks_like(given: &str) -> String {
    [&ticked(given), " looks like it"].concat()
}

/// The only candidate that starts with `given`, ignoring case and punctuation.
fn only_start<'c>(given: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let (mut start, mut name) = (String::new(), String::new());
    plain(given, &mut start).filter(|chars| *chars >= MIN_PART)?;
    let mut found = candidates
        .into_iter()
        .filter(|candidate| plain(candidate, &mut name).is_some() && name.starts_with(&start));
    found.next().filter(|_| found.next().is_none())
}

/// The candidate that `given` was probably meant to be: equal except for case and punctuation, else
/// at most one edit per three characters away. `None` when none is near, or when two are equally
/// near.
pub(crate) fn nearest<'c>(given: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let (mut plain_given, mut name) = (String::with_capacity(MAX_CHARS), String::with_capacity(MAX_CHARS));
    let given_chars = plain(given, &mut plain_given)?;
    let mut best: Option<(usize, &str)> = None;
    let mut is_tie = false;
    for candidate in candidates {
        let Some(chars) = plain(candidate, &mut name) else { continue };
        let most = given_chars.max(chars) / 3;
        // The difference in length is a cheap lower bound of the distance.
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

/// Writes the letters and digits of `name` to `plain` in lower case, and returns their number.
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
    fn finds_the_nearest_name_and_does_not_guess() {
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
