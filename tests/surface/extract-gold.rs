// compare/equal.rs
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Tolerance {
    pub ignores_case: bool,
    pub ignores_white_space: bool,
    pub reads_dates: bool,
    pub relative: f64,
    pub absolute: f64,
}
impl Tolerance {
    #[must_use]
    pub fn case(self) -> Self {}
    #[must_use]
    pub fn white_space(self) -> Self {}
    #[must_use]
    pub fn dates(self) -> Self {}
    #[must_use]
    pub fn relative(self, share: f64) -> Self {}
    #[must_use]
    pub fn absolute(self, difference: f64) -> Self {}
    pub fn allows(&self, gold: &Value, extracted: &Value) -> bool {}
}

// compare/mod.rs
pub use self::equal::Tolerance;
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub enum LeafOutcome {
    Right,
    RightlyAbsent,
    Missing,
    Invented,
    OtherValue,
    OtherForm,
}
impl LeafOutcome {
    pub fn is_right(self) -> bool {}
}
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LeafComparison {
    pub field: String,
    pub path: Path,
    pub gold: Value,
    pub extracted: Value,
    pub outcome: LeafOutcome,
}
#[derive(Clone, Default)]
pub struct ValueComparer {}
impl ValueComparer {
    pub fn new() -> Self {}
    pub fn of(contract: &Contract) -> Self {}
    #[must_use]
    pub fn tolerance(mut self, tolerance: Tolerance) -> Self {}
    #[must_use]
    pub fn field(mut self, field: impl Into<String>, tolerance: Tolerance) -> Self {}
    #[must_use]
    pub fn equal_if(
        mut self,
        field: impl Into<String>,
        equal: impl Fn(&Value, &Value) -> bool + Send + Sync + 'static,
    ) -> Self {}
    #[must_use]
    pub fn keys<K: Into<String>>(
        mut self,
        list: impl Into<String>,
        keys: impl IntoIterator<Item = K>,
    ) -> Self {}
    pub fn compare(&self, gold: &Value, extracted: &Value) -> Vec<LeafComparison> {}
}

// confidence/calibration.rs
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JudgedLeaf {
    pub document: usize,
    pub evidence: LeafEvidence,
    pub is_right: bool,
}
impl JudgedLeaf {
    pub fn new(document: usize, evidence: LeafEvidence, is_right: bool) -> Self {}
    pub fn of(
        document: usize,
        contract: &Contract,
        right: &Value,
        extracted: &Value,
        confidences: &Confidences,
    ) -> Vec<Self> {}
}
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {}
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    #[non_exhaustive]
    TooFewDocuments { documents: usize },
}
impl Calibration {
    pub fn fit(
        leaves: &[JudgedLeaf],
        schema: impl Into<String>,
    ) -> Result<Self, CalibrationError> {}
    pub fn check_documents(documents: usize) -> Result<(), CalibrationError> {}
    pub fn confidence(&self, evidence: &LeafEvidence) -> f64 {}
    pub fn schema(&self) -> &str {}
    pub fn documents(&self) -> usize {}
    pub fn cross_validate(
        leaves: &[JudgedLeaf],
    ) -> Result<ConfidenceQuality, CalibrationError> {}
}

// confidence/mod.rs
pub use self::{
    calibration::{Calibration, CalibrationError, JudgedLeaf},
    quality::{ConfidenceQuality, KeptShare},
};

// confidence/quality.rs
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ConfidenceQuality {
    pub leaves: usize,
    pub right: f64,
    pub auroc: f64,
    pub calibration_error: f64,
    pub kept: Vec<KeptShare>,
}
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct KeptShare {
    pub kept: f64,
    pub right: f64,
    pub wrong_gone: f64,
}
impl ConfidenceQuality {
    pub fn of(leaves: &[(f64, bool)]) -> Self {}
}

// evaluation/mod.rs
pub use self::{
    progress::EvaluationProgress,
    result::{CandidateResult, DocumentResult, Evaluation, FieldScore, PairedDifference},
    run::{Candidate, Evaluator},
    score::{Interval, Score},
};

