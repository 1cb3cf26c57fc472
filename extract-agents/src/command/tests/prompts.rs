//! How the prompt reaches the program, and what it starts with.

use super::*;

const TRICKY: &str = "$(touch gone) `id` ; 'a' \"b\" \\n * -x\nße";

#[tokio::test]
async fn the_prompt_is_its_input() {
    assert_eq!(ask(&CommandAgent::new("cat"), TRICKY).await.unwrap().text(), TRICKY);
    let long = long_prompt();
    assert_eq!(ask(&CommandAgent::new("cat"), &long).await.unwrap().text(), long);
}

#[tokio::test]
async fn the_prompt_is_an_argument_as_it_is() {
    let agent = CommandAgent::new("printf").arg("%s|").prompt_as_argument();
    assert_eq!(ask(&agent, TRICKY).await.unwrap().text(), format!("{TRICKY}|"));
    let agent =
        CommandAgent::new("printf").args(["%s|", "q={prompt}", "{prompt}", "rest"]).prompt_at("{prompt}");
    assert_eq!(ask(&agent, TRICKY).await.unwrap().text(), format!("q={TRICKY}|{TRICKY}|rest|"));
}

#[tokio::test]
async fn the_input_is_empty_beside_an_argument() {
    let agent = CommandAgent::new("sh").args(["-c", "cat; echo \"$0\""]).prompt_as_argument();
    assert_eq!(ask(&agent, "hello").await.unwrap().text(), "hello\n");
}

#[tokio::test]
async fn a_placeholder_that_stands_nowhere_is_refused() {
    for agent in [sh("cat").prompt_at("{prompt}"), sh("cat").prompt_at("")] {
        let error = fail(&agent).await;
        assert_eq!(error.kind(), AgentErrorKind::Refused);
        assert!(error.message().contains("no argument holds the placeholder"), "{error}");
    }
}

#[tokio::test]
async fn a_prompt_that_cannot_be_an_argument_is_an_error_that_says_so() {
    let agent = CommandAgent::new("echo").prompt_as_argument();
    let error = ask(&agent, "a\0b").await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Refused);
    assert!(error.message().contains("NUL"), "{error}");
    let error = ask(&agent, &"x".repeat(40_000_000)).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::TooLong);
    assert!(error.message().contains("give it on its input"), "{error}");
}

#[tokio::test]
async fn the_environment_is_what_was_said() {
    let agent = sh("echo \"$GREETING:${HOME-none}:$PWD\"");
    let agent = agent.env("GREETING", "hello").env_remove("HOME").current_dir("/");
    assert_eq!(reply(&agent).await, "hello:none:/\n");
    let agent = CommandAgent::new("/usr/bin/env").env("ONLY", "this").env_clear();
    assert_eq!(reply(&agent).await, "ONLY=this\n");
}

#[tokio::test]
async fn the_whole_conversation_is_one_text() {
    let conversation = Conversation::new().with(Role::System, "Be brief.").with(Role::User, "Hello?");
    let request = Request::new(conversation.clone());
    let reply = CommandAgent::new("cat").respond(&request).await.unwrap();
    assert_eq!(reply.text(), conversation.to_text());
    assert_eq!(reply.usage(), None);
}

#[tokio::test]
async fn an_extraction_corrects_a_program() {
    let agent = sh("if grep -q 'Attempt 2 of 3'; then echo 'Sorry: [8]'; else echo '[\"eight\"]'; fi");
    let (legs, metrics) = <Vec<u8> as extract::Extractable>::extract(&agent, "How many legs?").await.unwrap();
    assert_eq!((legs, metrics.attempts), (vec![8], 2));
}
