//! Images and documents in the form of each provider.

use super::{
    providers::{anthropic, gemini, ollama, openai_resp},
    *,
};
use crate::agent::Part;

fn image() -> Part {
    Part::image(vec![1, 2, 3], "image/png")
}

fn pdf() -> Part {
    Part::document(vec![4, 5], "application/pdf")
}

fn page() -> Part {
    Part::url("https://example.org/a.pdf", "application/pdf")
}

fn picture() -> Part {
    Part::url("https://example.org/a.png?key=hunter2hunter2", "image/png")
}

fn asking(parts: &[Part]) -> Request {
    let mut all = vec![Part::text("Look:")];
    all.extend_from_slice(parts);
    all.push(Part::text("What is it?"));
    Request::new(Conversation::new().with_parts(Role::User, all))
}

async fn sent(kind: AdapterKind, body: Value, parts: &[Part]) -> Value {
    let server = Server::start([Answer::json(&body)]);
    agent(kind, &server).respond(&asking(parts)).await.unwrap();
    server.received().remove(0).body
}

#[tokio::test]
async fn openai_is_given_them_in_order() {
    let body =
        sent(AdapterKind::OpenAI, openai("8", "stop"), &[image(), picture(), pdf().named("bill.pdf")]).await;
    let expected = json!([
        {"type": "text", "text": "Look:"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AQID"}},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png?key=hunter2hunter2"}},
        {"type": "file", "file": {"filename": "bill.pdf", "file_data": "data:application/pdf;base64,BAU="}},
        {"type": "text", "text": "What is it?"},
    ]);
    assert_eq!(body["messages"][0]["content"], expected);
}

#[tokio::test]
async fn openai_responses_is_given_them_in_order() {
    let body =
        sent(AdapterKind::OpenAIResp, openai_resp("8", "completed", None), &[image(), pdf(), page()]).await;
    let expected = json!([
        {"type": "input_text", "text": "Look:"},
        {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,AQID"},
        {"type": "input_file", "filename": "document.pdf", "file_data": "data:application/pdf;base64,BAU="},
        {"type": "input_file", "filename": "document.pdf", "file_url": "https://example.org/a.pdf"},
        {"type": "input_text", "text": "What is it?"},
    ]);
    assert_eq!(body["input"][0]["content"], expected);
}

#[tokio::test]
async fn anthropic_is_given_them_in_order() {
    let body = sent(AdapterKind::Anthropic, anthropic("8", "end_turn"), &[image(), pdf(), page()]).await;
    let expected = json!([
        {"type": "text", "text": "Look:"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AQID"}},
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "BAU="}},
        {"type": "document", "source": {"type": "url", "url": "https://example.org/a.pdf"}},
        {"type": "text", "text": "What is it?"},
    ]);
    assert_eq!(body["messages"][0]["content"], expected);
}

#[tokio::test]
async fn gemini_is_given_them_in_order() {
    let body = sent(AdapterKind::Gemini, gemini("8", "STOP"), &[image(), page()]).await;
    let expected = json!([
        {"text": "Look:"},
        {"inline_data": {"mime_type": "image/png", "data": "AQID"}},
        {"file_data": {"mime_type": "application/pdf", "file_uri": "https://example.org/a.pdf"}},
        {"text": "What is it?"},
    ]);
    assert_eq!(body["contents"][0]["parts"], expected);
}

#[tokio::test]
async fn ollama_is_given_images_beside_the_text() {
    let body = sent(AdapterKind::Ollama, ollama("8", "stop"), &[image()]).await;
    let message = &body["messages"][0];
    assert_eq!(message["images"], json!(["AQID"]));
    let text = message["content"].as_str().unwrap();
    assert!(text.starts_with("Look:") && text.ends_with("What is it?"), "{text}");
}

#[tokio::test]
async fn what_a_provider_cannot_be_given_is_named_before_anything_is_sent() {
    let film = Part::document(vec![1], "video/mp4");
    for (kind, part, named) in [
        (
            AdapterKind::OpenAI,
            page(),
            "part 2 of the user turn, [application/pdf at https://example.org/a.pdf",
        ),
        (AdapterKind::OpenAIResp, film.clone(), "part 2 of the user turn, [video/mp4, 1 byte, "),
        (
            AdapterKind::Anthropic,
            picture(),
            "part 2 of the user turn, [image/png at https://example.org/a.png, ",
        ),
        (AdapterKind::Anthropic, film, "it takes images (PNG, JPEG, WebP, GIF) by their bytes, and PDF"),
        (AdapterKind::Ollama, pdf(), "it takes images by their bytes"),
        (AdapterKind::Ollama, picture(), "it takes images by their bytes"),
        (AdapterKind::Groq, pdf(), "it takes images"),
        (AdapterKind::DeepSeek, image(), "`deepseek/some-model` cannot be given part 2"),
    ] {
        let server = Server::start([]);
        let error = agent(kind, &server).respond(&asking(&[part])).await.unwrap_err();
        assert_kind(&error, AgentErrorKind::Refused);
        assert!(error.message().contains(named) && !error.message().contains("hunter2"), "{error}");
        assert!(server.received().is_empty());
    }
}

#[tokio::test]
async fn only_the_user_may_show_images() {
    let server = Server::start([]);
    let request = Request::new(Conversation::new().with_parts(Role::Assistant, image()));
    let error = agent(AdapterKind::Gemini, &server).respond(&request).await.unwrap_err();
    assert!(error.message().contains("part 1 of the assistant turn"), "{error}");
}

#[tokio::test]
async fn the_image_is_there_in_every_attempt() {
    let wrong = Answer::json(&openai(r#""eight""#, "stop"));
    let server = Server::start([wrong, Answer::json(&openai("8", "stop"))]);
    let contract = crate::contract::Contract::from_schema(json!({"type": "integer"})).unwrap();
    let prompt = [Part::text("How many legs?"), image()];
    let (value, metrics) = contract.extract(&agent(AdapterKind::OpenAI, &server), prompt).await.unwrap();
    assert_eq!((value, metrics.attempts), (json!(8), 2));
    for request in server.received() {
        assert_eq!(
            request.body["messages"][1]["content"][1]["image_url"]["url"],
            "data:image/png;base64,AQID"
        );
    }
}