// evaluation/page.rs
impl Evaluation {
    pub fn to_html(&self) -> String {}
}

// evaluation/progress.rs
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct EvaluationProgress {
    pub name: String,
    pub number: usize,
    pub candidates: Option<usize>,
    pub documents: usize,
    pub done: usize,
    pub failed: usize,
    pub usage: TokenUsage,
    pub cost: Option<Cost>,
    pub elapsed: Duration,
    pub asked: usize,
    pub left: Option<Duration>,
}

// evaluation/result.rs
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Evaluation {
    pub candidates: Vec<CandidateResult>,
    pub differences: Vec<PairedDifference>,
}
impl Evaluation {
    pub fn of<'a>(contract: &'a Contract, gold: &'a GoldSet) -> Evaluator<'a> {}
    pub fn by_own_schemas(gold: &GoldSet) -> Result<Evaluator<'_>, GoldError> {}
}
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct CandidateResult {
    pub name: String,
    pub score: Score,
    pub exact: Interval,
    pub exact_documents: Interval,
    pub conforming: Vec<Interval>,
    pub fields: Vec<FieldScore>,
    pub documents: Vec<DocumentResult>,
    pub usage: TokenUsage,
    pub cost: Option<Cost>,
    pub elapsed: Duration,
    pub failures: usize,
    pub agent_error: Option<String>,
    pub settings_error: Option<SettingsError>,
    pub per_model: Vec<ModelUsage>,
}
impl CandidateResult {
    pub fn judged_leaves(&self) -> Vec<JudgedLeaf> {}
}
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FieldScore {
    pub field: String,
    pub score: Score,
}
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct DocumentResult {
    pub document: String,
    pub text: String,
    pub value: Option<Value>,
    pub error: Option<String>,
    pub leaves: Vec<LeafComparison>,
    pub usage: TokenUsage,
    pub confidences: Confidences,
    pub attempts: u32,
    pub elapsed: Duration,
}
impl DocumentResult {
    pub fn wrong(&self) -> impl Iterator<Item = &LeafComparison> {}
}
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PairedDifference {
    pub candidate: String,
    pub baseline: String,
    pub difference: Interval,
    pub better: usize,
    pub worse: usize,
}
impl PairedDifference {
    pub fn is_noise(&self) -> bool {}
    pub fn is_better(&self) -> bool {}
}

