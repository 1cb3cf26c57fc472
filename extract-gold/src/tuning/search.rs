//! Tries settings on one half of a gold set, and reports on the other.

use std::{
    fmt,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use extract::{
    Contract, Extraction,
    agent::{Agent, ConstraintLevel, Conversation, Request},
    settings::{SchemaNotation, ShotPosition},
};
use serde_json::Value;

use super::{
    budget::{Meter, MeteredAgent, SpentBudget, TuningBudget},
    descriptions::{self, FieldMistakes},
    halves::GoldHalves,
    result::{Tuning, TuningEnd, TuningError, TuningReport, TuningTrial, TuningVerdict},
    settings::TunedSettings,
};
use crate::{
    compare::ValueComparer,
    evaluation::{Candidate, CandidateResult, Evaluation, EvaluationProgress, OnProgress, PairedDifference},
    gold::GoldSet,
    ratio::float,
    shots::ShotChoice,
};

/// Fewest documents: ten that decide and ten for the report.
const MIN_DOCUMENTS: usize = 20;

/// Numbers of shots that are tried.
const SHOT_COUNTS: [usize; 3] = [1, 3, 6];

/// Most characters of a document's name in an error; it may be the whole text.
const MAX_NAME_CHARS: usize = 60;

/// Documents that are asked about at once, if nothing else is said.
const DEFAULT_CONCURRENT: usize = 8;

type ConfigureTrial<'a> =
    Box<dyn for<'x> Fn(Extraction<'x, Value>) -> Extraction<'x, Value> + Send + Sync + 'a>;

/// Chooses how to ask `agent`, by a gold set: the number and place of worked examples, the notation
/// of the schema, whether to think first and, with [`Tuner::describe`], descriptions of fields.
///
/// One half of the documents decides, step by step: of each kind of setting the best trial is kept
/// if it is better by more than noise. The other half says what the chosen settings are worth,
/// against the settings as they were. No document of that half is seen before, and none is ever a
/// worked example. The same seed and the same answers choose the same settings.
///
/// ```
/// use extract::{Contract, testing::block_on};
/// use extract_gold::{GoldDocument, GoldSet, TuningBudget, tune};
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"guests": {"type": "integer"}}, "required": ["guests"]});
/// let contract = Contract::from_schema(schema)?;
/// let documents = (0..40).map(|n| GoldDocument::new(format!("{n} of us"), json!({"guests": n})));
/// let gold = GoldSet::from_documents(documents);
/// // In your program, a model. This one only counts if it may think first.
/// let agent = |prompt: String| async move {
///     let guests = prompt.rsplit_once(" of us").and_then(|(before, _)| before.split_whitespace().last());
///     let guests = guests.filter(|_| prompt.contains("<think>")).unwrap_or("0");
///     Ok::<_, String>(format!(r#"{{"guests": {guests}}}"#))
/// };
/// let tuning = block_on(tune(&contract, &gold, &agent).budget(TuningBudget::unlimited().requests(400)).run())?;
/// assert!(tuning.recommended().is_some_and(|settings| settings.think_first), "{tuning}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn tune<'a>(contract: &'a Contract, gold: &'a GoldSet, agent: &'a dyn Agent) -> Tuner<'a> {
    Tuner {
        contract,
        gold,
        agent,
        describer: None,
        question: None,
        configure: Box::new(|extraction| extraction),
        comparer: ValueComparer::of(contract),
        budget: TuningBudget::unlimited(),
        seed: 0,
        concurrent: DEFAULT_CONCURRENT,
        on_progress: None,
    }
}

/// A tuning that has not run yet. [`tune`] begins one.
#[must_use = "a tuning asks nothing until it is run"]
pub struct Tuner<'a> {
    contract: &'a Contract,
    gold: &'a GoldSet,
    agent: &'a dyn Agent,
    describer: Option<&'a dyn Agent>,
    question: Option<String>,
    configure: ConfigureTrial<'a>,
    comparer: ValueComparer,
    budget: TuningBudget,
    seed: u64,
    concurrent: usize,
    on_progress: Option<Mutex<OnProgress<'a>>>,
}

