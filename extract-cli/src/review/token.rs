//! The secret in the link to a page.

use std::fmt::{self, Write as _};

/// 128 random bits, which only the link has: other users of the machine reach the port too.
pub(super) struct LinkToken(String);

impl LinkToken {
    pub(super) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })))
    }

    /// Compares in a time that depends on the length alone.
    pub(super) fn is(&self, sent: &str) -> bool {
        let same_length = sent.len() == self.0.len();
        let pairs = self.0.bytes().zip(sent.bytes());
        let differs = pairs.fold(0, |differs, (known, sent)| differs | (known ^ sent));
        same_length && std::hint::black_box(differs) == 0
    }
}

impl fmt::Display for LinkToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_token_is_taken() {
        let token = LinkToken::random().unwrap();
        let same = token.to_string();
        assert!(token.is(&same) && same.len() == 32);
        let last = if same.ends_with('0') { '1' } else { '0' };
        for other in ["", &same[1..], &format!("{same}0"), &format!("{}{last}", &same[..31])] {
            assert!(!token.is(other), "{other}");
        }
        assert_ne!(LinkToken::random().unwrap().to_string(), same);
    }
}
