//! `extractable eval`: agents on checked documents.

use std::{
    fs,
    path::{Path, PathBuf},
};

use extract::{Contract, agent::Agent};
use extract_gold::{Candidate, Evaluation, GoldSet, GoldShots as _};

use crate::{
    ask::{self, AskArgs, ExtractionExtras},
    destination,
    error::{Exit, Failure, Outcome},
    gold::GoldArgs,
    output::{self, Style},
    runtime::runtime,
    schema_file::SchemaArgs,
    shutdown::unless_ended,
};

/// Say how right agents are on documents with known values, field by field
///
///   extractable eval --schema invoice.json --gold gold.jsonl --agent ollama/gemma3 --agent openai/gpt-6-luna
///
/// With several agents, each is compared with the first one, document by document.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct EvalArgs {
    #[command(flatten)]
    schema: SchemaArgs,
    #[command(flatten)]
    ask: AskArgs,

    #[command(flatten)]
    gold: GoldArgs,

    /// Agent to evaluate: provider/model, local, or command:PROGRAM ARGS. Several are compared
    #[arg(short, long, value_name = "AGENT", required = true)]
    agent: Vec<String>,

    /// Also evaluate each agent with so many of the checked documents as worked examples, those nearest to the document in
    /// question
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    nearest: Option<u16>,

    /// Write a page with every wrong value beside its text
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,

    /// Replace a page that this program did not write
    #[arg(long)]
    overwrite: bool,
}

pub(crate) fn run(args: &EvalArgs, style: Style) -> Outcome {
    let contract = args.schema.contract()?;
    let gold = args.gold.read(&contract)?;
    if let Some(page) = &args.page {
        let gold_files = args.gold.files(&gold);
        let used = args.schema.path().into_iter().chain(args.ask.files());
        let used: Vec<&Path> = used.chain(gold_files.iter().map(PathBuf::as_path)).collect();
        destination::check(page, args.overwrite, &used)?;
    }
    let agents =
        args.agent.iter().map(|name| args.gold.agent("--agent", name)).collect::<Result<Vec<_>, _>>()?;
    let given = args.ask.given(Vec::new(), &contract)?;
    let question = args.ask.question.text()?;
    let evaluating = evaluate(args, &contract, &gold, &agents, (&question, &given));
    let evaluated = runtime()?.block_on(unless_ended(evaluating))?;
    let Some(evaluation) = evaluated else { return Ok(Exit::Interrupted) };
    let unasked: Vec<Failure> = evaluation.candidates.iter().filter_map(ask::about_unasked).collect();
    // What others answered was paid for.
    if unasked.len() < evaluation.candidates.len() {
        report(args, &evaluation, style)?;
    }
    match unasked.into_iter().next() {
        Some(failure) => Err(failure),
        None => Ok(Exit::of(evaluation.candidates.iter().all(|candidate| candidate.failures == 0))),
    }
}

fn report(args: &EvalArgs, evaluation: &Evaluation, style: Style) -> Result<(), Failure> {
    if let Some(page) = &args.page {
        fs::write(page, evaluation.to_html()).map_err(|error| {
            Failure::new(Exit::Storage, format!("`{}` cannot be written: {error}", page.display()))
        })?;
    }
    if style.is_json { output::compact(evaluation) } else { output::text(evaluation.to_string().trim_end()) }
}

async fn evaluate(
    args: &EvalArgs,
    contract: &Contract,
    gold: &GoldSet,
    agents: &[Box<dyn Agent>],
    (question, given): (&str, &ExtractionExtras),
) -> Evaluation {
    let mut evaluator = Evaluation::of(contract, gold)
        .concurrent(args.gold.concurrent())
        .comparer(args.gold.comparer(contract));
    for (name, agent) in args.agent.iter().zip(agents) {
        let candidate = |name: String| Candidate::new(name, &**agent).question(question);
        evaluator = evaluator.candidate(
            candidate(name.clone())
                .configure(move |extraction, _| args.ask.configure_text(extraction, given)),
        );
        if let Some(count) = args.nearest {
            let name = format!("{name}, {count} nearest");
            evaluator = evaluator.candidate(candidate(name).configure(move |extraction, _| {
                args.ask.configure_text(extraction, given).shots_from(gold, usize::from(count))
            }));
        }
    }
    evaluator.run().await
}
