//! Tools that a model calls.

use super::*;

fn call(arguments: &str) -> Value {
    let mut body = openai("", "tool_calls");
    let function = json!({"name": "submit", "arguments": arguments});
    body["choices"][0]["message"] = json!({
        "role": "assistant", "content": null,
        "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
    });
    body
}

#[tokio::test]
async fn models_hand_in_values_by_calling_tools() {
    for is_erased in [false, true] {
        let wrong = Answer::json(&call(r#"{"legs": "eight"}"#));
        let server = Server::start([wrong, Answer::json(&call(r#"{"legs": 8}"#))]);
        let model = chat(&server.url("v1"));
        let agent = if is_erased { RigModel::from(model.erase()) } else { RigModel::from(model) };
        let (value, metrics) = contract().extract(&agent, "A spider.").tools().await.unwrap();
        assert_eq!((value, metrics.attempts), (json!({"legs": 8}), 2));

        let received = server.received();
        assert_eq!(received[0].body["tools"][2]["function"]["name"], "submit");
        assert!(received[0].body.get("response_format").is_none());
        let messages = received[1].body["messages"].as_array().unwrap();
        assert_eq!(messages[2]["tool_calls"][0]["id"], "call_1");
        assert_eq!(messages[3]["tool_call_id"], "call_1");
        let told = messages[3].to_string();
        assert!(told.contains("$.legs") && told.contains("Then call `submit`"), "{told}");
    }
}

#[tokio::test]
async fn messy_arguments_are_read_as_a_reply_is() {
    let server = Server::start([Answer::json(&call("{'legs': 8,}"))]);
    let model = model(&server.url("v1"));
    let (value, metrics) = contract().extract(&model, "A spider.").tools().await.unwrap();
    assert_eq!(value, json!({"legs": 8}));
    assert!(!metrics.changes.is_empty());
}

#[tokio::test]
async fn agents_of_rig_have_tools_of_their_own() {
    let server = Server::start([Answer::json(&openai(r#"{"legs": 8}"#, "stop"))]);
    let clerk = clerk(chat(&server.url("v1")));
    let (_, metrics) = contract().extract(&clerk, "A spider.").tools().await.unwrap();
    assert_eq!(metrics.per_attempt[0].notes, ["`rig/clerk` calls no tools, so it was asked for text"]);
}
