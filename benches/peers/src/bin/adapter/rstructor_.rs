//! `rstructor`.

use std::time::Instant;

use futures_util::StreamExt as _;
use rstructor::{LLMClient as _, OpenAIClient, StreamedObject};
use serde_json::{Value, json};

use crate::{
    order::{Line, Order},
    process_time,
    shown::Shown,
};

pub(crate) struct Asker(OpenAIClient);

impl Asker {
    pub(crate) fn new(url: &str) -> Self {
        let client = OpenAIClient::new("a key").expect("a client");
        Self(client.base_url(url).model(crate::MODEL))
    }

    /// The first attempt is not a retry.
    pub(crate) async fn ask(&self, attempts: u32) -> Result<Order, String> {
        let client = self.0.clone().max_retries(attempts as usize - 1);
        client.extract(crate::PROMPT).await.map_err(|error| error.to_string())
    }

    /// The same counts as for this project; a line is complete when another one has begun.
    pub(crate) async fn stream(&self) -> Value {
        let (started, processor) = (Instant::now(), process_time());
        let mut steps = self.0.materialize_stream::<Order>(crate::PROMPT);
        let (mut first, mut partials, mut retracted, mut shown) = (None, 0_u64, 0_u64, Shown::default());
        while let Some(step) = steps.next().await {
            match step.expect("the reply conforms") {
                StreamedObject::Partial(partial) => {
                    partials += 1;
                    if first.is_none() && partial.pointer("/lines/1").is_some() {
                        first = Some(started.elapsed().as_secs_f64());
                    }
                    retracted += shown.changes(|pointer| partial.pointer(pointer).cloned());
                }
                StreamedObject::Complete(order) => {
                    return json!({
                        "seconds": process_time() - processor, "wall": started.elapsed().as_secs_f64(),
                        "first": first, "partials": partials, "retracted": retracted, "lines": order.lines.len(),
                    });
                }
            }
        }
        panic!("the stream ends with the value")
    }

    /// Its lists are in a separate object.
    pub(crate) async fn items(&self) -> Value {
        let (started, processor) = (Instant::now(), process_time());
        let mut items = self.0.materialize_iter::<Line>(crate::PROMPT);
        let (mut first, mut lines) = (None, 0);
        while let Some(item) = items.next().await {
            assert!(item.expect("the reply conforms").quantity > 0);
            first.get_or_insert_with(|| started.elapsed().as_secs_f64());
            lines += 1;
        }
        json!({
            "seconds": process_time() - processor, "wall": started.elapsed().as_secs_f64(),
            "first": first, "partials": lines, "retracted": 0, "lines": lines,
        })
    }
}
