//! `extractable serve-mcp`: serves the schema to MCP clients.

use std::{
    env,
    fs::OpenOptions,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    net::Ipv4Addr,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use extract::{Event, ExtractionResult, Toolkit, agent::AgentError};
use extract_mcp::{Http, Server};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;

use crate::{
    ask::calibration,
    destination,
    error::{Exit, Failure, Outcome},
    input,
    output::{self, Style},
    own,
    runtime::runtime,
    schema_file::SchemaArgs,
    shutdown::Shutdown,
};

/// Serve the schema to MCP clients, which submit values that conform
///
/// Clients such as Claude Code get the tools `example`, `validate` and `submit`, over the standard
/// streams or HTTP. Every value that is accepted is one line of the output file:
///
///   claude mcp add invoices -- extractable serve-mcp --schema invoice.json --out invoices.jsonl
///
/// Over HTTP only clients on this machine are served. EXTRACT_MCP_TOKEN sets a bearer token.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ServeMcpArgs {
    #[command(flatten)]
    schema: SchemaArgs,

    /// File to which the values are added; without it they go to the standard error
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Serve over HTTP on this port, at /mcp; 0 takes a free one
    #[arg(long, value_name = "PORT")]
    http: Option<u16>,

    /// End after the first value; the exit code says whether it was accepted
    #[arg(long)]
    once: bool,

    /// Submissions before one value counts as failed
    #[arg(long, value_name = "NUMBER", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    max_attempts: u32,

    /// Document in which quotes in the values have to be, word for word
    #[arg(long, value_name = "FILE")]
    document: Option<PathBuf>,

    /// File of `extractable calibrate` for this schema, to add the confidences of each value
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
}

impl ServeMcpArgs {
    fn toolkit(&self, style: Style) -> Result<Toolkit<'static, Value>, Failure> {
        let mut toolkit = Toolkit::untyped(self.schema.contract()?).max_attempts(self.max_attempts);
        if let Some(path) = &self.document {
            toolkit = toolkit.document(&input::document(path)?);
        }
        if let Some(path) = &self.calibration {
            let calibration = calibration(path)?;
            toolkit = toolkit.calibrated(calibration).map_err(|error| Failure::usage(error.to_string()))?;
        }
        Ok(toolkit.observe(move |event| report(event, style)))
    }

    /// Listens, and says where.
    async fn http(&self, style: Style) -> Result<Option<Http>, Failure> {
        let Some(port) = self.http else { return Ok(None) };
        let bound = async {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
            Ok((listener.local_addr()?, listener))
        };
        let (address, listener) = bound.await.map_err(|error: io::Error| {
            Failure::new(Exit::Agent, format!("port {port} cannot be listened on: {error}"))
        })?;
        style.note(format!("serving at http://{address}/mcp"));
        let http = Http::on(listener);
        Ok(Some(match env::var("EXTRACT_MCP_TOKEN") {
            Ok(token) if !token.is_empty() => http.bearer_token(token),
            _ => http,
        }))
    }
}

pub(crate) fn run(args: &ServeMcpArgs, style: Style) -> Outcome {
    if let Some(path) = &args.out {
        let files = [args.document.as_deref(), args.calibration.as_deref()];
        let used: Vec<&Path> = args.schema.path().into_iter().chain(files.into_iter().flatten()).collect();
        if let Some(there) = destination::regular(path, &used)?
            && there.len() > 0
            && !own::is_submitted(path)
        {
            let message = format!("`{}` is there already, and has no values of `serve-mcp`", path.display());
            return Err(Failure::usage(message).help("give another name"));
        }
        // Fail now rather than when the first value arrives.
        append(path, "").map_err(|error| unwritable(path, &error))?;
    }
    let toolkit = args.toolkit(style)?;
    let runtime = runtime()?;
    let outcome = runtime.block_on(async {
        let mut shutdown = Shutdown::new()?;
        tokio::select! {
            outcome = serve(args, toolkit, style) => outcome,
            // The usual way to end a server.
            () = shutdown.wanted() => Ok(Exit::Success),
        }
    });
    // A connected client would block the thread that reads from it.
    runtime.shutdown_background();
    outcome
}

async fn serve(args: &ServeMcpArgs, toolkit: Toolkit<'static, Value>, style: Style) -> Outcome {
    let http = args.http(style).await?;
    // Of one value the exit code says whether it was accepted.
    let (mut lost, mut is_accepted) = (None, !args.once);
    let server = Server::new(args.schema.name()).with(toolkit, |outcome| {
        keep(args, &outcome).map_err(|failure| lost.insert(failure).message.clone())?;
        is_accepted = is_accepted || outcome.is_ok();
        Ok::<_, String>(if args.once { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    });
    let ended = match http {
        Some(http) => server.http(http).await,
        None => server.stdio().await,
    };
    if let Some(failure) = lost {
        return Err(failure);
    }
    ended.map_err(|error: AgentError| Failure::new(Exit::Agent, error.to_string()))?;
    Ok(Exit::of(is_accepted))
}

/// Records a submission.
fn keep(args: &ServeMcpArgs, outcome: &ExtractionResult<Value>) -> Result<(), Failure> {
    let line = match outcome {
        Ok((value, metrics)) => {
            let mut line = json!({"status": "done", "value": value, "attempts": metrics.attempts});
            if !metrics.confidences.is_empty() {
                let leaves = metrics.confidences.by_pointer();
                line["confidence"] =
                    leaves.map(|(leaf, number)| (leaf, json!(number))).collect::<Map<_, _>>().into();
            }
            line
        }
        Err(error) => json!({
            "status": "failed",
            "error": {"name": error.name(), "message": error.to_string()},
            "attempts": error.metrics().attempts,
        }),
    };
    if let Some(path) = &args.out {
        return append(path, &format!("{line}\n")).map_err(|error| unwritable(path, &error));
    }
    output::note(output::escaped_json(&line.to_string()));
    Ok(())
}

/// Adds `line` to the file, on a line of its own also if a crash left half of one.
fn append(path: &Path, line: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
    let mut last = [b'\n'];
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    let start = if last == *b"\n" || line.is_empty() { "" } else { "\n" };
    file.write_all(format!("{start}{line}").as_bytes())?;
    file.sync_data()
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Exit::Storage, format!("`{}` cannot be written: {error}", path.display()))
}

/// Reports to standard error, because the standard output belongs to the protocol.
fn report(event: &Event<'_>, style: Style) {
    if let Event::Judged { record, is_accepted, .. } = event {
        let verdict = if *is_accepted { "accepted" } else { "rejected" };
        style.note(format!("attempt {} of {}: {verdict}", record.number, record.agent));
        for violation in &record.violations {
            style.note(format!("  {}", output::violation(violation)));
        }
    }
}
