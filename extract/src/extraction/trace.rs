//! Spans of an extraction and its attempts.
//!
//! With the feature `tracing`, [`spans`] makes them, in the semantic conventions of
//! OpenTelemetry for generative AI. Without it they compile to nothing.

#[cfg(not(feature = "tracing"))]
pub(super) use self::silent::ExtractionTrace;
#[cfg(feature = "tracing")]
pub(super) use self::spans::ExtractionTrace;

/// Spans in the semantic conventions of OpenTelemetry for generative AI.
///
/// The extraction is an `invoke_agent` span, and each attempt is a `chat` span in it. Attributes
/// follow the conventions 1.41 (<https://opentelemetry.io/docs/specs/semconv/gen-ai/>). Attributes
/// that they do not define start with `extract.`. `otel.name`, `otel.kind` and `otel.status_code`
/// set the name, kind and status of a span for `tracing-opentelemetry`.
#[cfg(feature = "tracing")]
mod spans {
    use serde_json::{Value, json};
    use tracing::{Instrument, Span, field::Empty, info_span, instrument::Instrumented};

    use crate::{
        agent::{AgentError, Conversation, FinishReason, Reply, Request, Role},
        attempt::AttemptRecord,
        contract::Contract,
        error::ExtractionError,
        metrics::ExtractionMetrics,
        settings::ExtractionSettings,
        vocabulary::{usage::TokenUsage, violation::Severity},
    };

    pub(crate) struct ExtractionTrace(Span);

    impl ExtractionTrace {
        pub(crate) fn extraction(contract: &Contract) -> Self {
            let title = contract.schema().get("title").and_then(Value::as_str);
            Self(info_span!(
                "extract",
                "otel.name" = "invoke_agent extract",
                "otel.kind" = "internal",
                "otel.status_code" = Empty,
                "gen_ai.operation.name" = "invoke_agent",
                "gen_ai.agent.name" = "extract",
                "gen_ai.output.type" = "json",
                "gen_ai.usage.input_tokens" = Empty,
                "gen_ai.usage.output_tokens" = Empty,
                "gen_ai.usage.cache_read.input_tokens" = Empty,
                "gen_ai.usage.cache_creation.input_tokens" = Empty,
                "gen_ai.usage.reasoning.output_tokens" = Empty,
                "error.type" = Empty,
                "extract.type" = title,
                "extract.attempts" = Empty,
                "extract.transport_retries" = Empty,
                "extract.left_out" = Empty,
            ))
        }

        /// `agent` is a name such as `openai/gpt-5-mini`: the provider and the model.
        pub(crate) fn attempt(
            agent: &str,
            number: u32,
            request: &Request,
            settings: &ExtractionSettings,
        ) -> Self {
            let (provider, model) = agent.split_once('/').unwrap_or((agent, agent));
            let span = info_span!(
                "attempt",
                "otel.name" = format!("chat {model}"),
                "otel.kind" = "client",
                "otel.status_code" = Empty,
                "gen_ai.operation.name" = "chat",
                "gen_ai.provider.name" = provider,
                "gen_ai.request.model" = model,
                "gen_ai.request.temperature" = request.temperature,
                "gen_ai.request.max_tokens" = request.max_output_tokens.map(i64::from),
                "gen_ai.output.type" = "json",
                "gen_ai.response.model" = Empty,
                "gen_ai.response.id" = Empty,
                "gen_ai.response.finish_reasons" = Empty,
                "gen_ai.usage.input_tokens" = Empty,
                "gen_ai.usage.output_tokens" = Empty,
                "gen_ai.usage.cache_read.input_tokens" = Empty,
                "gen_ai.usage.cache_creation.input_tokens" = Empty,
                "gen_ai.usage.reasoning.output_tokens" = Empty,
                "http.response.status_code" = Empty,
                "gen_ai.system_instructions" = Empty,
                "gen_ai.input.messages" = Empty,
                "gen_ai.output.messages" = Empty,
                "error.type" = Empty,
                "extract.attempt" = i64::from(number),
                "extract.max_attempts" = i64::from(settings.max_attempts),
                "extract.thinking" = request.thinking.map(tracing::field::display),
                "extract.request_id" = Empty,
                "extract.usage_is_estimated" = Empty,
                "extract.violations" = Empty,
                "extract.changes" = Empty,
                "extract.is_accepted" = Empty,
                "extract.verdict" = Empty,
            );
            if settings.trace_content {
                let [system, messages] = parts(&request.conversation);
                span.record("gen_ai.system_instructions", system.to_string());
                span.record("gen_ai.input.messages", messages.to_string());
            }
            Self(span)
        }

