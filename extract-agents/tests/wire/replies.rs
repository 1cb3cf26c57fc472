//! What is read from a whole reply.

use extract::{
    TokenUsage,
    agent::{Agent as _, AgentErrorKind, Conversation, FinishReason, Reply, Request, Role},
};
use extract_agents::{Profile, StopMeaning};
use serde_json::{Value, json};

use crate::{
    agent, ask,
    formats::{EVENTS, FORMATS, events, kind, replied, stop, whole},
    request,
    server::{Answer, Server},
    stream,
};

#[tokio::test]
async fn a_reply_has_its_text_usage_and_origin() {
    for provider in FORMATS {
        let answer = replied(provider, " \n{\"legs\": 8}\n ").header("X-Request-Id", "req_7");
        let reply = ask(provider, answer).await.unwrap();
        assert_eq!(reply.text(), " \n{\"legs\": 8}\n ", "{provider}: not trimmed");
        assert_eq!(reply.finish_reason(), &FinishReason::Stop, "{provider}");
        assert_eq!(reply.usage(), Some(TokenUsage::new(21, 7)), "{provider}");
        let origin = reply.origin().unwrap();
        // Converse names no model.
        let model = (provider != "bedrock-converse").then_some("some-model-2026");
        assert_eq!(origin.model.as_deref(), model, "{provider}");
        assert_eq!(origin.request_id.as_deref(), Some("req_7"), "{provider}");
        assert_eq!(
            (origin.status, origin.response_id.is_some()),
            (Some(200), !matches!(provider, "ollama" | "bedrock-converse")),
            "{provider}"
        );
        assert!(reply.notes().is_empty(), "{provider}: {:?}", reply.notes());
    }
}

/// Each reason of each format, and what it means: whole and in a stream.
#[tokio::test]
async fn every_stop_reason_has_a_meaning_and_an_unknown_one_is_an_interruption() {
    let interrupted = |reason: &str| FinishReason::Interrupted(reason.to_owned());
    for (provider, reasons) in [
        (
            "openai",
            vec![
                ("stop", FinishReason::Stop),
                ("STOP", FinishReason::Stop),
                ("tool_calls", FinishReason::Stop),
                ("length", FinishReason::Length),
                ("content_filter", FinishReason::ContentFilter),
                ("refusal", FinishReason::ContentFilter),
                ("SAFETY", FinishReason::ContentFilter),
                ("MAX_TOKENS", FinishReason::Length),
                ("error", interrupted("error")),
                ("something_new", interrupted("something_new")),
            ],
        ),
        ("deepseek", vec![("insufficient_system_resource", interrupted("insufficient_system_resource"))]),
        ("mistral", vec![("model_length", FinishReason::Length), ("error", interrupted("error"))]),
        ("vllm", vec![("abort", interrupted("abort")), ("repetition", FinishReason::Repetition)]),
        (
            "bedrock",
            vec![
                ("guardrail_intervened", FinishReason::ContentFilter),
                ("content_filtered", FinishReason::ContentFilter),
            ],
        ),
        (
            "zai",
            vec![("sensitive", FinishReason::ContentFilter), ("network_error", interrupted("network_error"))],
        ),
        (
            "openai-responses",
            vec![
                ("completed", FinishReason::Stop),
                ("max_output_tokens", FinishReason::Length),
                ("content_filter", FinishReason::ContentFilter),
                ("cancelled", interrupted("cancelled")),
                ("something_new", interrupted("something_new")),
            ],
        ),
        (
            "anthropic",
            vec![
                ("end_turn", FinishReason::Stop),
                ("stop_sequence", FinishReason::Stop),
                ("tool_use", FinishReason::Stop),
                ("max_tokens", FinishReason::Length),
                ("model_context_window_exceeded", FinishReason::Length),
                ("refusal", FinishReason::ContentFilter),
                ("pause_turn", interrupted("pause_turn")),
                ("something_new", interrupted("something_new")),
            ],
        ),
        (
            "gemini",
            vec![
                ("STOP", FinishReason::Stop),
                ("MAX_TOKENS", FinishReason::Length),
                ("SAFETY", FinishReason::ContentFilter),
                ("RECITATION", FinishReason::ContentFilter),
                ("OTHER", interrupted("OTHER")),
                ("MALFORMED_FUNCTION_CALL", interrupted("MALFORMED_FUNCTION_CALL")),
            ],
        ),
        (
            "ollama",
            vec![
                ("stop", FinishReason::Stop),
                ("length", FinishReason::Length),
                ("unload", interrupted("unload")),
            ],
        ),
    ] {
        for (reason, expected) in reasons {
            let reply = ask(provider, Answer::json(&whole(provider, "12", reason))).await.unwrap();
            assert_eq!(reply.finish_reason(), &expected, "{provider}: {reason}");
            let body = events(provider, &["1", "2"], reason).concat();
            let (reply, _) = stream(provider, Answer::bytes("200 OK", kind(provider), body)).await;
            assert_eq!(reply.unwrap().finish_reason(), &expected, "{provider}: {reason}, streamed");
        }
    }
}

