use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex},
};

use tracing::{
    Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{Layer, layer::Context, layer::SubscriberExt as _, registry::LookupSpan};

use crate::{
    agent::{AgentError, FinishReason, Reply, ThinkingLevel},
    contract::Contract,
    metrics::ReplyOrigin,
    testing::{ScriptedAgent, block_on},
    vocabulary::usage::TokenUsage,
};

/// The records of each span, in the order in which they began, and the name of the span around it.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<Recorded>>>);

struct Recorded {
    id: Id,
    around: Option<&'static str>,
    fields: BTreeMap<&'static str, String>,
}

impl Visit for Recorded {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let around = context.span(id).and_then(|span| span.parent()).map(|span| span.name());
        let mut recorded = Recorded { id: id.clone(), around, fields: BTreeMap::new() };
        attributes.record(&mut recorded);
        self.0.lock().unwrap().push(recorded);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut spans = self.0.lock().unwrap();
        values.record(spans.iter_mut().find(|span| span.id == *id).unwrap());
    }
}

fn traced(work: impl FnOnce()) -> Vec<(Option<&'static str>, BTreeMap<&'static str, String>)> {
    let spans = Spans::default();
    tracing::subscriber::with_default(tracing_subscriber::registry().with(spans.clone()), work);
    let spans = std::mem::take(&mut *spans.0.lock().unwrap());
    spans.into_iter().map(|span| (span.around, span.fields)).collect()
}

fn number() -> Contract {
    Contract::from_schema(serde_json::json!({"title": "Number", "type": "integer"})).unwrap()
}