        /// `future`, with this span as the current one while it is polled.
        pub(crate) fn watch<F: Future>(&self, future: F) -> Instrumented<F> {
            future.instrument(self.0.clone())
        }

        pub(crate) fn replied(&self, reply: Result<&Reply, &AgentError>, settings: &ExtractionSettings) {
            match reply {
                Err(error) => {
                    self.fail(&error.kind().to_string());
                    self.0.record("http.response.status_code", error.status().map(i64::from));
                    self.0.record("extract.request_id", error.request_id());
                }
                Ok(reply) => {
                    if let Some(origin) = reply.origin() {
                        self.0.record("gen_ai.response.model", origin.model.as_deref());
                        self.0.record("gen_ai.response.id", origin.response_id.as_deref());
                        self.0.record("http.response.status_code", origin.status.map(i64::from));
                        self.0.record("extract.request_id", origin.request_id.as_deref());
                    }
                    let reason = finish_reason(reply.finish_reason());
                    self.0.record("gen_ai.response.finish_reasons", json!([reason]).to_string());
                    if settings.trace_content {
                        let message =
                            json!([{"role": "assistant", "parts": said(reply), "finish_reason": reason}]);
                        self.0.record("gen_ai.output.messages", message.to_string());
                    }
                }
            }
        }

        /// Token usage of the reply.
        pub(crate) fn used(&self, usage: TokenUsage) {
            self.record_tokens(usage);
            self.0.record("extract.usage_is_estimated", usage.is_estimated);
        }

        /// Parts that are not reported are left out, because they may not be 0.
        fn record_tokens(&self, usage: TokenUsage) {
            self.0.record("gen_ai.usage.input_tokens", int(usage.input_tokens));
            self.0.record("gen_ai.usage.output_tokens", int(usage.output_tokens));
            for (name, tokens) in [
                ("gen_ai.usage.cache_read.input_tokens", usage.cached_input_tokens),
                ("gen_ai.usage.cache_creation.input_tokens", usage.cache_write_tokens),
                ("gen_ai.usage.reasoning.output_tokens", usage.reasoning_tokens),
            ] {
                self.0.record(name, Some(tokens).filter(|tokens| *tokens > 0).map(int));
            }
        }

        pub(crate) fn judged(&self, record: &AttemptRecord) {
            let errors = record.violations.iter().filter(|violation| violation.severity != Severity::Warning);
            let violations = errors.count();
            self.0.record("extract.violations", int(violations));
            self.0.record("extract.changes", int(record.changes.len()));
            for violation in &record.violations {
                // Messages may quote what the agent wrote, so only `trace_content` records them.
                tracing::info!(
                    parent: &self.0,
                    path = %violation.path,
                    code = %violation.code,
                    severity = ?violation.severity,
                    "violation"
                );
            }
            let is_accepted = violations == 0;
            self.0.record("extract.is_accepted", is_accepted);
            self.0.record("extract.verdict", record.verdict.as_str());
            tracing::info!(parent: &self.0, is_accepted, violations, usage = %record.usage, "judged");
        }

