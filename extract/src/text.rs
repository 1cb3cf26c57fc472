//! Small things done to text that goes into prompts and messages.

/// `text` in a code fence that is longer than any run of backticks in it.
pub(crate) fn fenced(label: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{label}\n{text}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_outgrows_the_fences_inside() {
        assert_eq!(fenced("json", "{}"), "```json\n{}\n```");
        assert_eq!(fenced("", "a ```` b"), "`````\na ```` b\n`````");
    }
}
