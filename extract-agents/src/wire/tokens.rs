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
            let Some(log_probability) = token.get(name).and_then(number) else { continue };
            self.0.push((bytes(token), log_probability));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds tokens that are listed apart from their log probabilities, or a single one: the forms of
    /// Together AI, which names no bytes.
    pub(super) fn add_apart(&mut self, reported: &Value, delta: Option<&str>) {
        let list = |name: &str| reported.get(name).and_then(Value::as_array).into_iter().flatten();
        for (token, number) in list("tokens").zip(list("token_logprobs")) {
            self.0.extend(
                token.as_str().zip(self::number(number)).map(|(token, number)| (token.into(), number)),
            );
        }
        self.0.extend(delta.zip(number(reported)).map(|(token, number)| (token.into(), number)));
    }

    /// Returns the tokens of `text`, which is the end of `whole` or near it: something before or
    /// after it may have been taken away. Returns nothing if no tokens in a row spell `whole`. Before
    /// it, a server may list the tokens of thoughts, and after it, the token that ended it.
    pub(crate) fn within(&self, whole: &str, text: &str) -> Vec<TokenProbability> {
        let Some(start) = whole.rfind(text) else { return Vec::new() };
        let spelled: Vec<u8> = self.0.iter().flat_map(|(bytes, _)| bytes).copied().collect();
        let Some(from) = std::str::from_utf8(&spelled).ok().and_then(|spelled| spelled.rfind(whole)) else {
            return Vec::new();
        };
        // The tokens begin and end where `whole` does.
        let (mut at, mut found, mut begins, mut ends) = (0, Vec::new(), false, false);
        for (bytes, log_probability) in &self.0 {
            (begins, ends) = (begins || at == from, ends || at == from + whole.len());
            let range = at.max(from + start)..(at + bytes.len()).min(from + start + text.len());
            if !range.is_empty() {
                let range = range.start - from - start..range.end - from - start;
                found.push(TokenProbability::new(range, *log_probability));
            }
            at += bytes.len();
        }
        ends |= at == from + whole.len();
        if begins && ends { found } else { Vec::new() }
    }
}

/// A log probability. Python's servers write the one of probability 0 as no JSON, and OpenAI reports
/// this number (API reference, `logprobs`).
fn number(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| (value.as_str() == Some("-Infinity")).then_some(-9_999.0));
    // A sum of rounded numbers may be a little more than certain.
    number.filter(|number| *number < 1e-3)
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
        // After thoughts.
        let thoughts = json!([{"token": "<think>", "logprob": -9}, {"token": "{\"a\": 1}", "logprob": -9}, {"token": "", "logprob": 0}]);
        let all = [thoughts.as_array().unwrap().clone(), list.as_array().unwrap().clone()].concat();
        assert_eq!(found(&all.into(), whole, whole), found(&list, whole, whole));
        // Taken out of an object around it.
        assert_eq!(found(&list, whole, "\"ü\""), [(0..2, -1.0), (2..4, -2.0)]);
    }

    #[test]
    fn tokens_and_numbers_in_lists_of_their_own_are_read() {
        let mut tokens = Tokens::default();
        tokens.add_apart(&json!({"tokens": ["[", "ü"], "token_logprobs": [-0.5, -0.25]}), None);
        tokens.add_apart(&json!(-1), Some("]"));
        tokens.add_apart(&json!(null), Some("no"));
        let found = tokens.within("[ü]", "[ü]");
        let found: Vec<_> = found.into_iter().map(|token| (token.range, token.log_probability)).collect();
        assert_eq!(found, [(0..1, -0.5), (1..3, -0.25), (3..4, -1.0)]);
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
