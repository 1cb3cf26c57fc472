//! Keys are never shown.

use super::*;

#[tokio::test]
async fn no_key_is_in_debug() {
    let chat = chat("http://127.0.0.1:9/v1");
    let model = RigModel::from(chat.clone()).redacting(KEY);
    let agent = clerk(chat.clone()).redacting(KEY);
    let shown = format!("{model:?} {model:#?} {agent:?} {agent:#?} {chat:?} {:?}", chat.clone().erase());
    assert!(!shown.contains(KEY), "{shown}");
}

#[tokio::test]
async fn no_failure_shows_half_of_the_key() {
    for padding in [455, 462, 470, 478, 485] {
        let body = format!("{}{KEY}", "-".repeat(padding));
        let server = Server::start([Answer::bytes("403 Forbidden", "text/plain", body)]);
        let agent = model(&server.url("v1")).redacting(KEY);
        let message = agent.respond(&request()).await.unwrap_err().to_string();
        assert!(!message.contains(&KEY[..6]), "{message}");
    }
}

/// Of a long body, the beginning is read.
#[tokio::test]
async fn no_failure_shows_half_of_the_key_where_its_body_is_cut() {
    for limit in [64 << 10, 65 << 10] {
        let body = format!("wrong:{}{KEY} {}", " ".repeat(limit - 12), "-".repeat(4 << 10));
        let server = Server::start(vec![Answer::bytes("403 Forbidden", "text/plain", body); 2]);
        for agent in [model(&server.url("v1")).redacting(KEY), bounded(&server.url("v1"))] {
            let message = agent.respond(&request()).await.unwrap_err().to_string();
            assert!(message.contains("wrong:") && !message.contains(&KEY[..6]), "{message}");
        }
    }
}

/// A model that is asked without settings shows nothing that looks like a key either.
#[tokio::test]
async fn a_model_as_it_is_hides_what_looks_like_a_key() {
    let key = "sk-proj-abcdefghijklmnop0123";
    let echo = json!({"error": {"message": format!("wrong key {key}")}});
    let server = Server::start([Answer::status("401 Unauthorized", &echo)]);
    let error = model(&server.url("v1")).respond(&request()).await.unwrap_err();
    assert_eq!(error.to_string(), "request refused: HTTP 401 Unauthorized: wrong key [redacted]");
}

#[tokio::test]
async fn no_failure_to_connect_shows_the_url() {
    for url in [
        format!("http://127.0.0.1:1/?key={KEY}"),
        format!("http://me:{KEY}@127.0.0.1:1/"),
        format!("nonsense?key={KEY}"),
    ] {
        let agents: [Box<dyn Agent>; 4] = [
            Box::new(model(&url)),
            Box::new(clerk(chat(&url))),
            Box::new(bounded(&url)),
            Box::new(clerk(bounded_chat(&url))),
        ];
        for agent in agents {
            let error = agent.respond(&request()).await.unwrap_err();
            assert!(!everything(&error).contains(KEY), "{}", everything(&error));
        }
    }
}

/// Our HTTP client knows the key of the request, so it need not be named.
#[tokio::test]
async fn a_bounded_client_hides_the_key_of_the_request() {
    let echo = json!({"error": {"message": format!("wrong key {KEY}")}});
    let server = Server::start(vec![Answer::status("401 Unauthorized", &echo); 2]);
    let model = bounded_chat(&server.url("v1"));
    let agents: [Box<dyn Agent>; 2] = [Box::new(RigModel::from(model.clone())), Box::new(clerk(model))];
    for agent in agents {
        let error = agent.respond(&request()).await.unwrap_err();
        assert_eq!(error.to_string(), "request refused: HTTP 401 Unauthorized: wrong key [redacted]");
    }
}
