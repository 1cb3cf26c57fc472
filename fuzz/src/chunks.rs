//! Checks any reply, streamed in any chunks: the final view does not depend on the chunks, and
//! finished parts do not change.

use arbitrary::{Result, Unstructured};
use extract::{
    Contract, ExtractionError,
    agent::{Agent, DeltaSink, Reply, ReplyFuture, Request},
    partials::{PartState, PartialStep},
    testing::block_on,
};
use serde_json::Value;

use crate::reading::CONTRACTS;

/// Parts that are examined after each chunk.
const PARTS: [&str; 11] =
    ["", "/0", "/1", "/2", "/id", "/kind", "/price", "/next", "/next/id", "/children", "/children/0"];

/// Panics if a property does not hold. The first byte selects the contract, the second how many of
/// the last bytes determine where the reply is split.
pub fn check(data: &[u8]) {
    let [first, cuts, rest @ ..] = data else { return };
    let (reply, cuts) = rest.split_at(rest.len().saturating_sub(usize::from(*cuts % 32)));
    let Ok(reply) = std::str::from_utf8(reply) else { return };
    let contract = &CONTRACTS[usize::from(*first) % CONTRACTS.len()];
    let whole = shown(contract, vec![reply.to_owned()]);
    let pieces = pieces(reply, &mut Unstructured::new(cuts)).unwrap_or_default();
    assert_eq!(pieces.concat(), reply);
    whole.assert_agrees(&shown(contract, pieces), reply);
    // In chunks of one character, as if each were a token.
    whole.assert_agrees(&shown(contract, reply.chars().map(String::from).collect()), reply);
}

/// Whether it is JSON, or the start of it. If an escape is cut, `serde_json` does not check its
/// digits.
fn is_strict(reply: &str) -> bool {
    let has_cut_escape = || reply.bytes().rev().take(12).any(|byte| byte == b'\\');
    serde_json::from_str::<Value>(reply).map_or_else(|error| error.is_eof() && !has_cut_escape(), |_| true)
}

fn pieces(reply: &str, cuts: &mut Unstructured<'_>) -> Result<Vec<String>> {
    let (mut pieces, mut rest) = (Vec::new(), reply);
    while !rest.is_empty() {
        let length = if cuts.is_empty() { rest.len() } else { usize::from(cuts.arbitrary::<u8>()?) };
        let is_boundary = |at: &usize| rest.is_char_boundary(*at);
        let at = (0..=length.min(rest.len())).rev().find(is_boundary).unwrap_or_default();
        let (piece, left) = rest.split_at(at);
        pieces.push(piece.to_owned());
        rest = left;
    }
    Ok(pieces)
}

/// The known parts at the end of the reply.
#[derive(Debug)]
struct Shown {
    /// The last value that was shown, since the reader chose its value.
    last: Option<Value>,
    /// The parts of it that were finished.
    done: Vec<(&'static str, Value)>,
    value: Option<Value>,
}

impl Shown {
    fn assert_agrees(&self, other: &Self, reply: &str) {
        assert_eq!(self.value, other.value, "{reply:?}");
        // If the reply is not JSON, how much is shown depends on when it is examined.
        if is_strict(reply) {
            assert_eq!(self.last, other.last, "{reply:?}");
            assert_eq!(self.done.len(), other.done.len(), "{reply:?}");
        }
        for (part, value) in &self.done {
            let there = other.done.iter().find(|(known, _)| known == part);
            assert!(there.is_none_or(|(_, there)| there == value), "{part} of {reply:?}: {value}, {there:?}");
        }
    }
}

fn shown(contract: &Contract, pieces: Vec<String>) -> Shown {
    let agent = Pieces(pieces);
    block_on(async {
        let mut steps = contract.extract(&agent, "…").max_attempts(1).max_continuations(0).partials();
        let (mut last, mut done): (Option<Value>, Vec<(&'static str, Value)>) = (None, Vec::new());
        while let Some(step) = steps.next().await {
            match step {
                Ok(PartialStep::Partial(partial)) => {
                    last = Some(partial.to_value());
                    for (part, value) in &done {
                        assert_eq!(partial.get(part).as_ref(), Some(value), "{part} was done");
                    }
                    let is_new = |part: &&str| {
                        partial.state(part) == PartState::Done && done.iter().all(|(known, _)| known != part)
                    };
                    let new: Vec<_> = PARTS.into_iter().filter(is_new).collect();
                    done.extend(new.into_iter().filter_map(|part| Some((part, partial.get(part)?))));
                }
                Ok(PartialStep::Restarted { .. }) => (last, done) = (None, Vec::new()),
                Ok(PartialStep::Finished(value, _)) => {
                    for (part, shown) in &done {
                        assert!(
                            value.pointer(part).is_some_and(|value| has(value, shown)),
                            "{part}: {shown}, {value}"
                        );
                    }
                    // If the reply is not JSON, its end is only known after reading. Null stands
                    // for parts that are not shown.
                    let is_shown = |last: &&Value| !last.is_null() && is_strict(&agent.0.concat());
                    if let Some(last) = last.as_ref().filter(is_shown) {
                        assert!(has(&value, last), "shown last: {last}, the value: {value}");
                    }
                    return Shown { last, done, value: Some(value) };
                }
                Ok(_) => {}
                Err(ExtractionError::Agent { .. }) => unreachable!("the agent does not fail"),
                Err(_) => return Shown { last, done, value: None },
            }
        }
        unreachable!("the stream ends with a value or an error")
    })
}

/// Whether `value` has everything that was `shown` of it, and otherwise only keys that the schema
/// does not name.
fn has(value: &Value, shown: &Value) -> bool {
    const NAMED: [&str; 5] = ["id", "kind", "price", "next", "children"];
    match (value, shown) {
        (Value::Object(value), Value::Object(shown)) => {
            shown.iter().all(|(key, shown)| value.get(key).is_some_and(|value| has(value, shown)))
                && value.keys().all(|key| shown.contains_key(key) || !NAMED.contains(&&**key))
        }
        (Value::Array(value), Value::Array(shown)) => {
            value.len() == shown.len() && value.iter().zip(shown).all(|(value, shown)| has(value, shown))
        }
        _ => value.to_string() == shown.to_string(),
    }
}

/// Sends its chunks one by one, each in its own poll.
struct Pieces(Vec<String>);

impl Agent for Pieces {
    fn respond<'a>(&'a self, _: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async { Ok(Reply::new(self.0.concat())) })
    }

    fn stream<'a>(&'a self, _: &'a Request, mut sink: DeltaSink<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            for piece in &self.0 {
                sink.send(piece);
                pause().await;
            }
            Ok(Reply::new(self.0.concat()))
        })
    }
}

/// Is pending once.
async fn pause() {
    let mut is_ready = false;
    std::future::poll_fn(|context| {
        context.waker().wake_by_ref();
        if std::mem::replace(&mut is_ready, true) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
}
