//! What checked documents are worth: fields right without them, with some at random as worked
//! examples, and with the nearest. And how well the agreement of samples tells right fields from
//! wrong ones.
//!
//! ```text
//! cargo run --release -p extractable-local --example gold -- benches/documents/restaurant8k.jsonl
//! ```
//!
//! The first 50 documents are the gold set, and the last 25 are asked about; `--samples` also asks
//! about the gold set, to calibrate. A document is a line of JSON with `text`, `instruction`,
//! `json_schema` and `gold`. The model has half a billion parameters and runs in the process.

use std::{env, error::Error, fs};

use extract::{Agent, Contract};
use extract_gold::{
    Calibration, Candidate, ConfidenceQuality, Evaluation, GoldDocument, GoldSet, GoldShots as _, JudgedLeaf,
    Sampled, Samples, ValueComparer,
};
use extract_local::{LocalModel, Model};
use serde::Deserialize;
use serde_json::Value;

const GOLD: usize = 50;
const ASKED: usize = 25;
const SAMPLES: usize = 3;

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
    if env::args().any(|argument| argument == "--samples") {
        return confidence(&agent, &contract, &instruction, &gold, &asked).await;
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

/// Samples of the gold set calibrate the confidence of the others.
async fn confidence(
    agent: &dyn Agent,
    contract: &Contract,
    instruction: &str,
    gold: &GoldSet,
    asked: &GoldSet,
) -> Result<(), Box<dyn Error>> {
    let known = judged(agent, contract, instruction, gold, gold).await?;
    let hidden = judged(agent, contract, instruction, gold, asked).await?;
    let calibration = Calibration::fit(&known, "")?;
    let quality = |score: &dyn Fn(&JudgedLeaf) -> f64| {
        let scored: Vec<_> = hidden.iter().map(|leaf| (score(leaf), leaf.is_right)).collect();
        ConfidenceQuality::of(&scored)
    };
    for (name, quality) in [
        ("agreement", quality(&|leaf| leaf.evidence.agreement.unwrap_or_default())),
        ("calibrated", quality(&|leaf| calibration.confidence(&leaf.evidence))),
    ] {
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
    Ok(())
}

/// Asks for samples of each document, with the nearest others as worked examples.
async fn judged(
    agent: &dyn Agent,
    contract: &Contract,
    instruction: &str,
    gold: &GoldSet,
    asked: &GoldSet,
) -> Result<Vec<JudgedLeaf>, Box<dyn Error>> {
    let mut judged = Vec::new();
    for (number, document) in asked.documents().iter().enumerate() {
        let ask = || contract.extract(agent, document.text.as_str()).system(instruction).shots_from(gold, 3);
        let samples = Samples::of(SAMPLES).concurrent(1);
        let Ok(Sampled { value, confidences, .. }) = samples.extract_by(contract, &document.text, ask).await
        else {
            continue;
        };
        let leaves = ValueComparer::of(contract).compare(&document.value, &value);
        for leaf in confidences.leaves {
            let is_right = leaves.iter().any(|right| right.path == leaf.path && right.outcome.is_right());
            judged.push(JudgedLeaf::new(number, leaf.evidence, is_right));
        }
    }
    Ok(judged)
}
