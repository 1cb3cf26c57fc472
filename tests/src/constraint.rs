//! The instructions depend on how an agent is constrained to the schema.

use std::sync::Arc;

use extract::{
    Contract, Extractable, Feedback, Path,
    agent::{Agent, AgentExt as _, Constraint, ConstraintLevel, Conversation, MemoryStore, Request},
    schema::dialect::UnenforcedConstraint,
    settings::{PromptOptions, SchemaNotation},
    testing::{Cassette, ScriptedAgent, block_on},
};
use serde_json::json;

use crate::domain::{Invoice, good, with};

const TYPES: &str = "The answer must be of the type Invoice";
const OUTLINE: &str = "The answer: An invoice, as printed.\nThe object has these keys:\n\
     number (Number printed at the top right. such as \"INV-2041\")\ncurrency\n\
     lines [(One position) {description, quantity (such as 2), unitPrice (such as 9.5), kind (What is sold)}]\n\
     total (such as 19.0)\nremarks (Remarks by hand, if there are any. or null)";
const ABSENCE: &str =
    "Where the text does not state a value, write null or leave its key out. Do not make values up.";

fn pattern() -> UnenforcedConstraint {
    UnenforcedConstraint::new(Path::from_pointer("/properties/number").unwrap(), "pattern", "is beyond it")
}

/// The system turns of all questions to `agent`.
fn told(agent: &ScriptedAgent) -> Vec<String> {
    agent.requests().iter().map(|request| request.conversation.turns()[0].text().to_owned()).collect()
}

fn told_once(constraint: Constraint) -> String {
    let agent = ScriptedAgent::new([good().to_string()]).constrained(constraint);
    block_on(Invoice::extract(&agent, "…")).unwrap();
    told(&agent).remove(0)
}

#[test]
fn an_agent_is_told_what_its_constraint_does_not_carry() {
    let nothing = told_once(Constraint::nothing());
    assert!(
        nothing.starts_with("Answer with one JSON object and nothing else: no markdown fences"),
        "{nothing}"
    );
    assert!(nothing.contains(TYPES), "{nothing}");
    let json = told_once(Constraint::json());
    assert!(
        json.starts_with("Answer with one JSON object.\n\nThe answer must be of the type Invoice"),
        "{json}"
    );
    let decoder = format!("Answer with one JSON object.\n\n{OUTLINE}\n\n{ABSENCE}");
    assert_eq!(told_once(Constraint::by_decoder([])), decoder);
    let outline = decoder.replace("top right. such", "top right. matches ^INV-\\d{4}$; such");
    assert_eq!(told_once(Constraint::by_decoder([pattern()])), outline);
    assert_eq!(told_once(Constraint::by_provider([])), format!("Answer with one JSON object.\n\n{ABSENCE}"));
    assert_eq!(
        told_once(Constraint::by_provider([pattern()])),
        format!(
            "Answer with one JSON object.\n\nAlso required of these keys:\nnumber (matches ^INV-\\d{{4}}$)\n\n{ABSENCE}"
        )
    );
}

#[test]
fn a_notation_that_was_chosen_stays() {
    let asked = |notation, constraint| {
        let agent = ScriptedAgent::new([good().to_string()]).constrained(constraint);
        let options = PromptOptions::new().schema_notation(notation);
        let (_, metrics) = block_on(Invoice::extract(&agent, "…").prompt_options(options)).unwrap();
        (told(&agent).remove(0), metrics.per_attempt[0].notes.clone())
    };
    let (types, notes) = asked(SchemaNotation::Types, Constraint::by_provider([]));
    assert!(types.contains(TYPES) && notes.is_empty(), "{types}");
    let (outline, notes) = asked(SchemaNotation::Outline, Constraint::nothing());
    assert!(outline.contains(OUTLINE) && notes.is_empty(), "{outline}");
    let (none, notes) = asked(SchemaNotation::None, Constraint::by_decoder([pattern()]));
    assert!(none == format!("Answer with one JSON object.\n\n{ABSENCE}") && notes.is_empty(), "{none}");
    let (_, notes) = asked(SchemaNotation::None, Constraint::nothing());
    assert_eq!(notes, ["the prompt does not describe the schema, and `scripted` is not constrained to it"]);
}

/// Whether only the last turn of the second question describes the value by types.
fn has_types_last(agent: &ScriptedAgent) -> bool {
    let requests = agent.requests();
    let turns = |index: usize| requests[index].conversation.turns();
    let (last, before) = turns(1).split_last().unwrap();
    turns(1).starts_with(turns(0))
        && last.text().contains(TYPES)
        && !before.iter().any(|turn| turn.text().contains(TYPES))
}

