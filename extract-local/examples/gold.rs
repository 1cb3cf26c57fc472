//! What checked documents are worth: fields right without them, with some at random as worked
//! examples, and with the nearest. And how well tokens and the agreement of samples tell right fields
//! from wrong ones.
//!
//! ```text
//! cargo run --release -p extractable-local --example gold -- benches/documents/restaurant8k.jsonl
//! ```
//!
//! The first 50 documents are the gold set, and the last 25 are asked about. `--samples` and
//! `--tokens` measure confidence and also ask about the gold set, to calibrate: with three samples
//! and their tokens, or with the tokens of one answer at temperature 0. `--cascade` asks the model of
//! 1.5 billion parameters about the leaves that the small one is unsure of. `--larger` uses that model
//! instead of the one of half a billion; both run in the process. The file is a gold set whose documents
//! have one schema and one instruction.

use std::{env, error::Error};

use extract::{Agent, Confidence, Contract, Extraction, metrics::LeafEvidence};
use extract_gold::{
    Calibration, Candidate, ConfidenceQuality, Evaluation, GoldSet, GoldShots as _, JudgedLeaf,
};
use extract_local::{LocalModel, Model};
use serde_json::Value;

const GOLD: usize = 50;
const ASKED: usize = 25;
const SAMPLES: u32 = 3;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let path =
        env::args().nth(1).ok_or("name a file of documents, such as benches/documents/restaurant8k.jsonl")?;
    let all = GoldSet::read(&path)?;
    let contract = all.contract()?;
    let asked_from = all.len().saturating_sub(ASKED).max(GOLD);
    // The instruction is in the system turn here.
    let uninstructed = all.documents().iter().cloned().map(|mut document| {
        document.instruction = None;
        document
    });
    let uninstructed = GoldSet::from_documents(uninstructed);
    let (gold, asked) = (
        uninstructed.take(GOLD),
        GoldSet::from_documents(uninstructed.documents().iter().skip(asked_from).cloned()),
    );
    let has = |flag: &str| env::args().any(|argument| argument == flag);
    let model = if has("--larger") { Model::Qwen25Coder1_5B } else { Model::Qwen25Coder0_5B };
    let agent = LocalModel::builder().model(model).build()?;
    let asking = Asking {
        agent: &agent,
        contract: &contract,
        instruction: all.documents()[0].instruction.as_deref().unwrap_or_default(),
        gold: &gold,
    };
    let sources = [("--samples", Confidence::Samples(SAMPLES)), ("--tokens", Confidence::Tokens)];
    for (flag, confidence) in sources {
        if has(flag) {
            return asking.measure(confidence, &asked).await;
        }
    }
    if has("--cascade") {
        let larger = LocalModel::builder().model(Model::Qwen25Coder1_5B).build()?;
        return asking.cascade(&larger, &asked).await;
    }
    println!("{}", asking.shots(&asked).await);
    Ok(())
}

/// How documents are asked about.
struct Asking<'a> {
    agent: &'a dyn Agent,
    contract: &'a Contract,
    instruction: &'a str,
    gold: &'a GoldSet,
}

impl<'a> Asking<'a> {
    /// Asks about the same documents with different worked examples.
    async fn shots(&'a self, asked: &'a GoldSet) -> Evaluation {
        let (instruction, gold) = (self.instruction, self.gold);
        let candidate = |name: &str| Candidate::new(name, self.agent);
        let none =
            candidate("none").configure(move |extraction, _| extraction.system(instruction).temperature(0.0));
        let random = candidate("3 at random").configure(move |extraction, document| {
            // The same for every run, and others for every document.
            let mut random = fastrand::Rng::with_seed(document.text.len() as u64);
            let chosen = random.choose_multiple(gold.documents(), 3);
            let shots: Vec<_> =
                chosen.into_iter().map(|shot| (shot.text.clone(), shot.value.clone())).collect();
            extraction.system(instruction).temperature(0.0).choose_shots(|_| shots)
        });
        let nearest = |count: usize| {
            candidate(&format!("{count} nearest"))
                .configure(move |extraction, _| self.with_nearest(extraction, count))
        };
        Evaluation::of(self.contract, asked)
            .candidate(none)
            .candidate(random)
            .candidate(nearest(3))
            .candidate(nearest(6))
            .concurrent(1)
            .run()
            .await
    }

