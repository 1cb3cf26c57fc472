//! `extractable run` and `extractable retry-failed`: many documents as one job.

mod ending;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
    time::Duration,
};

use extract::{
    Contract,
    agent::Agent,
    metrics::{Price, Prices},
};
use extract_bulk::{
    Batches, Bulk, BulkError, ContractBulkExt as _, Doc, Ended, Journal, Report, Retry, ReviewedValue,
};
use serde_json::{Value, json};

use crate::{
    agent::{self, AgentsArgs},
    ask::{self, AskArgs, ExtractionExtras},
    destination::{self, Files, missing_folder},
    error::{Exit, Failure, Outcome},
    input::{Content, InputArgs, InputDocuments, InputItem, UnreadDocuments},
    journal, loopback, numbers,
    output::{self, Style},
    results::{self, ColumnArgs, Form, ResultsLayout},
    runtime::runtime,
    schema_file::SchemaArgs,
    shutdown::Shutdown,
    status::JournalStatus,
};

/// Extract a value from each of many documents; the same command goes on where it stopped
///
/// The journal knows what became of each document, so nothing is asked twice:
///
///   extractable run --schema invoice.json --agent ollama/gemma3 letters/ -o invoices.jsonl
///
/// Every line of the output has `key`, `status` (`done`, `in_part` or `failed`), `value` or `error`,
/// and what it took. Ctrl-C finishes what is in flight; a second one ends at once.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    schema: SchemaArgs,

    /// File for the results, written when the job is complete. Its ending says how: .jsonl, .json, .csv, .parquet or .md.
    /// Until then FILE.partial.jsonl has what is known. Without it they go to the standard output as they come
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Replace the file also if this program did not write it
    #[arg(long, requires = "out")]
    overwrite: bool,

    /// Journal of the job; by default that of the output, FILE.journal
    #[arg(short, long, value_name = "FILE")]
    journal: Option<PathBuf>,

    /// Gold set whose values take precedence over extracted ones in the output; by default FILE.gold.jsonl beside the
    /// journal, if it is there
    #[arg(long, value_name = "FILE")]
    reviewed: Option<PathBuf>,

    #[command(flatten)]
    columns: ColumnArgs,

    /// Show the progress on a page at this address of this machine, such as 127.0.0.1:0 for a free port
    #[arg(long, value_name = "ADDRESS", value_parser = loopback::address)]
    status: Option<SocketAddr>,

    /// Only say what would be asked, and what it would cost
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    limits: JobLimits,
    #[command(flatten)]
    batches: BatchArgs,
    #[command(flatten)]
    agent: AgentsArgs,
    #[command(flatten)]
    ask: AskArgs,
    #[command(flatten)]
    input: InputArgs,
}

/// Try again the documents of a job that failed
///
/// With another agent, more attempts or another temperature. Those with an answer keep it, whoever
/// gave it, as long as schema and prompt are the same. The options are those of `run`:
///
///   extractable retry-failed --schema invoice.json --agent openai/gpt-6-luna letters/ -o invoices.jsonl
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct RetryArgs {
    /// Ask nobody: accept what the attempts until now have, without the broken items of lists that the schema marks
    /// with "x-keep-valid-items"
    #[arg(long)]
    in_part: bool,

    #[command(flatten)]
    run: RunArgs,
}

/// What the job may take.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
struct JobLimits {
    /// Documents to ask about at once
    #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 16, value_parser = numbers::at_least_one)]
    concurrent: usize,

    /// Requests a minute, at most. Without it: no limit
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    requests_per_minute: Option<u32>,

    /// Tokens after which the run stops; the same command goes on. Without it: no limit
    #[arg(long, value_name = "NUMBER")]
    token_budget: Option<u64>,

    /// Prices of a million input and output tokens, such as 0.25,2.00, to show what the run costs
    #[arg(long, value_name = "IN,OUT", value_parser = price)]
    price: Option<(f64, f64)>,