#[tokio::test]
async fn a_refusal_has_the_words_of_the_provider() {
    let part = json!([{"type": "refusal", "refusal": "I must not."}]);
    for (provider, body, words) in [
        (
            "openai",
            json!({"choices": [{"message": {"content": null, "refusal": "I must not."}, "finish_reason": "stop"}]}),
            "I must not.",
        ),
        (
            "openai",
            json!({"choices": [{"message": {"content": part}, "finish_reason": "stop"}]}),
            "I must not.",
        ),
        (
            "openai-responses",
            json!({"status": "completed", "output": [{"type": "message", "content": part}]}),
            "I must not.",
        ),
        (
            "anthropic",
            json!({"content": [], "stop_reason": "refusal", "stop_details": {"category": "bio", "explanation": "Too risky."}}),
            "Too risky.",
        ),
        ("gemini", json!({"candidates": [{"finishReason": "SPII"}]}), "SPII"),
        (
            "gemini",
            json!({"candidates": [{"finishReason": "RECITATION", "finishMessage": "A song."}]}),
            "RECITATION: A song.",
        ),
        (
            "gemini",
            json!({"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "No."}}),
            "the prompt was blocked: SAFETY: No.",
        ),
    ] {
        let reply = ask(provider, Answer::json(&body)).await.unwrap();
        assert_eq!(reply.refusal(), Some(words), "{body}");
        assert!(reply.is_refusal());
    }
}

#[tokio::test]
async fn a_filter_that_answers_with_an_error_refuses_in_one_request() {
    let error = json!({"error": {"code": "content_filter", "message": "The prompt was filtered."}});
    let reply = ask("azure", Answer::status("400 Bad Request", &error)).await.unwrap();
    assert_eq!((reply.refusal(), reply.is_refusal()), (Some("The prompt was filtered."), true));
    assert_eq!(reply.origin().unwrap().status, Some(400));
}

#[tokio::test]
async fn what_was_cached_written_and_thought_is_counted_within_its_side() {
    let usage = |provider: &str, usage: Value| {
        let mut body = whole(provider, "8", stop(provider));
        let name = if provider == "gemini" { "usageMetadata" } else { "usage" };
        body[name] = usage;
        body
    };
    for (provider, reported, expected) in [
        (
            "openai",
            json!({"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 64},
                "completion_tokens_details": {"reasoning_tokens": 12}}),
            TokenUsage::new(100, 20).cached(64).reasoning(12),
        ),
        (
            "openai-responses",
            json!({"input_tokens": 100, "output_tokens": 20, "input_tokens_details": {"cached_tokens": 64},
                "output_tokens_details": {"reasoning_tokens": 12}}),
            TokenUsage::new(100, 20).cached(64).reasoning(12),
        ),
        (
            "anthropic",
            json!({"input_tokens": 10, "output_tokens": 20, "cache_read_input_tokens": 64, "cache_creation_input_tokens": 26}),
            TokenUsage::new(100, 20).cached(64).cache_written(26),
        ),
        (
            "gemini",
            json!({"promptTokenCount": 100, "candidatesTokenCount": 8, "cachedContentTokenCount": 64, "thoughtsTokenCount": 12}),
            TokenUsage::new(100, 20).cached(64).reasoning(12),
        ),
        // A zero is omitted, or only the total knows it.
        ("gemini", json!({"promptTokenCount": 100, "totalTokenCount": 105}), TokenUsage::new(100, 5)),
        ("gemini", json!({"promptTokenCount": 100}), TokenUsage::new(100, 0)),
        (
            "gemini",
            json!({"promptTokenCount": 100, "candidatesTokenCount": 8, "totalTokenCount": 120}),
            TokenUsage::new(100, 20),
        ),
    ] {
        let reply = ask(provider, Answer::json(&usage(provider, reported))).await.unwrap();
        assert_eq!(reply.usage(), Some(expected), "{provider}");
    }
    for (name, expected) in
        [("prompt_eval_count", TokenUsage::new(50, 0)), ("eval_count", TokenUsage::new(0, 50))]
    {
        let mut body = whole("ollama", "{}", "stop");
        for counted in ["prompt_eval_count", "eval_count"] {
            body.as_object_mut().unwrap().remove(counted);
        }
        body[name] = 50.into();
        assert_eq!(ask("ollama", Answer::json(&body)).await.unwrap().usage(), Some(expected), "{name}");
    }
    let without = ask("openai", Answer::json(&usage("openai", Value::Null))).await.unwrap();
    assert_eq!(without.usage(), None);
}

#[tokio::test]
async fn of_the_reasons_of_a_gateway_and_of_its_provider_the_graver_one_counts() {
    for (reason, native, expected) in [
        ("stop", "MAX_TOKENS", FinishReason::Length),
        ("stop", "SAFETY", FinishReason::ContentFilter),
        ("stop", "STOP", FinishReason::Stop),
        ("stop", "completed", FinishReason::Stop),
        ("stop", "max_output_tokens", FinishReason::Length),
        ("stop", "RECITATION", FinishReason::ContentFilter),
        ("stop", "SPII", FinishReason::ContentFilter),
        ("stop", "OTHER", FinishReason::Interrupted("OTHER".to_owned())),
        ("stop", "pause_turn", FinishReason::Interrupted("pause_turn".to_owned())),
        ("stop", "a new one", FinishReason::Stop),
        ("max_output_tokens", "stop", FinishReason::Length),
        ("length", "stop", FinishReason::Length),
    ] {
        let mut body = whole("openrouter", "12", reason);
        body["choices"][0]["native_finish_reason"] = native.into();
        let reply = ask("openrouter", Answer::json(&body)).await.unwrap();
        assert_eq!(reply.finish_reason(), &expected, "{reason}, {native}");
    }
}

#[tokio::test]
async fn every_stop_reason_of_every_profile_has_its_meaning() {
    for profile in Profile::ALL {
        let speaks = |name: &&&str| Profile::find(name).unwrap().wire == profile.wire;
        let form = FORMATS.iter().find(speaks).unwrap();
        for (reason, meaning) in profile.stop_reasons.iter().chain(profile.wire.stop_reasons()) {
            let reply = ask(profile.name, Answer::json(&whole(form, "12", reason))).await.unwrap();
            let expected = match meaning {
                StopMeaning::Whole => FinishReason::Stop,
                StopMeaning::Length => FinishReason::Length,
                StopMeaning::Filter => FinishReason::ContentFilter,
                StopMeaning::Repetition => FinishReason::Repetition,
                _ => FinishReason::Interrupted((*reason).to_owned()),
            };
            assert_eq!(reply.finish_reason(), &expected, "{}: {reason}", profile.name);
        }
        let unknown = ask(profile.name, Answer::json(&whole(form, "12", "new"))).await.unwrap();
        assert_eq!(unknown.finish_reason(), &FinishReason::Interrupted("new".to_owned()), "{}", profile.name);
    }
}

/// Cohere has one text of thoughts, and Mistral a list.
#[tokio::test]
async fn thoughts_among_the_parts_are_not_the_text() {
    let thoughts = "So it is {\"legs\": 6}.";
    for (provider, stop, part) in [
        ("cohere", "COMPLETE", json!({"type": "thinking", "thinking": thoughts})),
        ("mistral", "stop", json!({"type": "thinking", "thinking": [{"type": "text", "text": thoughts}]})),
    ] {
        let body = |text: &str| {
            let content = json!([part, {"type": "text", "text": text}]);
            json!({"choices": [{"message": {"content": content}, "finish_reason": stop}]})
        };
        let reply = ask(provider, Answer::json(&body("{\"legs\": 8}"))).await.unwrap();
        assert_eq!(
            (reply.text(), reply.finish_reason()),
            ("{\"legs\": 8}", &FinishReason::Stop),
            "{provider}"
        );
        let empty = ask(provider, Answer::json(&body(""))).await.unwrap();
        assert!(empty.notes()[0].contains("its JSON is in the thoughts"), "{provider}: {:?}", empty.notes());
    }
}

#[tokio::test]
async fn json_in_the_thoughts_is_pointed_out() {
    let message = json!({"content": "", "reasoning_content": "So it is {\"legs\": 8}."});
    let body = json!({"choices": [{"message": message, "finish_reason": "stop"}]});
    let reply = ask("vllm", Answer::json(&body)).await.unwrap();
    assert_eq!(
        (reply.text(), reply.notes()),
        ("", &["the reply is empty, and its JSON is in the thoughts".to_owned()][..])
    );
}

#[tokio::test]
async fn a_call_that_was_not_asked_for_is_named() {
    let server = Server::start([Answer::json(&crate::calls::called("openai"))]);
    let contract = extract::Contract::from_schema(json!({"type": "boolean"})).unwrap();
    let error = contract.extract(&agent("openai", &server), "?").max_attempts(1).await.unwrap_err();
    assert!(error.to_string().contains("a call of `submit`"), "{error}");
}

/// None of them is taken back by a later one.
#[tokio::test]
async fn the_gravest_stop_reason_of_a_stream_counts() {
    let chunk = |text: &str, reason: Value| {
        let choice = json!({"index": 0, "delta": {"content": text}, "finish_reason": reason});
        format!("data: {}\n\n", json!({"choices": [choice]}))
    };
    for (reasons, expected) in [
        (["length", "stop"], FinishReason::Length),
        (["stop", "length"], FinishReason::Length),
        (["content_filter", "stop"], FinishReason::ContentFilter),
        (["error", "stop"], FinishReason::Interrupted("error".to_owned())),
        (["stop", "stop"], FinishReason::Stop),
    ] {
        let ends = reasons.map(|reason| chunk("", reason.into())).concat();
        let body = format!("{}{ends}data: [DONE]\n\n", chunk("3", Value::Null));
        let (reply, _) = stream("openai", Answer::bytes("200 OK", EVENTS, body)).await;
        assert_eq!(reply.unwrap().finish_reason(), &expected, "{reasons:?}");
    }
}

#[tokio::test]
async fn of_several_choices_the_first_by_number_counts() {
    let choice = |index: u32, text: &str| json!({"index": index, "message": {"content": text}, "finish_reason": "stop"});
    let reply =
        ask("openai", Answer::json(&json!({"choices": [choice(1, "[1]"), choice(0, "[0]")]}))).await.unwrap();
    assert_eq!(reply.text(), "[0]");
    // In a stream, the text of the other one has been passed on.
    let delta = |index: u32, text: &str| {
        let choice = json!({"index": index, "delta": {"content": text}, "finish_reason": "stop"});
        format!("data: {}\n\n", json!({"choices": [choice]}))
    };
    let body = format!("{}{}data: [DONE]\n\n", delta(1, "[1]"), delta(0, "[0]"));
    let (reply, _) = stream("openai", Answer::bytes("200 OK", EVENTS, body)).await;
    assert_eq!(reply.unwrap_err().kind(), AgentErrorKind::Garbled);
}

#[tokio::test]
async fn a_message_of_responses_counts_if_it_answers_and_is_whole() {
    let message = |text: &str, phase: &str, status: &str| json!({"type": "message", "phase": phase, "status": status, "content": [{"type": "output_text", "text": text}]});
    let said = message("Looking at {\"legs\": 6}.", "commentary", "completed");
    for (status, expected) in [
        ("completed", FinishReason::Stop),
        ("incomplete", FinishReason::Interrupted("incomplete".to_owned())),
    ] {
        let output = json!([said, message("8", "final_answer", status)]);
        let body = json!({"status": "completed", "output": output});
        let reply = ask("openai-responses", Answer::json(&body)).await.unwrap();
        assert_eq!((reply.text(), reply.finish_reason()), ("8", &expected));
    }
    let output = json!([message("8", "final_answer", "incomplete")]);
    let details = json!({"reason": "max_output_tokens"});
    let body = json!({"status": "incomplete", "incomplete_details": details, "output": output});
    let reply = ask("openai-responses", Answer::json(&body)).await.unwrap();
    assert_eq!(reply.finish_reason(), &FinishReason::Length, "the reason says more than the status");
}

#[tokio::test]
async fn a_side_that_is_not_reported_is_not_zero() {
    let mut body = whole("openai", "{}", "stop");
    body["usage"] = json!({"prompt_tokens": null, "completion_tokens": 1});
    let reply = ask("openai", Answer::json(&body)).await.unwrap();
    assert!(reply.usage().is_none(), "{reply:?}");
}

#[tokio::test]
async fn a_prompt_that_fills_the_context_was_cut() {
    let server = Server::start([Answer::json(&{
        let mut body = whole("ollama", "{}", "stop");
        body["prompt_eval_count"] = 8192.into();
        body
    })]);
    let error = agent("ollama", &server).respond(&request()).await.unwrap_err();
    assert_eq!(server.only().body["options"]["num_ctx"], 8192);
    assert!(error.message().contains("takes all 8192 tokens of the context"), "{error}");
}

#[tokio::test]
async fn an_end_without_a_reason_is_an_interruption() {
    let mut body = whole("ollama", "3", "stop");
    body.as_object_mut().unwrap().remove("done_reason");
    let reply = ask("ollama", Answer::json(&body)).await.unwrap();
    assert!(matches!(reply.finish_reason(), FinishReason::Interrupted(_)), "{reply:?}");
}

#[tokio::test]
async fn a_prompt_that_the_server_cut_is_an_error_with_both_numbers() {
    let text = "The quick brown fox jumps over the lazy dog. ".repeat(2_645);
    let request = Request::new(Conversation::new().with(Role::User, text));
    for provider in FORMATS {
        let (mut cut, mut cached) = (whole(provider, "{}", stop(provider)), Value::Null);
        match provider {
            "ollama" => cut["prompt_eval_count"] = 2_051.into(),
            "gemini" => cut["usageMetadata"] = json!({"promptTokenCount": 2_051, "candidatesTokenCount": 7}),
            "anthropic" => {
                cut["usage"] = json!({"input_tokens": 2_051, "output_tokens": 7});
                cached = json!({"input_tokens": 51, "output_tokens": 7, "cache_read_input_tokens": 25_000});
            }
            "openai" => cut["usage"] = json!({"prompt_tokens": 2_051, "completion_tokens": 7}),
            "bedrock-converse" => cut["usage"] = json!({"inputTokens": 2_051, "outputTokens": 7}),
            _ => cut["usage"] = json!({"input_tokens": 2_051, "output_tokens": 7}),
        }
        let mut whole = cut.clone();
        whole["usage"] = cached;
        let has_cached = provider == "anthropic";
        let server = Server::start([Answer::json(&cut), Answer::json(&whole)]);
        let error = agent(provider, &server).respond(&request).await.unwrap_err();
        assert_eq!(error.kind(), AgentErrorKind::TooLong, "{provider}");
        let message = error.message();
        assert!(message.contains("the prompt was cut") && message.contains("2051 input tokens"), "{message}");
        assert!(message.contains("29756") || message.contains("of about 29"), "{message}");
        if has_cached {
            agent(provider, &server).respond(&request).await.unwrap();
        }
    }
    // Padding is few tokens, and a short text proves nothing.
    for text in ["=".repeat(40_000), " ".repeat(40_000), "word ".repeat(200)] {
        let server = Server::start([replied("openai", "{}")]);
        let request = Request::new(Conversation::new().with(Role::User, text));
        agent("openai", &server).respond(&request).await.unwrap();
    }
}

#[tokio::test]
async fn a_mark_of_the_byte_order_is_passed_over() {
    for provider in FORMATS {
        let body = format!("\u{feff}{}", whole(provider, "8", stop(provider)));
        let reply = ask(provider, Answer::bytes("200 OK", "application/json", body)).await.unwrap();
        assert_eq!(reply.text(), "8", "{provider}");
    }
}

#[tokio::test]
async fn an_error_that_calls_itself_one_is_one() {
    let body = json!({"object": "error", "message": "out of memory", "code": 500});
    let error = ask("vllm", Answer::json(&body)).await.unwrap_err();
    assert_eq!((error.kind(), error.status()), (AgentErrorKind::Transport, Some(500)));
    assert!(error.message().contains("out of memory"), "{error}");
}

#[tokio::test]
async fn a_body_that_is_no_reply_is_garbled() {
    for provider in FORMATS {
        for body in [json!({"hello": "world"}), json!([]), json!("text"), json!(null), json!({"choices": []})]
        {
            let error = ask(provider, Answer::json(&body)).await.unwrap_err();
            assert_eq!(error.kind(), AgentErrorKind::Garbled, "{provider} {body}: {error}");
        }
    }
    let _ = request();
}

#[tokio::test]
async fn a_filter_of_any_provider_refuses_in_one_request() {
    let error = |code: Value, message: &str| json!({"error": {"code": code, "message": message}});
    let moderated =
        json!({"error": {"code": 403, "message": "flagged", "metadata": {"reasons": ["violence"]}}});
    for (provider, status, body) in [
        ("azure", "400 Bad Request", error(json!("content_filter"), "filtered")),
        ("openai", "400 Bad Request", error(json!("content_policy_violation"), "no")),
        ("kimi", "400 Bad Request", json!({"error": {"type": "content_filter", "message": "high risk"}})),
        ("qwen", "400 Bad Request", error(json!("data_inspection_failed"), "inappropriate")),
        ("zai", "400 Bad Request", error(json!("1301"), "sensitive")),
        ("deepseek", "400 Bad Request", error(json!("invalid_request_error"), "Content Exists Risk")),
        ("openrouter", "403 Forbidden", moderated),
        (
            "openrouter",
            "403 Forbidden",
            error(json!(403), "Request blocked: prompt injection patterns detected"),
        ),
        (
            "openai",
            "400 Bad Request",
            error(json!("cyber_policy"), "flagged for potentially high-risk cyber activity"),
        ),
        ("openai", "400 Bad Request", error(json!("bio_policy"), "flagged")),
        ("litellm", "400 Bad Request", error(json!("400"), "Violated guardrail policy")),
        (
            "openai",
            "400 Bad Request",
            json!({"success": false, "errors": [{"code": 2016, "message": "Prompt blocked due to security configurations"}]}),
        ),
    ] {
        let server = Server::start([Answer::status(status, &body), replied(provider, "{}")]);
        let request = request().with_schema(crate::legs());
        let reply = agent(provider, &server).respond(&request).await;
        assert!(reply.as_ref().is_ok_and(Reply::is_refusal), "{provider}: {reply:?}");
        assert_eq!(server.received().len(), 1, "{provider}");
    }
}
