//! Turns the output into the reply.

use extract::TokenUsage;

use super::*;

/// The output of `claude -p --output-format json`.
const CLAUDE: &str = r#"{"type":"result","subtype":"success","is_error":false,"result":"[8]","session_id":"s",
    "usage":{"input_tokens":4,"cache_read_input_tokens":100,"output_tokens":3}}"#;

fn claude(output: &str) -> CommandAgent {
    sh("printf %s \"$OUTPUT\"")
        .env("OUTPUT", output)
        .reply_at("/result")
        .failure_at("/is_error")
        .input_tokens_at("/usage/input_tokens")
        .input_tokens_at("/usage/cache_read_input_tokens")
        .input_tokens_at("/usage/cache_creation_input_tokens")
        .output_tokens_at("/usage/output_tokens")
}

#[tokio::test]
async fn reply_and_usage_are_taken_out_of_json() {
    let reply = ask(&claude(CLAUDE), "…").await.unwrap();
    assert_eq!((reply.text(), reply.usage()), ("[8]", Some(TokenUsage::new(104, 3))));
    let reply = ask(&claude(r#"{"result":{"legs":[8]},"is_error":null}"#), "…").await.unwrap();
    assert_eq!((reply.text(), reply.usage()), (r#"{"legs":[8]}"#, None));
}

#[tokio::test]
async fn json_that_is_not_as_announced_is_garbled() {
    for (output, what) in [
        ("Not logged in", "its output is not JSON"),
        (r#"{"is_error":false,"answer":"[8]"}"#, "its output has nothing at `/result`"),
        (r#"{"result":"[8]"}"#, "its output has nothing at `/is_error`"),
        (r#"{"result":null,"is_error":false}"#, "its output has nothing at `/result`"),
    ] {
        let error = fail(&claude(output)).await;
        assert_eq!(error.kind(), AgentErrorKind::Garbled);
        assert!(error.message().starts_with(&format!("`sh` ran, but {what}")), "{error}");
    }
}

#[tokio::test]
async fn a_failure_that_it_reports_is_one() {
    for failure in ["true", "\"overloaded\"", "{}", "1"] {
        let error = fail(&claude(&format!(r#"{{"is_error":{failure},"result":"API Error: 529"}}"#))).await;
        let message = r#"`sh` ran, but it reports a failure: "API Error: 529""#;
        assert_error(&error, AgentErrorKind::Transport, message);
    }
}

#[tokio::test]
async fn a_refusal_that_it_reports_is_one() {
    let asked =
        |output: String| async move { ask(&claude(&output).refusal_at("/refusal"), "…").await.unwrap() };
    for (refusal, words) in [("\"I must not.\"", Some("I must not.")), ("true", Some("")), ("{}", Some(""))] {
        let reply = asked(format!(r#"{{"is_error":false,"refusal":{refusal}}}"#)).await;
        assert_eq!((reply.text(), reply.refusal()), ("", words), "{refusal}");
        let reply = asked(format!(r#"{{"is_error":false,"refusal":{refusal},"result":"Sorry."}}"#)).await;
        assert_eq!((reply.text(), reply.refusal()), ("Sorry.", words), "{refusal}");
    }
    for none in ["null", "false", "\"\""] {
        let reply = asked(format!(r#"{{"is_error":false,"refusal":{none},"result":"[8]"}}"#)).await;
        assert_eq!((reply.text(), reply.is_refusal()), ("[8]", false), "{none}");
    }
}

#[tokio::test]
async fn what_is_not_utf8_is_garbled() {
    let error = fail(&sh(r"printf 'gr\374n'; echo oops >&2")).await;
    let message = "`sh` ran, but the reply is not UTF-8 from byte 2 on; stderr: oops";
    assert_error(&error, AgentErrorKind::Garbled, message);
}

#[tokio::test]
async fn nothing_is_no_reply() {
    let error = fail(&sh("echo; echo 'no model is set' >&2")).await;
    assert_error(
        &error,
        AgentErrorKind::Garbled,
        "`sh` ran, but it printed nothing; stderr: no model is set",
    );
}

#[tokio::test]
async fn what_goes_to_the_standard_error_is_not_the_reply() {
    assert_eq!(reply(&sh("echo thinking >&2; echo 8")).await, "8\n");
}

/// A program may count what it read from a cache apart.
#[tokio::test]
async fn one_count_of_input_tokens_does_not_say_that_the_prompt_was_cut() {
    use extract::Extractable as _;
    let program =
        |output: &str| sh("cat >/dev/null; printf %s \"$OUTPUT\"").env("OUTPUT", output).reply_at("/result");
    let prompt = "A spider has eight legs. ".repeat(1_000);
    let agent = program(r#"{"result":"8","input":3}"#).input_tokens_at("/input");
    assert_eq!(u8::extract(&agent, &*prompt).await.unwrap().0, 8);
    let error = u8::extract(&agent.input_tokens_at("/cached"), &*prompt).await.unwrap_err();
    let error = error.to_string();
    assert!(error.contains("the prompt was cut: `command/sh#"), "{error}");
    assert!(error.contains("` reports 3 input tokens"), "{error}");
}

#[test]
fn programs_with_other_arguments_have_other_names() {
    let name = |args: &[&str]| CommandAgent::new("bin/llm.sh").args(args).name().into_owned();
    assert_eq!(name(&[]), "command/llm");
    assert_eq!(name(&["-m", "small"]), name(&["-m", "small"]));
    let names = [name(&["-m", "small"]), name(&["-m", "large"]), name(&["-msmall"]), name(&["-m small"])];
    for (number, one) in names.iter().enumerate() {
        assert!(one.starts_with("command/llm#") && !names[..number].contains(one), "{names:?}");
    }
}