    /// Seconds that requests in flight may take after Ctrl-C
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    grace: u64,

    /// Seconds to wait for a provider that is down, before the job ends
    #[arg(long, value_name = "SECONDS", default_value_t = 3_600)]
    wait: u64,

    /// Give up a document that was one of few in flight in this many runs that crashed; 0 for never
    #[arg(long, value_name = "RUNS", default_value_t = 3)]
    poison_after: u32,

    /// Keep values that the schema marks with "x-sensitive" out of the journal and the output
    #[arg(long, requires = "out")]
    redact: bool,
}

/// Files of requests instead of requests.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Batches")]
struct BatchArgs {
    /// Send the requests as files, which the provider answers within hours, for about half the price. Until then the
    /// run ends with exit code 6, and the same command asks for the answers again
    #[arg(long, conflicts_with = "redact")]
    batch: bool,

    /// Wait for the answers, instead of ending
    #[arg(long, requires = "batch")]
    batch_wait: bool,

    /// Ask directly, at the ordinary price, where fewer requests than this would be sent at once
    #[arg(long, value_name = "REQUESTS", requires = "batch", default_value_t = 0, hide_default_value = true)]
    batch_directly_below: usize,

    /// Ask directly, at the ordinary price, so many hours after the first batch was sent. What is open then is cancelled,
    /// and its answers are kept
    #[arg(long, value_name = "HOURS", requires = "batch", value_parser = hours)]
    batch_directly_after: Option<Duration>,

    /// Tokens that the prompts in open batches may have together, if the provider limits them
    #[arg(long, value_name = "TOKENS", requires = "batch")]
    batch_queued_tokens: Option<u64>,

    /// Write the files to this folder, as NAME.jsonl, and expect the answers in NAME.results.jsonl, as `vllm run-batch`
    /// writes them
    #[arg(long, value_name = "FOLDER", requires = "batch")]
    batch_folder: Option<PathBuf>,
}

/// Suffix of the growing file, after the name of the output.
const PARTIAL: &str = ".partial.jsonl";

/// Parses a number of hours.
fn hours(text: &str) -> Result<Duration, String> {
    let hours = text.parse().ok().filter(|hours| *hours > 0.0);
    let time = hours.and_then(|hours: f64| Duration::try_from_secs_f64(hours * 3_600.0).ok());
    time.ok_or_else(|| "a number above 0, such as 12 or 0.5".to_owned())
}

/// Parses the price of a million tokens in and out.
pub(crate) fn price(text: &str) -> Result<(f64, f64), String> {
    let parts =
        text.split_once(',').and_then(|(input, output)| Some((input.parse().ok()?, output.parse().ok()?)));
    parts.ok_or_else(|| "two numbers with a comma between, such as 0.25,2.00".to_owned())
}

pub(crate) fn run(args: &RunArgs, style: Style) -> Outcome {
    job(args, Retry::Never, style)
}

pub(crate) fn retry_failed(args: &RetryArgs, style: Style) -> Outcome {
    match args.run.journal_path() {
        None => {
            return Err(Failure::usage("there is no job to go back to")
                .help("give `--out` or `--journal` as in the `run` whose documents failed"));
        }
        Some(path) if !path.exists() => {
            let why = missing_folder(&path).map(|why| format!(": {why}")).unwrap_or_default();
            return Err(Failure::usage(format!("there is no journal `{}`{why}", path.display()))
                .help("give `--out` or `--journal` as in the `run` whose documents failed"));
        }
        Some(_) => {}
    }
    job(&args.run, if args.in_part { Retry::InPart } else { Retry::Failed }, style)
}

