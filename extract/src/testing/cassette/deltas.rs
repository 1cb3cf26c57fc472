//! The deltas in which an answer was streamed.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{
    agent::{Delta, DeltaSink, ToolCall},
    vocabulary::{text::bare, time_limit::yield_once},
};

/// The lengths of deltas in bytes. The recording already has the text, without its secrets.
///
/// Written as `12 4x3 0:7`: twelve bytes of the text, three times four, and seven of the arguments
/// of call number 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RecordedDeltas(Vec<DeltaRun>);

/// Deltas of the same length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DeltaRun {
    call: Option<usize>,
    bytes: usize,
    count: usize,
}

impl RecordedDeltas {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn add(&mut self, delta: Delta<'_>) {
        if delta.is_first {
            self.0.clear();
        }
        let (call, bytes) = (delta.call.map(|call| call.index), delta.text.len());
        match self.0.last_mut() {
            Some(run) if (run.call, run.bytes) == (call, bytes) => run.count += 1,
            _ => self.0.push(DeltaRun { call, bytes, count: 1 }),
        }
    }

    /// Sends `text` and the arguments of `calls` in these deltas, each in a poll of its own, and
    /// then the rest of the text and of these calls. Where something was redacted, the deltas are
    /// cut at other positions.
    pub(super) async fn send(&self, text: &str, calls: &[ToolCall], sink: &mut DeltaSink<'_>) {
        let written: Vec<String> = calls.iter().map(|call| bare(&call.arguments)).collect();
        let mut rest = RemainingDeltas { text, calls: written.iter().map(String::as_str).collect() };
        for run in &self.0 {
            for _ in 0..run.count {
                let Some(delta) = rest.take(run.call, run.bytes) else { break };
                send(run.call, delta, calls, sink);
                yield_once().await;
            }
        }
        send(None, rest.text, calls, sink);
        for (index, arguments) in rest.calls.iter().enumerate() {
            if self.0.iter().any(|run| run.call == Some(index)) {
                send(Some(index), arguments, calls, sink);
            }
        }
    }
}

fn send(call: Option<usize>, text: &str, calls: &[ToolCall], sink: &mut DeltaSink<'_>) {
    match call {
        None => sink.send(text),
        Some(index) => sink.send_arguments(index, calls.get(index).map_or("", |call| &call.name), text),
    }
}

/// The remaining text and arguments to send.
struct RemainingDeltas<'t> {
    text: &'t str,
    calls: Vec<&'t str>,
}

impl<'t> RemainingDeltas<'t> {
    /// Takes `bytes` bytes, or a few more so that no character is cut; `None` if nothing is left.
    fn take(&mut self, call: Option<usize>, bytes: usize) -> Option<&'t str> {
        let rest = match call {
            None => &mut self.text,
            Some(index) => self.calls.get_mut(index)?,
        };
        let end = (bytes.min(rest.len())..rest.len()).find(|end| rest.is_char_boundary(*end));
        let (taken, left) = rest.split_at(end.unwrap_or(rest.len()));
        *rest = left;
        (!taken.is_empty()).then_some(taken)
    }
}

impl Serialize for RecordedDeltas {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let runs = self.0.iter().map(|DeltaRun { call, bytes, count }| {
            let call = call.map_or_else(String::new, |call| format!("{call}:"));
            let count = if *count == 1 { String::new() } else { format!("x{count}") };
            format!("{call}{bytes}{count}")
        });
        serializer.serialize_str(&runs.collect::<Vec<_>>().join(" "))
    }
}

impl<'de> Deserialize<'de> for RecordedDeltas {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let runs = text.split_whitespace().map(|run| {
            let expected = || D::Error::custom(format!("expected deltas such as `12 4x3 0:7`, got `{run}`"));
            parse(run).ok_or_else(expected)
        });
        Ok(Self(runs.collect::<Result<_, _>>()?))
    }
}

fn parse(run: &str) -> Option<DeltaRun> {
    let (call, rest) = match run.split_once(':') {
        Some((call, rest)) => (Some(call.parse().ok()?), rest),
        None => (None, run),
    };
    let (bytes, count) = rest.split_once('x').unwrap_or((rest, "1"));
    let bytes = bytes.parse().ok().filter(|bytes| *bytes > 0)?;
    Some(DeltaRun { call, bytes, count: count.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::block_on;

    fn deltas(written: &str) -> RecordedDeltas {
        serde_json::from_value(json!(written)).unwrap()
    }

    #[test]
    fn what_is_written_is_read_again() {
        for written in ["", "12", "12 4x3 0:7 1:7x2 7"] {
            assert_eq!(serde_json::to_value(deltas(written)).unwrap(), written);
        }
        for written in ["x", "0", "1x", ":1", "1:", "-1", "1x-1"] {
            assert!(serde_json::from_value::<RecordedDeltas>(json!(written)).is_err(), "{written}");
        }
    }

    #[test]
    fn deltas_fit_a_text_of_another_length() {
        let calls = [ToolCall::new("submit", json!({"a": 1}))];
        for (written, expected) in [
            ("1x3", "a|b|é|d|"),
            ("1x99999999999", "a|b|é|d|"),
            ("2 0:2 1:5 1", "ab|0{\"|é|d|0a\":1}|"),
            ("", "abéd|"),
        ] {
            let mut told = Vec::new();
            let mut sink = DeltaSink::new(|delta| {
                let call = delta.call.map_or_else(String::new, |call| call.index.to_string());
                told.push(format!("{call}{}|", delta.text));
            });
            block_on(deltas(written).send("abéd", &calls, &mut sink));
            drop(sink);
            assert_eq!(told.concat(), expected, "{written}");
        }
    }
}