/// All but the last turn is as before, so that it is still cached.
#[test]
fn an_agent_that_breaks_what_it_says_is_enforced_gets_types_in_the_last_turn() {
    let unconstrained = [
        ("fences", format!("```json\n{}\n```", with("/number", json!("7")))),
        ("prose", "I am not sure.".to_owned()),
        ("a wrong type", with("/total", json!("much"))),
        ("an unknown value", with("/currency", json!("Euro"))),
    ];
    for (what, reply) in unconstrained {
        let agent =
            ScriptedAgent::new([reply, good().to_string()]).constrained(Constraint::by_decoder([pattern()]));
        block_on(Invoice::extract(&agent, "…")).unwrap();
        assert!(has_types_last(&agent), "{what}: {:#?}", agent.requests());
    }
    // A third question too, with the types once.
    let wrong = || with("/total", json!("much"));
    let agent = ScriptedAgent::new([wrong(), with("/total", json!("9 or so")), good().to_string()])
        .constrained(Constraint::by_provider([]));
    block_on(Invoice::extract(&agent, "…").max_attempts(3)).unwrap();
    let requests = agent.requests();
    let [first, later @ ..] = &*requests else { panic!("three questions") };
    for later in later {
        // A stall is asked about in one turn with the document, which still comes first.
        let both = later.conversation.turns().iter().zip(first.conversation.turns());
        assert!(
            both.clone().count() == 2
                && both.clone().all(|(turn, before)| turn.text().starts_with(before.text()))
        );
        assert_eq!(later.conversation.turns().last().unwrap().text().matches(TYPES).count(), 1);
    }
    let constrained = [
        ("a rule", with("/total", json!(90.0))),
        ("a constraint that is not enforced", with("/number", json!("7"))),
        ("a constraint that some decoders do not know", with("/lines", json!([]))),
    ];
    for (what, reply) in constrained {
        let agent =
            ScriptedAgent::new([reply, good().to_string()]).constrained(Constraint::by_decoder([pattern()]));
        block_on(Invoice::extract(&agent, "…")).unwrap();
        let told = told(&agent);
        assert_eq!(told[0], told[1], "{what}");
    }
}

/// Its reply is constrained to the form of a patch, not to the schema.
#[test]
fn a_patch_is_asked_for_with_the_types_of_the_value() {
    let fix = json!([{"op": "replace", "path": "/total", "value": 91.0}]).to_string();
    let agent =
        ScriptedAgent::new([with("/total", json!(90.0)), fix]).constrained(Constraint::by_decoder([]));
    block_on(Invoice::extract(&agent, "…").feedback(Feedback::Patch)).unwrap();
    assert!(has_types_last(&agent), "{:#?}", agent.requests());
}

#[test]
fn an_agent_that_takes_over_is_asked_its_own_way() {
    let reply = with("/total", json!(90.0));
    let first = ScriptedAgent::new([reply.clone(), reply]).constrained(Constraint::by_decoder([]));
    let second = ScriptedAgent::new([good().to_string()]);
    block_on(Invoice::extract(&first, "…").escalate_to(&second)).unwrap();
    assert!(told(&first)[0].contains(OUTLINE) && told(&second)[0].contains(TYPES));
}

#[test]
fn layers_pass_the_constraint_on_and_a_fallback_takes_the_weaker() {
    let request = Request::new(Conversation::new()).with_schema(Arc::new(json!({"type": "integer"})));
    let constrained = |constraint| ScriptedAgent::new(["8"]).constrained(constraint);
    let level = |agent: &dyn Agent| block_on(agent.constraint(&request)).level;
    let agent = constrained(Constraint::by_provider([pattern()]));
    let agent = agent.retrying().rate_limited().concurrent(2).cached(MemoryStore::new(2));
    let agent = agent.time_limited(std::time::Duration::from_secs(60));
    let boxed: Box<dyn Agent> = Box::new(Arc::new(agent));
    assert_eq!(block_on(boxed.constraint(&request)), Constraint::by_provider([pattern()]));
    let either = boxed.or(constrained(Constraint::by_decoder([])));
    assert_eq!(block_on(either.constraint(&request)), Constraint::by_decoder([pattern()]));
    assert_eq!(level(&either.or(ScriptedAgent::new(["8"]))), ConstraintLevel::Nothing);
}

#[test]
fn a_cassette_replays_the_questions_to_an_agent_that_was_constrained() {
    let path = std::env::temp_dir().join(format!("extract-constrained-{}.json", std::process::id()));
    let replies = [with("/total", json!(90.0)), good().to_string()];
    let contract = Contract::of::<Invoice>().unwrap();
    let ask = |cassette: &Cassette| {
        block_on(contract.extract(cassette, "…")).unwrap();
        cassette.assert_finished();
    };
    ask(&Cassette::record(
        ScriptedAgent::new(replies).constrained(Constraint::by_decoder([pattern()])),
        &path,
    ));
    assert!(std::fs::read_to_string(&path).unwrap().contains("The object has these keys:"));
    ask(&Cassette::replay(&path).unwrap());
    std::fs::remove_file(&path).unwrap();
}
