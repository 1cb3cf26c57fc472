//! Many documents as one job, for the crate [`extractable`](https://docs.rs/extractable).
//!
//! One document is an [extraction](extract::Extraction). Ten thousand are a job, which may be killed,
//! runs into limits, costs money, and must not be paid for twice.
//!
//! ```
//! use extract::Extractable;
//! use extract_bulk::{BulkExt as _, Doc};
//! # use extract::testing::{ScriptedAgent, block_on};
//! # use serde::Deserialize;
//!
//! #[derive(Deserialize, Extractable)]
//! struct Invoice {
//!     number: String,
//!     total: f64,
//! }
//!
//! # let folder = std::env::temp_dir().join(format!("extract-doc-bulk-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let (journal, output) = (folder.join("invoices.redb"), folder.join("invoices.jsonl"));
//! # let agent = ScriptedAgent::new([r#"{"number": "INV-7", "total": 12}"#, r#"{"number": "INV-8", "total": 3.5}"#]);
//! # let texts = [("7.txt", "INV-7, total 12 EUR"), ("8.txt", "INV-8, total 3.50 EUR")];
//! # block_on(async {
//! let documents = texts.into_iter().map(|(name, text)| Doc::new(name, text));
//! let report = Invoice::bulk(&agent, documents)
//!     .journal(&journal)
//!     .concurrent(256)
//!     .requests_per_minute(3_000)
//!     .token_budget(50_000_000)
//!     .progress(true)
//!     .into_jsonl(&output)
//!     .await?;
//! assert_eq!((report.done, report.failed), (2, 0));
//! # Ok::<(), extract_bulk::BulkError>(())
//! # })?;
//! # let invoice = Invoice { number: String::new(), total: 0.0 };
//! # let _ = (invoice.number, invoice.total);
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! - **One outcome for every document**: an answer, or a [dead letter](DeadLetter) with the reason
//!   and all attempts.
//! - **Every result once.** The [journal](Journal) is the source of truth, and outputs are derived
//!   from it.
//! - **Every call at least once.** A kill repeats at most [`concurrent`](Bulk::concurrent) calls
//!   (times the [chunks at once](extract::Extraction::concurrent_chunks) of a document).
//! - Running the same job again asks nothing. Anything that changed is asked again, and the
//!   [report](Report::changed) says how many documents that affects.
//!
//! # What a result is an answer to
//!
//! A result answers a question that consists of the key of the document, its content (prompt,
//! parts, document, chunks), the schema, your [version](Bulk::version), the version of this
//! library's prompts, the names of the agents (the name of a program has a digest of its arguments),
//! and the settings that decide which answer is right: system prompt, instructions, shots, prompt and
//! reading options, thoughts, tools, temperature, thinking, length, fatal codes, valid items, chunks
//! and passes. If any of them differs, the document is processed again. Limits are not part of it: attempts, time, tokens, transport.
//! Functions cannot be compared: a change to rules, checks, callbacks or ways of feedback needs a
//! new [version](Bulk::version). Instructions are compared by the text they produce.
//!
//! # Keys
//!
//! A key names one document. A document that is repeated with the same content is skipped and
//! [counted](Report::repeated). If the same key comes with different content, the job ends with
//! [`BulkError::DuplicateKey`], because an outcome could belong to either.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod asked_agent;
mod asking;
mod batches;
mod builder;
mod clock;
mod confidence_columns;
mod doc;
mod engine;
mod error;
mod estimate;
mod ext;
mod identity;
mod journal;
mod known;
mod limits;
mod options;
mod outcome;
mod output;
mod packed;
mod partial;
mod progress;
mod report;
mod request_name;
mod reviewed;
mod source;
mod stream;
mod tally;
#[cfg(test)]
mod tests;
mod writer;

pub use self::{
    batches::{BatchState, Batches, JournalBatch},
    builder::Bulk,
    confidence_columns::ConfidenceColumns,
    doc::Doc,
    error::BulkError,
    estimate::Estimate,
    ext::{BulkExt, ContractBulkExt},
    journal::{
        CancelError, Compacted, DeadLetters, Holder, Journal, JournalError, JournalOutcomes, JournalSummary,
        Merged, OutputFile,
    },
    options::Retry,
    outcome::{DeadLetter, Failure, Outcome, Status},
    progress::{Progress, ProgressLine},
    report::{Ended, Report},
    reviewed::ReviewedValue,
    source::{FromIterator, FromStream, IntoSource, Source, SourceError, SourceItem},
    stream::Outcomes,
};

/// The examples of the README and the page of the book, for the tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct ReadmePage;
    #[doc = include_str!("../../docs/bulk.md")]
    struct BulkPage;
}
