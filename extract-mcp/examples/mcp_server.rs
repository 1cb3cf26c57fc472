//! An MCP server that takes invoices: an agent reads whatever you give it and hands the invoice in, and this program gets a
//! value that satisfies the type and its rules.
//!
//! ```text
//! cargo build --release -p extractable-mcp --example mcp_server
//! ```
//!
//! **Claude Code** starts it itself:
//!
//! ```text
//! claude mcp add invoices -- "$PWD/target/release/examples/mcp_server" --out "$PWD/invoices.jsonl"
//! ```
//!
//! Then say: *Read letter.txt and submit the invoice in it.*
//!
//! **Claude Desktop** does too, once this stands in its `claude_desktop_config.json` (Settings, Developer, Edit Config), with
//! absolute paths:
//!
//! ```json
//! {"mcpServers": {"invoices": {"command": "/…/target/release/examples/mcp_server", "args": ["--out", "/…/invoices.jsonl"]}}}
//! ```
//!
//! **Over HTTP**, on 127.0.0.1, for clients that do not start programs; the token is up to you, and may be left away:
//!
//! ```text
//! EXTRACT_MCP_TOKEN=secret target/release/examples/mcp_server --http 8080
//! claude mcp add --transport http invoices http://127.0.0.1:8080/mcp --header "Authorization: Bearer secret"
//! ```
//!
//! Every invoice is one line of JSON in the file, or on the standard error without `--out`. With `--once` the program ends with
//! the first one: status 0 when it was accepted, 1 when the attempts were used up or the client went away.

use std::{
    env,
    error::Error,
    fs::OpenOptions,
    io::{Write as _, stderr},
    path::PathBuf,
    process::ExitCode,
};

use extract::{Event, Extractable, ExtractionResult, Rejection, Toolkit};
use extract_mcp::{Http, Server};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// An invoice, as printed.
#[derive(Debug, Serialize, Deserialize, Extractable)]
#[extract(rule = total_is_the_sum)]
struct Invoice {
    /// Number of the invoice.
    #[extract(pattern = r"^INV-\d{4}$", example = "INV-0042")]
    number: String,
    /// Who has to pay.
    #[extract(length(min = 1), example = "Mr Larsen")]
    customer: String,
    #[extract(one_of = ["EUR", "USD", "GBP"])]
    currency: String,
    #[extract(length(min = 1))]
    lines: Vec<Line>,
    /// What has to be paid in all.
    #[extract(range(min = 0.0), example = 25.0)]
    total: f64,
}

/// One position of an invoice.
#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Line {
    #[extract(length(min = 1), example = "paper")]
    description: String,
    #[extract(range(min = 1), example = 10)]
    quantity: u32,
    /// Price of one.
    #[extract(range(min = 0.0), example = 2.5)]
    unit_price: f64,
}

fn total_is_the_sum(invoice: &Invoice) -> Result<(), Rejection> {
    let sum: f64 = invoice.lines.iter().map(|line| f64::from(line.quantity) * line.unit_price).sum();
    if (sum - invoice.total).abs() < 0.005 {
        return Ok(());
    }
    Err(Rejection::new("the total is not the sum of the lines")
        .at("total")
        .expected(sum)
        .actual(invoice.total))
}

/// What the command line says.
#[derive(Debug, Default)]
struct Options {
    http: Option<u16>,
    out: Option<PathBuf>,
    is_once: bool,
}

impl Options {
    fn parse() -> Result<Self, Box<dyn Error>> {
        let mut options = Self::default();
        let mut arguments = env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--http" => options.http = Some(arguments.next().ok_or("`--http` needs a port")?.parse()?),
                "--out" => options.out = Some(arguments.next().ok_or("`--out` needs a file")?.into()),
                "--once" => options.is_once = true,
                _ => {
                    return Err(
                        format!("unknown argument `{argument}`; there are --http, --out and --once").into()
                    );
                }
            }
        }
        Ok(options)
    }

    /// Where to listen, when it is HTTP.
    fn http(&self) -> Option<Http> {
        let http = Http::port(self.http?);
        Some(match env::var("EXTRACT_MCP_TOKEN") {
            Ok(token) => http.bearer_token(token),
            Err(_) => http,
        })
    }

    /// Writes down what became of an invoice.
    fn keep(&self, outcome: &ExtractionResult<Invoice>) -> Result<(), Box<dyn Error>> {
        let line = match outcome {
            Ok((invoice, metrics)) => json!({"invoice": invoice, "attempts": metrics.attempts}),
            Err(error) => json!({"error": error.to_string(), "attempts": error.metrics().attempts}),
        };
        match &self.out {
            Some(path) => writeln!(OpenOptions::new().create(true).append(true).open(path)?, "{line}")?,
            None => writeln!(stderr(), "{line}")?,
        }
        Ok(())
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool, Box<dyn Error>> {
    let options = Options::parse()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let is_success = runtime
        .block_on(async { if options.is_once { serve_once(&options).await } else { serve(&options).await } });
    // A client that is still there would hold up the thread that reads from it.
    runtime.shutdown_background();
    is_success
}

/// One invoice, and that is it.
async fn serve_once(options: &Options) -> Result<bool, Box<dyn Error>> {
    let serving = extract_mcp::serve::<Invoice>().observe(report);
    let outcome = match options.http() {
        Some(http) => serving.http(http).await,
        None => serving.stdio().await,
    };
    options.keep(&outcome)?;
    Ok(outcome.is_ok())
}

/// One invoice after the other, as long as there are clients.
async fn serve(options: &Options) -> Result<bool, Box<dyn Error>> {
    let toolkit = Toolkit::<Invoice>::new()?.observe(report);
    let server = Server::new("invoices").with(toolkit, |outcome| {
        if let Err(error) = options.keep(&outcome) {
            eprintln!("the invoice could not be written: {error}");
        }
    });
    match options.http() {
        Some(http) => server.http(http).await?,
        None => server.stdio().await?,
    }
    Ok(true)
}

/// The standard output belongs to the protocol.
fn report(event: &Event<'_>) {
    if let Event::Judged { record, is_accepted, .. } = event {
        let verdict = if *is_accepted { "accepted" } else { "rejected" };
        eprintln!("attempt {} of {}: {verdict}", record.number, record.agent);
    }
}