impl fmt::Debug for Tuner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tuner")
            .field("seed", &self.seed)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}

impl<'a> Tuner<'a> {
    /// Asks this about each text, as [`Candidate::question`] does.
    pub fn question(self, question: impl Into<String>) -> Self {
        Self { question: Some(question.into()), ..self }
    }

    /// Sets the settings of each extraction as they are, such as `|extraction| extraction.system("…")`.
    /// They are the baseline, and the tuned settings are applied after them.
    pub fn configure(
        self,
        configure: impl for<'x> Fn(Extraction<'x, Value>) -> Extraction<'x, Value> + Send + Sync + 'a,
    ) -> Self {
        Self { configure: Box::new(configure), ..self }
    }

    /// Also lets an agent propose descriptions of the fields with the most mistakes. It sees the
    /// schema, and wrong values with their texts, of the half that decides. Schemas with
    /// [sensitive](Contract::has_sensitive_values) values get no proposals.
    pub fn describe(self, agent: &'a dyn Agent) -> Self {
        Self { describer: Some(agent), ..self }
    }

    /// Sets how values are compared, as [`Evaluator::comparer`](crate::Evaluator::comparer) does.
    pub fn comparer(self, comparer: ValueComparer) -> Self {
        Self { comparer, ..self }
    }

    /// Sets what the tuning may take. A part is kept back for the report.
    pub fn budget(self, budget: TuningBudget) -> Self {
        Self { budget, ..self }
    }

    /// Sets the seed, which divides the documents: 0 by default.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Sets how many documents are asked about at once: 8 by default, at least 1.
    pub fn concurrent(self, documents: usize) -> Self {
        Self { concurrent: documents.max(1), ..self }
    }

    /// Calls `callback` when settings are begun to be tried, and after each document. The report is
    /// the last of them, and its documents are asked about twice.
    pub fn on_progress(self, callback: impl FnMut(&EvaluationProgress) + Send + 'a) -> Self {
        Self { on_progress: Some(Mutex::new(Box::new(callback))), ..self }
    }

    /// Tries settings until nothing is left to try or the budget ends, and reports.
    ///
    /// # Errors
    ///
    /// Fewer than 20 documents, a value that does not conform to the schema, a budget without room for one trial, a model without a price where
    /// the cost is limited, or an agent that answers nothing.
    pub async fn run(self) -> Result<Tuning, TuningError> {
        let documents = self.gold.len();
        if documents < MIN_DOCUMENTS {
            return Err(TuningError::TooFewDocuments { documents, needed: MIN_DOCUMENTS });
        }
        self.check_values()?;
        let halves = GoldHalves::of(self.gold, self.seed);
        // The settings as they are, one trial, and a report of both.
        let needed = 2 * documents as u64;
        if let Some(requests) = self.budget.most_requests().filter(|requests| *requests < needed) {
            return Err(TuningError::TooFewRequests { requests, needed });
        }
        let meter = Meter::new(self.budget.clone());
        let searching = Search {
            agent: &MeteredAgent { agent: self.agent, meter: &meter },
            tuner: &self,
            halves: &halves,
            meter: &meter,
            started: Instant::now(),
            trials: AtomicUsize::new(0),
            asked: AtomicUsize::new(0),
        };
        searching.run().await
    }

    fn check_values(&self) -> Result<(), TuningError> {
        for document in self.gold.documents() {
            if let Some(violation) = document.violations(self.contract).first() {
                let document = document.identity().chars().take(MAX_NAME_CHARS).collect();
                return Err(TuningError::NotConforming { document, violation: violation.to_string() });
            }
        }
        Ok(())
    }
}

/// A tuning that runs.
struct Search<'s, 't> {
    tuner: &'s Tuner<'t>,
    halves: &'s GoldHalves,
    agent: &'s MeteredAgent<'s>,
    meter: &'s Meter,
    started: Instant,
    /// How many trials were begun, the report among them.
    trials: AtomicUsize,
    /// How many documents were asked about before the evaluation that is under way.
    asked: AtomicUsize,
}

