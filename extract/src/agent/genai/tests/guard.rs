//! If real agents are denied, nothing is sent.

use super::*;

/// Runs in a process of its own, because the variable applies to the whole process.
#[tokio::test]
async fn it_refuses_where_real_agents_are_denied() {
    const INNER: &str = "EXTRACT_TEST_OF_THE_GUARD";
    if std::env::var_os(INNER).is_some() {
        let server = Server::start([Answer::json(&openai("8", "stop"))]);
        let error = agent(AdapterKind::OpenAI, &server).respond(&request()).await.unwrap_err();
        assert_kind(&error, AgentErrorKind::Refused);
        assert!(error.message().starts_with("`openai/some-model` is a real agent"), "{error}");
        assert!(server.received().is_empty());
        return;
    }
    let name = "agent::genai::tests::guard::it_refuses_where_real_agents_are_denied";
    let mut inner = std::process::Command::new(std::env::current_exe().unwrap());
    let inner = inner.args(["--exact", name]).env(INNER, "1").env("EXTRACT_ALLOW_REAL_AGENTS", "0");
    let output = inner.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
