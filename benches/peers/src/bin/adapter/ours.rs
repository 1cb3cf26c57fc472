//! This project, through its agent for providers.

use std::time::Instant;

use extract::{
    Extractable as _, at,
    partials::{PartState, PartialStep},
};
use extract_agents::ProviderAgent;
use extract_bulk::{BulkExt as _, Doc};
use serde_json::{Value, json};

use crate::{order::Order, process_time, shown::Shown};

pub(crate) struct Asker(ProviderAgent);

impl Asker {
    pub(crate) fn new(url: &str) -> Self {
        let agent = ProviderAgent::at(url, format!("openai/{}", crate::MODEL)).expect("OpenAI has a profile");
        Self(agent.key("a key"))
    }

    pub(crate) async fn ask(&self, attempts: u32) -> Result<Order, String> {
        let asked = Order::extract(&self.0, crate::PROMPT).max_attempts(attempts).await;
        asked.map(|(order, _)| order).map_err(|error| error.to_string())
    }

    /// So many documents as a job with a journal on disk, and how many have an answer.
    pub(crate) async fn job(&self, documents: usize, at_once: usize) -> u64 {
        let journal = std::env::temp_dir().join(format!("peers-{}.redb", std::process::id()));
        let _ = std::fs::remove_file(&journal);
        let documents = (0..documents).map(|number| Doc::new(number.to_string(), crate::PROMPT));
        let report = Order::bulk(&self.0, documents).journal(&journal).concurrent(at_once).await;
        let _ = std::fs::remove_file(&journal);
        report.expect("the job ends").done
    }

    /// Reads the value while it is written: when the first line was whole, and how often a number that was shown became
    /// another.
    pub(crate) async fn stream(&self) -> Value {
        let (started, processor) = (Instant::now(), process_time());
        let mut steps = Order::extract(&self.0, crate::PROMPT).partials();
        let (mut first, mut partials) = (None, 0_u64);
        let (mut shown, mut retracted) = (Shown::default(), 0);
        while let Some(step) = steps.next().await {
            match step.expect("the reply conforms") {
                PartialStep::Partial(partial) => {
                    partials += 1;
                    if first.is_none() && partial.state("/lines/0") == PartState::Done {
                        first = Some(started.elapsed().as_secs_f64());
                    }
                    retracted += shown.changes(|pointer| partial.get(pointer));
                }
                PartialStep::Restarted { .. } => retracted += 1,
                PartialStep::Finished(order, _) => {
                    let lines = order.lines.len();
                    return json!({
                        "seconds": process_time() - processor, "wall": started.elapsed().as_secs_f64(),
                        "first": first, "partials": partials, "retracted": retracted, "lines": lines,
                    });
                }
                _ => {}
            }
        }
        panic!("the stream ends with the value")
    }

    /// Takes each line when it is complete and accepted.
    pub(crate) async fn items(&self) -> Value {
        let (started, processor) = (Instant::now(), process_time());
        let mut items = Order::extract(&self.0, crate::PROMPT).items_of(at!(Order, lines));
        let (mut first, mut lines) = (None, 0);
        while let Some(item) = items.next().await {
            let item = item.expect("the reply conforms");
            assert!(item.value.quantity > 0);
            first.get_or_insert_with(|| started.elapsed().as_secs_f64());
            lines += 1;
        }
        json!({
            "seconds": process_time() - processor, "wall": started.elapsed().as_secs_f64(),
            "first": first, "partials": lines, "retracted": 0, "lines": lines,
        })
    }
}
