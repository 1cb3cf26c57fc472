//! `extractable tune`: how to ask, by checked documents.

use std::{
    fs,
    path::{Path, PathBuf},
};

use extract::{
    Contract,
    agent::Agent,
    metrics::{Price, Prices},
};
use extract_gold::{GoldSet, TunedSettings, Tuning, TuningBudget, TuningError, tune};
use serde_json::{Value, json};

use crate::{
    ask::QuestionArgs,
    destination,
    error::{Exit, Failure, Outcome},
    gold::GoldArgs,
    numbers,
    output::{self, Style},
    progress::MeasuringProgress,
    runtime::runtime,
    schema_file::SchemaArgs,
    settings::written,
    shutdown::unless_ended,
};

/// Choose how to ask an agent, by checked documents
///
///   extractable tune --schema invoice.json --gold gold.jsonl --agent ollama/gemma3 -o extractable.toml
///
/// Tries worked examples from the checked documents, notations of the schema and thinking first, on one half of the
/// documents. The other half says what the choice is worth. The settings are written only if that is more than noise.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    schema: SchemaArgs,
    #[command(flatten)]
    question: QuestionArgs,
    #[command(flatten)]
    gold: GoldArgs,

    /// Agent to tune for: provider/model, local, or command:PROGRAM ARGS
    #[arg(short, long, value_name = "AGENT")]
    agent: String,

    /// File with settings to which the chosen ones are written; its other ones stay. Without it they are only printed
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Let this agent propose descriptions of the fields that are often wrong. It sees wrong values with their texts
    #[arg(long, value_name = "AGENT", requires = "schema_out")]
    describe: Option<String>,

    /// With `--describe`: file for the schema with the descriptions that help
    #[arg(long, value_name = "FILE", requires = "describe")]
    schema_out: Option<PathBuf>,

    /// Replace the file of `--schema-out` also if this program did not write it
    #[arg(long, requires = "schema_out")]
    overwrite: bool,

    /// Requests after which it stops and reports
    #[arg(long, value_name = "NUMBER")]
    request_budget: Option<u64>,

    /// Tokens after which it stops and reports
    #[arg(long, value_name = "NUMBER")]
    token_budget: Option<u64>,

    /// Cost after which it stops and reports
    #[arg(long, value_name = "AMOUNT", requires = "price", value_parser = numbers::not_negative)]
    cost_budget: Option<f64>,

    /// Prices of a million input and output tokens, such as 0.25,2.00
    #[arg(long, value_name = "IN,OUT", value_parser = super::run::price)]
    price: Option<(f64, f64)>,

    /// Number that decides how the documents are divided into halves
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
}

pub(crate) fn run(args: &TuneArgs, style: Style) -> Outcome {
    let contract = args.schema.contract()?;
    let gold = args.gold.read(Some(&contract))?;
    args.check_files(&gold)?;
    let cache = args.gold.cache.open()?;
    let agent = args.gold.agent("--agent", &args.agent, cache.as_ref())?;
    let describer = args.describe.as_deref().map(|name| args.gold.agent("--describe", name, cache.as_ref()));
    let describer = describer.transpose()?;
    let question = args.question.text()?;
    let agents: Agents<'_> = (&*agent, describer.as_deref());
    let progress = MeasuringProgress::new(style);
    let tuning = tuned(args, &contract, &gold, agents, (&question, &progress));
    let tuned = runtime()?.block_on(unless_ended(tuning))?;
    let Some(tuning) = progress.ended(tuned, cache.as_ref()) else { return Ok(Exit::Interrupted) };
    let tuning = tuning?;
    if style.is_json {
        output::compact(&json!({"tuning": &tuning, "recommended": tuning.recommended()}))?;
    } else {
        output::text(tuning.to_string().trim_end())?;
    }
    match tuning.recommended() {
        Some(recommended) => args.write(recommended, &tuning, &contract, style)?,
        None => {
            if let Some(out) = &args.out {
                let is = if out.exists() { "is unchanged" } else { "is not written" };
                style.note(format!("`{}` {is}", out.display()));
            }
        }
    }
    Ok(Exit::Success)
}

/// Who is tuned for, and who proposes descriptions.
type Agents<'a> = (&'a dyn Agent, Option<&'a (dyn Agent + 'static)>);

async fn tuned(
    args: &TuneArgs,
    contract: &Contract,
    gold: &GoldSet,
    (agent, describer): Agents<'_>,
    (question, progress): (&str, &MeasuringProgress),
) -> Result<Tuning, Failure> {
    let mut tuner = tune(contract, gold, agent)
        .question(question)
        .configure(|extraction| args.question.configure(extraction))
        .comparer(args.gold.comparer(Some(contract)))
        .budget(args.budget(agent, describer)?)
        .seed(args.seed)
        .concurrent(args.gold.concurrent())
        .on_progress(progress.callback());
    if let Some(describer) = describer {
        tuner = tuner.describe(describer);
    }
    tuner.run().await.map_err(|error| match error {
        TuningError::NoAnswers { .. } => Failure::new(Exit::Agent, error.to_string()),
        _ => Failure::usage(error.to_string()),
    })
}

