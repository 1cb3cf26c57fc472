//! Measures extractions on documents whose right answer is known.
//!
//! ```text
//! cargo run --release -p extractable --features local --example evaluate -- --documents FILE… [--limit N] [--attempts N]
//! ```
//!
//! A document is a line of JSON with `id`, `text`, `instruction`, `json_schema` and `gold`; `gold_any` may list for each
//! field all values that count as right. The agent is that of the other examples. Prints for each file how many answers conform
//! after one, two and three attempts, how many fields and whole values are right, and what it took.

mod agent;

use std::{error::Error, fs, path::PathBuf, process::ExitCode, time::Duration};

use extract::{Agent, Contract, ExtractionMetrics, Extractor};
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Debug, Deserialize)]
struct Document {
    id: String,
    text: String,
    instruction: String,
    json_schema: Value,
    gold: Map<String, Value>,
    #[serde(default)]
    gold_any: Map<String, Value>,
}

/// What the command line says.
#[derive(Debug)]
struct Options {
    documents: Vec<PathBuf>,
    limit: usize,
    attempts: u32,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut options = Self { documents: Vec::new(), limit: usize::MAX, attempts: 3 };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("`{argument}` needs a value"));
            match argument.as_str() {
                "--documents" => options.documents.push(value()?.into()),
                "--limit" => options.limit = value()?.parse()?,
                "--attempts" => options.attempts = value()?.parse()?,
                other if other.starts_with("--") => return Err(format!("unknown option `{other}`").into()),
                file => options.documents.push(file.into()),
            }
        }
        if options.documents.is_empty() {
            return Err("give at least one file: `--documents FILE…`".into());
        }
        Ok(options)
    }
}

/// What became of the documents of one file.
#[derive(Debug, Default)]
struct Tally {
    documents: usize,
    /// Conforming after one, two, three and more attempts.
    conforming: [usize; 4],
    fields: usize,
    right_fields: usize,
    right_values: usize,
    tokens_in: u64,
    tokens_out: u64,
    elapsed: Duration,
}

impl Tally {
    fn count(&mut self, document: &Document, value: Option<&Value>, metrics: &ExtractionMetrics) {
        self.documents += 1;
        let right = document.gold.keys().filter(|key| is_right(document, key, value)).count();
        self.fields += document.gold.len();
        self.right_fields += right;
        self.right_values += usize::from(right == document.gold.len());
        if value.is_some() {
            self.conforming[(metrics.attempts as usize).clamp(1, 4) - 1] += 1;
        }
        self.tokens_in += metrics.usage.input_tokens;
        self.tokens_out += metrics.usage.output_tokens;
        self.elapsed += metrics.elapsed;
    }

    #[allow(clippy::cast_precision_loss, reason = "counts of documents are small")]
    fn print(&self, name: &str) {
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        let within = |attempts: usize| share(self.conforming[..attempts].iter().sum(), self.documents);
        let each = |total: u64| total as f64 / self.documents.max(1) as f64;
        println!(
            "{name:<24} {:>5} {:>6.2} {:>6.2} {:>6.2} {:>7.2} {:>6.2} {:>8.0} {:>8.0} {:>8.1}",
            self.documents,
            within(1),
            within(2),
            within(3),
            share(self.right_fields, self.fields),
            share(self.right_values, self.documents),
            each(self.tokens_in),
            each(self.tokens_out),
            self.elapsed.as_secs_f64() / self.documents.max(1) as f64,
        );
    }
}

/// Whether the field `key` holds what it should; an absent field is as good as null.
fn is_right(document: &Document, key: &str, value: Option<&Value>) -> bool {
    let Some(value) = value else { return false };
    let given = value.get(key).unwrap_or(&Value::Null);
    let accepted = document.gold_any.get(key).and_then(Value::as_array);
    is_same(given, &document.gold[key])
        || accepted.is_some_and(|all| all.iter().any(|right| is_same(given, right)))
}

/// Equal up to case and surrounding space of texts, and up to the way a number is written.
fn is_same(given: &Value, right: &Value) -> bool {
    match (given, right) {
        (Value::String(given), Value::String(right)) => {
            given.trim().to_lowercase() == right.trim().to_lowercase()
        }
        (Value::Number(given), Value::Number(right)) => given.as_f64() == right.as_f64(),
        (Value::Array(given), Value::Array(right)) => {
            given.len() == right.len() && given.iter().zip(right).all(|(given, right)| is_same(given, right))
        }
        _ => given == right,
    }
}

async fn measure(agent: &dyn Agent, options: &Options) -> Result<(), Box<dyn Error>> {
    println!(
        "agent: {}; conforming within 1, 2, 3 attempts; tokens and seconds per document\n",
        agent.name()
    );
    println!(
        "{:<24} {:>5} {:>6} {:>6} {:>6} {:>7} {:>6} {:>8} {:>8} {:>8}",
        "documents", "count", "in 1", "in 2", "in 3", "fields", "exact", "tokens", "out", "seconds"
    );
    let extractor = Extractor::new().max_attempts(options.attempts);
    for file in &options.documents {
        let mut tally = Tally::default();
        let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        for line in text.lines().take(options.limit) {
            let document: Document = serde_json::from_str(line)?;
            let contract = Contract::from_schema(document.json_schema.clone())?;
            let prompt = format!("{}\n\n{}", document.instruction, document.text);
            match extractor.extract_untyped(&contract, agent, prompt).await {
                Ok((value, metrics)) => tally.count(&document, Some(&value), &metrics),
                Err(error) => {
                    eprintln!("{}: {error}", document.id);
                    tally.count(&document, None, error.metrics());
                }
            }
        }
        tally.print(&file.file_stem().unwrap_or_default().to_string_lossy());
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let run = async {
        let options = Options::parse(std::env::args().skip(1))?;
        measure(&*agent::from_environment()?, &options).await
    };
    match run.await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
