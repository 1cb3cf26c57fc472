//! What is the same from one request to the next.

use extract::agent::{Agent as _, Conversation, Request, Role};
use serde_json::Value;

use crate::{
    agent,
    formats::{FORMATS, replied},
    legs,
    server::{Received, Server},
};

fn common(a: &Received, b: &Received) -> usize {
    a.bytes.iter().zip(&b.bytes).take_while(|(a, b)| a == b).count()
}

/// The requests of a conversation that grows, and of one about another document.
async fn received(provider: &str) -> Vec<Received> {
    let server = Server::start((0..4).map(|_| replied(provider, "{}")));
    let agent = agent(provider, &server).caching(false);
    let start = Conversation::new()
        .with(Role::System, "Answer in JSON.")
        .with(Role::User, "A worked example.")
        .with(Role::Assistant, "{\"legs\": 6}");
    let first = start.clone().with(Role::User, "A long document. ".repeat(100));
    let second = first.clone().with(Role::Assistant, "{\"legs\": \"8\"}").with(Role::User, "Wrong.");
    let third = first.clone().with(Role::Assistant, "{\"legs\": 9}").with(Role::User, "Wrong again.");
    let other = start.with(Role::User, "Another document.");
    let schema = legs();
    for conversation in [first, second, third, other] {
        agent.respond(&Request::new(conversation).with_schema(schema.clone())).await.unwrap();
    }
    server.received()
}

#[tokio::test]
async fn a_later_attempt_begins_with_the_whole_question() {
    for provider in FORMATS {
        let received = received(provider).await;
        let document = "A long document. ".repeat(100);
        let end = |received: &Received| {
            let text = String::from_utf8(received.bytes.clone()).unwrap();
            text.find(&document).unwrap() + document.len()
        };
        for later in &received[1..3] {
            assert!(common(&received[0], later) > end(&received[0]), "{provider}");
        }
        let text = String::from_utf8(received[3].bytes.clone()).unwrap();
        let start = text.find("Another document").unwrap();
        assert_eq!(
            common(&received[0], &received[3]),
            start + 1,
            "{provider}: up to the letter behind the first"
        );
    }
}

/// Keeping the head changes nothing of what is sent.
#[tokio::test]
async fn a_request_with_a_kept_head_is_the_one_without() {
    for provider in FORMATS {
        let schema = legs();
        let conversation =
            |text: &str| Conversation::new().with(Role::System, "Answer in JSON.").with(Role::User, text);
        let texts = ["a \"quoted\" text", "b", "\u{1F577} \\ \u{1}", ""];
        let server = Server::start((0..8).map(|_| replied(provider, "{}")));
        let one = agent(provider, &server);
        for text in texts {
            one.respond(&Request::new(conversation(text)).with_schema(schema.clone())).await.unwrap();
        }
        for text in texts {
            let request = Request::new(conversation(text)).with_schema(legs());
            agent(provider, &server).respond(&request).await.unwrap();
        }
        let received = server.received();
        for index in 0..4 {
            assert_eq!(received[index].bytes, received[index + 4].bytes, "{provider} {index}");
        }
    }
}

#[tokio::test]
async fn other_instructions_schemas_and_tools_have_heads_of_their_own() {
    let server = Server::start((0..20).map(|_| replied("openai", "{}")));
    let agent = agent("openai", &server);
    let schema = legs();
    for index in 0..20 {
        let conversation = Conversation::new()
            .with(Role::System, format!("Instructions {}", index % 10))
            .with(Role::User, "?");
        let request = Request::new(conversation);
        let request = if index % 2 == 0 { request.with_schema(schema.clone()) } else { request };
        agent.respond(&request).await.unwrap();
    }
    for (index, received) in server.received().iter().enumerate() {
        let text = format!("Instructions {}", index % 10);
        assert_eq!(received.body["messages"][0]["content"], Value::from(text));
        assert_eq!(received.body.get("response_format").is_some(), index % 2 == 0);
    }
}

#[tokio::test]
async fn anthropic_is_told_where_to_cache_unless_it_is_switched_off() {
    let conversation = Conversation::new()
        .with(Role::System, "Answer in JSON.")
        .with(Role::User, "A worked example.")
        .with(Role::Assistant, "{\"legs\": 6}")
        .with(Role::User, "A document.");
    let request = Request::new(conversation.clone());
    let later = Request::new(conversation.with(Role::Assistant, "{}").with(Role::User, "Wrong."));
    let server = Server::start((0..4).map(|_| replied("anthropic", "{}")));
    let agent = agent("anthropic", &server);
    for request in [&request, &later] {
        agent.respond(request).await.unwrap();
        agent.clone().caching(false).respond(request).await.unwrap();
    }
    let marks: Vec<_> = server
        .received()
        .iter()
        .map(|received| {
            let messages = received.body["messages"].as_array().unwrap();
            let marked = messages.iter().enumerate().filter(|(_, message)| {
                message["content"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .any(|block| block.get("cache_control").is_some())
            });
            (
                received.body["system"][0].get("cache_control").is_some(),
                marked.map(|(index, _)| index).collect::<Vec<_>>(),
            )
        })
        .collect();
    assert_eq!(marks, [(true, vec![1, 2]), (false, vec![]), (true, vec![1, 4]), (false, vec![])]);
}
