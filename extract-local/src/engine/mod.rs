//! Generates a reply, one token at a time.

mod thoughts;

use std::sync::Arc;

use extract::{
    TokenUsage,
    agent::{AgentError, Constraint, FinishReason, Reply, Request},
};
use llguidance::Matcher;
use serde_json::Value;
use toktrie::TokenId;

use crate::{
    chat::{ChatMl, ChatPrompt},
    error::LocalModelError,
    gguf::{Gguf, Tokenizer},
    grammar::{Grammar, Grammars, UnenforcedConstraints},
    prefixes::{Prefixes, SEQUENCES},
    reply_text::ReplyText,
    runtime::Runtime,
    sampler::{Sampler, TokenLikelihood},
};

/// Tokens that are read at once. This limits the memory for attention scores, and how long a
/// cancelled request continues (three seconds at 90 tokens a second).
const CHUNK: usize = 256;

/// The note on a reply whose prefill the grammar could not have written.
const NOT_FOLLOWED: &str =
    "the reply so far does not follow the schema, so the rest was not constrained to it";

/// Called when a schema cannot be enforced in full.
pub(super) type UnenforcedReport = Arc<dyn Fn(&UnenforcedConstraints) + Send + Sync>;

/// The settings of a caller.
#[derive(Clone)]
pub(super) struct EngineSettings {
    pub(super) context: usize,
    pub(super) max_output_tokens: usize,
    pub(super) temperature: f64,
    pub(super) seed: u64,
    pub(super) constrained: bool,
    pub(super) report: UnenforcedReport,
}

/// A loaded model and everything around it.
pub(super) struct Engine {
    settings: EngineSettings,
    tokenizer: Arc<Tokenizer>,
    chat: ChatMl,
    grammars: Grammars,
    sampler: Sampler,
    prefixes: Prefixes,
    runtime: Box<dyn Runtime>,
}

impl Engine {
    /// Builds the tokenizer from the file and then the runtime with `load`.
    pub(super) fn new(
        gguf: Gguf,
        settings: EngineSettings,
        load: impl FnOnce(Gguf) -> Result<Box<dyn Runtime>, LocalModelError>,
    ) -> Result<Self, LocalModelError> {
        let tokenizer = Tokenizer::new(&gguf)?;
        let chat = ChatMl::new(&gguf, &tokenizer)?;
        let grammars = Grammars::new(&tokenizer.environment()).map_err(|error| gguf.unsupported(error))?;
        Ok(Self {
            sampler: Sampler::new(settings.seed),
            prefixes: Prefixes::new(settings.context),
            runtime: load(gguf)?,
            settings,
            tokenizer,
            chat,
            grammars,
        })
    }

    /// Forgets all prompts, when the state of the runtime is unknown.
    pub(super) fn reset(&mut self) {
        self.prefixes = Prefixes::new(self.settings.context);
        (0..SEQUENCES).for_each(|sequence| self.runtime.forget(sequence));
    }

    /// How a reply with `schema` is constrained.
    pub(super) fn constraint(&mut self, schema: &Arc<Value>) -> Constraint {
        if !self.settings.constrained {
            return Constraint::nothing();
        }
        self.grammars.grammar(schema, &*self.settings.report).constraint()
    }

