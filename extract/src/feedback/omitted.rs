//! Violations that do not fit into a message.

use crate::vocabulary::{text::cut, violation::Violation};

/// Maximum number of kinds of paths that are named.
const MAX_KINDS: usize = 10;

/// Maximum number of characters of each.
const MAX_CHARS: usize = 120;

/// `… and 7 more: $.lines[*].price (6), $.total`: how many there are, and where, with positions in
/// lists merged.
pub(super) fn counted_by_place(violations: &[&Violation]) -> String {
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for violation in violations {
        let kind = cut(&violation.path.without_positions(), MAX_CHARS);
        match kinds.iter().position(|(known, _)| *known == kind) {
            Some(index) => kinds[index].1 += 1,
            None if kinds.len() < MAX_KINDS => kinds.push((kind, 1)),
            None => {}
        }
    }
    let told: usize = kinds.iter().map(|(_, count)| count).sum();
    let mut places: Vec<String> = kinds
        .into_iter()
        .map(|(kind, count)| if count == 1 { kind } else { format!("{kind} ({count})") })
        .collect();
    if told < violations.len() {
        places.push("and elsewhere".to_owned());
    }
    format!("… and {} more: {}", violations.len(), places.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::{path::Path, violation::Code};

    fn told(paths: &[&str]) -> String {
        let violation = |path: &&str| Violation::new(Path::from(*path), Code::WrongType, "wrong type");
        let violations: Vec<_> = paths.iter().map(violation).collect();
        counted_by_place(&violations.iter().collect::<Vec<_>>())
    }

    #[test]
    fn says_where_the_rest_is() {
        assert_eq!(
            told(&["$.lines[3].qty", "$.lines[4].qty", "$.lines[4].price", "$[\"a b\"][0]", "$.total"]),
            r#"… and 5 more: $.lines[*].qty (2), $.lines[*].price, $["a b"][*], $.total"#
        );
    }

    #[test]
    fn names_no_more_than_a_few_kinds_of_places() {
        let paths: Vec<_> = (0..40).map(|index| format!("$.key{index}{}", "x".repeat(500))).collect();
        let text = told(&paths.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(text.ends_with(", and elsewhere") && text.len() < 2_000, "{text}");
    }
}
