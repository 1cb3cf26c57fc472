//! Tools over the API of each provider.

use super::{
    providers::{anthropic, gemini, ollama, openai_resp},
    *,
};
use crate::{contract::Contract, metrics::ExtractionMetrics};

fn contract() -> Contract {
    let schema = json!({
        "title": "A spider",
        "type": "object",
        "properties": {"legs": {"type": "integer"}, "shape": {"$ref": "#/$defs/Shape"}},
        "required": ["legs"],
        "$defs": {"Shape": {"enum": ["round", "long"]}},
    });
    Contract::from_schema(schema).unwrap()
}

/// Runs an extraction with two calls of `submit`, the first of them wrong. Returns the result and
/// the requests that the server got.
async fn extract(
    kind: AdapterKind,
    answer: impl Fn(&Value) -> Value,
) -> (ExtractionMetrics, Vec<server::Received>) {
    let answers = [json!({"legs": "eight"}), json!({"legs": 8})].map(|legs| Answer::json(&answer(&legs)));
    let server = Server::start(answers);
    let agent = agent(kind, &server);
    let extraction = contract().extract(&agent, "A spider.").tools();
    let (value, metrics) = extraction.await.unwrap_or_else(|error| panic!("{kind}: {error}"));
    assert_eq!(value, json!({"legs": 8}), "{kind}");
    assert_eq!(
        (metrics.attempts, metrics.usage.input_tokens, metrics.usage.is_estimated),
        (2, 42, false),
        "{kind}"
    );
    (metrics, server.received())
}

fn openai_call(id: &str, name: &str, arguments: &str) -> Value {
    let mut body = openai("", "tool_calls");
    let function = json!({"name": name, "arguments": arguments});
    body["choices"][0]["message"] = json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": function}]});
    body
}

fn told(text: &Value) -> &str {
    let text = text.as_str().unwrap();
    assert!(text.contains("$.legs") && text.ends_with("Then call `submit` with the whole value."), "{text}");
    text
}

