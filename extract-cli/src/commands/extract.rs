//! `extractable extract`: one document.

use std::collections::BTreeSet;

use extract::{
    Contract, Event, ExtractionError, ExtractionMetrics,
    agent::{Agent, AgentError, AgentErrorKind},
    metrics::LeafConfidence,
};
use serde_json::{Value, json};

use crate::{
    agent::AgentsArgs,
    ask::{self, AskArgs, ExtractionExtras},
    destination::Files,
    error::{Exit, Failure, Outcome},
    input::{Content, InputArgs, InputItem},
    output::{self, Style},
    runtime::runtime,
    schema_file::SchemaArgs,
    shutdown::unless_ended,
};

/// Extract the value of one document and print it
///
///   extractable extract --schema invoice.json --agent ollama/gemma3 letter.txt
///
/// For many documents there is `run`.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ExtractArgs {
    #[command(flatten)]
    schema: SchemaArgs,
    #[command(flatten)]
    agent: AgentsArgs,
    #[command(flatten)]
    ask: AskArgs,
    #[command(flatten)]
    input: InputArgs,
}

pub(crate) fn run(args: &ExtractArgs, style: Style) -> Outcome {
    let contract = args.schema.contract()?;
    let agent = args.agent.first.agent()?;
    let given = args.ask.given(args.agent.escalation()?, Some(&contract))?;
    let agent = given.escalation.checked(agent);
    let question = args.ask.question.text()?;
    let item = only(args, style)?;
    let runtime = runtime()?;
    let extracting = extract(&contract, (&*agent, &given), &question, &item, args, style);
    let result = runtime.block_on(unless_ended(extracting))?;
    match result {
        None => Ok(Exit::Interrupted),
        Some(Ok((value, metrics))) => {
            print(&value, &metrics, style)?;
            Ok(Exit::Success)
        }
        Some(Err(error)) => Err(failed(&error, style)),
    }
}

/// The document; there is exactly one.
fn only(args: &ExtractArgs, style: Style) -> Result<InputItem, Failure> {
    let mut documents = args.input.documents(&Files::of([]), args.agent.text_only())?;
    documents.remark.iter().for_each(|remark| style.note(remark));
    let unreadable = |error: crate::input::UnreadDocuments| Failure::usage(error.to_string());
    let item = documents.next().ok_or_else(|| Failure::usage("there is no document"))?.map_err(unreadable)?;
    match documents.next() {
        None => Ok(item),
        Some(_) => {
            Err(Failure::usage("there is more than one document").help("`extractable run` takes many"))
        }
    }
}

async fn extract(
    contract: &Contract,
    (agent, given): (&dyn Agent, &ExtractionExtras),
    question: &str,
    item: &InputItem,
    args: &ExtractArgs,
    style: Style,
) -> Result<(Value, ExtractionMetrics), ExtractionError> {
    let prompt = ask::prompt(question, &item.content, &item.key);
    let extraction = contract.extract(agent, prompt);
    let mut extraction = match &item.content {
        Content::Text(document) => args.ask.configure_text(extraction.document(document), given),
        Content::Media { .. } => args.ask.configure(extraction, given),
    };
    if !style.is_json {
        extraction = extraction.observe(move |event| narrate(event, style));
    }
    extraction.await
}

/// Reports, as it happens, why it takes longer.
fn narrate(event: &Event<'_>, style: Style) {
    match event {
        Event::TransportFailed { error, wait, .. } => style.note(format!("{error}; again in {wait:.1?}")),
        Event::Judged { is_accepted: false, record, .. } => {
            style.note(format!("attempt {} was not accepted:", record.number));
            for violation in &record.violations {
                style.note(format!("  {}", output::violation(violation)));
            }
        }
        _ => {}
    }
}

fn print(value: &Value, metrics: &ExtractionMetrics, style: Style) -> Result<(), Failure> {
    if style.is_json {
        return output::compact(&json!({"value": value, "metrics": metrics}));
    }
    let notes: BTreeSet<_> = metrics.per_attempt.iter().flat_map(|attempt| &attempt.notes).collect();
    for note in notes {
        style.note(output::plain(note));
    }
    for warning in &metrics.warnings {
        output::note(output::violation(warning));
    }
    metrics.conflicts.iter().for_each(|conflict| output::note(output::conflict(conflict)));
    metrics.gaps.iter().for_each(|gap| output::note(output::gap(gap)));
    style.note(metrics.to_string());
    for leaf in metrics.unsure(2.0).into_iter().take(MAX_UNSURE) {
        style.note(confidence(leaf));
    }
    output::pretty(value)
}

/// How many values are listed with their confidence, the least sure first.
const MAX_UNSURE: usize = 10;

/// `0.42 $.guests (agreement)`
fn confidence(leaf: &LeafConfidence) -> String {
    let evidence = &leaf.evidence;
    let sources = [("tokens", evidence.tokens.is_some()), ("agreement", evidence.agreement.is_some())];
    let sources: Vec<_> = sources.iter().filter(|(_, is_known)| *is_known).map(|(name, _)| *name).collect();
    let number = leaf.confidence.map_or_else(|| "?".to_owned(), |confidence| format!("{confidence:.2}"));
    let sources = if sources.is_empty() { String::new() } else { format!(" ({})", sources.join(", ")) };
    format!("confidence {number} {}{sources}", leaf.path)
}

/// A failed extraction: as JSON with everything that is known, or in a few lines.
fn failed(error: &ExtractionError, style: Style) -> Failure {
    let (exit, help) = match (error, error.agent_error()) {
        (_, Some(source)) => (Exit::Agent, about_agent(source)),
        (ExtractionError::Settings(error), _) => return ask::about_settings(error),
        (ExtractionError::Schema(_) | ExtractionError::Narrowing(_), _) => (Exit::Usage, None),
        _ => (Exit::NotConforming, None),
    };
    let found =
        if let ExtractionError::Incomplete { coverage, .. } = error { Some(&coverage.found) } else { None };
    if style.is_json && (exit == Exit::NotConforming || found.is_some()) {
        let mut report = json!({
            "error": {"name": error.name(), "message": error.to_string()},
            "metrics": error.metrics(),
            "history": error.history(),
        });
        if let Some(found) = found {
            report["found"] = found.clone();
        }
        // The exit code does not depend on whether anybody reads the report.
        if output::compact(&report).is_ok() {
            return Failure::new(exit, error.to_string());
        }
    }
    let failure = Failure::new(exit, error.to_string());
    match help {
        Some(help) => failure.help(help),
        None => failure,
    }
}

fn about_agent(error: &AgentError) -> Option<&'static str> {
    match error.kind() {
        AgentErrorKind::Refused if ask::is_about_pdf(error.message()) => Some(ask::PDF_TEXT),
        AgentErrorKind::Refused | AgentErrorKind::Unavailable => Some(ask::NAME_AND_KEY),
        AgentErrorKind::TooLong => Some("`--chunk-chars 20000` divides a long text, and merges the answers"),
        AgentErrorKind::RateLimited => Some("wait, or use `run`, which waits by itself"),
        _ => None,
    }
}
