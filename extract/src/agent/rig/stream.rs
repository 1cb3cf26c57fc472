//! Replies of rig's models while they are written.

use futures_util::StreamExt as _;
use rig_core::{
    ProviderError,
    completion::CompletionRequest,
    streaming::{CompletionStream, Item, StreamEvent},
};

use super::{convert, noted};
use crate::agent::{DeltaSink, Reply, Request, provider_error::Failure};

/// In a box, because rig's error is large.
pub(super) type Started = Result<CompletionStream, Box<ProviderError>>;

/// The reply that would have come without a stream, with `sink` told the text. rig sees to it that
/// the deltas are that of the response: what was missing on the way is a delta at its end.
pub(super) async fn ask_model(
    provider: Option<&str>,
    request: &Request,
    mut sink: DeltaSink<'_>,
    start: impl FnOnce(CompletionRequest) -> Started,
) -> Result<Reply, Failure> {
    let (asked, note) = convert::to_request(request, provider);
    let mut stream = start(asked).map_err(|error| *error)?;
    while let Some(item) = stream.next().await {
        if let Item::Event(StreamEvent::Text { text, .. }) = item? {
            sink.send(&text);
        }
    }
    Ok(noted(convert::of_model(&stream.finish().await?, request)?, note))
}
