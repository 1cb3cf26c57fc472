//! `extractable review`: a page on which a person reviews the values of a job.

use std::{
    env,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

use serde_json::json;

use crate::{
    destination::{self, Files},
    error::{Exit, Failure, Outcome},
    input::{Content, InputArgs},
    journal::{self, JournalArgs},
    loopback, numbers,
    output::{self, Style},
    review::{DeskError, DeskOptions, DocumentTexts, Review, ReviewDesk},
    runtime::runtime,
    schema_file::SchemaArgs,
    shutdown::Shutdown,
};

/// Serve a page on this machine on which a person reviews the values of a job
///
/// Documents that need a look come first: those that failed, are unsure or in conflict, then a random
/// sample of the others, which says how right the rest is. Every decision is a line of the gold set
/// when the page shows it, and `export` and `retry-failed` prefer it to what was extracted:
///
///   extractable review invoices.jsonl --schema invoice.json letters/
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ReviewArgs {
    #[command(flatten)]
    journal: JournalArgs,
    #[command(flatten)]
    schema: SchemaArgs,

    /// Address of the page on this machine; port 0 is a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", value_parser = loopback::address)]
    listen: SocketAddr,

    /// Gold set for the decisions; by default FILE.gold.jsonl beside the journal, where the other commands find it
    #[arg(long, value_name = "FILE")]
    gold: Option<PathBuf>,

    /// Name of the reviewer in the gold set; by default that of the user
    #[arg(long, value_name = "NAME")]
    reviewer: Option<String>,

    /// Confidence from 0 to 1 below which a value is unsure
    #[arg(long, value_name = "NUMBER", default_value_t = 0.8, value_parser = numbers::share)]
    threshold: f64,

    /// Documents to draw at random from those without a reason to look at them
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    sample: usize,

    /// The documents of the job, as `run` was given them
    #[command(flatten)]
    input: InputArgs,
}

impl ReviewArgs {
    fn reviewer(&self) -> String {
        let user = || ["USER", "USERNAME"].iter().find_map(|name| env::var(name).ok());
        let named = self.reviewer.clone().or_else(user).filter(|name| !name.trim().is_empty());
        named.unwrap_or_else(|| "reviewer".to_owned())
    }

    /// The texts of the documents, and whether all of them were read.
    fn texts(&self, gold: &Path) -> Result<(DocumentTexts, bool), Failure> {
        let failed = |error| {
            Failure::new(Exit::Storage, format!("the texts cannot be kept in a temporary file: {error}"))
        };
        let mut texts = DocumentTexts::new().map_err(failed)?;
        let written = [gold, &self.journal.path()].map(Path::to_owned);
        let documents = self.input.documents(&Files::of(written.iter().map(PathBuf::as_path)), None)?;
        let skipped = documents.skipped.clone();
        for item in documents {
            let item = item.map_err(|error| Failure::usage(error.to_string()))?;
            match item.content {
                Content::Text(document) => texts.add(item.key, document.text()),
                Content::Media { bytes, media_type } => texts.add_media(item.key, &bytes, media_type),
            }
            .map_err(failed)?;
        }
        Ok((texts, skipped.load(Ordering::Relaxed) == 0))
    }
}

pub(crate) fn run(args: &ReviewArgs, style: Style) -> Outcome {
    let contract = args.schema.contract()?;
    let journal_path = args.journal.path();
    let journal = args.journal.read()?;
    let gold = args.gold.clone().unwrap_or_else(|| journal::gold_of(&journal_path));
    let used: Vec<&Path> = args.schema.path().into_iter().chain([journal_path.as_path()]).collect();
    destination::regular(&gold, &used)?;
    if !args.input.is_given() {
        return Err(Failure::usage("the documents of the job are not given")
            .help("name them as `run` was given them, so that their texts stand beside the values"));
    }
    let (texts, is_complete) = args.texts(&gold)?;
    let options = DeskOptions {
        contract,
        journal,
        texts,
        gold: gold.clone(),
        title: args.journal.title(),
        reviewer: args.reviewer(),
        threshold: args.threshold,
        sample: args.sample,
    };
    let desk = ReviewDesk::new(options).map_err(|error| match error {
        DeskError::Journal(error) => journal::failure(&error),
        error => Failure::new(Exit::Storage, error.to_string()),
    })?;
    let (documents, reviewed, without) = (desk.len(), desk.reviewed(), desk.not_given());
    if without > 0 {
        style.note(format!(
            "{without} of {documents} documents are not given here, so they can be looked at only"
        ));
    }
    let review = Review::serve(args.listen, desk)?;
    if style.is_json {
        output::note(
            json!({"review": review.link(), "documents": documents, "reviewed": reviewed}).to_string(),
        );
    } else {
        // Also where no remarks are wanted: only this line has the port and the token.
        output::note(format!("the review is at {}", review.link()));
        style.note(format!(
            "{reviewed} of {documents} documents reviewed; decisions go to `{}`; Ctrl-C ends",
            gold.display()
        ));
    }
    runtime()?.block_on(async {
        Shutdown::new()?.wanted().await;
        Ok::<_, Failure>(())
    })?;
    Ok(Exit::of(is_complete))
}