/// Settings with their answers to the half that decides.
struct Tried {
    settings: TunedSettings,
    result: CandidateResult,
    spent: SpentBudget,
}

impl Search<'_, '_> {
    async fn run(&self) -> Result<Tuning, TuningError> {
        let reported = float(self.halves.reporting.len());
        self.meter.reserve(SpentBudget { requests: 2.0 * reported, ..SpentBudget::default() });
        let mut trials = Vec::new();
        let (best, mut ended) = match self.tried(TunedSettings::default()).await? {
            Some(baseline) => {
                check_answers(&baseline.result)?;
                self.search(&baseline, &mut trials).await?
            }
            None => (None, TuningEnd::Budget),
        };
        self.meter.reserve(SpentBudget::default());
        let chosen = best.map(|best| best.settings).unwrap_or_default();
        let report = if chosen.is_default() { None } else { self.report(&chosen).await? };
        if report.as_ref().is_some_and(|report| report.tuned.documents.len() < self.halves.reporting.len()) {
            ended = TuningEnd::Budget;
        }
        let (metrics, requests) = self.meter.metrics();
        Ok(Tuning {
            trials,
            chosen,
            report,
            ended,
            chosen_on: self.halves.choosing.len(),
            requests,
            usage: metrics.usage,
            cost: self.tuner.budget.prices.as_ref().map(|prices| metrics.cost(prices)),
        })
    }

    /// Improves the settings kind by kind. Returns the best ones, if they are better than the
    /// baseline.
    async fn search(
        &self,
        baseline: &Tried,
        trials: &mut Vec<TuningTrial>,
    ) -> Result<(Option<Tried>, TuningEnd), TuningError> {
        let mut best: Option<Tried> = None;
        for kind in SettingKind::ALL {
            let current = best.as_ref().unwrap_or(baseline);
            let alternatives = self.alternatives(kind, current).await;
            let SearchStep { better, end } = self.step(baseline, current, alternatives, trials).await?;
            best = better.or(best);
            if end == TuningEnd::Budget {
                return Ok((best, end));
            }
        }
        Ok((best, TuningEnd::Complete))
    }

    /// Tries settings of one kind. Returns the best of those that are better than `current`.
    async fn step(
        &self,
        baseline: &Tried,
        current: &Tried,
        alternatives: Vec<TunedSettings>,
        trials: &mut Vec<TuningTrial>,
    ) -> Result<SearchStep, TuningError> {
        let mut step = SearchStep { better: None, end: TuningEnd::Complete };
        let mut kept = None;
        // Both are asked again for the report.
        let per_document = float(self.halves.reporting.len()) / float(self.halves.choosing.len());
        self.meter.reserve(baseline.spent.plus(current.spent).times(per_document));
        for settings in alternatives {
            if !self.meter.has_room_for(current.spent) {
                step.end = TuningEnd::Budget;
                break;
            }
            let Some(tried) = self.tried(settings.clone()).await? else {
                trials.push(TuningTrial { settings, verdict: TuningVerdict::Unfinished });
                step.end = TuningEnd::Budget;
                break;
            };
            let difference = PairedDifference::of(&current.result, &tried.result);
            let verdict = if difference.is_noise() {
                TuningVerdict::Noise
            } else if difference.difference.value < 0.0 {
                TuningVerdict::Worse
            } else if step.better.as_ref().is_none_or(|best| tried.is_better_than(best)) {
                if let Some(surpassed) = kept.replace(trials.len()) {
                    let trial: &mut TuningTrial = &mut trials[surpassed];
                    trial.verdict = TuningVerdict::Surpassed;
                }
                step.better = Some(tried);
                TuningVerdict::Kept
            } else {
                TuningVerdict::Surpassed
            };
            trials.push(TuningTrial { settings, verdict });
        }
        Ok(step)
    }