impl RunArgs {
    /// The file for the results; `None` for the standard output.
    fn out(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| path.as_os_str() != "-")
    }

    /// Returns the path of the file that grows while the job runs, next to the output.
    fn partial_path(&self) -> Option<PathBuf> {
        let mut name = self.out()?.as_os_str().to_owned();
        name.push(PARTIAL);
        Some(name.into())
    }

    fn journal_path(&self) -> Option<PathBuf> {
        self.journal.clone().or_else(|| self.out().map(journal::beside))
    }

    /// The values that take precedence over extracted ones.
    fn reviewed(&self) -> Result<Vec<(String, ReviewedValue)>, Failure> {
        journal::reviewed(self.reviewed.as_deref(), self.journal_path().as_deref())
    }

    /// Checks where the results and the journal go, and in which form.
    fn check_files(&self) -> Result<(), Failure> {
        let journal = self.journal_path();
        let read: Vec<&Path> = self.schema.path().into_iter().chain(self.ask.files()).collect();
        // Its journal has the same folder, but another name than the user gave.
        self.out().map_or(Ok(None), |out| destination::regular(out, &read))?;
        if let Some(journal) = &journal {
            destination::regular(journal, &read)?;
        }
        let used: Vec<&Path> = read.into_iter().chain(journal.as_deref()).collect();
        let Some(out) = self.out() else { return Ok(()) };
        destination::check(out, self.overwrite, &used)?;
        if let Some(partial) = self.partial_path() {
            let used: Vec<&Path> = used.into_iter().chain([out]).collect();
            destination::check(&partial, self.overwrite, &used)?;
        }
        Form::of(out).map(drop)
    }

    fn prices(&self, agent: &dyn Agent) -> Result<Option<Prices>, Failure> {
        let Some((input, output)) = self.limits.price else { return Ok(None) };
        let prices = Prices::new().model(agent.name(), Price::per_million(input, output));
        prices.map(Some).map_err(|error| Failure::usage(error.to_string()))
    }

    /// The page that shows the progress, if it is wanted.
    fn page(&self, style: Style) -> Result<Option<JournalStatus>, Failure> {
        let Some(address) = self.status else { return Ok(None) };
        let title = self.out().or(self.journal.as_deref()).map(|path| path.display().to_string());
        let page = JournalStatus::serve(address, title.unwrap_or_else(|| "extractable run".to_owned()))?;
        if style.is_json {
            output::note(json!({"status": page.url()}).to_string());
        } else {
            // Also where no remarks are wanted: only this line has the port.
            output::note(format!("the progress is at {}", page.url()));
        }
        Ok(Some(page))
    }

    /// The job, without its output.
    fn bulk<'a>(
        &'a self,
        contract: &'a Contract,
        (agent, given): (&'a dyn Agent, &'a ExtractionExtras),
        documents: impl Iterator<Item = Result<Doc, UnreadDocuments>> + Send + 'a,
        retry: Retry,
    ) -> Result<Bulk<'a, Value>, Failure> {
        let keeps_items = retry == Retry::InPart;
        let mut bulk = contract
            .bulk(agent, documents)
            .concurrent(self.limits.concurrent)
            .grace(Duration::from_secs(self.limits.grace))
            .transport_bound(Duration::from_secs(self.limits.wait))
            .redact_journal(self.limits.redact)
            .poison_after(self.limits.poison_after)
            .retry(retry)
            .configure(move |extraction| {
                let extraction = self.ask.configure(extraction, given);
                if keeps_items { extraction.keep_valid_items(true) } else { extraction }
            });
        if let Some(path) = self.journal_path() {
            bulk = bulk.journal(path);
        } else if self.batches.batch && !self.dry_run {
            return Err(Failure::usage("without a journal nobody finds the batches again")
                .help("give `--out` or `--journal`"));
        }
        if self.batches.batch && !self.dry_run {
            let batches = Batches::through(self.agent.first.batches(self.batches.batch_folder.as_deref())?);
            let batches = batches.ask_directly_below(self.batches.batch_directly_below);
            let batches = match self.batches.batch_directly_after {
                Some(hours) => batches.ask_directly_after(hours),
                None => batches,
            };
            let queued = self.batches.batch_queued_tokens.unwrap_or(u64::MAX);
            let (batches, waits) = (batches.queued_tokens(queued), self.batches.batch_wait);
            bulk = bulk.batches(if waits { batches } else { batches.come_back_later() });
        }
        bulk = bulk.reviewed(self.reviewed()?);
        if let Some(path) = self.partial_path() {
            bulk = bulk.partial_jsonl(path);
        }
        if let Some(requests) = self.limits.requests_per_minute {
            bulk = bulk.requests_per_minute(requests);
        }
        if let Some(tokens) = self.limits.token_budget {
            bulk = bulk.token_budget(tokens);
        }
        if let Some(prices) = self.prices(agent)? {
            bulk = bulk.prices(prices);
        }
        Ok(bulk)
    }
}

