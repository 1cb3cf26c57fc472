//! `extractable eval`: agents and settings on checked documents.

use std::{
    fs,
    path::{Path, PathBuf},
};

use extract::{Contract, agent::Agent};
use extract_gold::{Candidate, CandidateResult, Evaluation, GoldSet, GoldShots as _};

use crate::{
    agent::Escalation,
    ask::{self, AskArgs, ExtractionExtras},
    cache::ReplyCache,
    destination,
    error::{Exit, Failure, Outcome},
    gold::GoldArgs,
    numbers,
    output::{self, Style},
    progress::MeasuringProgress,
    runtime::runtime,
    schema_file::{self, SchemaArgs},
    shutdown::unless_ended,
};

/// Say how right agents are on documents with known values, field by field
///
///   extractable eval --schema invoice.json --gold gold.jsonl --agent ollama/gemma3 --agent openai/gpt-6-luna
///
/// With several agents, or several files with settings, each is compared with the first one, document by document:
///
///   extractable eval --gold gold.jsonl --agent ollama/gemma3 --settings types.toml --settings outline.toml
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    mut_group("SchemaArgs", schema_file::optional),
    mut_arg("schema", schema_file::or_of_document)
)]
pub(crate) struct EvalArgs {
    #[command(flatten)]
    schema: SchemaArgs,
    #[command(flatten)]
    ask: AskArgs,

    #[command(flatten)]
    gold: GoldArgs,

    /// Agent to evaluate: provider/model, local, local:MODEL, or command:PROGRAM ARGS. Several are compared
    #[arg(short, long, value_name = "AGENT", required = true)]
    agent: Vec<String>,

    /// Ask only about this many of the checked documents, the first ones
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,

    /// Also evaluate each agent with this many other checked documents as worked examples, those nearest to the
    /// document in question
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    nearest: Option<u16>,

    /// Share of the fields that have to be right, such as 0.9: the exit code is 1 if a candidate has less, and else 0.
    /// Without it, the exit code is 1 if a document has no answer
    #[arg(long, value_name = "SHARE", value_parser = numbers::share)]
    at_least: Option<f64>,

    /// Write a page with every wrong value beside its text
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,

    /// Replace the page also if this program did not write it
    #[arg(long)]
    overwrite: bool,
}

/// The options with one file with settings, or without any.
type EvalVariant<'a> = (Option<&'a Path>, &'a EvalArgs);

/// Everything that is read for one variant.
struct PreparedVariant<'a> {
    args: &'a EvalArgs,
    /// What tells its candidates from those of other variants.
    suffix: String,
    contract: Option<Contract>,
    question: String,
    extras: ExtractionExtras,
}

/// Agents by their names.
type NamedAgents = Vec<(String, Box<dyn Agent>)>;