    fn with_nearest(&self, extraction: Extraction<'a, Value>, count: usize) -> Extraction<'a, Value> {
        extraction.system(self.instruction).temperature(0.0).shots_from(self.gold, count)
    }

    /// Measures confidences; the gold set calibrates those of the others.
    async fn measure(&self, confidence: Confidence, asked: &GoldSet) -> Result<(), Box<dyn Error>> {
        let known = self.judged(confidence, self.gold).await;
        let hidden = self.judged(confidence, asked).await;
        let calibration = Calibration::fit(&known, self.contract.fingerprint())?;
        let tokens = |evidence: &LeafEvidence| evidence.tokens;
        let among_all = |evidence: &LeafEvidence| tokens(evidence).and_then(|tokens| tokens.among_all);
        report(&hidden, "agreement", &|evidence| evidence.agreement.unwrap_or_default());
        report(&hidden, "tokens", &|evidence| tokens(evidence).map_or(0.0, |tokens| tokens.probability()));
        report(&hidden, "tokens before the grammar", &|evidence| among_all(evidence).map_or(0.0, f64::exp));
        report(&hidden, "tokens, mean", &|evidence| {
            tokens(evidence).map_or(0.0, |tokens| tokens.mean().exp())
        });
        report(&hidden, "tokens, lowest", &|evidence| {
            tokens(evidence).map_or(0.0, |tokens| tokens.lowest.exp())
        });
        report(&hidden, "raw", &|evidence| evidence.raw().unwrap_or_default());
        report(&hidden, "calibrated", &|evidence| calibration.confidence(evidence));
        Ok(())
    }

    /// Asks a larger model about the unsure leaves, and about everything.
    async fn cascade(&'a self, larger: &'a dyn Agent, asked: &'a GoldSet) -> Result<(), Box<dyn Error>> {
        let known = self.judged(Confidence::Tokens, self.gold).await;
        let calibration = Calibration::fit(&known, self.contract.fingerprint())?;
        let asking = |name: &str, agent| {
            Candidate::new(name, agent).configure(move |extraction, _| self.with_nearest(extraction, 3))
        };
        let cascade = |below: f64| {
            let calibration = calibration.clone();
            Candidate::new(format!("below {below}"), self.agent).configure(move |extraction, _| {
                self.with_nearest(extraction, 3)
                    .confidence(Confidence::Tokens)
                    .calibrated(calibration.clone())
                    .escalate_below(below, larger)
            })
        };
        let evaluation = Evaluation::of(self.contract, asked)
            .candidate(asking("larger", larger))
            .candidate(asking("smaller", self.agent))
            .candidate(cascade(0.5))
            .candidate(cascade(0.7))
            .candidate(cascade(0.9))
            .concurrent(1)
            .run()
            .await;
        println!("{evaluation}");
        for candidate in &evaluation.candidates {
            println!("{}: {:?}", candidate.name, candidate.per_model);
        }
        Ok(())
    }

    /// Asks about each document, with the nearest others as worked examples.
    async fn judged(&self, confidence: Confidence, asked: &GoldSet) -> Vec<JudgedLeaf> {
        let candidate = Candidate::new("measured", self.agent).configure(|extraction, _| {
            let extraction =
                extraction.system(self.instruction).shots_from(self.gold, 3).confidence(confidence);
            if confidence == Confidence::Tokens { extraction.temperature(0.0) } else { extraction }
        });
        let evaluator = Evaluation::of(self.contract, asked).concurrent(1);
        let evaluation = evaluator.candidate(candidate).run().await;
        evaluation.candidates.iter().flat_map(extract_gold::CandidateResult::judged_leaves).collect()
    }
}

fn report(leaves: &[JudgedLeaf], name: &str, score: &dyn Fn(&LeafEvidence) -> f64) {
    let scored: Vec<_> = leaves.iter().map(|leaf| (score(&leaf.evidence), leaf.is_right)).collect();
    let quality = ConfidenceQuality::of(&scored);
    let at_80 = quality.kept.iter().find(|kept| kept.kept < 0.81);
    println!(
        "{name}: {} leaves, {:.3} right, AUROC {:.3}, calibration error {:.3}, of wrong ones gone at 80 % kept {:.3}",
        quality.leaves,
        quality.right,
        quality.auroc,
        quality.calibration_error,
        at_80.map_or(0.0, |kept| kept.wrong_gone),
    );
}
