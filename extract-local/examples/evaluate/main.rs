//! Measures settings on documents whose right answer is known.
//!
//! ```text
//! cargo run --release -p extractable-local --example evaluate -- \
//!     --agent local:0.5b --cells none+absence,outline+absence,types+absence --journal runs.jsonl
//! ```
//!
//! `extractable eval` says how right agents are on one gold set, with the defaults of the library. This
//! example is for those defaults themselves, whose tables are in `docs/decisions.md`. Only it has
//! documents with an instruction and a schema each, several right values of a field (`gold_any`),
//! settings that `eval` does not have (`--cells`), the share that conforms after each attempt, and a
//! journal of all attempts.
//!
//! A document is a line of JSON with `id`, `text`, `instruction`, `json_schema` and `gold`;
//! `gold_any` may list all right values of each field. The repository has four sets, in
//! `benches/documents`. A cell is a combination of settings, and
//! every cell gets the same documents. Every attempt is written to the journal and not asked again,
//! so an interrupted run continues. At the end the tables are printed: conforming answers after
//! one, two and three attempts, right answers, costs, and the differences between cells. `--help`
//! lists the options.

mod agents;
mod cell;
mod documents;
mod gold;
mod journal;
mod memory;
mod options;
mod progress;
mod quotes;
mod statistics;
mod table;

use std::{error::Error, fs, process::ExitCode};

use extract::{Agent, Event, Extractor};

use self::{
    agents::Agents,
    cell::Cell,
    documents::Document,
    gold::Score,
    journal::{Journal, Outcome},
    options::Options,
    progress::Progress,
};

/// The last documents of each file, which may be worked examples for the others.
const SHOT_CANDIDATES: usize = 20;

/// Extracts one document with one cell, and records the result.
async fn ask(
    agent: &dyn Agent,
    cell: &Cell,
    document: &Document,
    candidates: &[Document],
    extractor: Extractor,
    journal: &mut Journal,
) -> Result<Outcome, Box<dyn Error>> {
    let contract = cell.contract(document).map_err(|error| format!("{}: {error}", document.id))?;
    let agent = cell.agent(agent);
    let mut records = Vec::new();
    let mut question = None;
    let extractor = cell.settings(extractor);
    let mut extraction = extractor.extract_untyped(&contract, &agent, cell.prompt(document));
    if cell.shows_document() {
        extraction = extraction.document(&extract::document::Document::from_text(&*document.text));
    }
    for shot in cell.shots(document, candidates) {
        extraction = extraction.shot(shot.prompt(), &cell.gold(shot));
    }
    let extraction = extraction.observe(|event| match event {
        Event::Asked { attempt: 1, request, .. } => question = Some(request.conversation.to_text()),
        Event::Judged { record, .. } => records.push((*record).clone()),
        _ => {}
    });
    let (value, metrics, error) = match extraction.await {
        Ok((value, metrics)) => (Some(quotes::plain(value)), metrics, None),
        Err(error) => (None, error.metrics().clone(), Some(error.to_string())),
    };
    let stalls = records.iter().filter(|record| record.is_stalled).count();
    for record in records {
        journal.attempt(cell, document, &record)?;
    }
    let outcome = Outcome {
        cell: cell.to_string(),
        file: document.file.clone(),
        document: document.id.clone(),
        attempts: metrics.attempts,
        score: Score::of(document, value.as_ref()),
        is_conforming: value.is_some(),
        value,
        stalls,
        input_tokens: metrics.usage.input_tokens,
        output_tokens: metrics.usage.output_tokens,
        seconds: metrics.elapsed.as_secs_f64(),
        error,
        question,
    };
    // Without a reply nothing was measured; the next run asks again.
    if metrics.attempts > 0 {
        journal.outcome(&outcome)?;
    }
    Ok(outcome)
}

async fn measure(options: &Options) -> Result<(), Box<dyn Error>> {
    let documents = documents::first(&options.documents, options.limit)?;
    let candidates = documents::last(&options.documents, SHOT_CANDIDATES)?;
    let mut agents = Agents::new(options);
    let mut journal = Journal::open(options.journal.as_deref())?;
    // A small model may repeat itself endlessly; no right answer is this long.
    let extractor = Extractor::new().max_attempts(options.attempts).max_output_tokens(options.max_tokens);
    let mut outcomes = Vec::new();
    let mut progress = Progress::new(options.cells.len() * documents.len());
    for cell in &options.cells {
        for document in &documents {
            if let Some(known) = journal.take_known(cell, document) {
                progress.known();
                outcomes.push(known);
            } else if !options.report_only {
                let agent = agents.of(cell)?;
                let outcome =
                    ask(agent, cell, document, &candidates, extractor.clone(), &mut journal).await?;
                progress.asked(cell, &outcome);
                outcomes.push(outcome);
            }
        }
    }
    let tables = table::report(&options.cells, &outcomes);
    print!("{tables}");
    if let Some(file) = &options.tables {
        fs::write(file, tables).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let run = async {
        if let Some(options) = Options::parse(std::env::args().skip(1))? {
            return measure(&options).await;
        }
        print!("{}", options::HELP);
        Ok(())
    };
    match run.await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
