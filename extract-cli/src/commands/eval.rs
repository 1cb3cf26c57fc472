//! `extractable eval`: agents on checked documents.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use extract::{Contract, agent::Agent};
use extract_gold::{Candidate, Evaluation, GoldSet, GoldShots as _, Tolerance, ValueComparer};

use crate::{
    agent,
    ask::{AskArgs, Given},
    destination,
    error::{Exit, Failure, Outcome},
    output::{self, Style},
    runtime::runtime,
    schema_file::SchemaArgs,
    shutdown::Shutdown,
};

/// Say how right agents are on documents with known values, field by field
///
///   extractable eval --schema invoice.json --gold gold.jsonl --agent ollama/gemma3 --agent openai/gpt-6-luna
///
/// With several agents, each is compared with the first one, document by document.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    #[command(flatten)]
    schema: SchemaArgs,
    #[command(flatten)]
    ask: AskArgs,

    /// Checked documents: JSON Lines with a `text`, or the `path` of a file with it, and the right `value`
    #[arg(long, value_name = "FILE")]
    gold: PathBuf,

    /// Agent to evaluate: provider/model, local, or command:PROGRAM ARGS. Several are compared
    #[arg(short, long, value_name = "AGENT", required = true)]
    agent: Vec<String>,

    /// Address of a server that speaks like the providers
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,

    /// Also evaluate each agent with so many of the checked documents as worked examples, those nearest to the document in
    /// question
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    nearest: Option<u16>,

    /// Count text as right without regard to case and white space, and dates in another form
    #[arg(long)]
    tolerant: bool,

    /// Documents to ask about at once
    #[arg(long, value_name = "NUMBER", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    concurrent: u16,

    /// Write a page with every wrong value beside its text
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,

    /// Replace a page that this program did not write
    #[arg(long)]
    overwrite: bool,
}

pub(crate) fn run(args: &Args, style: Style) -> Outcome {
    let contract = args.schema.contract()?;
    let gold = GoldSet::read(&args.gold).map_err(|error| Failure::usage(error.to_string()))?;
    if gold.is_empty() {
        return Err(Failure::usage(format!("the file `{}` has no documents", args.gold.display())).help(FORM));
    }
    if let Some(page) = &args.page {
        let used: Vec<&Path> = args.ask.files().chain([args.gold.as_path()]).collect();
        destination::check(page, args.overwrite, &used)?;
    }
    let limit = Duration::from_secs(agent::COMMAND_SECONDS);
    let agents = args
        .agent
        .iter()
        .map(|name| agent::named("--agent", name, args.base_url.as_deref(), limit))
        .collect::<Result<Vec<_>, _>>()?;
    let given = args.ask.given(Vec::new(), &contract)?;
    let question = args.ask.question()?;
    let evaluated = runtime()?.block_on(async {
        let mut shutdown = Shutdown::new()?;
        tokio::select! {
            evaluation = evaluate(args, &contract, &gold, &agents, (&question, &given)) => Ok::<_, Failure>(Some(evaluation)),
            () = shutdown.wanted() => Ok(None),
        }
    })?;
    let Some(evaluation) = evaluated else { return Ok(Exit::Interrupted) };
    if let Some(page) = &args.page {
        fs::write(page, evaluation.to_html()).map_err(|error| {
            Failure::new(Exit::Storage, format!("`{}` cannot be written: {error}", page.display()))
        })?;
    }
    if style.is_json {
        output::compact(&evaluation)?;
    } else {
        output::text(evaluation.to_string().trim_end())?;
    }
    Ok(Exit::of(evaluation.candidates.iter().all(|candidate| candidate.failures == 0)))
}

const FORM: &str = r#"each line is a document: {"text": "the text of it", "value": the right value}"#;

async fn evaluate(
    args: &Args,
    contract: &Contract,
    gold: &GoldSet,
    agents: &[Box<dyn Agent>],
    (question, given): (&str, &Given),
) -> Evaluation {
    let mut evaluator = Evaluation::of(contract, gold).concurrent(args.concurrent.into());
    if args.tolerant {
        let tolerance = Tolerance::default().case().white_space().dates();
        evaluator = evaluator.comparer(ValueComparer::of(contract).tolerance(tolerance));
    }
    for (name, agent) in args.agent.iter().zip(agents) {
        let candidate = |name: String| Candidate::new(name, &**agent).question(question);
        evaluator = evaluator.candidate(
            candidate(name.clone()).configure(move |extraction, _| args.ask.configure(extraction, given)),
        );
        if let Some(count) = args.nearest {
            let name = format!("{name}, {count} nearest");
            evaluator = evaluator.candidate(candidate(name).configure(move |extraction, _| {
                args.ask.configure(extraction, given).shots_from(gold, usize::from(count))
            }));
        }
    }
    evaluator.run().await
}
