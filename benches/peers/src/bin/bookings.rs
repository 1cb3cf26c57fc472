//! The Rust peers on the messages of `benches/documents/restaurant8k.jsonl`; `python/right_answers.py` starts it.
//!
//! ```text
//! bookings instructors|rig|rstructor URL
//! ```
//!
//! Each line on standard input is a prompt, as a JSON string. Each line on standard output is its
//! outcome: `{"value": …}` or `{"error": "…"}`. The types of these peers are fixed at compile
//! time, so they can do only the document set whose documents all have the same type.

use std::{
    future::Future,
    io::{Write as _, stdin, stdout},
    pin::Pin,
};

use extract_rig::{
    BoundedHttp,
    rig_agent::extractor::ExtractorBuilder,
    rig_core::{
        providers::openai::OpenAIConfig,
        schemars::{self, JsonSchema},
    },
};
use rstructor::{Instructor, LLMClient as _, OpenAIClient};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const MODEL: &str = "local";
const RETRIES: usize = 2;

/// The schema of the documents: five strings that may be null.
#[derive(Debug, Serialize, Deserialize, Instructor, JsonSchema)]
struct Booking {
    /// number of people, as written
    #[llm(description = "number of people, as written")]
    people: Option<String>,
    /// date, as written
    #[llm(description = "date, as written")]
    date: Option<String>,
    /// time, as written
    #[llm(description = "time, as written")]
    time: Option<String>,
    first_name: Option<String>,
    last_name: Option<String>,
}

type Asking<'a> = Pin<Box<dyn Future<Output = Result<Booking, String>> + 'a>>;

fn asker(library: &str, url: &str) -> Box<dyn Fn(String) -> Asking<'static>> {
    match library {
        "rstructor" => {
            let client = OpenAIClient::new("a key")
                .expect("a client")
                .base_url(url.trim_end_matches('/'))
                .model(MODEL);
            let client = client.max_retries(RETRIES);
            Box::new(move |prompt| {
                let client = client.clone();
                Box::pin(async move { client.extract(&prompt).await.map_err(|error| error.to_string()) })
            })
        }
        "instructors" => {
            let client = instructors::Client::openai_compatible("a key", url.trim_end_matches('/'));
            let client = client.with_model(MODEL).with_max_retries(RETRIES as u32);
            Box::new(move |prompt| {
                let client = client.clone();
                Box::pin(async move {
                    client.extract(prompt).await.map(|answer| answer.value).map_err(|error| error.to_string())
                })
            })
        }
        "rig" => {
            let http = BoundedHttp::new().expect("a client");
            let model = OpenAIConfig::new("a key").with_base_url(url).connect(http).chat(MODEL);
            Box::new(move |prompt| {
                let extractor = ExtractorBuilder::<Booking>::new(model.clone()).retries(RETRIES).build();
                Box::pin(async move {
                    extractor
                        .extract(prompt)
                        .await
                        .map(|answer| answer.output)
                        .map_err(|error| error.to_string())
                })
            })
        }
        other => panic!("`{other}` is not a library"),
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [library, url] = words.as_slice() else { panic!("bookings instructors|rig|rstructor URL") };
    let ask = asker(library, url);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    for line in stdin().lines() {
        let prompt: String = serde_json::from_str(&line.expect("text")).expect("a JSON string");
        let answer: Value = match runtime.block_on(ask(prompt)) {
            Ok(booking) => json!({ "value": booking }),
            Err(error) => json!({ "error": error }),
        };
        writeln!(stdout(), "{answer}").expect("somebody reads");
    }
}