#[tokio::test]
async fn openai_is_offered_functions_and_answered_by_their_ids() {
    let answer = |legs: &Value| openai_call("call_1", "submit", &legs.to_string());
    let (_, received) = extract(AdapterKind::OpenAI, answer).await;
    let tools = received[0].body["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["example", "validate", "submit"]);
    let parameters = &tools[2]["function"]["parameters"];
    assert_eq!(parameters["properties"]["legs"], json!({"type": "integer"}));
    assert_eq!(parameters["$defs"]["Shape"]["enum"], json!(["round", "long"]));
    assert!(received[0].body.get("response_format").is_none(), "the tools hold the schema");

    let messages = received[1].body["messages"].as_array().unwrap();
    assert_eq!(messages[2]["tool_calls"][0]["function"]["arguments"], r#"{"legs":"eight"}"#);
    assert_eq!((&messages[3]["role"], &messages[3]["tool_call_id"]), (&json!("tool"), &json!("call_1")));
    told(&messages[3]["content"]);
}

#[tokio::test]
async fn the_responses_api_is_answered_with_outputs() {
    let answer = |legs: &Value| {
        let mut body = openai_resp("", "completed", None);
        body["output"] = json!([{
            "type": "function_call", "id": "fc_1", "call_id": "call_1", "status": "completed",
            "name": "submit", "arguments": legs.to_string(),
        }]);
        body
    };
    let (_, received) = extract(AdapterKind::OpenAIResp, answer).await;
    assert_eq!(received[0].body["tools"][2]["name"], "submit");
    let input = received[1].body["input"].as_array().unwrap();
    let output = input.iter().find(|item| item["type"] == "function_call_output").unwrap();
    assert_eq!(output["call_id"], "call_1");
    told(&output["output"]);
}

#[tokio::test]
async fn anthropic_is_given_back_its_thoughts_with_the_call() {
    let answer = |legs: &Value| {
        let mut body = anthropic("", "tool_use");
        body["content"] = json!([
            {"type": "thinking", "thinking": "It has legs.", "signature": "c2lnbmVk"},
            {"type": "text", "text": "I hand it in."},
            {"type": "tool_use", "id": "toolu_1", "name": "submit", "input": legs},
        ]);
        body
    };
    let (_, received) = extract(AdapterKind::Anthropic, answer).await;
    assert_eq!(received[0].body["tools"][2]["input_schema"]["required"], json!(["legs"]));
    let messages = received[1].body["messages"].as_array().unwrap();
    let said = messages[1]["content"].to_string();
    assert!(
        said.contains("c2lnbmVk") && said.contains("I hand it in.") && said.contains("toolu_1"),
        "{said}"
    );
    let result = &messages[2]["content"][0];
    assert_eq!((&result["type"], &result["tool_use_id"]), (&json!("tool_result"), &json!("toolu_1")));
    let text = result["content"].as_str().map_or_else(|| result["content"][0]["text"].clone(), Into::into);
    told(&text);
}

#[tokio::test]
async fn gemini_is_given_back_the_signature_of_its_thought() {
    let answer = |legs: &Value| {
        let mut body = gemini("", "STOP");
        body["candidates"][0]["content"]["parts"] =
            json!([{"functionCall": {"name": "submit", "args": legs}, "thoughtSignature": "c2lnbmVk"}]);
        body
    };
    let (_, received) = extract(AdapterKind::Gemini, answer).await;
    let declarations = &received[0].body["tools"][0]["functionDeclarations"];
    assert_eq!(declarations[2]["parametersJsonSchema"]["required"], json!(["legs"]));
    let contents = received[1].body["contents"].to_string();
    assert!(contents.contains("c2lnbmVk"), "{contents}");
    let response =
        received[1].body["contents"].as_array().unwrap().last().unwrap()["parts"][0]["functionResponse"]
            .clone();
    assert_eq!(response["name"], "submit");
    assert!(response["response"].to_string().contains("$.legs"), "{response}");
}

#[tokio::test]
async fn ollama_is_offered_functions_over_its_own_api() {
    let answer = |legs: &Value| {
        let mut body = ollama("", "stop");
        body["message"] = json!({
            "role": "assistant", "content": "", "tool_calls": [{"function": {"name": "submit", "arguments": legs}}],
        });
        body
    };
    let (_, received) = extract(AdapterKind::Ollama, answer).await;
    assert_eq!(received[0].path, "/api/api/chat");
    assert_eq!(received[0].body["tools"][2]["function"]["name"], "submit");
    let messages = received[1].body["messages"].as_array().unwrap();
    assert_eq!(messages[2]["tool_calls"][0]["function"]["arguments"], json!({"legs": "eight"}));
    told(&messages[3]["content"]);
}

#[tokio::test]
async fn an_answer_in_text_is_read_as_usual() {
    let server = Server::start([Answer::json(&openai(r#"{"legs": 8}"#, "stop"))]);
    let agent = agent(AdapterKind::OpenAI, &server);
    let (value, _) = contract().extract(&agent, "A spider.").tools().await.unwrap();
    assert_eq!(value, json!({"legs": 8}));
}

#[tokio::test]
async fn calls_end_a_reply_as_they_should() {
    let server = Server::start([Answer::json(&openai_call("call_1", "submit", "{}"))]);
    let reply = agent(AdapterKind::OpenAI, &server).respond(&request()).await.unwrap();
    assert_eq!((reply.finish_reason(), reply.calls().len()), (&crate::agent::FinishReason::Stop, 1));
}

/// `genai` fails if the arguments are not JSON, and does not show them.
#[tokio::test]
async fn arguments_that_are_no_json_are_a_garbled_response() {
    let server = Server::start([Answer::json(&openai_call("call_1", "submit", "{\"legs\": "))]);
    let error = agent(AdapterKind::OpenAI, &server).respond(&request()).await.unwrap_err();
    assert_kind(&error, AgentErrorKind::Garbled);
}