/// The options that a tuning chooses.
const TUNED: [&str; 6] = ["notation", "shots", "shot-count", "shot-choice", "shot-position", "think-first"];

impl TuneArgs {
    fn check_files(&self, gold: &GoldSet) -> Result<(), Failure> {
        let gold_files = self.gold.files(gold);
        let read = self.schema.path().into_iter().chain(self.question.file()).chain(self.gold.cache.path());
        let read: Vec<&Path> = read.chain(gold_files.iter().map(PathBuf::as_path)).collect();
        if let Some(out) = &self.out {
            destination::regular(out, &read)?;
            // A file that cannot have settings is known before anybody is asked.
            written::text_with(out, &TUNED, &[], "")?;
        }
        if let Some(schema) = &self.schema_out {
            let used: Vec<&Path> = read.into_iter().chain(self.out.as_deref()).collect();
            destination::check(schema, self.overwrite, &used)?;
        }
        Ok(())
    }

    fn budget(&self, agent: &dyn Agent, describer: Option<&dyn Agent>) -> Result<TuningBudget, Failure> {
        let mut budget = TuningBudget::unlimited();
        if let Some(requests) = self.request_budget {
            budget = budget.requests(requests);
        }
        if let Some(tokens) = self.token_budget {
            budget = budget.tokens(tokens);
        }
        if let Some((input, output)) = self.price {
            let wrong = |error: extract::metrics::PriceError| Failure::usage(error.to_string());
            let mut prices =
                Prices::new().model(agent.name(), Price::per_million(input, output)).map_err(wrong)?;
            if let Some(describer) = describer {
                prices = prices.model(describer.name(), Price::per_million(input, output)).map_err(wrong)?;
            }
            // Without a limit, the cost is only reported.
            budget = budget.cost(self.cost_budget.unwrap_or(f64::INFINITY), prices);
        }
        Ok(budget)
    }

    /// Writes what is better by more than noise.
    fn write(
        &self,
        recommended: &TunedSettings,
        tuning: &Tuning,
        contract: &Contract,
        style: Style,
    ) -> Result<(), Failure> {
        let mut options: Vec<(String, Value)> =
            recommended.options().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        if recommended.shots.is_some() {
            options.insert(0, ("shots".to_owned(), json!(self.gold.path())));
        }
        if let (Some(schema), false) = (&self.schema_out, recommended.descriptions.is_empty()) {
            let described =
                recommended.contract(contract).map_err(|error| Failure::usage(error.to_string()))?;
            let text = serde_json::to_string_pretty(described.schema()).unwrap_or_default();
            save(schema, text + "\n")?;
            options.insert(0, ("schema".to_owned(), json!(schema)));
            style.note(format!("descriptions to paste as doc comments:\n{}", recommended.doc_comments()));
        }
        let Some(out) = &self.out else {
            for (name, value) in options {
                style.note(format!("{name} = {value}"));
            }
            return Ok(());
        };
        let remark = tuning.report.as_ref().map(|report| {
            let (before, after) = (report.baseline.exact, report.tuned.exact);
            let documents = report.tuned.documents.len();
            format!("fields right {before} before, {after} after, on {documents} documents that it was not chosen on")
        });
        let text = written::text_with(out, &TUNED, &options, &remark.unwrap_or_default())?;
        let names: Vec<&str> =
            TUNED.into_iter().chain(options.iter().map(|(name, _)| name.as_str())).collect();
        let others = written::of_commands(&text, &names);
        save(out, text)?;
        style.note(format!("the settings are in `{}`", out.display()));
        if !others.is_empty() {
            style.note(format!(
                "`{}` there is for its command alone, and takes precedence over them; without it the command uses them",
                others.join("`, `")
            ));
        }
        Ok(())
    }
}

/// Replaces a file as a whole.
fn save(path: &Path, text: String) -> Result<(), Failure> {
    let mut new = path.as_os_str().to_owned();
    new.push(format!(".{}.0.tmp", std::process::id()));
    let new = PathBuf::from(new);
    let written = fs::write(&new, text).and_then(|()| fs::rename(&new, path));
    written.map_err(|error| {
        // What is left of it is of no use, and the first error says why.
        let _ = fs::remove_file(&new);
        Failure::new(Exit::Storage, format!("`{}` cannot be written: {error}", path.display()))
    })
}
