//! One call: from the arguments to what the agent is told, and what is written down.

use std::{sync::LazyLock, time::Instant};

use super::{
    Outcome, Toolkit, ToolkitState,
    report::{Report, Status},
    words,
};
use crate::{
    agent::{Conversation, Reply},
    attempt::AttemptRecord,
    described::Within,
    feedback::{FailedAttempt, Failure},
    judging::{
        Answer, Event, Judged, Submissions, Verdict, judge,
        tools::{self, Kind, ToolCall, ToolResult},
    },
};

impl<T: Within<C> + Send, C> Toolkit<'_, T, C> {
    /// Does what the agent asks for and says what to answer it.
    ///
    /// The arguments of `validate` and `submit` are read as a reply is, with the same receipt: text around them, a value in
    /// quotes, a trailing comma and the like are no attempt. When the future is dropped before it is ready, the call has not
    /// happened.
    pub async fn call(&mut self, call: ToolCall) -> ToolResult {
        if self.told.is_none() {
            self.story.started = Instant::now();
            self.told = Some(self.story.started);
        }
        let kind = self.offer.kind_of(&call.name);
        if let (None | Some(Kind::Example), Some(usage)) = (kind, call.usage) {
            self.story.metrics.spend(usage);
        }
        match kind {
            None => self.offer.unknown(&call.name),
            Some(Kind::Example) => tools::example(&self.contract),
            Some(_) if !matches!(self.state(), ToolkitState::Open { .. }) => self.closed(),
            Some(kind) => self.attempt(kind, call).await,
        }
    }

    async fn attempt(&mut self, kind: Kind, call: ToolCall) -> ToolResult {
        let (judged, value) = self.judge(kind, call).await;
        let Judged { mut record, verdict } = judged;
        if kind == Kind::Validate && matches!(verdict, Verdict::Accepted) {
            self.story.metrics.spend(record.usage);
            return self.result(
                Status::Valid,
                &record,
                tools::words::valid(&record, &self.offer.name_of(Kind::Submit)),
            );
        }
        self.settings.apply_fatal_codes(&mut record.violations);
        self.story.compare(&mut record, &self.contract);
        self.count(&record, value.is_some());
        match value {
            Some(value) => self.accept(value, record),
            None => self.reject(kind, record, verdict),
        }
    }

    /// Judges by everything that `kind` asks for. The value is there when it was accepted.
    async fn judge(&mut self, kind: Kind, call: ToolCall) -> (Judged, Option<T>) {
        let text = self.offer.submitted(&call.arguments);
        let mut reply = Reply::new(text).finished(call.finish_reason);
        if let Some(usage) = call.usage {
            reply = reply.with_usage(usage);
        }
        let usage = reply.cost(|| 0);
        let answer = Answer::whole(self.story.metrics.attempts + 1, call.agent, reply, usage);
        let mut submissions =
            Submissions::new(self.accept, &self.contract, self.context, &mut self.on_submit);
        let mut judged = judge(answer, &self.contract, &self.settings.reading, &mut submissions, |_| {});
        judged.ask(&mut submissions).await;
        if kind == Kind::Submit {
            judged.decide(&mut submissions);
        }
        let now = Instant::now();
        judged.record.elapsed = now.duration_since(self.told.unwrap_or(now));
        (judged, submissions.into_accepted())
    }

    /// Writes an attempt into the story.
    fn count(&mut self, record: &AttemptRecord, is_accepted: bool) {
        self.told = Some(Instant::now());
        self.story.metrics.elapsed = self.story.started.elapsed();
        self.story.count(record);
        self.tell(&Event::Judged { record, is_accepted });
    }

    fn accept(&mut self, value: T, record: AttemptRecord) -> ToolResult {
        self.outcome = Outcome::Accepted(value);
        let text = tools::words::accepted(&record, self.settings.max_attempts);
        let result = self.result(Status::Accepted, &record, text);
        self.story.metrics.warnings = record.violations;
        self.story.metrics.changes = record.changes;
        self.done(true);
        result
    }

    fn reject(&mut self, kind: Kind, record: AttemptRecord, verdict: Verdict) -> ToolResult {
        let is_truncated = matches!(verdict, Verdict::Truncated);
        let settings = &self.settings;
        let text = match self.story.end_after(&record, verdict, settings) {
            Some(end) => {
                let text = words::closed_by(&record, settings.max_attempts, &end);
                self.outcome = Outcome::Failed(end);
                text
            }
            None => self.failed(&record, is_truncated, &self.offer.name_of(Kind::Submit)).message(),
        };
        let mut result = self.result(Status::Rejected, &record, text);
        result.is_error = kind == Kind::Submit;
        self.story.history.push(record);
        if matches!(self.outcome, Outcome::Failed(_)) {
            self.done(false);
        }
        result
    }

    /// What the feedback has to know of an attempt after which another may follow.
    fn failed<'r>(
        &'r self,
        record: &'r AttemptRecord,
        is_truncated: bool,
        submit: &'r str,
    ) -> FailedAttempt<'r> {
        static NOTHING: LazyLock<Conversation> = LazyLock::new(Conversation::new);
        let settings = &self.settings;
        let schema = Some(self.contract.schema()).filter(|_| settings.feedback_options.show_failing_schemas);
        FailedAttempt {
            opening: &NOTHING,
            record,
            next: record.number + 1,
            max_attempts: settings.max_attempts,
            stalls: 0,
            is_other_agent: false,
            exchange: None,
            failure: Failure {
                is_truncated,
                schema,
                max_chars: settings.feedback_options.max_chars,
                sensitive: self.contract.sensitive(),
                submit: Some(submit),
            },
        }
    }

    fn done(&mut self, is_success: bool) {
        let metrics = std::mem::take(&mut self.story.metrics);
        self.tell(&Event::Done { is_success, metrics: &metrics });
        self.story.metrics = metrics;
    }

    fn result(&self, status: Status, record: &AttemptRecord, text: String) -> ToolResult {
        let report = Report {
            violations: &record.violations,
            changes: &record.changes,
            value: record.submitted.as_ref().filter(|_| status == Status::Accepted),
            ..self.report(status)
        };
        ToolResult { text, structured: report.to_json(), is_error: false }
    }

    fn report(&self, status: Status) -> Report<'static> {
        let attempts = self.story.metrics.attempts;
        let state = self.state();
        let attempts_left = match state {
            ToolkitState::Open { attempts, max_attempts } => max_attempts - attempts,
            ToolkitState::Accepted | ToolkitState::Failed => 0,
        };
        let next = words::next(status, state, &self.offer.name_of(Kind::Submit));
        Report { status, attempts, attempts_left, next, violations: &[], changes: &[], value: None }
    }

    fn closed(&self) -> ToolResult {
        let text = words::closed(self.state());
        ToolResult { text, structured: self.report(Status::Closed).to_json(), is_error: true }
    }
}
