//! The names of the pages of documents, which are stored next to the report of their job.

use std::{collections::HashSet, fmt::Write as _};

use sha2::{Digest as _, Sha256};

/// Maximum characters of a key that its file shows.
const MAX_SHOWN: usize = 40;

/// Bytes of the digest of a key in the name of its file.
const DIGEST_BYTES: usize = 12;

/// The folder of the pages, next to the report.
pub(crate) const FOLDER: &str = "documents";

/// Which documents have a page.
#[derive(Debug, Default)]
pub(crate) struct Links {
    names: HashSet<String>,
}

impl Links {
    /// Adds the page of a document; returns the name of its file, or `None` if it is there already.
    pub(crate) fn add(&mut self, key: &str) -> Option<String> {
        let name = file_name(key);
        self.names.insert(name.clone()).then_some(name)
    }

    /// The address of a document's page, relative to the report. It needs no escapes.
    pub(super) fn to(&self, key: &str) -> Option<String> {
        let name = file_name(key);
        self.names.contains(&name).then(|| format!("{FOLDER}/{name}"))
    }

    /// Returns whether any document has a page.
    pub(super) fn are_there(&self) -> bool {
        !self.names.is_empty()
    }
}

/// Returns the name of a document's file, the same in every run. The readable part is for people;
/// the digest makes it unique for every key and every file system.
fn file_name(key: &str) -> String {
    let mut name = String::new();
    let tail = key.chars().rev().take(4 * MAX_SHOWN).collect::<Vec<_>>();
    for c in tail.into_iter().rev() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => name.push(c),
            _ if name.is_empty() || name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    let start = name.len().saturating_sub(MAX_SHOWN);
    let mut name = name[start..].trim_matches('-').to_owned();
    if !name.is_empty() {
        name.push('-');
    }
    for byte in &Sha256::digest(key)[..DIGEST_BYTES] {
        let _ = write!(name, "{byte:02x}");
    }
    name + ".html"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_readable_and_made_of_harmless_characters() {
        assert_eq!(file_name("letters/Wolf.txt"), "letters-wolf-txt-a98f27a03042b3704476f5e2.html");
        for key in ["", "..", "../../etc/passwd", "a\"><script>", "CON", "\0", "日本", &"x/".repeat(9_999)]
        {
            let name = file_name(key);
            assert!(name.len() <= MAX_SHOWN + 1 + 2 * DIGEST_BYTES + 5, "{name}");
            let is_harmless = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
            assert!(name.chars().all(is_harmless) && name.matches('.').count() == 1, "{name}");
        }
    }

    #[test]
    fn keys_that_look_alike_have_pages_of_their_own() {
        let keys = ["a/b", "a-b", "A/B", "a//b", "a/b "];
        let mut links = Links::default();
        assert!(keys.iter().all(|key| links.add(key).is_some()));
        assert!(keys.iter().all(|key| links.add(key).is_none() && links.to(key).is_some()));
        assert_eq!(links.to("b"), None);
    }
}