/// Turns inputs into documents of the job.
fn docs(
    args: &RunArgs,
    question: String,
    documents: InputDocuments,
) -> impl Iterator<Item = Result<Doc, UnreadDocuments>> + Send {
    let chunks = args.ask.chunks();
    let doc = move |item: InputItem| {
        let prompt = ask::prompt(&question, &item.content, &item.key);
        let mut doc = Doc::new(item.key, prompt);
        if let Content::Text(document) = &item.content {
            doc = doc.document(document);
            if let Some(chunks) = &chunks {
                doc = doc.chunks(chunks.clone());
            }
        }
        if item.meta.is_null() { doc } else { doc.meta(item.meta) }
    };
    Mapped { documents, doc }
}

/// Like `Iterator::map`, but keeps the number of documents, if known.
struct Mapped<F> {
    documents: InputDocuments,
    doc: F,
}

impl<F: FnMut(InputItem) -> Doc> Iterator for Mapped<F> {
    type Item = Result<Doc, UnreadDocuments>;

    fn next(&mut self) -> Option<Self::Item> {
        self.documents.next().map(|item| item.map(&mut self.doc))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.documents.size_hint()
    }
}

fn job(args: &RunArgs, retry: Retry, style: Style) -> Outcome {
    let contract = args.schema.contract()?;
    let (agent, retry) = match args.agent.first.given()? {
        Some(agent) => (agent, retry),
        None if args.dry_run => {
            style.note(
                "no agent is given: every document with an outcome counts as known, whichever agent gave it",
            );
            // Only answers to the same question count, whichever agent gave them.
            (agent::nobody(), if retry == Retry::Never { Retry::InPart } else { retry })
        }
        None => (args.agent.first.agent()?, retry),
    };
    let (out, journal, partial) = (args.out(), args.journal_path(), args.partial_path());
    let written: Vec<&Path> = out.into_iter().chain(journal.as_deref()).chain(partial.as_deref()).collect();
    let mut documents = args.input.documents(&Files::of(written), args.agent.text_only())?;
    args.check_files()?;
    documents.remark.iter().for_each(|remark| style.note(remark));
    let given = args.ask.given(args.agent.escalation()?, Some(&contract))?;
    let agent = given.escalation.checked(agent);
    let skipped = documents.skipped.clone();
    if !args.dry_run {
        documents.count_records();
    }
    let count = documents.count;
    let documents = docs(args, args.ask.question.text()?, documents);
    let mut bulk = args.bulk(&contract, (&*agent, &given), documents, retry)?;
    if let Some(count) = count {
        bulk = bulk.expect_documents(count);
    }
    let runtime = runtime()?;
    if args.dry_run {
        let estimate = runtime.block_on(bulk.dry_run()).map_err(|error| ending::failed(args, error))?;
        let skipped = skipped.load(Ordering::Relaxed);
        if style.is_json {
            output::compact(&ending::with_skipped(&estimate, skipped))?;
        } else {
            let more = if skipped > 0 { format!("; {skipped} skipped") } else { String::new() };
            output::line(&format!("{estimate}{more}"))?;
        }
        return Ok(Exit::of(skipped == 0));
    }
    if args.journal_path().is_none() {
        style.note("without --out or --journal nothing is kept: a run that stops begins anew");
    }
    let shows_progress = !style.is_quiet && !style.is_json;
    if shows_progress {
        output::begin_progress();
    }
    let mut bulk = bulk.progress(shows_progress);
    let page = args.page(style)?;
    if let Some(page) = &page {
        let (told, of_failed) = (page.told(), page.told());
        bulk = bulk.on_progress(move |progress| told.progress(progress));
        bulk = bulk.on_dead_letter(move |letter| of_failed.failed(letter));
    }
    let ended = runtime.block_on(async {
        let mut first = Shutdown::new()?;
        let mut again = Shutdown::new()?;
        let bulk = bulk.shutdown(async move { first.wanted().await });
        tokio::select! {
            ended = to_its_end(args, &contract, bulk) => ended.map(Some),
            () = twice(&mut again, style) => Ok::<_, Failure>(None),
        }
    })?;
    if let Some(page) = page {
        page.end(ending::state(ended.as_ref()));
    }
    match ended {
        None => Ok(Exit::Interrupted),
        Some(report) => ending::ended(args, report, skipped.load(Ordering::Relaxed), style),
    }
}

