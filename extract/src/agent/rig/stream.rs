//! Streamed replies of rig's models.

use std::sync::Arc;

use futures_util::StreamExt as _;
use rig_core::{
    ProviderError,
    completion::CompletionRequest,
    observe::AdapterContext,
    streaming::{CompletionStream, Item, StreamEvent},
};

use super::{
    convert::{self, RigRequest},
    not_thinking, noted,
    seen::Seen,
};
use crate::agent::{DeltaSink, FinishReason, Reply, Request, envelope, provider_error::Failure};

/// Boxed, because rig's error is large.
pub(super) type Started = Result<CompletionStream, Box<ProviderError>>;

/// The same reply as without streaming, with the text and the arguments of calls streamed to
/// `sink`. rig makes sure that the deltas add up to the response: text missing on the way is a
/// delta at the end.
pub(super) async fn ask_model(
    provider: Option<&str>,
    request: &Request,
    mut sink: DeltaSink<'_>,
    start: impl Fn(CompletionRequest, AdapterContext) -> Started,
) -> Result<Reply, Failure> {
    let RigRequest { mut asked, note, is_enveloped } = convert::to_request(request, provider);
    if is_enveloped {
        sink = envelope::opening(sink);
    }
    let seen = Arc::<Seen>::default();
    let mut started = start(asked.clone(), seen.context());
    let thinking = not_thinking(&mut asked, request, started.as_ref().err().map(|error| &**error));
    if thinking.is_some() {
        started = start(asked, seen.context());
    }
    let finished = |reply: Reply| {
        let reply = if is_enveloped { envelope::open(reply) } else { reply };
        noted(noted(reply, note), thinking)
    };
    let mut stream = started.map_err(|error| *error)?;
    let mut so_far = String::new();
    let mut calls = Vec::new();
    while let Some(item) = stream.next().await {
        match item? {
            Item::Event(StreamEvent::Text { text, .. }) => {
                so_far.push_str(&text);
                sink.send(&text);
            }
            Item::Event(StreamEvent::Start { part, name: Some(name), .. }) => calls.push((part, name)),
            Item::Event(StreamEvent::Arguments { part, json }) => {
                let call = calls.iter().enumerate().rev().find(|(_, (call, _))| *call == part);
                if let Some((index, (_, name))) = call {
                    sink.send_arguments(index, name, &json);
                }
            }
            _ => {}
        }
        if sink.is_repeating() {
            drop(stream);
            let reply = Reply::new(so_far).finished(FinishReason::Repetition);
            return Ok(finished(reply.with_origin(seen.origin())));
        }
    }
    Ok(finished(convert::of_model(&stream.finish().await?, request, seen.origin())?))
}