    /// Replies to a request. `cancelled` is checked before each call of the runtime, and `sink`
    /// gets the text as it is written.
    pub(super) fn reply<'r>(
        &mut self,
        request: &'r Request,
        cancelled: &dyn Fn() -> bool,
        sink: Option<&'r mut dyn FnMut(String)>,
    ) -> Result<Reply, AgentError> {
        request.conversation.text_only("local model")?;
        let mut prompt = self.chat.prompt(&request.conversation, &self.tokenizer);
        let prefill = request.prefill.as_deref().map(|prefill| self.tokenizer.encode(prefill));
        prompt.tokens.extend(prefill.iter().flatten());
        let limit = self.limit(request, prompt.tokens.len())?;
        let (mut matcher, unenforced) = match &request.schema {
            Some(schema) if self.settings.constrained => {
                let Grammar { matcher, unenforced, .. } =
                    self.grammars.grammar(schema, &*self.settings.report);
                (matcher, unenforced)
            }
            _ => (None, None),
        };
        let is_followed = matcher.as_mut().is_none_or(|matcher| follows(matcher, prefill.as_deref()));
        matcher = matcher.filter(|_| is_followed);
        let temperature = request.temperature.unwrap_or(self.settings.temperature);
        let mut written = ReplyText::new(request, Arc::clone(&self.tokenizer), sink);
        let mut reader = self.start(&prompt, limit);
        let asks_likelihood = request.log_probabilities;
        let mut writing = Writing {
            written: &mut written,
            reader: &mut reader,
            limit,
            temperature,
            asks_likelihood,
            cancelled,
        };
        if request.thinks_first && prefill.is_none() && matcher.is_some() {
            self.think(&mut writing)?;
        }
        let finish_reason = self.write(writing, matcher)?;
        let usage = TokenUsage::new(prompt.tokens.len() as u64, written.len() as u64);
        let reply = self.text(&written, &finish_reason)?.finished(finish_reason).with_usage(usage);
        let reply = if asks_likelihood { self.with_probabilities(reply, &written) } else { reply };
        let reply = match unenforced {
            Some(unenforced) => reply.with_note(unenforced.to_string()),
            None => reply,
        };
        Ok(if is_followed { reply } else { reply.with_note(NOT_FOLLOWED) })
    }

    /// The maximum tokens of the reply.
    fn limit(&self, request: &Request, prompt: usize) -> Result<usize, AgentError> {
        let context = self.settings.context;
        if prompt >= context {
            return Err(AgentError::too_long(format!(
                "the conversation has {prompt} tokens and a reply needs at least one more, which is {} too many for \
                 the context of {context} tokens; shorten it, or raise `context` of the local model",
                prompt + 1 - context,
            )));
        }
        let asked = request.max_output_tokens.and_then(|tokens| usize::try_from(tokens).ok());
        Ok(asked.unwrap_or(self.settings.max_output_tokens).min(context - prompt))
    }

    fn write(
        &mut self,
        writing: Writing<'_, '_>,
        mut matcher: Option<Matcher>,
    ) -> Result<FinishReason, AgentError> {
        let Writing { written, reader, limit, temperature, asks_likelihood, cancelled } = writing;
        while written.len() < limit {
            if written.is_repeating() {
                return Ok(FinishReason::Repetition);
            }
            if let Some(matcher) = &mut matcher {
                // Tokens that the grammar forces need no call of the model.
                let mut forced = matcher.consume_ff_tokens();
                if matcher.is_stopped() && !matcher.is_error() {
                    forced.retain(|token| !self.tokenizer.is_end(*token));
                    let room = limit - written.len();
                    let reason = if forced.len() > room { FinishReason::Length } else { FinishReason::Stop };
                    forced.truncate(room);
                    written.extend(&forced);
                    return Ok(reason);
                }
                forced.truncate(limit - written.len());
                reader.pending.extend(&forced);
                written.extend(&forced);
                if written.len() == limit {
                    break;
                }
            }
            let scores = self.read(reader, cancelled)?;
            let allowed = match &mut matcher {
                Some(matcher) => Some(matcher.compute_mask().map_err(|error| stuck(&error.to_string()))?),
                None => None,
            };
            let token = self.sampler.pick(&scores, allowed.as_ref(), temperature);
            let token = token.ok_or_else(|| stuck("the grammar leaves no token to write"))?;
            if self.tokenizer.is_end(token) {
                return Ok(FinishReason::Stop);
            }
            if let Some(matcher) = &mut matcher {
                matcher.consume_token(token).map_err(|error| stuck(&error.to_string()))?;
            }
            let likelihood =
                if asks_likelihood { TokenLikelihood::of(token, &scores, allowed.as_ref()) } else { None };
            written.push(token, likelihood);
            reader.pending.push(token);
        }
        let done = matcher.is_some_and(|matcher| matcher.is_stopped() && !matcher.is_error());
        Ok(if done { FinishReason::Stop } else { FinishReason::Length })
    }

    /// Finds the part of the prompt that was read before.
    fn start(&mut self, prompt: &ChatPrompt, limit: usize) -> SequenceReader {
        let place = self.prefixes.place(&prompt.tokens, prompt.first_turn, prompt.tokens.len() + limit);
        place.dropped.into_iter().for_each(|sequence| self.runtime.forget(sequence));
        SequenceReader {
            sequence: place.sequence,
            position: place.kept,
            pending: prompt.tokens[place.kept..].to_vec(),
        }
    }

    /// Reads all pending tokens, and returns the scores of the next one.
    fn read(
        &mut self,
        reader: &mut SequenceReader,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<f32>, AgentError> {
        let mut scores = Vec::new();
        for chunk in std::mem::take(&mut reader.pending).chunks(CHUNK) {
            if cancelled() {
                return Err(AgentError::unavailable("the request was cancelled"));
            }
            let read = self.runtime.read(reader.sequence, reader.position, chunk);
            scores =
                read.map_err(|error| AgentError::unavailable(format!("the local model failed: {error}")))?;
            self.prefixes.extend(reader.sequence, chunk);
            reader.position += chunk.len();
        }
        Ok(scores)
    }

    /// Adds how likely the tokens of the answer are, which follows the thoughts.
    fn with_probabilities(&self, reply: Reply, written: &ReplyText<'_>) -> Reply {
        let (thoughts, _) = written.parts();
        let before = String::from_utf8_lossy(&self.tokenizer.bytes(thoughts)).len();
        let tokens = written.probabilities(before, reply.text().len());
        reply.with_token_probabilities(tokens)
    }

    /// The text of a reply. If the reply ends at the token limit or in a repetition, its last
    /// character may be incomplete, and its bytes are dropped. Thoughts may contain broken
    /// characters anywhere.
    fn text(&self, written: &ReplyText<'_>, finish_reason: &FinishReason) -> Result<Reply, AgentError> {
        let (thoughts, answer) = written.parts();
        let mut bytes = String::from_utf8_lossy(&self.tokenizer.bytes(thoughts)).into_owned().into_bytes();
        bytes.extend(self.tokenizer.bytes(answer));
        let is_cut = matches!(finish_reason, FinishReason::Length | FinishReason::Repetition);
        if let Err(error) = std::str::from_utf8(&bytes)
            && is_cut
            && error.error_len().is_none()
        {
            bytes.truncate(error.valid_up_to());
        }
        Reply::from_utf8(bytes)
    }
}

/// A reply that is being written.
struct Writing<'w, 'r> {
    written: &'w mut ReplyText<'r>,
    reader: &'w mut SequenceReader,
    /// Maximum tokens of the whole reply.
    limit: usize,
    temperature: f64,
    /// Whether the reply should say how likely its tokens are.
    asks_likelihood: bool,
    cancelled: &'w dyn Fn() -> bool,
}

/// The position in a sequence, and the tokens that are not read yet.
struct SequenceReader {
    sequence: usize,
    position: usize,
    pending: Vec<TokenId>,
}

/// Moves `matcher` past the `prefill` of a reply. Returns whether the grammar allows that text.
fn follows(matcher: &mut Matcher, prefill: Option<&[TokenId]>) -> bool {
    let Some(prefill) = prefill else { return true };
    matcher.try_consume_tokens(prefill).is_ok_and(|consumed| consumed == prefill.len())
}

fn stuck(reason: &str) -> AgentError {
    AgentError::garbled(format!("writing the reply by the grammar of the schema failed: {reason}"))
}
