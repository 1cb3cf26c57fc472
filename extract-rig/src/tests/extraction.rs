//! Whole extractions.

use extract::ExtractionError;

use super::*;

#[tokio::test]
async fn a_wrong_reply_is_fed_back_and_corrected() {
    let wrong = || Answer::json(&openai(r#"{"legs": "eight"}"#, "stop"));
    let right = || Answer::json(&openai(r#"{"legs": 8}"#, "stop"));
    for kind in 0..3 {
        let server = Server::start([wrong(), right()]);
        let model = chat(&server.url("v1"));
        let agent: Box<dyn Agent> = match kind {
            0 => Box::new(RigModel::from(model)),
            1 => Box::new(RigModel::from(model.erase())),
            _ => Box::new(clerk(model)),
        };

        let (value, metrics) = contract().extract(&agent, "A spider.").await.unwrap();

        assert_eq!(value, json!({"legs": 8}));
        assert_eq!((metrics.attempts, metrics.transport_retries), (2, 0));
        assert_eq!((metrics.usage.input_tokens, metrics.usage.output_tokens), (42, 14));
        assert!(!metrics.usage.is_estimated);
        let second = server.received()[1].body["messages"].to_string();
        assert!(second.contains("eight") && second.contains("$.legs"), "{second}");
    }
}

#[tokio::test]
async fn a_reply_that_was_cut_is_not_mended_into_a_success() {
    let cut = || Answer::json(&openai(r#"{"legs": 8"#, "length"));
    let server = Server::start([cut(), cut()]);
    let model = model(&server.url("v1"));
    let error = contract().extract(&model, "A spider.").max_attempts(2).await.unwrap_err();
    assert!(matches!(error, ExtractionError::Truncated { .. }), "{error}");
    assert_eq!(error.metrics().attempts, 2);
}

/// The agent behind rig's `Extractor` answers through a tool; its arguments are the reply.
#[tokio::test]
async fn the_agent_of_an_extractor_is_an_agent() {
    use rig_core::schemars::{self, JsonSchema};

    #[derive(serde::Serialize, serde::Deserialize, JsonSchema)]
    struct Spider {
        legs: u8,
    }
    let call = |name: &str, arguments: &str| {
        json!({
            "choices": [{
                "index": 0,
                "message": {"role": "assistant", "content": null, "tool_calls": [{
                    "id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments},
                }]},
                "finish_reason": "tool_calls",
            }],
            "usage": {"prompt_tokens": 21, "completion_tokens": 7, "total_tokens": 28},
        })
    };
    let server = Server::start([Answer::json(&call("final_result", r#"{"legs": 8}"#))]);
    let extractor = rig_agent::extractor::ExtractorBuilder::<Spider>::new(chat(&server.url("v1"))).build();

    let agent = RigAgent::from(extractor.agent().clone());
    let (value, metrics) = contract().extract(&agent, "A spider.").await.unwrap();

    assert_eq!((value, metrics.attempts), (json!({"legs": 8}), 1));
}

/// Runs in a separate process, because the variable applies to the whole process.
#[tokio::test]
async fn it_refuses_where_real_agents_are_denied() {
    const INNER: &str = "EXTRACT_TEST_OF_THE_GUARD";
    if std::env::var_os(INNER).is_some() {
        let server = Server::start([Answer::json(&openai("8", "stop"))]);
        let model = chat(&server.url("v1"));
        let agents: [Box<dyn Agent>; 3] = [
            Box::new(RigModel::from(model.clone())),
            Box::new(RigModel::from(model.clone().erase())),
            Box::new(clerk(model)),
        ];
        for agent in agents {
            let error = agent.respond(&request()).await.unwrap_err();
            assert_eq!(error.kind(), AgentErrorKind::Refused);
            assert!(error.message().contains("is a real agent"), "{error}");
        }
        assert_eq!(server.connections(), 0);
        return;
    }
    let name = "tests::extraction::it_refuses_where_real_agents_are_denied";
    let mut inner = std::process::Command::new(std::env::current_exe().unwrap());
    let inner = inner.args(["--exact", name]).env(INNER, "1").env("EXTRACT_ALLOW_REAL_AGENTS", "0");
    let output = inner.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
