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
        /// [note](crate::AttemptMetrics::notes) says so.
        ///
        /// The extraction ends with an accepted `submit`. A `validate` or `submit` of a value that is not acceptable is an attempt, and
        /// so is an answer in text, which is read as usual. To ask for the example, and to validate a value that is right, is none;
        /// after four such replies the next is an attempt in any case, and a valid value is taken as handed in.
        ///
        /// The schema stands in the tools then, instead of in the prompt, whatever [`schema_notation`](Self::schema_notation)
        /// and [`schema_place`](Self::schema_place) say, and the agent is not held to it by other means.
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
        /// [`Auto`](crate::Feedback::Auto), or a [`FeedbackStrategy`](crate::FeedbackStrategy) of your own.
        pub fn feedback(mut self, strategy: impl FeedbackStrategy + 'static) -> Self {
            Arc::make_mut(&mut self.settings).feedback = Strategy::new(strategy);
            self
        }

        /// Whether the feedback quotes the parts of the schema that the wrong places have to satisfy; it does by default,
        /// with which small models mended more.
        pub fn show_failing_schemas(mut self, show: bool) -> Self {
            Arc::make_mut(&mut self.settings).show_failing_schemas = show;
            self
        }

        /// How many characters of violations one feedback holds, with the count of the rest and the parts of the schema;
        /// 12,000 by default. The first violation and the count are always told: together a few thousand at most.
        pub fn max_feedback_chars(mut self, chars: usize) -> Self {
            Arc::make_mut(&mut self.settings).max_feedback_chars = chars;
            self
        }

        /// How the schema is written in the prompt, if at all; as types by default, with which small models were right more
        /// often and which take fewer tokens.
        pub fn schema_notation(mut self, notation: SchemaNotation) -> Self {
            Arc::make_mut(&mut self.settings).telling.notation = notation;
            self
        }

        /// Whether the prompt says what to write for a value that it does not state: null, or no key, as far as the
        /// schema allows it. It does by default.
        pub fn show_absence(mut self, show: bool) -> Self {
            Arc::make_mut(&mut self.settings).telling.show_absence = show;
            self
        }

        /// Where schema and example stand; in the system turn by default.
        pub fn schema_place(mut self, place: SchemaPlace) -> Self {
            Arc::make_mut(&mut self.settings).telling.place = place;
            self
        }

        /// Whether the example stands in the prompt; it does not by default, because small models copy from it.
        pub fn show_example(mut self, show: bool) -> Self {
            Arc::make_mut(&mut self.settings).telling.show_example = show;
            self
        }

        /// Whether to give up as soon as an attempt has won nothing over the one before: the same submission, or none
        /// of its violations mended. Off by default; then the agent is asked in the other way of
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
        /// failure.
        pub fn timeout(mut self, limit: Duration) -> Self {
            Arc::make_mut(&mut self.settings).timeout = Some(limit);
            self
        }

        /// How often one request is repeated after a transient failure of the transport; 3 by default. These are
        /// never attempts.
        pub fn transport_retries(mut self, retries: usize) -> Self {
            Arc::make_mut(&mut self.settings).transport_retries = retries;
            self
        }

        /// The first and the longest wait before a request is repeated; 0.5 and 60 seconds by default. The wait
        /// doubles each time and is lengthened by a random part of itself. A `Retry-After` of the agent goes before
        /// both; when it is longer than the longest wait, the extraction fails instead of hanging.
        pub fn transport_backoff(mut self, first: Duration, longest: Duration) -> Self {
            Arc::make_mut(&mut self.settings).transport_backoff = (first, longest);
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

        /// Sampling temperature from the first attempt on that won nothing over the one before. By default 0.7, where
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

        /// Size of a reply in bytes beyond which it is not read but rejected; 8 MiB by default. The operations of a patch
        /// ([`Feedback::Patch`](crate::Feedback::Patch)) may together write as many bytes of JSON, and no more.
        pub fn max_reply_bytes(mut self, bytes: usize) -> Self {
            Arc::make_mut(&mut self.settings).reading.max_bytes = bytes;
            self
        }

        /// Levels of brackets in a reply, or in a patched value, beyond which it is not read but rejected; 128 by default, 256
        /// at most.
        pub fn max_reply_depth(mut self, levels: usize) -> Self {
            Arc::make_mut(&mut self.settings).reading.max_depth = levels;
            self
        }

        /// How many JSON values of one reply are compared with the contract, the last ones; 32 by default.
        pub fn max_reply_candidates(mut self, count: usize) -> Self {
            Arc::make_mut(&mut self.settings).reading.max_candidates = count;
            self
        }

        /// Which changes are accepted in reading a reply; [`Leniency::Faithful`] by default, which loses nothing that
        /// was asked for. A change that is not accepted is a violation and is fed back.
        pub fn leniency(mut self, leniency: Leniency) -> Self {
            Arc::make_mut(&mut self.settings).reading.leniency = leniency;
            self
        }
    };
}

pub(super) use settings_methods;