// evaluation/run.rs
pub struct Candidate<'a> {}
impl<'a> Candidate<'a> {
    pub fn new(name: impl Into<String>, agent: &'a dyn Agent) -> Self {}
    #[must_use]
    pub fn contract(mut self, contract: Contract) -> Self {}
    #[must_use]
    pub fn question(mut self, question: impl Into<String>) -> Self {}
    #[must_use]
    pub fn configure(
        mut self,
        configure: impl Fn(
            Extraction<'a, Value>,
            &'a GoldDocument,
        ) -> Extraction<'a, Value> + Send + Sync + 'a,
    ) -> Self {}
}
#[derive(Debug)]
#[must_use = "an evaluation asks nothing until it is run"]
pub struct Evaluator<'a> {}
impl<'a> Evaluator<'a> {
    pub fn agent(self, name: impl Into<String>, agent: &'a dyn Agent) -> Self {}
    pub fn candidate(mut self, candidate: Candidate<'a>) -> Self {}
    pub fn comparer(mut self, comparer: ValueComparer) -> Self {}
    pub fn concurrent(mut self, documents: usize) -> Self {}
    pub fn prices(mut self, prices: Prices) -> Self {}
    pub fn on_progress(
        mut self,
        callback: impl FnMut(&EvaluationProgress) + Send + 'a,
    ) -> Self {}
    pub async fn run(self) -> Evaluation {}
}

// evaluation/score.rs
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Score {
    pub right: usize,
    pub rightly_absent: usize,
    pub missing: usize,
    pub invented: usize,
    pub other_value: usize,
    pub other_form: usize,
}
impl Score {
    pub fn total(&self) -> usize {}
    pub fn exact(&self) -> f64 {}
    pub fn precision(&self) -> Option<f64> {}
    pub fn recall(&self) -> Option<f64> {}
}
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Interval {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}
impl Interval {
    pub fn excludes_zero(&self) -> bool {}
}

// gold/document.rs
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GoldDocument {
    pub key: Option<String>,
    pub text: String,
    pub path: Option<PathBuf>,
    pub media_type: Option<String>,
    pub instruction: Option<String>,
    pub value: Value,
    pub alternatives: BTreeMap<String, Vec<Value>>,
    pub checked_by: Option<String>,
    pub checked_at: Option<String>,
    pub schema: Option<GoldSchema>,
    pub withdrawn: bool,
    pub other: Map<String, Value>,
}
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum GoldSchema {
    Fingerprint(String),
    Whole(Value),
}
impl GoldDocument {
    pub fn new(text: impl Into<String>, value: impl Into<Value>) -> Self {}
    #[must_use]
    pub fn with_key(mut self, key: impl Into<String>) -> Self {}
    pub fn identity(&self) -> &str {}
    pub fn violations(&self, contract: &Contract) -> Vec<Violation> {}
    pub fn value_nearest(
        &self,
        extracted: &Value,
        comparer: &ValueComparer,
    ) -> Cow<'_, Value> {}
}

// gold/mod.rs
pub use self::document::{GoldDocument, GoldSchema};
#[derive(Debug, Clone, Default)]
pub struct GoldSet {}
impl GoldSet {
    pub fn from_documents(documents: impl IntoIterator<Item = GoldDocument>) -> Self {}
    pub fn read(path: impl AsRef<Path>) -> Result<Self, GoldError> {}
    pub fn read_with(
        path: impl AsRef<Path>,
        mut read_text: impl FnMut(&Path) -> io::Result<String>,
    ) -> Result<Self, GoldError> {}
    pub fn append(
        path: impl AsRef<Path>,
        document: &GoldDocument,
    ) -> Result<(), GoldError> {}
    pub fn documents(&self) -> &[GoldDocument] {}
    #[must_use]
    pub fn take(&self, count: usize) -> Self {}
    pub fn contract(&self) -> Result<Contract, GoldError> {}
    pub fn contracts(&self) -> Result<Vec<Contract>, GoldError> {}
    pub fn line(&self, number: usize) -> Option<usize> {}
    pub fn len(&self) -> usize {}
    pub fn without_text(&self) -> usize {}
    pub fn replaced(&self) -> usize {}
    pub fn is_empty(&self) -> bool {}
}
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GoldError {
    #[non_exhaustive]
    File { path: PathBuf, error: io::Error },
    #[non_exhaustive]
    Lines { path: PathBuf, lines: Vec<WrongGoldLine>, more: usize },
    #[non_exhaustive]
    Schema { document: String, line: Option<usize>, cause: String },
    Empty,
}
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrongGoldLine {
    pub line: usize,
    pub cause: String,
}

// lib.rs
pub use self::{
    compare::{LeafComparison, LeafOutcome, Tolerance, ValueComparer},
    confidence::{
        Calibration, CalibrationError, ConfidenceQuality, JudgedLeaf, KeptShare,
    },
    evaluation::{
        Candidate, CandidateResult, DocumentResult, Evaluation, EvaluationProgress,
        Evaluator, FieldScore, Interval, PairedDifference, Score,
    },
    gold::{GoldDocument, GoldError, GoldSchema, GoldSet, WrongGoldLine},
    nearest::NearestDocuments,
    review::{
        ReviewCandidate, ReviewError, ReviewEstimate, ReviewFile, ReviewItem,
        ReviewQueue, ReviewReason, ReviewResult,
    },
    shots::{GoldShots, ShotChoice},
    tuning::{
        TunedSettings, Tuner, Tuning, TuningBudget, TuningEnd, TuningError, TuningReport,
        TuningTrial, TuningVerdict, tune,
    },
};

// nearest.rs
#[derive(Debug, Clone, Default)]
pub struct NearestDocuments {}
impl NearestDocuments {
    pub fn of<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Self {}
    pub fn nearest(&self, text: &str) -> Vec<(usize, f64)> {}
}

// review/estimate.rs
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReviewResult {
    pub reason: ReviewReason,
    pub right: usize,
    pub leaves: usize,
}
impl ReviewResult {
    pub fn new(
        contract: &Contract,
        reason: ReviewReason,
        extracted: Option<&Value>,
        decided: &Value,
    ) -> Self {}
    pub fn is_right(&self) -> bool {}
}
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReviewEstimate {
    pub documents: usize,
    pub reviewed: usize,
    pub right: usize,
    pub leaves: usize,
    pub right_leaves: usize,
    pub rest: usize,
    pub open: usize,
    pub sampled: usize,
    pub rest_right: Option<Interval>,
    pub rest_right_leaves: Option<f64>,
}
impl ReviewEstimate {
    pub fn of(
        documents: impl IntoIterator<Item = (ReviewReason, Option<ReviewResult>)>,
    ) -> Self {}
}

// review/file.rs
#[derive(Debug)]
pub struct ReviewFile {}
impl ReviewFile {
    pub fn open(path: impl AsRef<Path>) -> Result<Self, GoldError> {}
    pub fn refresh(&mut self) -> Result<(), GoldError> {}
    pub fn version(&self, identity: &str) -> u64 {}
    pub fn get(&self, identity: &str) -> Option<&GoldDocument> {}
    pub fn line(&self, identity: &str) -> Option<usize> {}
    pub fn decisions(&self) -> impl Iterator<Item = &GoldDocument> {}
    pub fn decide(
        &mut self,
        mut document: GoldDocument,
        seen: u64,
    ) -> Result<u64, ReviewError> {}
}
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReviewError {
    #[non_exhaustive]
    Conflict { version: u64 },
    Gold(GoldError),
}

// review/mod.rs
pub use self::{
    estimate::{ReviewEstimate, ReviewResult},
    file::{ReviewError, ReviewFile},
    queue::{ReviewCandidate, ReviewItem, ReviewQueue, ReviewReason},
};

// review/queue.rs
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize
)]
#[non_exhaustive]
pub enum ReviewReason {
    Failed,
    Unsure,
    Conflict,
    Changed,
    Sampled,
    Rest,
}
impl ReviewReason {
    pub fn is_sure(self) -> bool {}
}
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewCandidate {}
impl ReviewCandidate {
    pub fn new(key: impl Into<String>) -> Self {}
    #[must_use]
    pub fn failed(mut self) -> Self {}
    #[must_use]
    pub fn conflicts(mut self, conflicts: usize) -> Self {}
    #[must_use]
    pub fn changes(mut self, changes: usize) -> Self {}
    #[must_use]
    pub fn confidence(mut self, least: f64) -> Self {}
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReviewItem {
    pub key: String,
    pub reason: ReviewReason,
}
#[derive(Debug, Clone, Default)]
pub struct ReviewQueue {}
impl ReviewQueue {
    pub fn new(
        documents: impl IntoIterator<Item = ReviewCandidate>,
        threshold: f64,
        sample: usize,
    ) -> Self {}
    pub fn items(&self) -> &[ReviewItem] {}
}

// shots.rs
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShotChoice {
    pub count: usize,
    pub max_tokens: Option<u64>,
    pub nearest_last: bool,
    pub takes_first: bool,
}
impl ShotChoice {
    pub fn nearest(count: usize) -> Self {}
    pub fn first(count: usize) -> Self {}
    #[must_use]
    pub fn within_tokens(self, tokens: u64) -> Self {}
    #[must_use]
    pub fn nearest_first(self) -> Self {}
}
impl GoldSet {
    pub fn shots_for(
        &self,
        text: &str,
        choice: impl Into<ShotChoice>,
    ) -> Vec<&GoldDocument> {}
}
pub trait GoldShots<'a>: Sized {
    #[must_use]
    fn shots_from(self, gold: &'a GoldSet, choice: impl Into<ShotChoice>) -> Self;
}

// tuning/budget.rs
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct TuningBudget {}
impl TuningBudget {
    pub fn unlimited() -> Self {}
    pub fn requests(self, requests: u64) -> Self {}
    pub fn tokens(self, tokens: u64) -> Self {}
    pub fn cost(self, amount: f64, prices: Prices) -> Self {}
}

// tuning/mod.rs
pub use self::{
    budget::TuningBudget,
    result::{Tuning, TuningEnd, TuningError, TuningReport, TuningTrial, TuningVerdict},
    search::{Tuner, tune},
    settings::TunedSettings,
};

// tuning/result.rs
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Tuning {
    pub trials: Vec<TuningTrial>,
    pub chosen: TunedSettings,
    pub report: Option<TuningReport>,
    pub ended: TuningEnd,
    pub chosen_on: usize,
    pub requests: u64,
    pub usage: TokenUsage,
    pub cost: Option<Cost>,
}
impl Tuning {
    pub fn recommended(&self) -> Option<&TunedSettings> {}
}
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct TuningReport {
    pub baseline: CandidateResult,
    pub tuned: CandidateResult,
    pub difference: PairedDifference,
}
impl TuningReport {
    pub fn is_better(&self) -> bool {}
}
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TuningTrial {
    pub settings: TunedSettings,
    pub verdict: TuningVerdict,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub enum TuningVerdict {
    Kept,
    Surpassed,
    Noise,
    Worse,
    Unfinished,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub enum TuningEnd {
    Complete,
    Budget,
}
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TuningError {
    #[non_exhaustive]
    TooFewDocuments { documents: usize, needed: usize },
    #[non_exhaustive]
    NotConforming { document: String, violation: String },
    #[non_exhaustive]
    TooFewRequests { requests: u64, needed: u64 },
    #[non_exhaustive]
    NoPrice { model: String },
    #[non_exhaustive]
    NoAnswers { first: String },
}

// tuning/search.rs
pub fn tune<'a>(
    contract: &'a Contract,
    gold: &'a GoldSet,
    agent: &'a dyn Agent,
) -> Tuner<'a> {}
#[must_use = "a tuning asks nothing until it is run"]
pub struct Tuner<'a> {}
impl<'a> Tuner<'a> {
    pub fn question(self, question: impl Into<String>) -> Self {}
    pub fn configure(
        self,
        configure: impl for<'x> Fn(
            Extraction<'x, Value>,
        ) -> Extraction<'x, Value> + Send + Sync + 'a,
    ) -> Self {}
    pub fn describe(self, agent: &'a dyn Agent) -> Self {}
    pub fn comparer(self, comparer: ValueComparer) -> Self {}
    pub fn budget(self, budget: TuningBudget) -> Self {}
    pub fn seed(self, seed: u64) -> Self {}
    pub fn concurrent(self, documents: usize) -> Self {}
    pub fn on_progress(
        self,
        callback: impl FnMut(&EvaluationProgress) + Send + 'a,
    ) -> Self {}
    pub async fn run(self) -> Result<Tuning, TuningError> {}
}

// tuning/settings.rs
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TunedSettings {
    pub notation: SchemaNotation,
    pub shots: Option<ShotChoice>,
    pub shot_position: ShotPosition,
    pub think_first: bool,
    pub descriptions: BTreeMap<String, String>,
}
impl TunedSettings {
    pub fn is_default(&self) -> bool {}
    pub fn apply<'a, T, C>(
        &self,
        extraction: Extraction<'a, T, C>,
        gold: &'a GoldSet,
    ) -> Extraction<'a, T, C> {}
    pub fn contract(&self, contract: &Contract) -> Result<Contract, NarrowingError> {}
    pub fn options(&self) -> Vec<(&'static str, Value)> {}
    pub fn doc_comments(&self) -> String {}
}