    /// Returns what to try of one kind.
    async fn alternatives(&self, kind: SettingKind, current: &Tried) -> Vec<TunedSettings> {
        let from = &current.settings;
        match kind {
            SettingKind::Shots => SHOT_COUNTS
                .into_iter()
                .filter(|count| *count < self.halves.choosing.len())
                .map(|count| TunedSettings { shots: Some(ShotChoice::nearest(count)), ..from.clone() })
                .collect(),
            SettingKind::ShotPlace => {
                let Some(choice) = from.shots else { return Vec::new() };
                vec![
                    TunedSettings { shots: Some(choice.nearest_first()), ..from.clone() },
                    TunedSettings { shot_position: ShotPosition::System, ..from.clone() },
                ]
            }
            SettingKind::Notation => {
                let mut notations =
                    vec![SchemaNotation::Types, SchemaNotation::JsonSchema, SchemaNotation::Outline];
                if self.is_constrained().await {
                    notations.push(SchemaNotation::None);
                }
                let of = |notation| TunedSettings { notation, ..from.clone() };
                notations.into_iter().map(of).collect()
            }
            SettingKind::Thoughts => vec![TunedSettings { think_first: true, ..from.clone() }],
            SettingKind::Descriptions => self.described(current).await,
        }
    }

    /// Returns whether the agent is constrained to the schema, and can do without seeing it.
    async fn is_constrained(&self) -> bool {
        let mut request = Request::new(Conversation::default());
        request.schema = Some(std::sync::Arc::new(self.tuner.contract.schema().clone()));
        self.agent.constraint(&request).await.level >= ConstraintLevel::Decoder
    }

    /// Proposes descriptions: of the worst field, of the two worst, and so on.
    async fn described(&self, current: &Tried) -> Vec<TunedSettings> {
        let contract = self.tuner.contract;
        let Some(describer) = self.tuner.describer else { return Vec::new() };
        if !descriptions::may_be_shown(contract) {
            return Vec::new();
        }
        let describer = MeteredAgent { agent: describer, meter: self.meter };
        let mut settings = current.settings.clone();
        let mut proposed = Vec::new();
        for field in FieldMistakes::of(&current.result) {
            let Some(text) = field.propose(contract, &describer).await else { continue };
            if descriptions::described(contract, &field.place, &text) {
                settings.descriptions.insert(field.place.to_string(), text);
                proposed.push(settings.clone());
            }
        }
        // A refused proposal is no trial.
        self.meter.take_refused();
        proposed
    }

    /// Asks about the half that decides; `None` if the budget ended before.
    async fn tried(&self, settings: TunedSettings) -> Result<Option<Tried>, TuningError> {
        let before = self.meter.spent();
        let choosing = &self.halves.choosing;
        let mut trial = self.begin(settings.to_string(), choosing.len());
        let asking = self.result_of(&settings, "trial", choosing, &mut trial);
        let Some(result) = asking.await? else { return Ok(None) };
        Ok(Some(Tried { settings, result, spent: self.meter.spent().since(before) }))
    }

    /// Asks about documents, with shots of the half that decides.
    async fn result_of(
        &self,
        settings: &TunedSettings,
        name: &str,
        asked: &GoldSet,
        trial: &mut EvaluationProgress,
    ) -> Result<Option<CandidateResult>, TuningError> {
        let tuner = self.tuner;
        let mut candidate = Candidate::new(name, self.agent)
            .configure(|extraction, _| settings.apply((tuner.configure)(extraction), &self.halves.choosing));
        if let Some(question) = &tuner.question {
            candidate = candidate.question(question.as_str());
        }
        if let Ok(contract) = settings.contract(tuner.contract) {
            candidate = candidate.contract(contract);
        }
        let evaluator = Evaluation::of(tuner.contract, asked).comparer(tuner.comparer.clone());
        let mut evaluator = evaluator.candidate(candidate).concurrent(tuner.concurrent);
        if let Some(callback) = &tuner.on_progress {
            let trial = &*trial;
            evaluator = evaluator.on_progress(move |progress| {
                let progress = self.progress(trial, progress);
                callback.lock().unwrap_or_else(PoisonError::into_inner)(&progress);
            });
        }
        let evaluation = evaluator.run().await;
        if let Some(result) = evaluation.candidates.first() {
            trial.done += result.documents.len() - result.failures;
            trial.failed += result.failures;
            self.asked.fetch_add(result.documents.len(), Ordering::Relaxed);
        }
        if let Some(model) = self.meter.unpriced() {
            return Err(TuningError::NoPrice { model });
        }
        let is_whole = !self.meter.take_refused();
        Ok(evaluation.candidates.into_iter().next().filter(|_| is_whole))
    }

