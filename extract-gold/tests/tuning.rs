//! Tuning with agents whose answers follow from how they are asked.

#![forbid(unsafe_code)]

use std::sync::Mutex;

use extract::{
    Contract, TokenUsage,
    agent::{Agent, Reply, ReplyFuture, Request},
    metrics::{Price, Prices},
    settings::SchemaNotation,
    testing::{ScriptedAgent, block_on},
};
use extract_gold::{
    GoldDocument, GoldSet, Tuning, TuningBudget, TuningEnd, TuningError, TuningVerdict, tune,
};
use serde_json::json;

const DOCUMENTS: usize = 40;

fn contract() -> Contract {
    Contract::from_schema(json!({
        "title": "Visit",
        "type": "object",
        "properties": {"guests": {"type": "integer", "description": "How many."}},
        "required": ["guests"]
    }))
    .unwrap()
}

fn text(number: usize) -> String {
    format!("<{number:03}> so many guests")
}

fn gold() -> GoldSet {
    GoldSet::from_documents((0..DOCUMENTS).map(|n| GoldDocument::new(text(n), json!({"guests": n}))))
}

/// An agent that reads the number where `can` says so, and remembers all prompts.
struct Reader<F> {
    can: F,
    asked: Mutex<Vec<Vec<String>>>,
}

impl<F: Fn(&str) -> bool + Send + Sync> Reader<F> {
    fn new(can: F) -> Self {
        Self { can, asked: Mutex::default() }
    }

    /// The turns of each request.
    fn asked(&self) -> Vec<Vec<String>> {
        self.asked.lock().unwrap().clone()
    }
}

impl<F: Fn(&str) -> bool + Send + Sync> Agent for Reader<F> {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        let turns: Vec<String> =
            request.conversation.turns().iter().map(|turn| turn.text().to_owned()).collect();
        let last = turns.last().unwrap();
        let number: usize = last[last.rfind('<').unwrap() + 1..][..3].parse().unwrap();
        let guests = if (self.can)(&request.conversation.to_text()) { number } else { 1_000 };
        self.asked.lock().unwrap().push(turns);
        let reply = Reply::new(format!(r#"{{"guests": {guests}}}"#)).with_usage(TokenUsage::new(100, 10));
        Box::pin(async move { Ok(reply) })
    }
}

fn tuned(agent: &dyn Agent, budget: TuningBudget, seed: u64) -> Result<Tuning, TuningError> {
    let (contract, gold) = (contract(), gold());
    block_on(tune(&contract, &gold, agent).budget(budget).seed(seed).run())
}

fn unlimited(agent: &dyn Agent) -> Tuning {
    tuned(agent, TuningBudget::unlimited(), 0).unwrap()
}

#[test]
fn the_option_that_an_agent_needs_is_found() {
    let agent = Reader::new(|prompt| prompt.contains("\"properties\""));
    let tuning = unlimited(&agent);
    let settings = tuning.recommended().expect("it is better");
    assert_eq!(settings.options(), [("notation", json!("json-schema"))], "and nothing else");
    let report = tuning.report.as_ref().unwrap();
    assert_eq!((report.baseline.score.right, report.tuned.score.right), (0, DOCUMENTS / 2));
    assert_eq!((tuning.ended, tuning.chosen_on), (TuningEnd::Complete, DOCUMENTS / 2));
    let shown = tuning.to_string();
    assert!(shown.contains("chosen: notation json-schema"), "{shown}");
    assert!(shown.contains("on 20 other documents"), "{shown}");
}

#[test]
fn settings_that_need_each_other_are_found_in_their_order() {
    let agent = Reader::new(|prompt| {
        let number: usize = prompt[prompt.rfind('<').unwrap() + 1..][..3].parse().unwrap();
        let shots = prompt.matches("so many guests").count() - 1;
        match shots {
            0 => false,
            1 => number.is_multiple_of(2),
            _ => number.is_multiple_of(2) || prompt.contains("<think>"),
        }
    });
    let tuning = unlimited(&agent);
    let settings = tuning.recommended().expect("it is better");
    assert_eq!(
        settings.shots.map(|shots| shots.count),
        Some(1),
        "as many right as with more, in fewer tokens"
    );
    let verdicts: Vec<_> = tuning.trials.iter().take(3).map(|trial| trial.verdict).collect();
    assert_eq!(verdicts, [TuningVerdict::Kept, TuningVerdict::Surpassed, TuningVerdict::Surpassed]);
}

/// Right by chance, and by another chance for each way of asking.
fn guessing(prompt: &str) -> bool {
    let hash = prompt.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 32).is_multiple_of(2)
}

