//! Limits what a browser may do with the page.

use std::fmt::Write as _;

pub(super) const STYLE: &str = include_str!("view.css");
pub(super) const SCRIPT: &str = include_str!("view.js");

/// SHA-256 of [`STYLE`] and [`SCRIPT`], in Base64. The test below checks them.
const STYLE_HASH: &str = "EqwvFcns8iS9UE9I/wYSW3RF52s+1VWQWGXHkjwuwCk=";
const SCRIPT_HASH: &str = "SadL1UOrGYTYLDs8rT/EKVl144r8ZptyNB21qyaEYa4=";

/// Appends a policy that lets a browser load and run this style and this script, and nothing else:
/// no other script, no picture, no frame, no request. The icon is part of the page.
pub(super) fn push_policy(html: &mut String) {
    let _ = writeln!(
        html,
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; \
         script-src 'sha256-{SCRIPT_HASH}'; img-src data:; base-uri 'none'; form-action 'none'\">"
    );
}

#[cfg(test)]
mod tests {
    use base64::{Engine, prelude::BASE64_STANDARD};
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_hashes_are_those_of_the_files() {
        let hash = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text));
        assert_eq!([STYLE_HASH, SCRIPT_HASH], [hash(STYLE), hash(SCRIPT)]);
    }
}
