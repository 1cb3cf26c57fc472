//! Streamed replies of rig's models.

use futures_util::StreamExt as _;
use rig_core::{
    ProviderError,
    completion::CompletionRequest,
    streaming::{CompletionStream, Item, StreamEvent},
};

use super::{convert, noted};
use crate::agent::{DeltaSink, FinishReason, Reply, Request, provider_error::Failure};

/// Boxed, because rig's error is large.
pub(super) type Started = Result<CompletionStream, Box<ProviderError>>;

/// The reply as without streaming, with the text streamed to `sink`. rig makes sure that the deltas
/// add up to the response: text missing on the way is a delta at the end.
pub(super) async fn ask_model(
    provider: Option<&str>,
    request: &Request,
    mut sink: DeltaSink<'_>,
    start: impl FnOnce(CompletionRequest) -> Started,
) -> Result<Reply, Failure> {
    let (asked, note) = convert::to_request(request, provider);
    let mut stream = start(asked).map_err(|error| *error)?;
    let mut so_far = String::new();
    while let Some(item) = stream.next().await {
        if let Item::Event(StreamEvent::Text { text, .. }) = item? {
            so_far.push_str(&text);
            sink.send(&text);
        }
        if sink.is_repeating() {
            return Ok(noted(Reply::new(so_far).finished(FinishReason::Repetition), note));
        }
    }
    Ok(noted(convert::of_model(&stream.finish().await?, request)?, note))
}
