//! Log probabilities of the tokens of a reply, and their positions in it.

use extract::agent::TokenProbability;
use serde_json::Value;

/// The tokens of a reply, as a server lists them: their bytes and their log probabilities.
#[derive(Debug, Default)]
pub(crate) struct Tokens(Vec<(Vec<u8>, f64)>);

impl Tokens {
    /// Adds the tokens of `list`. Their log probabilities are called `name`.
    pub(super) fn add(&mut self, list: Option<&Value>, name: &str) {
        for token in list.and_then(Value::as_array).into_iter().flatten() {
            let Some(log_probability) = token.get(name).and_then(Value::as_f64) else { continue };
            self.0.push((bytes(token), log_probability));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the tokens of `text`, which is the end of `whole` or near it: something before or
    /// after it may have been taken away. Returns nothing if the tokens do not spell `whole`. After
    /// the text, a server may list the token that ended it.
    pub(crate) fn within(&self, whole: &str, text: &str) -> Vec<TokenProbability> {
        let Some(start) = whole.rfind(text) else { return Vec::new() };
        let (mut at, mut found) = (0, Vec::new());
        for (bytes, log_probability) in &self.0 {
            if at == whole.len() {
                break;
            }
            if !whole.as_bytes()[at..].starts_with(bytes) {
                return Vec::new();
            }
            let range = at.max(start)..(at + bytes.len()).min(start + text.len());
            if !range.is_empty() {
                let range = range.start - start..range.end - start;
                found.push(TokenProbability::new(range, *log_probability));
            }
            at += bytes.len();
        }
        if at == whole.len() { found } else { Vec::new() }
    }
}

/// The bytes of a token. Its text alone is not enough for a part of a character.
fn bytes(token: &Value) -> Vec<u8> {
    let listed = token.get("bytes").and_then(Value::as_array);
    let listed: Option<Vec<u8>> =
        listed.and_then(|bytes| bytes.iter().map(|byte| u8::try_from(byte.as_u64()?).ok()).collect());
    listed.unwrap_or_else(|| token.get("token").and_then(Value::as_str).unwrap_or_default().into())
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use serde_json::json;

    use super::*;

    fn found(list: &Value, whole: &str, text: &str) -> Vec<(Range<usize>, f64)> {
        let mut tokens = Tokens::default();
        tokens.add(Some(list), "logprob");
        tokens.within(whole, text).into_iter().map(|token| (token.range, token.log_probability)).collect()
    }

    #[test]
    fn each_token_has_its_place() {
        let list = json!([
            {"token": "{\"a\":", "logprob": -0.5, "bytes": null},
            {"token": " ", "logprob": -0.25},
            {"token": "\u{fffd}", "logprob": -1.0, "bytes": [34, 0xC3]},
            {"token": "\u{fffd}", "logprob": -2, "bytes": [0xBC, 34]},
            {"token": "}", "logprob": 0.0},
            {"token": "<|im_end|>", "logprob": -0.125},
        ]);
        let whole = "{\"a\": \"ü\"}";
        assert_eq!(
            found(&list, whole, whole),
            [(0..5, -0.5), (5..6, -0.25), (6..8, -1.0), (8..10, -2.0), (10..11, 0.0)]
        );
        // Taken out of an object around it.
        assert_eq!(found(&list, whole, "\"ü\""), [(0..2, -1.0), (2..4, -2.0)]);
    }

    #[test]
    fn tokens_of_another_text_are_not_believed() {
        let list = json!([{"token": "12", "logprob": -0.5}]);
        for text in ["1", "123", "21"] {
            assert_eq!(found(&list, text, text), [], "{text}");
        }
        assert_eq!(found(&json!([{"token": "1"}, {"logprob": 1}]), "1", "1"), []);
    }
}
