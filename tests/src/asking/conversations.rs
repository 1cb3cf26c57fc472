//! A conversation as the prompt.

use extract::agent::{Conversation, Part, Prompt, Role, ToolCall, ToolResult, Turn};
use extract::settings::{PromptOptions, SchemaPosition, SettingsError};
use extract::testing::{ScriptedAgent, block_on};
use extract::{Contract, Extractable as _, ExtractionError, Feedback};
use serde_json::json;

use super::turns;

fn chat() -> Conversation {
    Conversation::new()
        .with(Role::System, "You sell tickets.")
        .with(Role::User, "Two for Friday, please.")
        .with(Role::Assistant, "Only the balcony is left.")
        .with(Role::User, "Then three. How many?")
}

/// The questions to an agent that gives these replies.
fn questions<const N: usize>(
    replies: [&str; N],
    ask: impl FnOnce(extract::Extraction<'_, u8>) -> extract::Extraction<'_, u8>,
    prompt: impl Into<Prompt>,
) -> Vec<Conversation> {
    let agent = ScriptedAgent::new(replies);
    block_on(ask(u8::extract(&agent, prompt))).unwrap();
    agent.requests().into_iter().map(|request| request.conversation).collect()
}

#[test]
fn earlier_turns_are_kept_and_the_schema_stands_once() {
    let contract = Contract::of::<u8>().unwrap();
    let asked = questions(["3"], |asked| asked.system("Be exact."), chat()).remove(0);
    let system = format!("Be exact.\n\nYou sell tickets.\n\n{}", contract.instructions());
    let kept = chat();
    let expected = [(Role::System, system.as_str())].into_iter().chain(turns(&kept).into_iter().skip(1));
    assert_eq!(turns(&asked), expected.collect::<Vec<_>>());
}

#[test]
fn a_conversation_without_a_system_turn_gets_one() {
    let chat = Conversation::new()
        .with(Role::User, "Three.")
        .with(Role::Assistant, "What?")
        .with(Role::User, "Tickets.");
    let asked = questions(["3"], |asked| asked, &chat).remove(0);
    assert_eq!(turns(&asked)[0], (Role::System, &*Contract::of::<u8>().unwrap().instructions()));
    assert_eq!(asked.turns()[1..], *chat.turns());
}

#[test]
fn a_failed_attempt_follows_the_conversation_and_is_replaced_by_the_next() {
    let asked = questions(["many", "300", "3"], |asked| asked.feedback(Feedback::Continue), chat());
    let [first, second, third] = &*asked else { panic!("{asked:?}") };
    for next in [second, third] {
        assert_eq!(next.turns()[..4], first.turns()[..]);
        assert_eq!(next.turns().len(), 6);
    }
    assert_eq!(turns(third)[4], (Role::Assistant, "300"));
}

#[test]
fn a_fresh_question_keeps_the_conversation_too() {
    let asked = questions(["many", "3"], |asked| asked.feedback(Feedback::Fresh), chat());
    assert_eq!(asked[1].turns()[..3], asked[0].turns()[..3]);
    assert!(turns(&asked[1])[3].1.starts_with("Then three. How many?\n\nAn earlier answer"), "{asked:?}");
}

#[test]
fn the_schema_can_stand_behind_the_last_turn() {
    let options = PromptOptions::new().schema_position(SchemaPosition::AfterPrompt);
    let asked = questions(["3"], |asked| asked.prompt_options(options), chat()).remove(0);
    assert_eq!(asked.turns()[..3], chat().turns()[..3]);
    assert!(turns(&asked)[3].1.starts_with("Then three. How many?\n\nAnswer with one JSON value"));
}

#[test]
fn what_follows_the_results_of_tools_is_a_turn_of_its_own() {
    let call = ToolCall::new("stock", json!({})).with_id("1");
    let answered = Conversation::new()
        .with(Role::User, "How many are left?")
        .with_turn(Turn::of_calls(&extract::agent::Reply::new("").with_calls([call.clone()])))
        .with_turn(Turn::of_results([call.answered("3", false)]));
    let options = PromptOptions::new().schema_position(SchemaPosition::AfterPrompt);
    let asked = questions(["3"], |asked| asked.prompt_options(options), &answered).remove(0);
    assert_eq!(asked.turns()[..3], *answered.turns());
    assert_eq!(
        asked.turns()[2].results().iter().map(|result: &ToolResult| &*result.text).collect::<Vec<_>>(),
        ["3"]
    );
    assert_eq!(turns(&asked)[3].0, Role::User);
}

#[test]
fn images_of_earlier_turns_are_kept() {
    let scan = Part::image(vec![1, 2, 3], "image/png");
    let chat = Conversation::new()
        .with_parts(Role::User, [Part::text("This is a receipt."), scan.clone()])
        .with(Role::Assistant, "I see.")
        .with(Role::User, "How many lines?");
    let asked = questions(["3"], |asked| asked, &chat).remove(0);
    assert_eq!(asked.turns()[1].parts()[1], scan);
}

#[test]
fn a_conversation_that_asks_nothing_is_an_error_before_anything_is_asked() {
    let cases = [
        (chat().with(Role::Assistant, "Three."), "the conversation ends with a turn of the assistant;"),
        (
            Conversation::new().with(Role::System, "You sell tickets."),
            "the conversation ends with a turn of the system;",
        ),
        (Conversation::new(), "the conversation ends with nothing, it has no turns;"),
    ];
    for (conversation, message) in cases {
        let agent = ScriptedAgent::new(["3"]);
        let error = block_on(u8::extract(&agent, &conversation)).unwrap_err();
        let last = conversation.turns().last().map(Turn::role);
        assert!(
            matches!(&error, ExtractionError::Settings(SettingsError::NothingAsked { last: told }) if *told == last)
        );
        assert!(error.to_string().starts_with(message), "{error}");
        assert!(agent.requests().is_empty());
    }
}
