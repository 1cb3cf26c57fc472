//! Numbers of a patch that a double rounds. The operations of a patch do not state the types at
//! their paths, so its numbers are doubles.

use crate::vocabulary::digits;

/// The first number in `reply` whose digits a double does not keep. Numbers in strings are kept.
pub(super) fn rounded_number(reply: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '_' | 'e' | 'E' | '+' | '-' | '\u{2212}');
    let mut at = 0;
    while let Some(offset) = reply[at..].find(is_part) {
        let start = at + offset;
        let token = &reply[start..];
        let token = &token[..token.find(|c| !is_part(c)).unwrap_or(token.len())];
        at = start + token.len();
        let is_value = reply[..start].trim_end().ends_with([':', '[', ',']);
        if is_value && is_rounded(token) {
            return Some(token);
        }
    }
    None
}

fn is_rounded(token: &str) -> bool {
    let digits = token.trim_start_matches(['+', '-', '\u{2212}']).replace('_', "");
    // JSON has neither zeros nor a bare point at the start of a number, and models write both.
    let digits = digits.trim_start_matches('0');
    let is_bare = !digits.starts_with(|c: char| c.is_ascii_digit());
    digits::is_rounded(&if is_bare { format!("0{digits}") } else { digits.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_number_that_a_double_rounds() {
        for (reply, expected) in [
            (r#"[{"value": 12345678901234567.89}]"#, Some("12345678901234567.89")),
            (r#"[{"value":-0.12345678901234567891 }]"#, Some("-0.12345678901234567891")),
            (r#"[{"value": [1, 18446744073709551617]}]"#, Some("18446744073709551617")),
            ("[{value: +12_345_678_901_234_567.89}]", Some("+12_345_678_901_234_567.89")),
            (r#"[{"value": .12345678901234567891}]"#, Some(".12345678901234567891")),
            (r#"[{"value": 1e-400}]"#, Some("1e-400")),
            (r#"[{"value": 1e400}]"#, Some("1e400")),
            (r#"[{"value": "12345678901234567.89"}]"#, None),
            (r#"[{"value": 18446744073709551615}, {"value": -9223372036854775808}]"#, None),
            (r#"[{"value": 19.90}, {"value": 1.5e3}, {"value": 0.1}, {"value": 0}, {"value": -0.0}]"#, None),
            (r#"[{"path": "/a-1.2.3e", "value": "…"}]"#, None),
            ("", None),
        ] {
            assert_eq!(rounded_number(reply), expected, "{reply}");
        }
    }
}
