//! The setters of [`ExtractionSettings`](crate::settings::ExtractionSettings), shared by
//! [`Extraction`](super::Extraction) and [`Extractor`](super::Extractor).

/// Writes by-value setters, for a `self.settings: Arc<ExtractionSettings>`. Each names its field and the
/// value of that.
macro_rules! setters {
    ($(
        $(#[$attribute:meta])*
        pub fn $name:ident(mut self $(, $argument:ident: $type:ty)?) -> Self { $field:ident = $value:expr }
    )*) => {$(
        $(#[$attribute])*
        pub fn $name(mut self $(, $argument: $type)?) -> Self {
            Arc::make_mut(&mut self.settings).$field = $value;
            self
        }
    )*};
}

/// All of them.
macro_rules! settings_methods {
    () => { $crate::extraction::settings::setters! {
        /// Sets the maximum number of attempts; 3 by default. Every unacceptable answer costs one,
        /// whatever the reason. A reply that was cut and is [continued](Self::max_continuations)
        /// costs none. 0 is an error when the extraction is awaited.
        pub fn max_attempts(mut self, attempts: u32) -> Self { max_attempts = attempts }

        /// Sets the maximum number of replies that continue a reply that was cut; 8 by default, 0
        /// for none.
        ///
        /// A reply that was cut at the token limit is not requested again from the start. Its
        /// complete part stays. The next question shows the end of that part and asks for the rest:
        ///
        /// - **A list** continues with the next element. An element that was cut is dropped and
        ///   written again. If several lists enclose the cut, the outermost one that keeps at least
        ///   half of the reply continues, so in a table the row is written again. A tuple is not
        ///   continued.
        /// - **A string** of 500 bytes or more continues after its last character, unless it has a
        ///   pattern, a format or a list of allowed values.
        /// - The **members after it** are asked for too, including optional ones.
        ///
        /// The model states the index at which its rest starts. That decides what is new: `[1, 1]`
        /// after `[1, 1]` makes four. Elements that it repeats are dropped, with a receipt
        /// ([`ChangeKind::Overlap`](crate::reading::ChangeKind::Overlap)), and so is the end of a
        /// string that is written twice (20 bytes or more). Changed elements, a gap, objects that
        /// repeat the last ones under a new index, and fewer bytes that are written twice are violations
        /// ([`Code::Continuation`](crate::Code::Continuation)). Such a rest is never merged; it is
        /// asked for again, with the violations. The whole value is judged when it is complete,
        /// like any other.
        ///
        /// A reply that was cut and is continued takes none of
        /// [`max_attempts`](Self::max_attempts): an answer in five replies counts as one attempt.
        /// Everything else takes one: a rest that does not fit, and a complete value that is not
        /// accepted. Continuing ends with a reply that adds nothing. Then, and if too little is
        /// complete, the whole answer is asked for again with [twice the
        /// room](Self::max_output_tokens). A reply that [repeats itself](Self::end_repetition) is
        /// not continued. The default is eight: with the smallest limit in use, 4,096 tokens, that
        /// is more than one reply of 32,768.
        ///
        /// An agent that [continues replies](crate::agent::Capabilities::continues_replies), such as
        /// the local model, is not asked for the rest. It gets the same question with the text of
        /// its reply, and writes on from there. So any reply can be continued, whatever it was cut
        /// in, and the model cannot mistake the rest for another task. Only contracts with
        /// sensitive values, replies with [thoughts](Self::think_first) and calls of tools are
        /// continued by the question for the rest.
        ///
        /// Continuing works with every agent: without streaming, with an agent that is constrained to
        /// the schema (the rest has a schema of its own), and when another agent takes over. With
        /// [`tools`](Self::tools) the rest is asked for as text.
        /// [`AttemptRecord::continuation`](crate::AttemptRecord::continuation) has the list and the
        /// index at which an attempt continued.
        ///
        /// ```
        /// use extract::{Extractable, AttemptStatus, agent::{FinishReason, Reply}, testing::{ScriptedAgent, block_on}};
        /// use serde::Deserialize;
        ///
        /// #[derive(Deserialize, Extractable)]
        /// struct Statement {
        ///     entries: Vec<Entry>,
        ///     balance: i64,
        /// }
        ///
        /// #[derive(Deserialize, Extractable)]
        /// struct Entry {
        ///     day: u8,
        ///     amount: i64,
        /// }
        ///
        /// // The first reply ends at the token limit, inside of the third entry.
        /// let cut = r#"{"entries": [{"day": 1, "amount": 5}, {"day": 2, "amount": -3}, {"day": 3, "am"#;
        /// let agent = ScriptedAgent::new([Reply::new(cut).finished(FinishReason::Length)])
        ///     .then(r#"{"from": 2, "rest": [{"day": 3, "amount": 9}], "after": {"balance": 11}}"#);
        /// let (statement, metrics) = block_on(Statement::extract(&agent, "…").max_attempts(1))?;
        ///
        /// let amounts: Vec<_> = statement.entries.iter().map(|entry| entry.amount).collect();
        /// assert_eq!((amounts, statement.balance), (vec![5, -3, 9], 11));
        /// assert_eq!((metrics.attempts, metrics.continuations), (2, 1));
        /// assert_eq!(metrics.per_attempt[0].verdict, AttemptStatus::Truncated);
        /// let asked = agent.requests()[1].conversation.to_text();
        /// assert!(asked.contains("The list $.entries has 2 elements so far."), "{asked}");
        /// # let _ = statement.entries.into_iter().map(|entry| entry.day);
        /// # Ok::<(), extract::ExtractionError>(())
        /// ```
        pub fn max_continuations(mut self, replies: u32) -> Self { max_continuations = replies }

        /// Measures how sure each leaf of the value is, into
        /// [`metrics.confidences`](crate::ExtractionMetrics::confidences); off by default.
        ///
        /// The number is *raw* unless it is [`calibrated`](Self::calibrated): it orders leaves, and is
        /// not the probability of being right. Small models err the same way every time.
        ///
        /// ```
        /// use extract::{Confidence, Contract, testing::{ScriptedAgent, block_on}};
        /// use serde_json::json;
        ///
        /// let contract = Contract::from_schema(json!({
        ///     "type": "object",
        ///     "properties": {"city": {"type": "string"}, "guests": {"type": "integer"}},
        ///     "required": ["city", "guests"],
        /// }))?;
        /// let agent = ScriptedAgent::new([
        ///     r#"{"city": "Lyon", "guests": 2}"#,
        ///     r#"{"city": "Lyon", "guests": 12}"#,
        ///     r#"{"city": "Lyon", "guests": 2}"#,
        /// ]);
        /// let extraction = contract.extract(&agent, "Two of us come to Lyon.");
        /// let (value, metrics) = block_on(extraction.confidence(Confidence::Samples(3)))?;
        /// assert_eq!((value, metrics.attempts), (json!({"city": "Lyon", "guests": 2}), 3));
        /// assert_eq!(metrics.confidence("/city").unwrap().confidence, Some(1.0));
        /// let unsure = metrics.unsure(0.8);
        /// assert_eq!((unsure.len(), &*unsure[0].path.to_pointer(), &*unsure[0].others), (1, "/guests", &[json!(12)][..]));
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        ///
        /// # Errors
        ///
        /// [`SettingsError::Confidence`](crate::settings::SettingsError::Confidence) for a number of
        /// samples that is not from 2 to 32, for an agent without log probabilities under
        /// [`Confidence::Tokens`](crate::Confidence::Tokens), and together with
        /// [`chunks`](crate::Extraction::chunks). Samples are also refused for
        /// [`items`](crate::Extraction::items) and [`partials`](crate::Extraction::partials), which
        /// show one answer while it is written.
        pub fn confidence(mut self, confidence: Confidence) -> Self { confidence = confidence }

        /// Makes probabilities of the [confidence](Self::confidence), by a calibration that was fitted
        /// to documents of this kind with known values, such as `Calibration` of `extractable-gold`.
        ///
        /// # Errors
        ///
        /// [`SettingsError::Calibration`](crate::settings::SettingsError::Calibration) if it is for
        /// another schema, and
        /// [`SettingsError::Confidence`](crate::settings::SettingsError::Confidence) if no confidence is
        /// asked for.
        pub fn calibrated(mut self, calibration: impl ConfidenceCalibration + 'static) -> Self { calibration = Some(Calibrated(Arc::new(calibration))) }

        /// Sets your own instructions. They come before the contract in the system turn.
        pub fn system(mut self, text: impl Into<String>) -> Self { system = Some(text.into()) }

        /// Sets your own wording for the part of the first message that describes the answer,
        /// instead of the default. The closure gets the default in
        /// [parts](crate::settings::Instructions), so that the schema can go where you want it.
        /// Without the schema, an agent that is not constrained to it cannot know what is asked; a
        /// [note](crate::metrics::AttemptMetrics::notes) says so.
        ///
        /// ```
        /// # use extract::{Contract, testing::{ScriptedAgent, block_on}};
        /// # let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
        /// # let agent = ScriptedAgent::new(["8"]);
        /// let extraction = contract.extract(&agent, "Combien de pattes a une araignée ?").instructions(
        ///     |parts| format!("{}\n\nRéponds avec le JSON, sans explication.", parts.schema()),
        /// );
        /// assert_eq!(block_on(extraction)?.0, 8);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub fn instructions(mut self, write: impl Fn(&Instructions<'_>) -> String + Send + Sync + 'static) -> Self { instructions = Some(WriteInstructions::new(write)) }

        /// Sets whether the agent first thinks in plain text, before the JSON. Off by default;
        /// `docs/decisions.md` in the repository says where it was measured to help.
        ///
        /// The agent is asked to think between `<think>` and `</think>` or, if it calls tools, in a
        /// few sentences before the call. This part is read as reasoning: a value in it is not the
        /// answer. The thoughts cost output tokens. An agent
        /// that can [think first](crate::agent::Capabilities::thinks_first), such as the local
        /// model, is constrained to the schema after its thoughts. Any other agent could not write
        /// thoughts within a native schema, so it gets no native schema, and the prompt describes
        /// the schema instead.
        pub fn think_first(mut self, think: bool) -> Self { think_first = think }

        /// Lets the agent submit the value by calling the tools `example`, `validate` and `submit`.
        /// Needs an agent that [calls tools](crate::agent::Capabilities::calls_tools); any other is
        /// asked for text, and a [note](crate::metrics::AttemptMetrics::notes) says so.
        ///
        /// The extraction ends with an accepted `submit`. A `validate` or `submit` of an
        /// unacceptable value is an attempt, and so is an answer in text, which is read as usual.
        /// `example` and a passing `validate` do not count. After four such replies every reply
        /// counts, and a valid value is taken as submitted.
        ///
        /// The schema is then in the tools and not in the prompt, whatever
        /// [`prompt_options`](Self::prompt_options) say. The agent is not otherwise constrained to
        /// it.
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
        pub fn tools(mut self) -> Self { uses_tools = true }

        /// Sets how the agent is asked again after a failed attempt: a
        /// [`Feedback`](crate::Feedback), by default [`Auto`](crate::Feedback::Auto), or your own
        /// [`FeedbackStrategy`](crate::feedback::FeedbackStrategy).
        pub fn feedback(mut self, strategy: impl FeedbackStrategy + 'static) -> Self { feedback = SharedStrategy::new(strategy) }

        /// Sets the contents of each feedback.
        pub fn feedback_options(mut self, options: FeedbackOptions) -> Self { feedback_options = options }

        /// Sets how the prompt shows the schema, the example and absent values.
        pub fn prompt_options(mut self, options: PromptOptions) -> Self { prompt = options }

        /// Sets which replies are read, and which changes reading may make.
        pub fn reading_options(mut self, options: ReadingOptions) -> Self { reading = options }

        /// Sets how a request is repeated after a transient transport failure.
        pub fn transport_options(mut self, options: TransportOptions) -> Self { transport = options }

        /// Sets your own codes that end the extraction. A violation with one of them makes the
        /// error [`Fatal`](crate::ExtractionError::Fatal), like
        /// [`Rejection::fatal`](crate::Rejection::fatal), but the caller decides instead of the
        /// rule. A warning stays a warning.
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
        pub fn fatal_codes(mut self, codes: impl IntoIterator<Item: Into<Code>>) -> Self { fatal_codes = codes.into_iter().map(Into::into).collect() }

        /// Sets whether to give up as soon as an attempt makes no progress over the previous one:
        /// the same submission, or none of its violations fixed. Off by default: instead,
        /// [`Feedback`](crate::Feedback) changes the way of asking, because repeating the same
        /// question would be wasted.
        pub fn stop_on_stall(mut self, stop: bool) -> Self { stop_on_stall = stop }

        /// Sets the maximum number of tokens, in and out, of all attempts together; no limit by
        /// default. It is checked between attempts, so the last one may exceed it. A correct answer
        /// is never discarded.
        pub fn token_budget(mut self, tokens: u64) -> Self { token_budget = Some(tokens) }

        /// Sets the maximum time of the whole extraction, with all attempts and waits; no limit by
        /// default. It interrupts an agent that waits for its reply. It cannot interrupt an agent
        /// that blocks its thread, so it is also checked before each question.
        pub fn deadline(mut self, limit: Duration) -> Self { deadline = Some(limit) }

        /// Sets the maximum time of one request; no limit by default. A longer request is a
        /// transport failure. Agents can have a limit of their own: [which is for
        /// what](crate::agent::layers#a-layer-or-a-setting-of-the-extraction).
        pub fn timeout(mut self, limit: Duration) -> Self { timeout = Some(limit) }

        /// Sets the maximum length of a reply in tokens; the agent's own limit by default. After a
        /// reply that was cut at it and is not [continued](Self::max_continuations), the limit is
        /// doubled. Without one, it is set to twice the output tokens that the agent reported, but not below
        /// 4,096. A reply that was interrupted does not change it. If the agent
        /// refuses the new limit, it is asked again with the old one, which then stays. Either way it is asked for a
        /// shorter answer. A reply that [repeats itself](Self::end_repetition) gets no more room.
        pub fn max_output_tokens(mut self, tokens: u32) -> Self { max_output_tokens = Some(tokens) }

        /// Sets the sampling temperature; the agent's own by default.
        pub fn temperature(mut self, temperature: f64) -> Self { temperature = Some(temperature) }

        /// Sets how much the model thinks before it answers; its own default if not set.
        ///
        /// Providers have their own scales; [`ThinkingLevel`](crate::agent::ThinkingLevel)
        /// describes what happens to a level that a provider lacks. Thoughts are output
        /// [tokens](crate::TokenUsage::reasoning_tokens), so leave room for them in
        /// [`max_output_tokens`](Self::max_output_tokens). Some providers accept no
        /// [`temperature`](Self::temperature) for a model that thinks, and refuse the request.
        pub fn thinking(mut self, level: ThinkingLevel) -> Self { thinking = Some(level) }

        /// Sets the sampling temperature after the first attempt that made no progress, and after a
        /// reply that [repeats itself](Self::end_repetition). By default it is 0.7, if the
        /// temperature is [known](crate::agent::Capabilities::temperature) or
        /// [set](Self::temperature) and lower: at a low temperature the likeliest reply is the same
        /// one again. Otherwise it is unchanged, because not every provider accepts a temperature.
        pub fn temperature_on_stall(mut self, temperature: f64) -> Self { temperature_on_stall = Some(temperature) }

        /// Sets whether to stream replies. Observers then get
        /// [`Event::Delta`](crate::Event::Delta). Off by default. Nothing else changes: the whole
        /// reply is read and judged. An agent that cannot stream sends its reply as one delta.
        pub fn stream(mut self, stream: bool) -> Self { stream = stream }

        /// Sets whether to detect replies that repeat themselves; on by default. Small models get
        /// stuck in lists: `"Ondricka", "Ondricka", …` up to the token limit.
        ///
        /// Agents that watch the reply while it is written end it early: the local model, and
        /// providers where the extraction [streams](Self::stream). Elsewhere the repetition is
        /// detected when the reply was cut. Either way its [verdict](crate::AttemptStatus::Repeated) and
        /// a violation `REPETITION` with the path report it. The next attempt gets no more room, a
        /// higher [temperature](Self::temperature_on_stall), and that path in the feedback.
        ///
        /// [`RepetitionWatch`](crate::agent::RepetitionWatch) has the bounds for a reply that is
        /// being written. In a reply that was cut, the copies must cover 512 bytes (4 KiB of
        /// numbers, `null`, `true` and `false`). There must be 16 of them, or at least 4 that
        /// together cover 1 KiB. A complete value is never rejected for repetition, and anything
        /// that the conversation states may be repeated.
        pub fn end_repetition(mut self, end: bool) -> Self { end_repetition = end }

        /// Sets whether an attempt may be accepted without its broken items when no attempt is
        /// left; off by default. The valid items are then not lost with the broken ones.
        /// [`metrics.left_out`](crate::ExtractionMetrics::left_out) has each broken item, with its
        /// path and its violations.
        ///
        /// The setting applies to the answer itself if that is a list, and to the lists in it that
        /// are marked with `#[extract(keep_valid_items)]`, or with `"x-keep-valid-items": true` in
        /// a schema known at run time. If there can be neither, the extraction fails with [an
        /// error](crate::settings::SettingsError::NoItemsToKeep) before anything is asked.
        ///
        /// The attempts are made as usual first. When the attempts, the time or the tokens are used
        /// up, or the extraction [stalls](Self::stop_on_stall), the attempt with the most valid
        /// items is taken; of equals, the latest. An item is broken if it has a violation. The
        /// innermost marked item around the violation is left out. The remaining value is judged
        /// again in full, `on_submit` included, and more items may turn out to be broken. If it is
        /// not accepted, the next attempt is tried. If none is accepted, the error is the same as
        /// without this setting. That is the case
        ///
        /// - for a violation outside such items, such as a list that is now too short or a rule
        ///   over the whole list;
        /// - for a list without any valid item: it would become empty, which is an answer of its
        ///   own. Inside an item, such a list breaks that item;
        /// - for a reply that was cut or repeats itself, because the missing items are unknown;
        /// - for tuples, where the position of an item gives it its meaning, and for the entries of
        ///   maps.
        ///
        /// A refusal, a fatal violation and a failure of the agent are errors as usual. After the
        /// [`deadline`](Self::deadline) async checks are not awaited, so an answer that needs them
        /// is not accepted. A [`Toolkit`](crate::Toolkit) does not offer this: its agent is told
        /// every result, and the accepted value would be one that it never submitted.
        ///
        /// ```
        /// use extract::{Extractable, AttemptStatus, testing::{ScriptedAgent, block_on}};
        /// use serde::Deserialize;
        ///
        /// #[derive(Deserialize, Extractable)]
        /// struct Receipt {
        ///     shop: String,
        ///     #[extract(keep_valid_items)]
        ///     lines: Vec<Line>,
        /// }
        ///
        /// #[derive(Deserialize, Extractable)]
        /// struct Line {
        ///     title: String,
        ///     #[extract(range(min = 0))]
        ///     price: f64,
        /// }
        ///
        /// let reply = r#"{"shop": "Corner", "lines": [{"title": "Tea", "price": 3.5}, {"title": "Cup", "price": -1}]}"#;
        /// let agent = ScriptedAgent::new([reply, reply, reply]);
        /// let (receipt, metrics) = block_on(Receipt::extract(&agent, "What was bought?").keep_valid_items(true))?;
        ///
        /// assert_eq!((receipt.lines.len(), metrics.attempts), (1, 3));
        /// assert_eq!(metrics.left_out[0].path.to_string(), "$.lines[1]");
        /// assert_eq!(
        ///     metrics.left_out[0].violations[0].to_string(),
        ///     "[INVALID_VALUE] $.lines[1].price: too small (expected at least 0, got -1)"
        /// );
        /// assert_eq!(metrics.per_attempt[2].verdict, AttemptStatus::AcceptedInPart);
        /// # let _ = (receipt.shop, receipt.lines.into_iter().map(|line| (line.title, line.price)));
        /// # Ok::<(), extract::ExtractionError>(())
        /// ```
        pub fn keep_valid_items(mut self, keep: bool) -> Self { keep_valid_items = keep }

        /// Sets whether the spans of the feature `tracing` record prompts and replies; off by
        /// default.
        #[cfg(feature = "tracing")]
        pub fn trace_content(mut self, trace: bool) -> Self { trace_content = trace }
    } };
}

pub(super) use {setters, settings_methods};
