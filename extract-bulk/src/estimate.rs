//! The estimate of a job.

use std::{
    collections::HashMap,
    fmt,
    future::poll_fn,
    hash::{BuildHasher as _, RandomState},
};

use extract::{
    Contract, TokenUsage,
    metrics::{Cost, ExtractionMetrics, ModelUsage, Prices},
};
use serde::Serialize;

use super::{
    doc::Doc,
    error::BulkError,
    identity::{Identity, JobIdentity},
    journal::{JournalError, Store},
    known::is_known,
    options::Retry,
    outcome::Status,
    report::Report,
    source::Source,
};

/// The requests of a job, and their cost; see [`Bulk::dry_run`](super::Bulk::dry_run).
///
/// Tokens are estimated for one attempt per document. Input tokens are a quarter of the characters.
/// Output tokens are the average of the answers in the journal, or the size of the example if there
/// are none. Images are not counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Estimate {
    /// Documents in the source; each key counts once.
    pub documents: u64,
    /// Documents with an outcome in the journal.
    pub known: u64,
    /// How many of these have no answer.
    pub failed: u64,
    /// Documents that would be processed.
    pub to_ask: u64,
    /// How many of these have an outcome already, but for other content, another schema, agent or
    /// setting.
    pub changed: u64,
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Their cost, if there are [prices](super::Bulk::prices).
    pub cost: Option<Cost>,
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { documents, known, failed, to_ask, changed, input_tokens, output_tokens, .. } = self;
        write!(
            f,
            "{documents} document{}: {known} known ({failed} without an answer), {to_ask} to ask ({changed} changed); \
             about {input_tokens} tokens in, {output_tokens} out",
            if *documents == 1 { "" } else { "s" },
        )?;
        self.cost.iter().try_for_each(|cost| write!(f, ", cost {cost}"))
    }
}

/// Maximum outcomes over which the length of an answer is averaged.
const SAMPLES: u64 = 1_000;

pub(super) struct Estimating<'e> {
    pub(super) contract: &'e Contract,
    pub(super) identity: &'e JobIdentity,
    /// Characters that all questions share.
    pub(super) chars: usize,
    /// The name of the agent.
    pub(super) agent: String,
    pub(super) store: Option<&'e Store>,
    pub(super) retry: Retry,
    pub(super) prices: Option<&'e Prices>,
}

impl Estimating<'_> {
    pub(super) async fn estimate(self, mut source: Source<'_>) -> Result<Estimate, BulkError> {
        let mut estimate = Estimate::default();
        // By the hash of their key: the question that a document asks.
        let (mut seen, hasher) = (HashMap::new(), RandomState::new());
        while let Some(doc) = poll_fn(|context| source.poll_next(context)).await {
            let documents = estimate.documents;
            let report = || Box::new(Report { documents, ..Report::default() });
            let doc = doc.map_err(|error| BulkError::Source { error, report: report() })?;
            let identity = self.identity.of(&doc);
            match seen.insert(hasher.hash_one(&doc.key), identity.question) {
                None => self.add(&mut estimate, &doc, &identity)?,
                Some(question) if question == identity.question => {}
                Some(_) => return Err(BulkError::DuplicateKey { key: doc.key, report: report() }),
            }
        }
        let per_document = self.output_tokens()?;
        estimate.output_tokens = per_document.saturating_mul(estimate.to_ask);
        let mut usage = TokenUsage::new(estimate.input_tokens, estimate.output_tokens);
        usage.is_estimated = true;
        let mut metrics = ExtractionMetrics::default();
        metrics.spend(vec![ModelUsage::of_reply(self.agent, None, usage)]);
        estimate.cost = self.prices.map(|prices| metrics.cost(prices));
        Ok(estimate)
    }

    fn add(&self, estimate: &mut Estimate, doc: &Doc, identity: &Identity) -> Result<(), JournalError> {
        estimate.documents += 1;
        let head = self.store.map(|store| store.head(&doc.key)).transpose()?.flatten();
        if let Some(head) = head {
            let stays = self.retry == Retry::InPart && head.question == identity.question;
            if stays || is_known(&head, identity, self.retry) {
                estimate.known += 1;
                estimate.failed += u64::from(head.status == Status::Failed);
                return Ok(());
            }
            estimate.changed += 1;
        }
        estimate.to_ask += 1;
        let document = doc.document.as_ref();
        let text = document.map_or(0, |document| document.text().chars().count());
        let chunks =
            document.zip(doc.chunks.as_ref()).and_then(|(document, chunks)| document.chunks(chunks).ok());
        let questions = chunks.map_or(1, |chunks| chunks.len().max(1));
        let each = self.chars + doc.prompt.conversation().chars();
        let tokens = estimated(text.saturating_add(questions.saturating_mul(each)));
        estimate.input_tokens = estimate.input_tokens.saturating_add(tokens);
        Ok(())
    }

    /// Estimated tokens of an answer.
    fn output_tokens(&self) -> Result<u64, JournalError> {
        let (mut tokens, mut count, mut last) = (0, 0, None);
        while let Some(store) = self.store.filter(|_| count < SAMPLES) {
            let batch = store.next_by_key(last.as_deref())?;
            let Some((key, _)) = batch.last() else { break };
            last = Some(key.clone());
            for (_, record) in &batch {
                tokens += record.body.metrics.usage.output_tokens;
                count += 1;
            }
        }
        let example = || estimated(self.contract.example().map_or(0, |example| example.to_string().len()));
        Ok(u64::checked_div(tokens, count).unwrap_or_else(example))
    }
}

/// Estimated tokens of a text.
fn estimated(chars: usize) -> u64 {
    TokenUsage::estimated(chars, 0).input_tokens
}