#[test]
fn the_extraction_holds_an_attempt_for_each_reply() {
    let reply =
        |text: &str| Reply::new(text).finished(FinishReason::Stop).with_usage(TokenUsage::new(90, 10));
    let agent = ScriptedAgent::new([reply("three"), reply("3")]);
    let spans = traced(|| {
        block_on(number().extract(&agent, "SECRET").temperature(0.5)).unwrap();
    });
    let [(None, extraction), (Some("extract"), first), (Some("extract"), second)] = &spans[..] else {
        panic!("{spans:?}")
    };
    for (span, field, expected) in [
        (extraction, "otel.name", "invoke_agent extract"),
        (extraction, "gen_ai.operation.name", "invoke_agent"),
        (extraction, "gen_ai.usage.input_tokens", "180"),
        (extraction, "extract.type", "Number"),
        (extraction, "extract.attempts", "2"),
        (first, "otel.name", "chat scripted"),
        (first, "gen_ai.operation.name", "chat"),
        (first, "gen_ai.request.temperature", "0.5"),
        (first, "gen_ai.response.finish_reasons", r#"["stop"]"#),
        (first, "gen_ai.usage.output_tokens", "10"),
        (first, "extract.attempt", "1"),
        (first, "extract.violations", "1"),
        (first, "extract.is_accepted", "false"),
        (first, "extract.verdict", "rejected"),
        (second, "extract.attempt", "2"),
        (second, "extract.is_accepted", "true"),
        (second, "extract.verdict", "accepted"),
    ] {
        assert_eq!(span.get(field).map(String::as_str), Some(expected), "{field}");
    }
    assert!(!extraction.contains_key("error.type"));
}

#[test]
fn an_attempt_names_what_the_provider_named() {
    let origin = ReplyOrigin::default()
        .with_model("m-2026")
        .with_response_id("msg_1")
        .with_request_id("req_1")
        .with_status(200);
    let usage = TokenUsage::new(90, 10).cached(60).cache_written(20).reasoning(7);
    let agent = ScriptedAgent::new([Reply::new("3").with_usage(usage).with_origin(origin)])
        .then_fail(AgentError::refused("no").with_status(401).with_request_id("req_2"));
    let spans = traced(|| {
        block_on(number().extract(&agent, "…").thinking(ThinkingLevel::Low)).unwrap();
        block_on(number().extract(&agent, "…")).unwrap_err();
    });
    let (extraction, attempt, failed) = (&spans[0].1, &spans[1].1, &spans[3].1);
    for (span, field, expected) in [
        (extraction, "gen_ai.usage.cache_read.input_tokens", "60"),
        (extraction, "gen_ai.usage.reasoning.output_tokens", "7"),
        (attempt, "gen_ai.response.model", "m-2026"),
        (attempt, "gen_ai.response.id", "msg_1"),
        (attempt, "gen_ai.usage.cache_read.input_tokens", "60"),
        (attempt, "gen_ai.usage.cache_creation.input_tokens", "20"),
        (attempt, "gen_ai.usage.reasoning.output_tokens", "7"),
        (attempt, "http.response.status_code", "200"),
        (attempt, "extract.request_id", "req_1"),
        (attempt, "extract.thinking", "low"),
        (failed, "http.response.status_code", "401"),
        (failed, "extract.request_id", "req_2"),
    ] {
        assert_eq!(span.get(field).map(String::as_str), Some(expected), "{field}");
    }
    assert!(!failed.contains_key("gen_ai.response.model") && !failed.contains_key("extract.thinking"));
}

#[test]
fn content_is_recorded_on_request_only() {
    let agent = || ScriptedAgent::new(["3"]);
    let text = |spans: &[(Option<&str>, BTreeMap<&str, String>)]| format!("{spans:?}");
    let silent = traced(|| drop(block_on(number().extract(&agent(), "SECRET")).unwrap()));
    assert!(!text(&silent).contains("SECRET") && !text(&silent).contains("JSON Schema"));
    let told = traced(|| drop(block_on(number().extract(&agent(), "SECRET").trace_content(true)).unwrap()));
    let attempt = &told[1].1;
    let input = r#"[{"role":"user","parts":[{"type":"text","content":"SECRET"}]}]"#;
    assert_eq!(attempt["gen_ai.input.messages"], input);
    let output =
        r#"[{"role":"assistant","parts":[{"type":"text","content":"3"}],"finish_reason":"unknown"}]"#;
    assert_eq!(attempt["gen_ai.output.messages"], output);
    assert!(attempt["gen_ai.system_instructions"].contains("JSON"));
}

#[test]
fn items_that_are_left_out_are_counted() {
    let contract = Contract::from_schema(serde_json::json!({"items": {"type": "integer"}})).unwrap();
    let agent = ScriptedAgent::new(["[1, \"x\"]"]);
    let spans = traced(|| {
        block_on(contract.extract(&agent, "…").max_attempts(1).keep_valid_items(true)).unwrap();
    });
    assert_eq!(spans[0].1["extract.left_out"], "1");
    assert!(!spans[0].1.contains_key("error.type"));
}

#[test]
fn failures_say_of_what_kind_they_are() {
    let agent = ScriptedAgent::new(["one"]).then_fail(AgentError::refused("no such model"));
    let spans = traced(|| drop(block_on(number().extract(&agent, "…")).unwrap_err()));
    assert_eq!((&*spans[0].1["error.type"], &*spans[0].1["otel.status_code"]), ("Agent", "ERROR"));
    assert_eq!(spans[2].1["error.type"], "request refused");
    assert!(
        !spans[1].1.contains_key("error.type"),
        "an attempt that is not accepted is no fault of the agent's"
    );

    let agent = ScriptedAgent::new(["one", "one", "one"]);
    let spans = traced(|| drop(block_on(number().extract(&agent, "…")).unwrap_err()));
    assert_eq!(spans[0].1["error.type"], "MaxRetriesExceeded");
    assert_eq!(spans[0].1["extract.attempts"], "3");
}

#[test]
fn a_refusal_is_named_but_its_words_are_not() {
    let agent = ScriptedAgent::new([Reply::new("").finished(FinishReason::Stop).with_refusal("SECRET")]);
    let spans = traced(|| drop(block_on(number().extract(&agent, "…")).unwrap_err()));
    assert_eq!(spans[0].1["error.type"], "Refused");
    assert_eq!(spans[1].1["extract.verdict"], "refused");
    assert_eq!(spans[1].1["gen_ai.response.finish_reasons"], r#"["stop"]"#);
    assert!(!format!("{spans:?}").contains("SECRET"));
}
