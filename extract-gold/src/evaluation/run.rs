//! Asks each candidate about each document.

use std::{borrow::Cow, fmt};

use extract::{
    Contract, Extraction, ExtractionError, ExtractionMetrics, agent::Agent, document::Document,
    metrics::Prices, settings::SettingsError,
};
use futures_util::{StreamExt as _, stream};
use serde_json::Value;

use super::{
    progress::{EvaluationProgress, ProgressCounter},
    result::{CandidateResult, DocumentResult, Evaluation},
};
use crate::{
    compare::ValueComparer,
    confidence::JudgedLeaf,
    gold::{GoldDocument, GoldSet},
};

/// Documents that one candidate is asked about at once, if nothing else is said.
const DEFAULT_CONCURRENT: usize = 8;

/// How many documents, from the first one on, an agent that replies nothing is asked about. As many
/// refusals end a job.
const MAX_UNASKED: usize = 10;

/// The value of a document, or why there is none.
type Answer = Result<(Value, ExtractionMetrics), (String, ExtractionMetrics)>;

/// The error of documents after those.
const NOT_ASKED: &str = "not asked, because the agent could not be asked about others";

type ConfigureRun<'a> =
    Box<dyn Fn(Extraction<'a, Value>, &'a GoldDocument) -> Extraction<'a, Value> + Send + Sync + 'a>;

/// An agent with settings, whose answers are compared with the right ones. Two candidates may be
/// two agents, two prompts, or two schemas.
pub struct Candidate<'a> {
    name: String,
    agent: &'a dyn Agent,
    contract: Option<Contract>,
    question: Option<String>,
    configure: ConfigureRun<'a>,
}

impl fmt::Debug for Candidate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Candidate").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<'a> Candidate<'a> {
    /// Creates a candidate that asks `agent` with the default settings.
    pub fn new(name: impl Into<String>, agent: &'a dyn Agent) -> Self {
        Self {
            name: name.into(),
            agent,
            contract: None,
            question: None,
            configure: Box::new(|extraction, _| extraction),
        }
    }

    /// Asks by another contract than the others. The right values are compared as they stand.
    #[must_use]
    pub fn contract(mut self, contract: Contract) -> Self {
        self.contract = Some(contract);
        self
    }

    /// Asks this about each text, and looks quotes up in it, as
    /// [`Extraction::document`] does. Without it, or if it is empty, this is the
    /// [instruction](GoldDocument::instruction) of the document. Without either, the text is the prompt.
    #[must_use]
    pub fn question(mut self, question: impl Into<String>) -> Self {
        self.question = Some(question.into());
        self
    }

    /// Changes the settings of each extraction, as `|extraction, _| extraction.max_attempts(1)`.
    /// The second argument is the document in question.
    #[must_use]
    pub fn configure(
        mut self,
        configure: impl Fn(Extraction<'a, Value>, &'a GoldDocument) -> Extraction<'a, Value> + Send + Sync + 'a,
    ) -> Self {
        self.configure = Box::new(configure);
        self
    }
}

/// Which contract each document is asked about and compared by.
#[derive(Debug)]
pub(super) enum DocumentContracts<'a> {
    One(&'a Contract),
    /// In the order of the documents.
    Own(Vec<Contract>),
}

impl DocumentContracts<'_> {
    fn of(&self, number: usize) -> &Contract {
        match self {
            Self::One(contract) => contract,
            Self::Own(contracts) => &contracts[number],
        }
    }
}

