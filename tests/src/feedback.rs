//! The switches for the parts of a feedback.

use extract::agent::{FinishReason, Reply, Role, ToolCall};
use extract::feedback::FailedAttempt;
use extract::settings::FeedbackOptions;
use extract::testing::{ScriptedAgent, block_on};
use extract::{Extractable as _, Extraction, Feedback};
use serde_json::json;

use crate::domain::{Invoice, good, with};

fn wrong() -> String {
    with("/currency", json!("DM"))
}

/// The second question, as one text.
fn asked(
    replies: Vec<Reply>,
    set: impl for<'a> Fn(Extraction<'a, Invoice>) -> Extraction<'a, Invoice>,
) -> String {
    let agent = ScriptedAgent::new(replies);
    block_on(set(Invoice::extract(&agent, "What does it cost?"))).unwrap();
    agent.requests()[1].conversation.to_text()
}

fn after(reply: impl Into<Reply>, feedback: Feedback, options: &FeedbackOptions) -> String {
    let replies = vec![reply.into(), Reply::new(good().to_string())];
    asked(replies, |extraction| extraction.feedback(feedback).feedback_options(options.clone()))
}

const WAYS: [Feedback; 4] = [Feedback::Auto, Feedback::Continue, Feedback::Fresh, Feedback::Patch];

#[test]
fn each_switch_changes_its_part_in_every_way_of_asking_again() {
    let all = FeedbackOptions::new;
    for way in WAYS {
        let usual = after(wrong(), way, &all());
        for text in
            ["Attempt 2 of 3. ", "The JSON Schema of these places:\n$.currency: {", "\"currency\":\"DM\""]
        {
            assert!(usual.contains(text), "{way:?}: {text}: {usual}");
        }
        assert!(!usual.contains("whole answer:\n{"), "{way:?}");

        let silent = after(wrong(), way, &all().show_attempt(false));
        assert!(
            !silent.contains("Attempt 2") && silent.contains("Your answer was not accepted: 1"),
            "{silent}"
        );

        let whole = after(wrong(), way, &all().show_whole_schema(true));
        let (_, schema) = whole.split_once("The JSON Schema of the whole answer:\n").expect(&whole);
        let schema: serde_json::Value = serde_json::from_str(schema.lines().next().unwrap()).unwrap();
        assert!(schema["properties"]["number"].is_object(), "{way:?}: {schema}");
        assert!(!whole.contains("of these places"), "the whole has its parts: {whole}");

        let bare = after(wrong(), way, &all().show_failing_schemas(false));
        assert!(!bare.contains("JSON Schema of"), "{way:?}: {bare}");

        let unseen = after(wrong(), way, &all().show_submission(false));
        assert!(
            !unseen.contains("\"currency\":\"DM\"") && unseen.contains("got: \"DM\""),
            "{way:?}: {unseen}"
        );
        assert!(!unseen.contains("JSON Patch"), "nothing to patch is seen: {unseen}");
    }
}

#[test]
fn without_the_submission_the_feedback_stands_behind_the_prompt() {
    let options = FeedbackOptions::new().show_submission(false);
    for way in WAYS {
        let agent = ScriptedAgent::new([wrong(), good().to_string()]);
        block_on(Invoice::extract(&agent, "?").feedback(way).feedback_options(options.clone())).unwrap();
        let requests = agent.requests();
        let [first, second] = [&requests[0], &requests[1]].map(|request| request.conversation.turns());
        assert_eq!(second.len(), first.len(), "{way:?}");
        let [first, second] = [first, second].map(|turns| turns.last().unwrap().text());
        let added = second.strip_prefix(first).unwrap();
        assert!(
            added.starts_with("\n\nAttempt 2 of 3. Your answer was not accepted: 1 violation.\n"),
            "{added}"
        );
    }
}

#[test]
fn a_reply_that_was_cut_is_not_quoted_either() {
    let cut = || Reply::new(r#"{"number": "INV-0007", "curr"#).finished(FinishReason::Length);
    let options = FeedbackOptions::new().show_submission(false).show_attempt(false).show_whole_schema(true);
    let text = after(cut(), Feedback::Auto, &options);
    assert!(text.contains("\n\nYour answer was cut off before its end."), "{text}");
    assert!(!text.contains("INV-0007") && !text.contains("whole answer:"), "{text}");
    assert!(after(cut(), Feedback::Auto, &FeedbackOptions::new()).contains("INV-0007"));
}

#[test]
fn a_call_is_not_repeated_without_the_submission() {
    let call = |value| Reply::new("").with_calls([ToolCall::new("submit", value).with_id("1")]);
    for (shows, turns) in [(true, 4), (false, 2)] {
        let replies = [call(serde_json::from_str(&wrong()).unwrap()), call(good())];
        let agent = ScriptedAgent::new(replies).calling_tools();
        let options = FeedbackOptions::new().show_submission(shows);
        block_on(Invoice::extract(&agent, "?").tools().feedback_options(options)).unwrap();
        let conversation = &agent.requests()[1].conversation;
        assert_eq!(conversation.turns().len(), turns);
        assert!(conversation.to_text().contains("Then call `submit` with the whole value."));
    }
}

#[test]
fn a_strategy_of_ones_own_follows_the_switches_of_the_message() {
    let own = |failed: &FailedAttempt<'_>| {
        let echo = if failed.shows_submission() { failed.echo() } else { "(unseen)".to_owned() };
        failed.opening.clone().with(Role::Assistant, echo).with(Role::User, failed.message())
    };
    let options = FeedbackOptions::new().show_attempt(false).show_failing_schemas(false);
    let replies = || vec![Reply::new(wrong()), Reply::new(good().to_string())];
    let seen = asked(replies(), |extraction| extraction.feedback(own).feedback_options(options.clone()));
    assert!(seen.contains("\"currency\":\"DM\"") && !seen.contains("Attempt 2"), "{seen}");
    assert!(!seen.contains("JSON Schema of"), "{seen}");
    let options = options.clone().show_submission(false);
    let unseen = asked(replies(), |extraction| extraction.feedback(own).feedback_options(options.clone()));
    assert!(unseen.contains("(unseen)") && !unseen.contains("\"currency\":\"DM\""), "{unseen}");
}
