//! `extractable calibrate`: probabilities from confidences.

use std::{
    fs,
    path::{Path, PathBuf},
};

use extract::{Confidence, Contract, agent::Agent};
use extract_gold::{
    Calibration, CalibrationError, Candidate, CandidateResult, ConfidenceQuality, Evaluation, GoldSet,
};
use serde_json::json;

use crate::{
    agent::Escalation,
    ask::{self, AskArgs, ExtractionExtras},
    destination,
    error::{Exit, Failure, Outcome},
    gold::GoldArgs,
    output::{self, Style},
    progress::MeasuringProgress,
    runtime::runtime,
    schema_file::SchemaArgs,
    shutdown::unless_ended,
};

/// Fit a calibration, which turns confidences into probabilities, to checked documents
///
///   extractable calibrate --schema invoice.json --gold gold.jsonl --agent ollama/gemma3 --confidence 3 -o calibration.json
///
/// Needs at least 50 documents with an answer. `run` and `extract` read it with `--calibration`, asked in the same way.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct CalibrateArgs {
    #[command(flatten)]
    schema: SchemaArgs,
    #[command(flatten)]
    ask: AskArgs,
    #[command(flatten)]
    gold: GoldArgs,

    /// Agent whose confidence is calibrated: provider/model, local, or command:PROGRAM ARGS
    #[arg(short, long, value_name = "AGENT")]
    agent: String,

    /// File for the calibration
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    /// Replace the file also if it is not a calibration
    #[arg(long)]
    overwrite: bool,
}

pub(crate) fn run(args: &CalibrateArgs, style: Style) -> Outcome {
    if args.ask.is_calibrated() {
        return Err(Failure::usage("`--calibration` is what this command makes").help("leave it away"));
    }
    let contract = args.schema.contract()?;
    let gold = args.gold.read(Some(&contract))?;
    Calibration::check_documents(gold.len()).map_err(|error| Failure::usage(error.to_string()))?;
    let gold_files = args.gold.files(&gold);
    let used = args.schema.path().into_iter().chain(args.ask.files()).chain(args.gold.cache.path());
    let used: Vec<&Path> = used.chain(gold_files.iter().map(PathBuf::as_path)).collect();
    destination::check(&args.out, args.overwrite || is_calibration(&args.out), &used)?;
    let cache = args.gold.cache.open()?;
    let agent = args.gold.agent("--agent", &args.agent, cache.as_ref())?;
    let given = args.ask.given(Escalation::default(), Some(&contract))?;
    let question = args.ask.question.text()?;
    let progress = MeasuringProgress::new(style);
    let measuring = measure(args, &contract, &gold, &*agent, (&question, &given, &progress));
    let measured = runtime()?.block_on(unless_ended(measuring))?;
    let Some(evaluation) = progress.ended(measured, cache.as_ref()) else { return Ok(Exit::Interrupted) };
    let Some(result) = evaluation.candidates.first() else { return Ok(Exit::Success) };
    if let Some(failure) = ask::about_unasked(result) {
        return Err(failure);
    }
    let leaves = result.judged_leaves();
    let calibration =
        Calibration::fit(&leaves, contract.fingerprint()).map_err(|error| too_few(&error, result))?;
    let stored = serde_json::to_string(&calibration).unwrap_or_default();
    fs::write(&args.out, stored + "\n").map_err(|error| {
        Failure::new(Exit::Storage, format!("`{}` cannot be written: {error}", args.out.display()))
    })?;
    let quality = Calibration::cross_validate(&leaves).ok();
    if style.is_json {
        let documents = calibration.documents();
        output::compact(&json!({"documents": documents, "failures": result.failures, "quality": quality}))?;
    } else {
        output::text(&told(&calibration, result, quality.as_ref()))?;
    }
    Ok(Exit::Success)
}

async fn measure(
    args: &CalibrateArgs,
    contract: &Contract,
    gold: &GoldSet,
    agent: &dyn Agent,
    (question, given, progress): (&str, &ExtractionExtras, &MeasuringProgress),
) -> Evaluation {
    let candidate = Candidate::new(&args.agent, agent).question(question).configure(move |extraction, _| {
        let extraction = args.ask.configure_text(extraction, given);
        if args.ask.confidence().is_none() { extraction.confidence(Confidence::Auto) } else { extraction }
    });
    let evaluator = Evaluation::of(contract, gold).comparer(args.gold.comparer(Some(contract)));
    evaluator
        .candidate(candidate)
        .concurrent(args.gold.concurrent())
        .on_progress(progress.callback())
        .run()
        .await
}

/// Returns whether there is a calibration already, which this command wrote.
fn is_calibration(path: &Path) -> bool {
    fs::read(path).is_ok_and(|stored| serde_json::from_slice::<Calibration>(&stored).is_ok())
}

fn too_few(error: &CalibrationError, result: &CandidateResult) -> Failure {
    let failure = Failure::new(Exit::NotConforming, format!("{error}; {} have no answer", result.failures));
    match result.documents.iter().find_map(|document| document.error.as_ref()) {
        Some(first) => failure.help(format!("the first of them: {first}")),
        None => failure,
    }
}

fn told(calibration: &Calibration, result: &CandidateResult, quality: Option<&ConfidenceQuality>) -> String {
    let about = format!("{} documents, {} without an answer", calibration.documents(), result.failures);
    let Some(quality) = quality else {
        return format!("{about}; too few to say how good it is on others, which takes about 63");
    };
    let gone = quality.kept.iter().find(|kept| kept.kept < 0.81).map_or(0.0, |kept| kept.wrong_gone);
    format!(
        "{about}, {} values, {:.3} right\non documents that it was not fitted to: AUROC {:.3}, calibration error {:.3}, \
         {:.0} % of the wrong values gone if the surest 80 % are kept",
        quality.leaves,
        quality.right,
        quality.auroc,
        quality.calibration_error,
        100.0 * gone,
    )
}
