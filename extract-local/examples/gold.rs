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
//! and their tokens, or with the tokens of one answer at temperature 0. A document is a line of JSON with `text`, `instruction`,
//! `json_schema` and `gold`. The model has half a billion parameters and runs in the process.

use std::{env, error::Error, fs};

use extract::{Agent, Confidence, Contract, metrics::LeafEvidence};
use extract_gold::{
    Calibration, Candidate, ConfidenceQuality, Evaluation, GoldDocument, GoldSet, GoldShots as _, JudgedLeaf,
};
use extract_local::{LocalModel, Model};
use serde::Deserialize;
use serde_json::Value;

const GOLD: usize = 50;
const ASKED: usize = 25;
const SAMPLES: u32 = 3;

#[derive(Deserialize)]
struct Line {
    text: String,
    instruction: String,
    json_schema: Value,
    gold: Value,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let path =
        env::args().nth(1).ok_or("name a file of documents, such as benches/documents/restaurant8k.jsonl")?;
    let lines: Vec<Line> =
        fs::read_to_string(path)?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let first = lines.first().ok_or("the file is empty")?;
    let contract = Contract::from_schema(first.json_schema.clone())?;
    let instruction = first.instruction.clone();
    let documents = |lines: &[Line]| {
        GoldSet::from_documents(
            lines.iter().map(|line| GoldDocument::new(line.text.as_str(), line.gold.clone())),
        )
    };
    let asked_from = lines.len().saturating_sub(ASKED).max(GOLD);
    let (gold, asked) = (documents(&lines[..GOLD.min(lines.len())]), documents(&lines[asked_from..]));

    let agent = LocalModel::builder().model(Model::Qwen25Coder0_5B).build()?;
    let sources = [("--samples", Confidence::Samples(SAMPLES)), ("--tokens", Confidence::Tokens)];
    for (flag, confidence) in sources {
        if env::args().any(|argument| argument == flag) {
            let ask = Asking { agent: &agent, contract: &contract, instruction: &instruction, gold: &gold };
            return ask.measure(confidence, &asked).await;
        }
    }
    let evaluation = shots(&agent, &contract, &instruction, &gold, &asked).await;
    println!("{evaluation}");
    Ok(())
}

/// The same documents with different worked examples.
async fn shots(
    agent: &dyn Agent,
    contract: &Contract,
    instruction: &str,
    gold: &GoldSet,
    asked: &GoldSet,
) -> Evaluation {
    let candidate = |name: &str| Candidate::new(name, agent);
    let none = candidate("none").configure(|extraction, _| extraction.system(instruction).temperature(0.0));
    let random = candidate("3 at random").configure(|extraction, document| {
        // The same for every run, and others for every document.
        let mut random = fastrand::Rng::with_seed(document.text.len() as u64);
        let chosen = random.choose_multiple(gold.documents(), 3);
        let shots: Vec<_> = chosen.into_iter().map(|shot| (shot.text.clone(), shot.value.clone())).collect();
        extraction.system(instruction).temperature(0.0).choose_shots(|_| shots)
    });
    let nearest = |count: usize| {
        candidate(&format!("{count} nearest")).configure(move |extraction, _| {
            extraction.system(instruction).temperature(0.0).shots_from(gold, count)
        })
    };
    Evaluation::of(contract, asked)
        .candidate(none)
        .candidate(random)
        .candidate(nearest(3))
        .candidate(nearest(6))
        .concurrent(1)
        .run()
        .await
}

/// How documents are asked about.
struct Asking<'a> {
    agent: &'a dyn Agent,
    contract: &'a Contract,
    instruction: &'a str,
    gold: &'a GoldSet,
}

impl Asking<'_> {
    /// The gold set calibrates the confidence of the others.
    async fn measure(&self, confidence: Confidence, asked: &GoldSet) -> Result<(), Box<dyn Error>> {
        let known = self.judged(confidence, self.gold).await?;
        let hidden = self.judged(confidence, asked).await?;
        let calibration = Calibration::fit(&known, self.contract.fingerprint())?;
        report(&hidden, "agreement", &|evidence| evidence.agreement.unwrap_or_default());
        report(&hidden, "tokens", &|evidence| evidence.tokens.map_or(0.0, |tokens| tokens.probability()));
        let among_all = |evidence: &LeafEvidence| evidence.tokens.and_then(|tokens| tokens.among_all);
        report(&hidden, "tokens before the grammar", &|evidence| {
            among_all(evidence).unwrap_or_default().exp()
        });
        report(&hidden, "tokens, mean", &|evidence| {
            evidence.tokens.map_or(0.0, |tokens| tokens.mean().exp())
        });
        report(&hidden, "tokens, lowest", &|evidence| {
            evidence.tokens.map_or(0.0, |tokens| tokens.lowest.exp())
        });
        report(&hidden, "raw", &|evidence| evidence.raw().unwrap_or_default());
        report(&hidden, "calibrated", &|evidence| calibration.confidence(evidence));
        Ok(())
    }

    /// Asks about each document, with the nearest others as worked examples.
    async fn judged(
        &self,
        confidence: Confidence,
        asked: &GoldSet,
    ) -> Result<Vec<JudgedLeaf>, Box<dyn Error>> {
        let mut judged = Vec::new();
        for (number, document) in asked.documents().iter().enumerate() {
            let mut extraction = self.contract.extract(self.agent, document.text.as_str());
            extraction = extraction.system(self.instruction).shots_from(self.gold, 3).confidence(confidence);
            if confidence == Confidence::Tokens {
                extraction = extraction.temperature(0.0);
            }
            let Ok((value, metrics)) = extraction.await else { continue };
            let leaves = JudgedLeaf::of(number, self.contract, &document.value, &value, &metrics.confidences);
            judged.extend(leaves);
        }
        Ok(judged)
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
