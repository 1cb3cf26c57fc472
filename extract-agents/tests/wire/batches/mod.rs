//! Files of requests: lines, the interface of `OpenAI`, and a folder. The other interfaces are in
//! `forms`.

mod forms;
mod scripted;

use extract::agent::{
    AgentErrorKind, BatchAgent as _, BatchSearch, BatchStatus, Conversation, FinishReason, LostBatch,
    Request, Role,
};
use extract_agents::{DirectoryBatches, OpenAiCompatible, ProviderAgent, ProviderBatches};
use serde_json::{Value, json};

use super::{
    KEY, agent, legs, request,
    server::{Answer, Server},
};

const ID: &str = "00112233445566778899aabbccddeeff0011223344556677";

fn batches(server: &Server) -> ProviderBatches {
    ProviderBatches::new(agent("openai", server)).unwrap()
}

/// Batches whose server is never asked.
fn lines() -> ProviderBatches {
    ProviderBatches::new(ProviderAgent::at("http://127.0.0.1:9/v1", "openai/some-model").unwrap().key(KEY))
        .unwrap()
}

fn lost(mark: &str) -> LostBatch<'_> {
    LostBatch { mark, requests: 2 }
}

fn answer(status: u16, body: &Value) -> Vec<u8> {
    let response = json!({"status_code": status, "request_id": "req_7", "body": body});
    json!({"id": "x", "custom_id": ID, "response": response, "error": null}).to_string().into_bytes()
}