#[test]
fn noise_is_no_gain() {
    let agent = Reader::new(guessing);
    let seeds = 0..20;
    let tunings: Vec<_> = seeds.map(|seed| tuned(&agent, TuningBudget::unlimited(), seed).unwrap()).collect();
    let gains = tunings.iter().filter(|tuning| tuning.recommended().is_some()).count();
    assert!(gains <= 1, "{gains} of 20");
    // On the half that decides, some way of asking looks better by chance. The other half says no.
    let fooled = tunings.iter().filter(|tuning| !tuning.chosen.is_default()).count();
    assert!(fooled >= 2, "{fooled}");
    for tuning in tunings.iter().filter(|tuning| tuning.recommended().is_none()) {
        assert!(tuning.to_string().contains("no difference"), "{tuning}");
    }
}

#[test]
fn no_document_of_the_report_is_seen_before_or_shown() {
    let agent = Reader::new(|prompt| prompt.matches("so many guests").count() > 2);
    let (contract, gold) = (contract(), gold());
    let describer = ScriptedAgent::new([r#"{"description": "Another one."}"#]);
    let tuning = block_on(tune(&contract, &gold, &agent).describe(&describer).run()).unwrap();
    let report = tuning.report.as_ref().expect("shots help");
    assert!(tuning.chosen.shots.is_some());
    let reported: Vec<&str> = report.tuned.documents.iter().map(|document| document.text.as_str()).collect();
    assert_eq!(reported.len(), DOCUMENTS / 2);
    let asked = agent.asked();
    let (choosing, reporting) = asked.split_at(asked.len() - 2 * reported.len());
    let has = |turn: &str| reported.iter().any(|text| turn.contains(text));
    assert!(!choosing.iter().flatten().any(|turn| has(turn)), "while settings are chosen");
    for turns in reporting {
        let (last, before) = turns.split_last().unwrap();
        assert!(has(last) && !before.iter().any(|turn| has(turn)), "as a shot: {turns:?}");
    }
    for request in describer.requests() {
        assert!(!has(&request.conversation.to_text()), "in the mistakes");
    }
    // The settings are reported on all documents that decided nothing.
    assert!(gold.documents().iter().filter(|document| !reported.contains(&&*document.text)).count() == 20);
}

#[test]
fn the_same_seed_chooses_the_same() {
    let agent = Reader::new(|prompt| prompt.matches("so many guests").count() > 1 || guessing(prompt));
    let found = |seed| {
        let tuning = tuned(&agent, TuningBudget::unlimited(), seed).unwrap();
        let report = tuning.report.expect("shots help");
        let documents: Vec<_> = report.tuned.documents.iter().map(|document| document.text.clone()).collect();
        (tuning.trials, tuning.chosen, report.difference, documents)
    };
    assert_eq!(found(3), found(3));
    assert_ne!(found(3).3, found(4).3, "another seed divides the documents in another way");
}

#[test]
fn it_stops_at_its_requests_with_what_it_has() {
    let agent = Reader::new(|prompt| prompt.matches("so many guests").count() > 1);
    // The baseline and two trials, and 40 for the report.
    let tuning = tuned(&agent, TuningBudget::unlimited().requests(100), 0).unwrap();
    assert_eq!((tuning.ended, tuning.requests, agent.asked().len()), (TuningEnd::Budget, 100, 100));
    assert_eq!(tuning.trials.len(), 2);
    assert!(tuning.recommended().is_some_and(|settings| settings.shots.is_some()), "{tuning}");
    assert!(tuning.to_string().contains("the budget ended before everything was tried"), "{tuning}");

    let asked = Reader::new(|_| true);
    let error = tuned(&asked, TuningBudget::unlimited().requests(79), 0).unwrap_err();
    let says = "a budget of 79 requests has no room for one trial and its report, which take 80";
    assert_eq!(error.to_string(), says);
    assert!(asked.asked().is_empty());
}

#[test]
fn it_stops_at_its_tokens_and_its_cost() {
    let agent = Reader::new(|prompt| prompt.matches("so many guests").count() > 1);
    // 110 tokens for each request, of which 8 are under way at once.
    let tuning = tuned(&agent, TuningBudget::unlimited().tokens(11_000), 0).unwrap();
    assert_eq!(tuning.ended, TuningEnd::Budget);
    assert!(tuning.usage.total() <= 11_000 + 8 * 110, "{}", tuning.usage);
    assert!(tuning.recommended().is_some(), "{tuning}");

    let prices = Prices::new().model(agent.name(), Price::per_million(10.0, 0.0)).unwrap();
    let tuning = tuned(&agent, TuningBudget::unlimited().cost(0.1, prices), 0).unwrap();
    assert_eq!(tuning.ended, TuningEnd::Budget);
    assert!(tuning.cost.as_ref().is_some_and(|cost| cost.amount <= 0.1 + 8.0 * 0.001), "{:?}", tuning.cost);
    let error = tuned(&agent, TuningBudget::unlimited().cost(0.1, Prices::new()), 0).unwrap_err();
    assert!(error.to_string().contains("has no price"), "{error}");
    // Too little for the half that decides: nothing is chosen, and nothing claimed.
    let tuning = tuned(&agent, TuningBudget::unlimited().tokens(500), 0).unwrap();
    assert!(tuning.report.is_none() && tuning.trials.is_empty() && tuning.ended == TuningEnd::Budget);
    assert!(tuning.usage.total() <= 500 + 8 * 110, "{}", tuning.usage);
}

#[test]
fn a_description_that_prevents_mistakes_is_kept() {
    let agent = Reader::new(|prompt| prompt.contains("between the brackets"));
    let describer = ScriptedAgent::new(["{\"description\": \"The number\\n between the brackets.\"}"]);
    let (contract, gold) = (contract(), gold());
    let tuning = block_on(tune(&contract, &gold, &agent).describe(&describer).run()).unwrap();
    let settings = tuning.recommended().expect("it is better");
    assert_eq!(settings.doc_comments(), "// $.guests\n/// The number between the brackets.\n");
    assert!(settings.contract(&contract).unwrap().schema().to_string().contains("between the brackets"));
    let asked = describer.requests()[0].conversation.to_text();
    assert!(asked.contains("How many.") && asked.contains("Right: ") && asked.contains("Extracted: 1000"));
    assert_eq!(tuning.requests, agent.asked().len() as u64 + 1, "the proposal is counted");
}

#[test]
fn a_schema_with_sensitive_values_is_not_shown_for_proposals() {
    let mut schema = contract().schema().clone();
    schema["properties"]["guests"]["x-sensitive"] = json!(true);
    let (contract, gold) = (Contract::from_schema(schema).unwrap(), gold());
    let (agent, describer) = (Reader::new(|_| false), ScriptedAgent::new(["{}"]));
    block_on(tune(&contract, &gold, &agent).describe(&describer).run()).unwrap();
    assert!(describer.requests().is_empty());
}

#[test]
fn what_cannot_be_tuned_is_said_at_once() {
    let contract = contract();
    let few = GoldSet::from_documents((0..19).map(|n| GoldDocument::new(text(n), json!({"guests": n}))));
    let agent = Reader::new(|_| true);
    let error = block_on(tune(&contract, &few, &agent).run()).unwrap_err();
    assert_eq!(error.to_string(), "tuning needs 20 documents with known values, and there are 19");
    let mut wrong = gold().documents().to_vec();
    wrong[3] = GoldDocument::new(text(3), json!({"guests": "three"}));
    let error = block_on(tune(&contract, &GoldSet::from_documents(wrong), &agent).run()).unwrap_err();
    let says = "the value of the document \"<003> so many guests\" does not conform: [WRONG_TYPE] $.guests";
    assert!(error.to_string().starts_with(says), "{error}");
    assert!(agent.asked().is_empty());
    let broken = |_: String| async { Err::<String, _>(extract::agent::AgentError::refused("401")) };
    let error = tuned(&broken, TuningBudget::unlimited(), 0).unwrap_err();
    assert!(matches!(&error, TuningError::NoAnswers { first, .. } if first.contains("401")), "{error}");
}

/// Where there is nothing to find, an agent that answers nothing is not as good as one that says so.
#[test]
fn settings_that_lose_every_answer_are_worse_where_there_is_nothing_to_find() {
    let schema = json!({"type": "object", "properties": {"guests": {"type": ["integer", "null"]}}});
    let contract = Contract::from_schema(schema).unwrap();
    let gold = GoldSet::from_documents((0..24).map(|n| GoldDocument::new(text(n), json!({"guests": null}))));
    let agent = |prompt: String| async move {
        let has_shots = prompt.matches("so many guests").count() > 1;
        Ok::<_, std::io::Error>(if has_shots { "sorry" } else { "{}" }.to_owned())
    };
    let tuning = block_on(tune(&contract, &gold, &agent).run()).unwrap();
    assert!(tuning.trials[..3].iter().all(|trial| trial.verdict == TuningVerdict::Worse), "{tuning}");
}

#[test]
fn an_agent_that_sees_no_schema_is_only_tried_without_one_if_it_is_constrained() {
    let tuning = unlimited(&Reader::new(|_| true));
    let none =
        |tuning: &Tuning| tuning.trials.iter().any(|trial| trial.settings.notation == SchemaNotation::None);
    assert!(!none(&tuning));
}

#[test]
fn a_tuning_reports_how_far_it_is() {
    let agent = Reader::new(|prompt| prompt.contains("\"properties\""));
    let prices = Prices::new().model("agent", Price::per_million(1.0, 1.0)).unwrap();
    let (contract, gold, mut told) = (contract(), gold(), Vec::new());
    let tuner = tune(&contract, &gold, &agent).budget(TuningBudget::unlimited().cost(f64::INFINITY, prices));
    let tuning = block_on(tuner.on_progress(|progress| told.push(progress.clone())).run()).unwrap();
    assert!(told.windows(2).all(|two| two[0].asked <= two[1].asked && two[0].number <= two[1].number));
    assert_eq!((told[0].name.as_str(), told[0].number, told[0].done), ("as it is", 1, 0));
    assert_eq!((told[0].candidates, told[0].documents), (None, DOCUMENTS / 2));
    let last = told.last().unwrap();
    assert_eq!(last.name, "report on notation json-schema");
    // The settings as they were and the others, and the report after them.
    assert_eq!(last.number, tuning.trials.len() + 2);
    // Both ways.
    assert_eq!((last.documents, last.done, last.failed), (DOCUMENTS, DOCUMENTS, 0));
    assert_eq!((last.usage, last.asked as u64), (tuning.usage, tuning.requests));
    assert_eq!(last.cost.as_ref().map(|cost| cost.amount), tuning.cost.as_ref().map(|cost| cost.amount));
}