/// Evaluates all variants together. The first one has the options that are about all of them.
pub(crate) fn run(variants: &[EvalVariant<'_>], style: Style) -> Outcome {
    let Some((_, args)) = variants.first() else { return Ok(Exit::Success) };
    check_same_gold(variants)?;
    check_different(variants)?;
    let contract = args.schema.given()?;
    let gold = args.gold.read(contract.as_ref())?;
    if let Some(page) = &args.page {
        check_page(page, variants, &gold)?;
    }
    let several = variants.len() > 1;
    let suffix = |file: &Path| format!(", {}", file.display());
    let prepared = variants.iter().map(|(file, args)| {
        let suffix = file.filter(|_| several).map(suffix).unwrap_or_default();
        PreparedVariant::of(args, suffix, &gold)
    });
    let prepared = prepared.collect::<Result<Vec<_>, _>>()?;
    let cache = args.gold.cache.open()?;
    let agents = agents(variants, cache.as_ref())?;
    let progress = MeasuringProgress::new(style);
    let evaluating = evaluate(args, &prepared, &gold, &agents, &progress);
    let evaluated = runtime()?.block_on(unless_ended(evaluating))?;
    let Some(evaluation) = progress.ended(evaluated, cache.as_ref()) else { return Ok(Exit::Interrupted) };
    let evaluation = evaluation?;
    let unasked: Vec<Failure> = evaluation.candidates.iter().filter_map(ask::about_unasked).collect();
    // What others answered was paid for.
    if unasked.len() < evaluation.candidates.len() {
        report(args, &evaluation, style)?;
    }
    match unasked.into_iter().next() {
        Some(failure) => Err(failure),
        None => Ok(exit(args, &evaluation.candidates)),
    }
}

/// The exit code of candidates that could be asked. Says which of them have too few right fields.
fn exit(args: &EvalArgs, candidates: &[CandidateResult]) -> Exit {
    let Some(share) = args.at_least else {
        return Exit::of(candidates.iter().all(|candidate| candidate.failures == 0));
    };
    let too_few = |candidate: &&CandidateResult| candidate.score.exact() < share;
    for CandidateResult { name, score, .. } in candidates.iter().filter(too_few) {
        let (right, all, exact) = (score.right, score.total(), score.exact());
        output::remark(output::plain(&format!(
            "`{name}`: {right} of {all} fields are right ({exact:.3}), and `--at-least` asks for {share}"
        )));
    }
    Exit::of(!candidates.iter().any(|candidate| too_few(&candidate)))
}

/// An agent that is asked twice in the same way costs twice as much, and nothing is compared.
fn check_different(variants: &[EvalVariant<'_>]) -> Result<(), Failure> {
    let twice = |what: &str, name: &dyn std::fmt::Display| {
        Err(Failure::usage(format!("{what} `{name}` is given twice"))
            .help("remove one of them: every document would be asked about, and paid for, a second time"))
    };
    for (index, (file, args)) in variants.iter().enumerate() {
        if let Some(file) = file.filter(|_| variants[..index].iter().any(|(other, _)| other == file)) {
            return twice("the file with settings", &file.display());
        }
        let repeated = |(index, name): &(usize, &String)| args.agent[..*index].contains(name);
        if let Some((_, name)) = args.agent.iter().enumerate().find(repeated) {
            return twice("the agent", name);
        }
    }
    Ok(())
}

/// Different documents, or different ways to compare, would make the numbers incomparable.
fn check_same_gold(variants: &[EvalVariant<'_>]) -> Result<(), Failure> {
    let Some((_, first)) = variants.first() else { return Ok(()) };
    let other = variants.iter().find(|(_, args)| args.gold != first.gold || args.limit != first.limit);
    let Some((Some(file), _)) = other else { return Ok(()) };
    Err(Failure::usage(format!("`{}` has other documents than the first file with settings", file.display()))
        .help("`gold`, `base-url`, `tolerant`, `concurrent`, `cache` and `limit` are the same for all"))
}

fn check_page(page: &Path, variants: &[EvalVariant<'_>], gold: &GoldSet) -> Result<(), Failure> {
    let Some((_, args)) = variants.first() else { return Ok(()) };
    let gold_files = args.gold.files(gold);
    let read = variants.iter().flat_map(|(file, args)| {
        file.iter().copied().chain(args.schema.path()).chain(args.ask.files()).collect::<Vec<_>>()
    });
    let used = read.chain(args.gold.cache.path()).chain(gold_files.iter().map(PathBuf::as_path));
    destination::check(page, args.overwrite, &used.collect::<Vec<_>>())
}

/// Returns the agents that the variants name, each once: a model in this process takes much memory.
fn agents(variants: &[EvalVariant<'_>], cache: Option<&ReplyCache>) -> Result<NamedAgents, Failure> {
    let mut agents = NamedAgents::new();
    for (args, name) in variants.iter().flat_map(|(_, args)| args.agent.iter().map(move |name| (args, name)))
    {
        if agents.iter().all(|(known, _)| known != name) {
            agents.push((name.clone(), args.gold.agent("--agent", name, cache)?));
        }
    }
    Ok(agents)
}

impl<'a> PreparedVariant<'a> {
    fn of(args: &'a EvalArgs, suffix: String, gold: &GoldSet) -> Result<Self, Failure> {
        let contract = args.schema.given()?;
        let shared = contract.clone().or_else(|| gold.contract().ok());
        if args.nearest.is_some() && shared.is_none() {
            return Err(ask::several_schemas("--nearest"));
        }
        let extras = args.ask.given(Escalation::default(), shared.as_ref())?;
        Ok(Self { args, suffix, contract, question: args.ask.question.text()?, extras })
    }

    /// The candidates of one agent.
    fn candidates<'c>(
        &'c self,
        (name, agent): (&str, &'c dyn Agent),
        gold: &'c GoldSet,
    ) -> impl Iterator<Item = Candidate<'c>> {
        let candidate = |told: &str| {
            let candidate =
                Candidate::new(format!("{name}{told}{}", self.suffix), agent).question(&self.question);
            match &self.contract {
                Some(contract) => candidate.contract(contract.clone()),
                None => candidate,
            }
        };
        let plain =
            candidate("").configure(|extraction, _| self.args.ask.configure_text(extraction, &self.extras));
        let nearest = self.args.nearest.map(|count| {
            candidate(&format!(", {count} nearest")).configure(move |extraction, _| {
                self.args.ask.configure_text(extraction, &self.extras).shots_from(gold, usize::from(count))
            })
        });
        [plain].into_iter().chain(nearest)
    }
}

async fn evaluate(
    args: &EvalArgs,
    prepared: &[PreparedVariant<'_>],
    gold: &GoldSet,
    agents: &NamedAgents,
    progress: &MeasuringProgress,
) -> Result<Evaluation, Failure> {
    let asked =
        gold.take(args.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)));
    let contracts: Option<Vec<&Contract>> =
        prepared.iter().map(|variant| variant.contract.as_ref()).collect();
    let contract = contracts.and_then(|contracts| contracts.into_iter().next());
    let evaluator = match contract {
        Some(contract) => Evaluation::of(contract, &asked),
        None => Evaluation::by_own_schemas(&asked).map_err(|error| Failure::usage(error.to_string()))?,
    };
    let mut evaluator = evaluator.concurrent(args.gold.concurrent()).comparer(args.gold.comparer(contract));
    for variant in prepared {
        for name in &variant.args.agent {
            let agent = agents.iter().find(|(known, _)| known == name);
            for candidate in
                agent.into_iter().flat_map(|(name, agent)| variant.candidates((name, &**agent), gold))
            {
                evaluator = evaluator.candidate(candidate);
            }
        }
    }
    Ok(evaluator.on_progress(progress.callback()).run().await)
}

/// Says for each candidate why the first document without an answer has none: the numbers do not.
fn remark_failures(evaluation: &Evaluation) {
    let asked = evaluation.candidates.iter().filter(|candidate| candidate.agent_error.is_none());
    for candidate in asked {
        let Some(first) = candidate.documents.iter().find_map(|document| document.error.as_ref()) else {
            continue;
        };
        let (name, count) = (&candidate.name, candidate.failures);
        let documents = if count == 1 { "1 document has" } else { &format!("{count} documents have") };
        output::remark(output::plain(&format!("`{name}`: {documents} no answer; the first: {first}")));
    }
}

fn report(args: &EvalArgs, evaluation: &Evaluation, style: Style) -> Result<(), Failure> {
    remark_failures(evaluation);
    if let Some(page) = &args.page {
        fs::write(page, evaluation.to_html()).map_err(|error| {
            Failure::new(Exit::Storage, format!("`{}` cannot be written: {error}", page.display()))
        })?;
    }
    if style.is_json { output::compact(evaluation) } else { output::text(evaluation.to_string().trim_end()) }
}