    /// Begins to count the documents of a trial or of the report, each of which may take several evaluations.
    fn begin(&self, name: String, documents: usize) -> EvaluationProgress {
        let number = self.trials.fetch_add(1, Ordering::Relaxed) + 1;
        EvaluationProgress { name, number, documents, ..EvaluationProgress::default() }
    }

    /// Returns how far the tuning is, from how far one evaluation is.
    fn progress(&self, trial: &EvaluationProgress, evaluation: &EvaluationProgress) -> EvaluationProgress {
        let (metrics, _) = self.meter.metrics();
        EvaluationProgress {
            done: trial.done + evaluation.done,
            failed: trial.failed + evaluation.failed,
            usage: metrics.usage,
            cost: self.tuner.budget.prices.as_ref().map(|prices| metrics.cost(prices)),
            elapsed: self.started.elapsed(),
            asked: self.asked.load(Ordering::Relaxed) + evaluation.asked,
            ..trial.clone()
        }
    }

    /// Compares on the other half, some documents at a time, so that both were asked about those
    /// that are reported. `None` if the budget is not enough for any.
    async fn report(&self, chosen: &TunedSettings) -> Result<Option<TuningReport>, TuningError> {
        let untuned = TunedSettings::default();
        let (mut baseline, mut tuned) = (Vec::new(), Vec::new());
        let mut progress = self.begin(format!("report on {chosen}"), 2 * self.halves.reporting.len());
        for some in self.halves.reporting.documents().chunks(self.tuner.concurrent) {
            let some = GoldSet::from_documents(some.iter().cloned());
            let Some(before) = self.result_of(&untuned, AS_IT_WAS, &some, &mut progress).await? else {
                break;
            };
            let Some(after) = self.result_of(chosen, TUNED, &some, &mut progress).await? else { break };
            baseline.push(before);
            tuned.push(after);
        }
        let whole = |parts| CandidateResult::merged(parts, self.tuner.budget.prices.as_ref());
        let (Some(baseline), Some(tuned)) = (whole(baseline), whole(tuned)) else { return Ok(None) };
        let difference = PairedDifference::of(&baseline, &tuned);
        Ok(Some(TuningReport { baseline, tuned, difference }))
    }
}

/// Ends a tuning whose agent cannot be asked at all.
fn check_answers(baseline: &CandidateResult) -> Result<(), TuningError> {
    if baseline.failures < baseline.documents.len() {
        return Ok(());
    }
    let first = baseline.documents.iter().find_map(|document| document.error.clone());
    Err(TuningError::NoAnswers { first: first.unwrap_or_default() })
}

/// What a [step](Search::step) found.
struct SearchStep {
    better: Option<Tried>,
    end: TuningEnd,
}

impl Tried {
    /// More leaves right or, if as many, fewer tokens.
    fn is_better_than(&self, other: &Self) -> bool {
        let right = |tried: &Self| tried.result.exact.value;
        match right(self).total_cmp(&right(other)) {
            std::cmp::Ordering::Equal => self.result.usage.total() < other.result.usage.total(),
            order => order.is_gt(),
        }
    }
}

/// The names of the two candidates of a report.
const AS_IT_WAS: &str = "as it was";
const TUNED: &str = "tuned";

/// Kinds of settings, in the order in which they are tried: what was measured to do most comes
/// first.
#[derive(Debug, Clone, Copy)]
enum SettingKind {
    Shots,
    ShotPlace,
    Notation,
    Thoughts,
    Descriptions,
}

impl SettingKind {
    const ALL: [Self; 5] = [Self::Shots, Self::ShotPlace, Self::Notation, Self::Thoughts, Self::Descriptions];
}
