//! Turns the output of a program into a reply.

use extract::{
    TokenUsage,
    agent::{AgentError, Reply},
};
use serde_json::Value;

/// Maximum characters of a program's output in a message about it.
const QUOTED_CHARS: usize = 160;

/// Where the parts of a reply are in a program's output, if that is JSON: JSON Pointers (RFC 6901).
#[derive(Debug, Clone, Default)]
pub(super) struct OutputPointers {
    pub(super) reply: Option<String>,
    pub(super) failed: Option<String>,
    pub(super) refusal: Option<String>,
    pub(super) input_tokens: Vec<String>,
    pub(super) output_tokens: Vec<String>,
}

impl OutputPointers {
    fn is_json(&self) -> bool {
        self.reply.is_some()
            || self.failed.is_some()
            || self.refusal.is_some()
            || !self.input_tokens.is_empty()
            || !self.output_tokens.is_empty()
    }

    /// The reply in `output`.
    ///
    /// # Errors
    ///
    /// If the output is not UTF-8, empty, or not the JSON that was announced.
    pub(super) fn read(&self, output: Vec<u8>) -> Result<Reply, AgentError> {
        let reply = Reply::from_utf8(output)?;
        if reply.text().trim().is_empty() {
            return Err(AgentError::garbled("it printed nothing"));
        }
        if self.is_json() { self.read_json(reply.text()) } else { Ok(reply) }
    }

    fn read_json(&self, output: &str) -> Result<Reply, AgentError> {
        let json: Value = serde_json::from_str(output).map_err(|error| {
            let start = quoted(&Value::from(output));
            AgentError::garbled(format!("its output is not JSON ({error}): {start}")).with_source(error)
        })?;
        let missing = |place: &str| {
            AgentError::garbled(format!("its output has nothing at `{place}`: {}", quoted(&json)))
        };
        let root = String::new();
        let place = self.reply.as_ref().unwrap_or(&root);
        let text = json.pointer(place).filter(|value| !value.is_null());
        if let Some(failed) = &self.failed {
            let failed = json.pointer(failed).ok_or_else(|| missing(failed))?;
            if says_yes(failed) {
                let what = quoted(text.unwrap_or(&json));
                return Err(AgentError::transport(format!("it reports a failure: {what}")));
            }
        }
        let refusal =
            self.refusal.as_ref().and_then(|place| json.pointer(place)).filter(|said| says_yes(said));
        let reply = match text {
            Some(Value::String(text)) => Reply::new(text.as_str()),
            Some(value) => Reply::new(value.to_string()),
            None if refusal.is_some() => Reply::new(""),
            None => return Err(missing(place)),
        };
        let words = refusal.map(|said| said.as_str().unwrap_or_default());
        let reply = words.into_iter().fold(reply, Reply::with_refusal);
        Ok(match self.usage(&json) {
            Some(usage) => reply.with_usage(usage),
            None => reply,
        })
    }

    /// The reported usage; `None` if neither side is reported.
    fn usage(&self, json: &Value) -> Option<TokenUsage> {
        let (input, output) = (sum(json, &self.input_tokens), sum(json, &self.output_tokens));
        (input.is_some() || output.is_some())
            .then(|| TokenUsage::new(input.unwrap_or(0), output.unwrap_or(0)))
    }
}

/// Returns the start of `value` as JSON, so that it stays in one line and within its quotes.
fn quoted(value: &Value) -> String {
    let json = value.to_string();
    match json.char_indices().nth(QUOTED_CHARS) {
        None => json,
        Some((end, _)) => format!("{}…", &json[..end]),
    }
}

/// Returns the sum of the counts that are present; `None` if there are none.
fn sum(json: &Value, pointers: &[String]) -> Option<u64> {
    pointers.iter().filter_map(|pointer| json.pointer(pointer)?.as_u64()).reduce(u64::saturating_add)
}

/// Returns whether a flag, an error message or an error object reports a failure.
fn says_yes(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(_) => true,
    }
}
