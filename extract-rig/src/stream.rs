//! Streamed replies of rig's models.

use std::sync::Arc;

use extract::agent::{
    DeltaSink, FinishReason, Reply, Request,
    provider::{ProviderFailure, open_envelope, opening_envelope},
};
use futures_util::StreamExt as _;
use rig_core::{
    DynModel,
    operation::Completion,
    streaming::{Item, StreamEvent},
};

use crate::{
    convert::{self, RigRequest},
    error,
    seen::SeenOrigin,
    thinking,
};

/// The same reply as without streaming, with the text and the arguments of calls streamed to
/// `sink`. rig makes sure that the deltas add up to the response: text missing on the way is a
/// delta at the end.
pub(super) async fn ask(
    model: &DynModel<Completion>,
    provider: Option<&str>,
    request: &Request,
    mut sink: DeltaSink<'_>,
) -> Result<Reply, ProviderFailure> {
    let RigRequest { mut asked, note, is_enveloped } = convert::to_request(request, provider);
    if is_enveloped {
        sink = opening_envelope(sink);
    }
    let seen = Arc::<SeenOrigin>::default();
    let mut started = model.stream_observed(asked.clone(), seen.context());
    let without_level = thinking::left_out(&mut asked, request, started.as_ref().err());
    if without_level.is_some() {
        started = model.stream_observed(asked, seen.context());
    }
    let finished = |reply: Reply| {
        let reply = if is_enveloped { open_envelope(reply) } else { reply };
        thinking::noted(reply, [note, without_level, thinking::unknown(request)])
    };
    let mut stream = started.map_err(|error| error::of_model(&error))?;
    let mut so_far = String::new();
    let mut calls = Vec::new();
    while let Some(item) = stream.next().await {
        match item.map_err(|error| error::of_model(&error))? {
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
        sink.pause().await;
    }
    let response = stream.finish().await.map_err(|error| error::of_model(&error))?;
    Ok(finished(convert::of_model(&response, request, seen.origin())?))
}
