//! Finds the persons named in long texts, each with its places.
//!
//! ```text
//! cargo run --release -p extractable-local --example names -- \
//!     --agent local:0.5b --documents tests/fixtures/spans/litbank.jsonl --limit 4 --passes 2
//! ```
//!
//! A document is a line of JSON with `id` and `text`. Prints a line of JSON for each: the names
//! with their byte ranges, and the cost. `benches/peers/python/documents_with_places.py` compares
//! them with the names that people marked.

use std::{error::Error, fs, ops::Range};

use extract::{
    Extractable, ExtractionMetrics, Passes,
    agent::Agent,
    document::{Chunks, Document, Quote},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[path = "agent/named.rs"]
mod named;

const TASK: &str = "List every person who is named in the text, each once, by the name as it stands there.";

/// The worked example; langextract gets the same one.
const EXAMPLE: (&str, [&str; 2]) = (
    "The inspector bowed to Lady Margaret . Her brother , old Tom Fenwick , said nothing .",
    ["Lady Margaret", "Tom Fenwick"],
);

/// A person.
#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Person {
    /// The name, without words that describe the person.
    #[extract(key)]
    name: Quote,
}

#[derive(Deserialize)]
struct Line {
    id: String,
    text: String,
}

struct Options {
    agent: String,
    server: Option<String>,
    documents: String,
    limit: usize,
    chars: usize,
    passes: u32,
    attempts: u32,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut options = Self {
            agent: "local:0.5b".to_owned(),
            server: None,
            documents: "tests/fixtures/spans/litbank.jsonl".to_owned(),
            limit: usize::MAX,
            chars: 1_500,
            passes: 1,
            attempts: 3,
        };
        while let Some(argument) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("`{argument}` needs a value"))?;
            match argument.as_str() {
                "--agent" => options.agent = value,
                "--server" => options.server = Some(value),
                "--documents" => options.documents = value,
                "--limit" => options.limit = value.parse()?,
                "--chars" => options.chars = value.parse()?,
                "--passes" => options.passes = value.parse()?,
                "--attempts" => options.attempts = value.parse()?,
                _ => return Err(format!("unknown option `{argument}`").into()),
            }
        }
        Ok(options)
    }
}

/// The names in one text, and the cost. Names that are not in the text are left out after the last
/// attempt, and a chunk without an answer is a gap.
async fn names(
    agent: &dyn Agent,
    options: &Options,
    text: &str,
) -> Result<(Vec<Person>, ExtractionMetrics), Box<dyn Error>> {
    let document = Document::from_text(text);
    let (example, example_names) = EXAMPLE;
    let example_names = example_names.map(|name| Person { name: Quote::new(name) });
    let found = Vec::<Person>::extract(agent, TASK)
        .document(&document)
        .shot(example, &example_names.into())
        .chunks(Chunks::chars(options.chars))
        .passes(Passes::exactly(options.passes))
        .max_attempts(options.attempts)
        .keep_valid_items(true)
        .accept_gaps(true)
        .max_output_tokens(512);
    Ok(found.await?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    let agent = named::agent(&options.agent, options.server.as_deref())?;
    for line in fs::read_to_string(&options.documents)?.lines().take(options.limit) {
        let line: Line = serde_json::from_str(line)?;
        let (persons, metrics) = names(&*agent, &options, &line.text).await?;
        let place = |span: Option<Range<usize>>| span.map(|range| [range.start, range.end]);
        let found: Vec<_> = persons
            .iter()
            .map(|person| {
                let span = person.name.span().map(|span| span.range());
                json!({"name": person.name.words(), "span": place(span)})
            })
            .collect();
        let printed = json!({
            "id": line.id,
            "found": found,
            "chunks": metrics.chunks.len(),
            "gaps": metrics.gaps.len(),
            "left_out": metrics.left_out.len(),
            "input_tokens": metrics.usage.input_tokens,
            "output_tokens": metrics.usage.output_tokens,
            "seconds": metrics.elapsed.as_secs_f64(),
        });
        println!("{printed}");
    }
    Ok(())
}
