//! The methods that change [`Settings`](crate::settings::Settings), once for [`Extraction`](super::Extraction) and
//! [`Extractor`](super::Extractor).

/// The by-value setters of [`Settings`], for a `self.settings: Arc<Settings>`.
macro_rules! settings_methods {
    () => {
        /// How often the agent may reply before giving up; 3 by default. Whatever makes an answer unacceptable
        /// costs one of these. 0 is an error when the extraction is awaited.
        pub fn max_attempts(mut self, attempts: u32) -> Self {
            Arc::make_mut(&mut self.settings).max_attempts = attempts;
            self
        }

        /// Standing instructions of your own. They stand before the contract in the system turn.
        pub fn system(mut self, text: impl Into<String>) -> Self {
            Arc::make_mut(&mut self.settings).system = Some(text.into());
            self
        }

        /// Has the value handed in by calls of the tools `example`, `validate` and `submit`, as far as the agent
        /// [calls tools](crate::agent::Abilities::calls_tools); one that does not is asked for text, and a
        /// [note](crate::metrics::AttemptMetrics::notes) says so.
        ///
        /// The extraction ends with an accepted `submit`. A `validate` or `submit` of a value that is not acceptable is an attempt, and
        /// so is an answer in text, which is read as usual. To ask for the example, and to validate a value that is right, is none;
        /// after four such replies the next is an attempt in any case, and a valid value is taken as handed in.
        ///
        /// The schema stands in the tools then, instead of in the prompt, whatever
        /// [`prompt_options`](Self::prompt_options) say, and the agent is not constrained to it by other means.
        ///
        /// ```
        /// use extract::{Contract, agent::{Reply, ToolCall}, testing::{ScriptedAgent, block_on}};
        /// use serde_json::json;
        ///
        /// let schema = json!({"type": "object", "properties": {"legs": {"type": "integer"}}});
        /// let contract = Contract::from_schema(schema)?;
        /// let calls = |id, arguments| Reply::new("").with_calls([ToolCall::new("submit", arguments).with_id(id)]);
        /// let agent = ScriptedAgent::new([calls("1", json!({"legs": "many"})), calls("2", json!({"legs": 8}))]).calling_tools();
        /// let (value, metrics) = block_on(contract.extract(&agent, "How many legs has a spider?").tools())?;
        /// assert_eq!((value, metrics.attempts), (json!({"legs": 8}), 2));
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub fn tools(mut self) -> Self {
            Arc::make_mut(&mut self.settings).uses_tools = true;
            self
        }

        /// How the agent is asked again after a failed attempt: a [`Feedback`](crate::Feedback), by default
        /// [`Auto`](crate::Feedback::Auto), or a [`FeedbackStrategy`](crate::feedback::FeedbackStrategy) of your own.
        pub fn feedback(mut self, strategy: impl FeedbackStrategy + 'static) -> Self {
            Arc::make_mut(&mut self.settings).feedback = Strategy::new(strategy);
            self
        }

        /// What one feedback holds.
        pub fn feedback_options(mut self, options: FeedbackOptions) -> Self {
            Arc::make_mut(&mut self.settings).feedback_options = options;
            self
        }

        /// How schema, example and absent values stand in the prompt.
        pub fn prompt_options(mut self, options: PromptOptions) -> Self {
            Arc::make_mut(&mut self.settings).prompt = options;
            self
        }

        /// Which replies are read, and which changes are accepted in reading them.
        pub fn reading_options(mut self, options: ReadingOptions) -> Self {
            Arc::make_mut(&mut self.settings).reading = options;
            self
        }

        /// How one request is repeated after a transient failure of the transport.
        pub fn transport_options(mut self, options: TransportOptions) -> Self {
            Arc::make_mut(&mut self.settings).transport = options;
            self
        }

        /// Codes of your own that end the extraction: a violation with one of them makes the error
        /// [`Fatal`](crate::ExtractionError::Fatal), as [`Rejection::fatal`](crate::Rejection::fatal) does, but decided where
        /// the agent is asked. A warning stays a warning.
        ///
        /// ```
        /// use extract::{Contract, ExtractionError, Rejection, testing::{ScriptedAgent, block_on}};
        ///
        /// let contract = Contract::from_schema(serde_json::json!({"type": "string"}))?
        ///     .with_rule(|value| match value.as_str() {
        ///         Some("a delivery note") => Err(Rejection::new("not an invoice").code("WRONG_DOCUMENT")),
        ///         _ => Ok(()),
        ///     });
        /// let agent = ScriptedAgent::new(["\"a delivery note\""]);
        /// let extraction = contract.extract(&agent, "What is it?").fatal_codes(["WRONG_DOCUMENT"]);
        /// assert!(matches!(block_on(extraction), Err(ExtractionError::Fatal { .. })));
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub fn fatal_codes(mut self, codes: impl IntoIterator<Item: Into<Code>>) -> Self {
            Arc::make_mut(&mut self.settings).fatal_codes = codes.into_iter().map(Into::into).collect();
            self
        }

        /// Whether to give up as soon as an attempt has made no progress over the one before: the same submission, or none
        /// of its violations fixed. Off by default; then the agent is asked in the other way of
        /// [`Feedback`](crate::Feedback) instead, because the same question again would be wasted.
        pub fn stop_on_stall(mut self, stop: bool) -> Self {
            Arc::make_mut(&mut self.settings).stop_on_stall = stop;
            self
        }

        /// How many tokens, in and out, all attempts may take together; no limit by default. It is looked at between
        /// attempts, so the last one may go beyond it, and an answer that is right is never thrown away.
        pub fn token_budget(mut self, tokens: u64) -> Self {
            Arc::make_mut(&mut self.settings).token_budget = Some(tokens);
            self
        }

        /// How long the whole extraction may take, with all attempts and waits; no limit by default. An agent that waits for
        /// its reply is interrupted. One that blocks its thread cannot be: the limit is looked at before it is asked again.
        pub fn deadline(mut self, limit: Duration) -> Self {
            Arc::make_mut(&mut self.settings).deadline = Some(limit);
            self
        }

        /// How long one request may take; no limit by default. A request that takes longer is a transport
        /// failure. Agents can have a limit of their own:
        /// [which is for what](crate::agent::layers#a-layer-or-a-setting-of-the-extraction).
        pub fn timeout(mut self, limit: Duration) -> Self {
            Arc::make_mut(&mut self.settings).timeout = Some(limit);
            self
        }

        /// Upper bound of a reply in tokens; the agent's own by default. After a reply that was cut it is doubled, or
        /// set to twice what the agent says that it has written; an agent that refuses that is asked within the bound
        /// of before. Either way a shorter answer is asked for.
        pub fn max_output_tokens(mut self, tokens: u32) -> Self {
            Arc::make_mut(&mut self.settings).max_output_tokens = Some(tokens);
            self
        }

        /// Sampling temperature; the agent's own by default.
        pub fn temperature(mut self, temperature: f64) -> Self {
            Arc::make_mut(&mut self.settings).temperature = Some(temperature);
            self
        }

        /// Sampling temperature from the first attempt on that made no progress over the one before. By default 0.7, where
        /// the temperature is [known](crate::agent::Abilities::temperature) or [set](Self::temperature) and is lower: the
        /// likeliest reply is the same again, another one may be right. Elsewhere it is unchanged, because not every
        /// provider takes one.
        pub fn temperature_on_stall(mut self, temperature: f64) -> Self {
            Arc::make_mut(&mut self.settings).temperature_on_stall = Some(temperature);
            self
        }

        /// Whether the agent is asked to tell its replies while it writes them; observers hear
        /// [`Event::Writing`](crate::Event::Writing) then. Off by default. Nothing else changes: the whole reply is read and
        /// judged. An agent that cannot stream tells its reply as one piece.
        pub fn stream(mut self, stream: bool) -> Self {
            Arc::make_mut(&mut self.settings).stream = stream;
            self
        }

        /// Whether prompts and replies are recorded in the spans of the feature `tracing`; they are not by default.
        #[cfg(feature = "tracing")]
        pub fn trace_content(mut self, trace: bool) -> Self {
            Arc::make_mut(&mut self.settings).trace_content = trace;
            self
        }
    };
}

pub(super) use settings_methods;