/// Waits for two signals: the first finishes what is in flight, the second ends at once.
async fn twice(shutdown: &mut Shutdown, style: Style) {
    shutdown.wanted().await;
    style.note("finishing what is in flight; the same again ends at once");
    shutdown.wanted().await;
}

/// Runs the job, and writes to the file or to the standard output.
async fn to_its_end(
    args: &RunArgs,
    contract: &Contract,
    bulk: Bulk<'_, Value>,
) -> Result<Result<Report, BulkError>, Failure> {
    if let Some(path) = args.out() {
        return match Form::of(path)? {
            Form::Jsonl => Ok(bulk.into_jsonl(path).await),
            #[cfg(feature = "parquet")]
            Form::Parquet => {
                let bulk = if args.columns.have_confidence() { bulk.confidence_columns() } else { bulk };
                Ok(bulk.into_parquet(path).await)
            }
            form => {
                let report = bulk.await;
                if report.as_ref().is_ok_and(|report| report.ended == Ended::Complete) {
                    write(args, contract, form, path)?;
                }
                Ok(report)
            }
        };
    }
    let mut outcomes = bulk.outcomes();
    while let Some(outcome) = outcomes.next().await {
        match outcome {
            Err(error) => return Ok(Err(error)),
            Ok(outcome) => match output::json(&line(&outcome)?) {
                // Nobody reads the output any more; all outcomes are in the journal.
                Err(failure) if failure.is_broken_pipe() => return Err(Failure::silent(Exit::Stopped)),
                written => written?,
            },
        }
    }
    Ok(Ok(outcomes.report().cloned().unwrap_or_default()))
}

fn line(outcome: &extract_bulk::Outcome) -> Result<String, Failure> {
    outcome.to_line().map_err(|error| Failure::new(Exit::Storage, format!("`{}`: {error}", outcome.key)))
}

/// Writes the results of a complete job in a form that the library does not have.
fn write(args: &RunArgs, contract: &Contract, form: Form, out: &Path) -> Result<(), Failure> {
    let Some(path) = args.journal_path() else { return Ok(()) };
    let reviewed = args.reviewed()?;
    let journal = Journal::open(path).and_then(|journal| journal.with_reviewed(reviewed));
    let journal = journal.map_err(|error| journal::failure(&error))?;
    let layout = ResultsLayout { form, contract: Some(contract), columns: args.columns };
    results::to_file(journal, layout, out).map_err(|failure| match failure.help {
        None => failure.help(ending::ANOTHER_OUT),
        Some(_) => failure,
    })
}