fn completion(text: &str) -> Value {
    json!({
        "model": "some-model",
        "choices": [{"index": 0, "message": {"content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 3}
    })
}

#[test]
fn a_line_has_the_body_of_a_request_and_no_key() {
    let mut request = request();
    request.schema = Some(legs());
    let line = lines().write(ID, &request).unwrap().line;
    assert!(!line.contains(&b'\n') && !String::from_utf8_lossy(&line).contains(KEY));
    let line: Value = serde_json::from_slice(&line).unwrap();
    assert_eq!((&line["custom_id"], &line["method"]), (&json!(ID), &json!("POST")));
    assert_eq!(line["url"], "/v1/chat/completions");
    assert_eq!((&line["body"]["model"], &line["body"]["stream"]), (&json!("some-model"), &Value::Null));
    assert_eq!(line["body"]["response_format"]["type"], "json_schema");
}

#[test]
fn an_answer_is_read_like_a_response() {
    let reply = lines().read(&request(), "", &answer(200, &completion("[8]"))).unwrap();
    assert_eq!((reply.text(), reply.finish_reason()), ("[8]", &FinishReason::Stop));
    assert_eq!(reply.origin().unwrap().request_id.as_deref(), Some("req_7"));
    assert_eq!(reply.usage().unwrap().output_tokens, 3);
}

#[test]
fn what_has_no_answer_is_transient_and_a_refusal_is_not() {
    let read = |line: Vec<u8>| lines().read(&request(), "", &line).unwrap_err();
    let expired = json!({"custom_id": ID, "response": null, "error": {"code": "batch_expired"}});
    assert!(read(expired.to_string().into_bytes()).is_transient());
    assert!(read(b"{\"custom_id\": 5".to_vec()).is_transient());
    assert!(read(answer(503, &json!({}))).is_transient());
    assert!(read(answer(200, &json!({"choices": "none"}))).is_transient());
    let refused = read(answer(401, &json!({"error": {"message": format!("{KEY} is wrong")}})));
    assert!(!refused.is_transient() && !refused.to_string().contains(KEY), "{refused}");
}

#[test]
fn a_refused_schema_is_left_to_the_prompt_in_the_next_file() {
    let batches = lines();
    let mut request = request();
    request.schema = Some(legs());
    let refused = json!({"error": {"message": "Invalid schema for response_format", "code": null}});
    let sent = batches.write(ID, &request).unwrap().sent;
    let error = batches.read(&request, &sent, &answer(400, &refused)).unwrap_err();
    assert!(error.is_transient(), "{error}");
    let line: Value = serde_json::from_slice(&batches.write(ID, &request).unwrap().line).unwrap();
    assert_eq!(line["body"]["response_format"], Value::Null);
}

#[tokio::test]
async fn a_file_is_uploaded_and_its_batch_can_be_found_by_its_mark() {
    let server = Server::start([
        Answer::json(&json!({"id": "file-1"})),
        Answer::json(&json!({"id": "batch_1", "status": "validating"})),
        Answer::json(&json!({"data": [{"id": "batch_3", "metadata": null}], "has_more": true})),
        Answer::json(&json!({"data": [{"id": "batch_1", "metadata": {"extract_mark": ID}}]})),
        Answer::json(&json!({"data": []})),
    ]);
    let batches = batches(&server);
    assert_eq!(batches.submit(b"{}\n{}\n", ID).await.unwrap(), "batch_1");
    assert_eq!(batches.find(lost(ID)).await.unwrap(), BatchSearch::Found("batch_1".to_owned()));
    assert_eq!(batches.find(lost("another")).await.unwrap(), BatchSearch::Missing);
    let received = server.received();
    let paths: Vec<_> = received.iter().map(|request| request.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "/api/files",
            "/api/batches",
            "/api/batches?limit=100",
            "/api/batches?limit=100&after=batch_3",
            "/api/batches?limit=100"
        ]
    );
    assert!(received.iter().all(|request| request.header("authorization") == Some(&format!("Bearer {KEY}"))));
    let upload = String::from_utf8(received[0].bytes.clone()).unwrap();
    assert_eq!(received[0].header("content-type"), Some(&*format!("multipart/form-data; boundary={ID}")));
    assert!(
        upload.contains("name=\"purpose\"\r\n\r\nbatch\r\n") && upload.contains("\r\n\r\n{}\n{}\n\r\n--")
    );
    assert_eq!(
        received[1].body,
        json!({
            "input_file_id": "file-1", "endpoint": "/v1/chat/completions",
            "completion_window": "24h", "metadata": {"extract_mark": ID}
        })
    );
}

#[tokio::test]
async fn the_states_of_a_batch() {
    let expected = [
        ("validating", Ok(BatchStatus::Open)),
        ("finalizing", Ok(BatchStatus::Open)),
        ("cancelling", Ok(BatchStatus::Open)),
        ("completed", Ok(BatchStatus::Ended)),
        ("expired", Ok(BatchStatus::Ended)),
        ("cancelled", Ok(BatchStatus::Ended)),
        (
            "failed",
            Ok(BatchStatus::Refused { reason: "the batch was refused: {\"data\":[\"full\"]}".to_owned() }),
        ),
        ("on_holiday", Err(AgentErrorKind::Garbled)),
    ];
    for (state, status) in expected {
        let server =
            Server::start([Answer::json(&json!({"id": "b", "status": state, "errors": {"data": ["full"]}}))]);
        let found = batches(&server).status("b").await.map_err(|error| error.kind());
        assert_eq!(found, status, "{state}");
    }
}

#[tokio::test]
async fn the_lines_of_both_files_are_passed_and_a_file_that_is_gone_ends_them() {
    let batch = json!({"id": "b", "status": "expired", "output_file_id": "o/1", "error_file_id": "e"});
    let lines =
        format!("{{\"custom_id\": \"a\"}}\r\nnot JSON\n\n{{\"custom_id\": \"{}\"}}", "b".repeat(9000));
    let server = Server::start([
        Answer::json(&batch),
        Answer::bytes("200 OK", "application/octet-stream", lines),
        Answer::status("404 Not Found", &json!({"error": {"message": "no such file"}})),
    ]);
    let mut ids = Vec::new();
    let passed = batches(&server).results("b", Box::new(|id, _| ids.push(id.len()))).await;
    assert!(!passed.unwrap_err().is_transient());
    assert_eq!(ids, [1, 9000]);
    assert_eq!(server.received()[1].path, "/api/files/o%2F1/content");
}

#[tokio::test]
async fn a_line_without_end_is_not_read_to_its_end() {
    let server = Server::start([
        Answer::json(&json!({"id": "b", "status": "completed", "output_file_id": "o"})),
        Answer::Flood { status: "200 OK", kind: "text/plain", megabytes: 200, is_announced: true },
    ]);
    let passed = batches(&server).results("b", Box::new(|_, _| {})).await;
    assert_eq!(passed.unwrap_err().kind(), AgentErrorKind::Garbled);
    assert!(server.sent() < 100 << 20, "{}", server.sent());
}

#[test]
fn servers_without_the_interface_are_refused() {
    let agent = ProviderAgent::at("http://127.0.0.1:9", "cohere/some-model").unwrap();
    let error = ProviderBatches::new(agent).unwrap_err();
    assert!(error.to_string().contains("`openai`") && error.to_string().contains("`gemini`"), "{error}");
}

#[tokio::test]
async fn a_folder_takes_files_and_gives_answers() {
    let folder = std::env::temp_dir().join(format!("extract-directory-batches-{}", std::process::id()));
    let agent = OpenAiCompatible::at("http://127.0.0.1:9/v1", "my-model").build().unwrap();
    let batches = DirectoryBatches::new(agent, &folder).unwrap();
    let request = Request::new(Conversation::new().with(Role::User, "How many legs?"));
    let line = batches.write(ID, &request).unwrap().line;
    assert_eq!(batches.find(lost(ID)).await.unwrap(), BatchSearch::Missing);
    assert_eq!(batches.submit(&line, ID).await.unwrap(), ID);
    assert_eq!(batches.find(lost(ID)).await.unwrap(), BatchSearch::Found(ID.to_owned()));
    assert_eq!(std::fs::read(folder.join(format!("{ID}.jsonl"))).unwrap(), line);
    assert_eq!(batches.status(ID).await.unwrap(), BatchStatus::Open);
    let results = folder.join(format!("{ID}.results.jsonl"));
    std::fs::write(&results, [&answer(200, &completion("[8]"))[..], b"\nnothing\n"].concat()).unwrap();
    assert_eq!(batches.status(ID).await.unwrap(), BatchStatus::Ended);
    let mut texts = Vec::new();
    let read = |id: &str, line: &[u8]| {
        texts.push((id.to_owned(), batches.read(&request, "", line).unwrap().text().to_owned()));
    };
    batches.results(ID, Box::new(read)).await.unwrap();
    assert_eq!(texts, [(ID.to_owned(), "[8]".to_owned())]);
    std::fs::remove_file(&results).unwrap();
    assert!(!batches.results(ID, Box::new(|_, _| {})).await.unwrap_err().is_transient());
    assert!(batches.find(lost("../elsewhere")).await.is_err());
    batches.cancel(ID).await.unwrap();
    batches.cancel(ID).await.unwrap();
    assert_eq!(batches.status(ID).await.unwrap(), BatchStatus::Ended);
    assert!(!folder.join(format!("{ID}.jsonl")).exists());
    std::fs::remove_dir_all(&folder).unwrap();
}
