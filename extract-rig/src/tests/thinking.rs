//! How much a model should think.

use extract::agent::ThinkingLevel;

use super::*;

fn thinking(level: ThinkingLevel) -> Request {
    let mut request = request();
    request.thinking = Some(level);
    request
}

#[tokio::test]
async fn a_model_and_an_agent_are_told() {
    let answer = || Answer::json(&openai("8", "stop"));
    let server = Server::start([answer(), answer()]);
    let url = server.url("v1");
    let agents: [Box<dyn Agent>; 2] = [Box::new(model(&url)), Box::new(clerk(chat(&url)))];
    for agent in agents {
        assert!(agent.capabilities().sets_thinking);
        let reply = agent.respond(&thinking(ThinkingLevel::Low)).await.unwrap();
        assert_eq!(server.received().pop().unwrap().body["reasoning_effort"], "low");
        assert_eq!(reply.notes(), [] as [String; 0]);
    }
}

#[tokio::test]
async fn a_level_that_cannot_be_sent_is_noted_and_the_question_asked() {
    let answer = || Answer::json(&openai("8", "stop"));
    let server = Server::start([answer(), answer()]);
    let url = server.url("v1");
    let agents: [Box<dyn Agent>; 2] = [Box::new(model(&url)), Box::new(clerk(chat(&url)))];
    for agent in agents {
        let reply = agent.respond(&thinking(ThinkingLevel::Budget(64))).await.unwrap();
        let body = server.received().pop().unwrap().body;
        assert!(body.get("reasoning_effort").is_none(), "{body}");
        let [note] = reply.notes() else { panic!("{:?}", reply.notes()) };
        let start = "the thinking level `budget of 64 tokens` is not sent: `reasoning` is not supported by ";
        assert!(note.starts_with(start), "{note}");
    }
    assert_eq!(server.received().len(), 2);
}
