//! Spans in the semantic conventions of OpenTelemetry for generative AI.
//!
//! The extraction is an `invoke_agent` span, and each attempt is a `chat` span in it. Attributes
//! follow the conventions 1.41 (<https://opentelemetry.io/docs/specs/semconv/gen-ai/>). Attributes
//! that they do not define start with `extract.`. `otel.name`, `otel.kind` and `otel.status_code`
//! set the name, kind and status of a span for `tracing-opentelemetry`.

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