/// An evaluation that has not run yet. [`Evaluation::of`] begins one.
#[derive(Debug)]
#[must_use = "an evaluation asks nothing until it is run"]
pub struct Evaluator<'a> {
    contracts: DocumentContracts<'a>,
    gold: &'a GoldSet,
    comparer: ValueComparer,
    candidates: Vec<Candidate<'a>>,
    concurrent: usize,
    prices: Option<Prices>,
    progress: Option<ProgressCounter<'a>>,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(contracts: DocumentContracts<'a>, gold: &'a GoldSet) -> Self {
        let comparer = match &contracts {
            DocumentContracts::One(contract) => ValueComparer::of(contract),
            DocumentContracts::Own(_) => ValueComparer::new(),
        };
        Self {
            contracts,
            gold,
            comparer,
            candidates: Vec::new(),
            concurrent: DEFAULT_CONCURRENT,
            prices: None,
            progress: None,
        }
    }

    /// Adds an agent with the default settings.
    pub fn agent(self, name: impl Into<String>, agent: &'a dyn Agent) -> Self {
        self.candidate(Candidate::new(name, agent))
    }

    /// Adds a candidate.
    pub fn candidate(mut self, candidate: Candidate<'a>) -> Self {
        self.candidates.push(candidate);
        self
    }

    /// Sets how values are compared. The default knows the keys of the contract's lists and
    /// tolerates nothing. Keys of documents' own schemas are known to any comparer.
    pub fn comparer(mut self, comparer: ValueComparer) -> Self {
        self.comparer = comparer;
        self
    }

    /// Sets how many documents a candidate is asked about at once: 8 by default, at least 1.
    pub fn concurrent(mut self, documents: usize) -> Self {
        self.concurrent = documents.max(1);
        self
    }

    /// Sets prices, for the cost of each candidate.
    pub fn prices(mut self, prices: Prices) -> Self {
        self.prices = Some(prices);
        self
    }

    /// Calls `callback` when a candidate is begun, and after each document.
    ///
    /// ```
    /// use extract::{Contract, testing::{ScriptedAgent, block_on}};
    /// use extract_gold::{Evaluation, GoldDocument, GoldSet};
    ///
    /// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
    /// let gold = GoldSet::from_documents([GoldDocument::new("two", 2), GoldDocument::new("three", 3)]);
    /// let agent = ScriptedAgent::new(["2", "3"]);
    /// let mut done = Vec::new();
    /// let evaluation = Evaluation::of(&contract, &gold).agent("scripted", &agent).concurrent(1);
    /// block_on(evaluation.on_progress(|progress| done.push(progress.done)).run());
    /// assert_eq!(done, [0, 1, 2]);
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    pub fn on_progress(mut self, callback: impl FnMut(&EvaluationProgress) + Send + 'a) -> Self {
        self.progress = Some(ProgressCounter::new(Box::new(callback)));
        self
    }

    /// Asks each candidate about each document, one candidate after the other. An extraction that
    /// fails is a result: all leaves of its document are missing. A candidate that replies to none of
    /// the first ten documents, or whose settings make no sense for any of them, is asked about no more;
    /// see [`CandidateResult::agent_error`].
    pub async fn run(self) -> Evaluation {
        let mut results = Vec::with_capacity(self.candidates.len());
        for (index, candidate) in self.candidates.iter().enumerate() {
            if let Some(progress) = &self.progress {
                progress.begin(&candidate.name, index + 1, self.candidates.len(), self.gold.len());
            }
            results.push(self.result_of(candidate).await);
        }
        Evaluation::new(results)
    }

    async fn result_of(&self, candidate: &Candidate<'a>) -> CandidateResult {
        let asked = self.gold.documents().iter().enumerate().map(|(number, document)| {
            let contract = self.contract(candidate, number);
            let question = candidate.question.as_ref().filter(|question| !question.is_empty());
            let question = question.or(document.instruction.as_ref()).or(candidate.question.as_ref());
            let extraction = match question {
                Some(question) => contract
                    .extract(candidate.agent, question.as_str())
                    .document(&Document::from_text(document.text.as_str())),
                None => contract.extract(candidate.agent, document.text.as_str()),
            };
            let extraction = (candidate.configure)(extraction, document);
            async move {
                let answer = extraction.await;
                if let Some(progress) = &self.progress {
                    let metrics =
                        answer.as_ref().map_or_else(ExtractionError::metrics, |(_, metrics)| metrics);
                    progress.finished(answer.is_ok(), metrics, self.prices.as_ref());
                }
                (document, answer)
            }
        });
        let mut answers = stream::iter(asked).buffered(self.concurrent).enumerate();
        let most_unasked = MAX_UNASKED.min(self.gold.len());
        let (mut unasked, mut agent_error, mut settings_error) = (0, None, None);
        let mut spent = ExtractionMetrics::default();
        let mut documents = Vec::with_capacity(self.gold.len());
        while let Some((number, (document, answer))) = answers.next().await {
            let refused = answer.as_ref().err().filter(|error| is_unasked(error));
            unasked += usize::from(refused.is_some());
            if unasked == most_unasked && number + 1 == unasked {
                (agent_error, settings_error) = refused.map(reason).unwrap_or_default();
            }
            let answer = answer.map_err(|error| (error.to_string(), error.metrics().clone()));
            documents.push(self.document_result(candidate, (number, document), answer, &mut spent));
            if agent_error.is_some() {
                break;
            }
        }
        let not_asked = || (NOT_ASKED.to_owned(), ExtractionMetrics::default());
        for (number, document) in self.gold.documents().iter().enumerate().skip(documents.len()) {
            documents.push(self.document_result(candidate, (number, document), Err(not_asked()), &mut spent));
        }
        let result = CandidateResult::new(candidate.name.clone(), documents, spent, self.prices.as_ref());
        CandidateResult { agent_error, settings_error, ..result }
    }

    /// The contract by which a candidate is asked about a document.
    fn contract<'c>(&'c self, candidate: &'c Candidate<'a>, number: usize) -> &'c Contract {
        candidate.contract.as_ref().unwrap_or_else(|| self.contracts.of(number))
    }

    fn document_result(
        &self,
        candidate: &Candidate<'a>,
        (number, document): (usize, &GoldDocument),
        answer: Answer,
        spent: &mut ExtractionMetrics,
    ) -> DocumentResult {
        let (value, error, metrics) = match answer {
            Ok((value, metrics)) => (Some(value), None, metrics),
            Err((error, metrics)) => (None, Some(error), metrics),
        };
        // A person writes a quote as its words.
        let contract = self.contract(candidate, number);
        let value = value.map(|value| contract.without_spans(&value).into_owned());
        let confidences = metrics.confidences;
        let comparer = match &self.contracts {
            DocumentContracts::One(_) => Cow::Borrowed(&self.comparer),
            DocumentContracts::Own(contracts) => {
                Cow::Owned(self.comparer.clone().keyed_by(&contracts[number]))
            }
        };
        let (leaves, judged) = match &value {
            Some(extracted) => {
                let right = document.value_nearest(extracted, &comparer);
                let judged = JudgedLeaf::compared(number, &comparer, &right, extracted, &confidences);
                (comparer.compare(&right, extracted), judged)
            }
            None => (comparer.compare_without_answer(&document.value), Vec::new()),
        };
        spent.spend(metrics.per_model);
        DocumentResult {
            document: document.identity().to_owned(),
            text: document.text.clone(),
            value,
            error,
            leaves,
            usage: metrics.usage,
            confidences,
            judged,
            attempts: metrics.attempts,
            elapsed: metrics.elapsed,
        }
    }
}

/// Returns whether nothing was asked, for a reason that another document most likely has too.
fn is_unasked(error: &ExtractionError) -> bool {
    error.unasked().is_some() || matches!(error, ExtractionError::Settings(_))
}

/// Why nothing was asked, and the error of the settings if it is one.
fn reason(error: &ExtractionError) -> (Option<String>, Option<SettingsError>) {
    match error {
        ExtractionError::Settings(error) => (Some(error.to_string()), Some(error.clone())),
        error => (error.unasked().map(ToString::to_string), None),
    }
}
