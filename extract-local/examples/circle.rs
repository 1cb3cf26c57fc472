//! From corrections to better answers, with a model of half a billion parameters in the process:
//! 60 documents are extracted, the 20 least sure ones are reviewed, and the other 40 are extracted
//! again with the reviewed ones as worked examples.
//!
//! ```text
//! cargo run --release -p extractable-local --example circle
//! ```
//!
//! The reviewer is a file with the right values: a decision is to accept a document, or to correct a
//! field. Another file of `benches/documents` may be named. The decisions are in
//! `circle.gold.jsonl`, in the folder for temporary files.

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use extract::{
    Confidence, Contract,
    agent::{AgentExt as _, MemoryStore},
};
use extract_gold::{
    Candidate, CandidateResult, DocumentResult, Evaluation, GoldSchema, GoldSet, GoldShots as _,
    ReviewCandidate, ReviewFile, ReviewQueue,
};
use extract_local::{LocalModel, Model};

const EXTRACTED: usize = 60;
const REVIEWED: usize = 20;
const SHOTS: usize = 3;

/// Above every confidence, so that the queue has all documents in the order of their confidence.
const EVERY: f64 = 2.0;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/documents/restaurant8k.jsonl");
    let all = GoldSet::read(env::args().nth(1).map_or(usual, PathBuf::from))?.take(EXTRACTED);
    let contract = all.contract()?;
    if all.len() < EXTRACTED {
        return Err("60 documents are needed".into());
    }
    let instruction = all.documents()[0].instruction.clone().unwrap_or_default();
    // It is in the system turn here.
    let all = GoldSet::from_documents(all.documents().iter().cloned().map(|mut document| {
        document.instruction = None;
        document
    }));
    // What was asked before the review is not asked again for the comparison.
    let agent =
        LocalModel::builder().model(Model::Qwen25Coder0_5B).build()?.cached(MemoryStore::new(EXTRACTED));
    let asked = |name: &str| Candidate::new(name, &agent);

    let before = || {
        asked("before").configure(|extraction, _| {
            extraction.system(instruction.as_str()).temperature(0.0).confidence(Confidence::Tokens)
        })
    };
    let of = |gold| Evaluation::of(&contract, gold).concurrent(1);
    let extracted = of(&all).candidate(before()).run().await;
    let extracted = &extracted.candidates[0];
    println!("{EXTRACTED} extracted: fields right {}", extracted.exact);

    let least_sure = least_sure(extracted);
    let (reviewed, decisions) = review(&all, extracted, &least_sure, &contract)?;
    println!("{}", decisions.told());

    let others =
        all.documents().iter().filter(|document| !least_sure.contains(&document.identity().to_owned()));
    let others = GoldSet::from_documents(others.cloned());
    let after = asked("after").configure(|extraction, _| {
        extraction.system(instruction.as_str()).temperature(0.0).shots_from(&reviewed, SHOTS)
    });
    let evaluator = of(&others).candidate(before()).candidate(after);
    println!("\nthe other {}, before and after:\n{}", others.len(), evaluator.run().await);
    Ok(())
}

/// The names of the documents to review, the least sure first.
fn least_sure(extracted: &CandidateResult) -> Vec<String> {
    let candidate = |document: &DocumentResult| {
        let candidate = ReviewCandidate::new(document.document.as_str());
        let least =
            document.confidences.leaves.iter().filter_map(|leaf| leaf.confidence).min_by(f64::total_cmp);
        match (&document.value, least) {
            (None, _) => candidate.failed(),
            (Some(_), Some(least)) => candidate.confidence(least),
            (Some(_), None) => candidate,
        }
    };
    let queue = ReviewQueue::new(extracted.documents.iter().map(candidate), EVERY, 0);
    queue.items().iter().take(REVIEWED).map(|item| item.key.clone()).collect()
}

/// What a reviewer did.
#[derive(Default)]
struct Decisions {
    accepted: usize,
    corrected: usize,
    fields: usize,
}

impl Decisions {
    fn told(&self) -> String {
        let Self { accepted, corrected, fields } = self;
        let decisions = accepted + corrected + fields;
        format!(
            "{} reviewed, the least sure: {accepted} accepted as they were, {corrected} after {fields} fields were \
             corrected; {decisions} decisions",
            accepted + corrected,
        )
    }
}

/// Appends the right values to a gold set, as a reviewer does, and counts the decisions.
fn review(
    all: &GoldSet,
    extracted: &CandidateResult,
    keys: &[String],
    contract: &Contract,
) -> Result<(GoldSet, Decisions), Box<dyn Error>> {
    let path = env::temp_dir().join("circle.gold.jsonl");
    if path.exists() {
        fs::remove_file(&path)?;
    }
    let mut file = ReviewFile::open(&path)?;
    let mut decisions = Decisions::default();
    for key in keys {
        let right = all.documents().iter().find(|document| document.identity() == key);
        let found = extracted.documents.iter().find(|document| document.document == *key);
        let (Some(right), Some(found)) = (right, found) else { continue };
        match found.wrong().count() {
            0 => decisions.accepted += 1,
            wrong => {
                decisions.corrected += 1;
                decisions.fields += wrong;
            }
        }
        let mut decided = right.clone();
        decided.checked_by = Some("the file with the right values".to_owned());
        decided.schema = Some(GoldSchema::Fingerprint(contract.fingerprint()));
        let seen = file.version(key);
        file.decide(decided, seen)?;
    }
    Ok((GoldSet::read(&path)?, decisions))
}