        pub(crate) fn done(&self, result: Result<&ExtractionMetrics, &ExtractionError>) {
            let metrics = match result {
                Ok(metrics) => metrics,
                Err(error) => {
                    self.fail(error.name());
                    error.metrics()
                }
            };
            self.record_tokens(metrics.usage);
            self.0.record("extract.attempts", i64::from(metrics.attempts));
            self.0.record("extract.transport_retries", i64::from(metrics.transport_retries));
            self.0.record("extract.left_out", int(metrics.left_out.len()));
            if !metrics.confidences.is_empty() {
                let lowest = metrics.unsure(2.0).first().and_then(|leaf| leaf.confidence);
                let (leaves, is_calibrated) =
                    (int(metrics.confidences.leaves.len()), metrics.confidences.is_calibrated);
                tracing::info!(parent: &self.0, leaves, lowest, is_calibrated, "confidence measured");
            }
            for item in &metrics.left_out {
                let violations = int(item.violations.len());
                tracing::info!(parent: &self.0, path = %item.path, violations, "item left out");
            }
            tracing::info!(parent: &self.0, is_success = result.is_ok(), %metrics, "done");
        }

        fn fail(&self, kind: &str) {
            self.0.record("otel.status_code", "ERROR");
            self.0.record("error.type", kind);
        }
    }

    /// A count as a signed integer: `tracing-opentelemetry` turns unsigned ones into strings.
    fn int(count: impl TryInto<i64>) -> i64 {
        count.try_into().unwrap_or(i64::MAX)
    }

    /// System instructions and messages in the form of the conventions.
    fn parts(conversation: &Conversation) -> [Value; 2] {
        let part = |text: &str| json!({"type": "text", "content": text});
        let turns = conversation.turns();
        let system = turns.iter().filter(|turn| turn.role() == Role::System).map(|turn| part(turn.text()));
        let others = turns.iter().filter(|turn| turn.role() != Role::System);
        let messages = others.map(|turn| json!({"role": turn.role(), "parts": [part(turn.text())]}));
        [system.collect(), messages.collect()]
    }

    /// Text and calls of tools.
    fn said(reply: &Reply) -> Vec<Value> {
        let text = Some(reply.text()).filter(|text| !text.is_empty() || reply.calls().is_empty());
        let text = text.map(|text| json!({"type": "text", "content": text}));
        let calls = reply.calls().iter().map(
            |call| json!({"type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments}),
        );
        text.into_iter().chain(calls).collect()
    }

    fn finish_reason(reason: &FinishReason) -> &str {
        match reason {
            FinishReason::Unknown => "unknown",
            FinishReason::Stop => "stop",
            FinishReason::Length => "length",
            FinishReason::Repetition => "repetition",
            FinishReason::ContentFilter => "content_filter",
            FinishReason::Interrupted(reason) | FinishReason::Other(reason) => reason,
        }
    }
}

/// Empty stand-ins for when the feature `tracing` is off.
#[cfg(not(feature = "tracing"))]
mod silent {
    use crate::{
        agent::{AgentError, Reply, Request},
        attempt::AttemptRecord,
        contract::Contract,
        error::ExtractionError,
        metrics::ExtractionMetrics,
        settings::ExtractionSettings,
        vocabulary::usage::TokenUsage,
    };

    pub(crate) struct ExtractionTrace;

    #[allow(clippy::unused_self, reason = "the other `Trace` uses it")]
    impl ExtractionTrace {
        pub(crate) fn extraction(_: &Contract) -> Self {
            Self
        }

        pub(crate) fn attempt(_: &str, _: u32, _: &Request, _: &ExtractionSettings) -> Self {
            Self
        }

        pub(crate) fn watch<F: Future>(&self, future: F) -> F {
            future
        }

        pub(crate) fn replied(&self, _: Result<&Reply, &AgentError>, _: &ExtractionSettings) {}

        pub(crate) fn used(&self, _: TokenUsage) {}

        pub(crate) fn judged(&self, _: &AttemptRecord) {}

        pub(crate) fn done(&self, _: Result<&ExtractionMetrics, &ExtractionError>) {}
    }
}

#[cfg(all(test, feature = "tracing"))]
mod tests {
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
        let told =
            traced(|| drop(block_on(number().extract(&agent(), "SECRET").trace_content(true)).unwrap()));
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
}
