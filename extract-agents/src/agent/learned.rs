//! Refusals of servers, remembered per model and not per agent: another agent of the process would
//! be refused the same.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash as _, Hasher as _},
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError},
};

use extract::agent::provider::ProviderFailure;
use serde_json::Value;

use crate::wire::{CACHE_CONTROL, ENCRYPTED_REASONING, LOG_PROBABILITIES, SYSTEM_TURN, THINKING_IN_WHOLE};

/// The parameter without which a reply comes whole.
const STREAM: &str = "stream";

/// Maximum models that are remembered, and schemas and parameters of each.
const MODELS: usize = 256;
const SCHEMAS: usize = 64;
const PARAMETERS: usize = 64;

/// Names of the parameter that limits the tokens of a reply.
const TOKEN_LIMITS: [&str; 3] = ["max_tokens", "max_completion_tokens", "max_output_tokens"];

/// Parameters of sampling. A request makes sense without them, and without [`THINKING`] and [`OTHERS`].
const SAMPLING: [&str; 5] = ["temperature", "top_p", "topP", "seed", "random_seed"];

/// Those that say how much a model thinks. Anthropic's `output_config` has the effort.
const THINKING: [&str; 8] = [
    "reasoning_effort",
    "reasoning",
    "thinking",
    "thinkingConfig",
    "think",
    "enable_thinking",
    "chat_template_kwargs",
    "output_config",
];

/// Words of Ollama and Gemini about them.
const THINKING_WORDS: [&str; 5] =
    ["does not support thinking", "think value", "thinking mode", "thinking budget", "reasoningeffort"];

/// Words about them that mean a refusal together with one of the second list: of Gemini, Anthropic,
/// OpenRouter and others.
const THINKING_NAMES: [&str; 3] = ["thinking", "reasoning", "effort"];
const THINKING_REFUSED: [&str; 9] = [
    "not supported",
    "unsupported",
    "does not support",
    "doesn't support",
    "not configurable",
    "cannot be disabled",
    "mandatory",
    "not enabled",
    "not permitted",
];

/// Words of servers about a last turn of the model that they do not continue.
const PREFILL_WORDS: [&str; 8] = [
    "prefill",
    "continue_final_message",
    "add_generation_prompt",
    "final message",
    "last message",
    "last role",
    "end with a user",
    "'prefix'",
];

/// Words of Gemini, of the chat templates of Gemma and Mistral, and of Bedrock, about turns of the system.
const SYSTEM_WORDS: [&str; 6] = [
    "developer instruction is not enabled",
    "system instruction is not enabled",
    "system role not supported",
    "system role is not supported",
    "conversation roles must alternate user/assistant",
    "support system messages",
];

/// Words of OpenAI about streams of an organization that is not verified.
const STREAM_WORDS: &str = "verified to stream";

/// Words of Bedrock about breakpoints for a cache.
const CACHE_WORDS: [&str; 2] = ["prompt caching", "cachepoint"];

const OTHERS: [&str; 4] = ["stream_options", CACHE_CONTROL, LOG_PROBABILITIES, ENCRYPTED_REASONING];

/// Names of the token limit in messages in lower case.
const OUTPUT_LIMITS: [&str; 6] = [
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "maxoutputtokens",
    "maximum tokens",
    "completion tokens",
];

/// Words before the most tokens of a reply: of OpenAI, Groq, Bedrock, DeepSeek and Qwen, and Vertex AI.
const MOST_OUTPUT: [&str; 5] = [
    "supports at most ",
    "must be less than or equal to ",
    "exceeds the model limit of ",
    "[1, ",
    "supported range is from 1 (inclusive) to ",
];

/// Words of servers about a parameter that they do not know.
const UNKNOWN: [&str; 6] =
    ["unsupported", "not supported", "not permitted", "unrecognized", "unknown", "unexpected"];

/// Words of servers about a parameter that a model takes in no request.
const NEVER_TAKEN: [&str; 12] = [
    "unsupported",
    "not supported",
    "does not support",
    "doesn't support",
    "not permitted",
    "not allowed",
    "not enabled",
    "not configurable",
    "unrecognized",
    "unknown",
    "unexpected",
    "deprecated",
];

/// Words about its value, or about others that are sent together with it.
const OF_ONE_REQUEST: [&str; 14] = [
    "value",
    "must be",
    "should be",
    "disabled",
    " level ",
    "budget",
    "only the",
    " when ",
    " while ",
    " both ",
    " unless ",
    " if ",
    "together",
    "combin",
];

/// Words of servers about a value that is wrong only for this request.
const WRONG_VALUE: [&str; 5] =
    ["maximum value", "minimum value", "out of range", "must be between", "too large"];

/// Schemas and parameters that the server of one model refused.
#[derive(Debug, Default)]
pub(super) struct Learned {
    /// Hashes of schemas.
    schemas: Vec<u64>,
    /// A failure of the server came with these, which may have been about something else.
    suspected: Vec<u64>,
    token_limit: Option<&'static str>,
    /// The most tokens of a reply.
    most_output: Option<u64>,
    unsupported: Vec<RefusedParameter>,
    /// Whether the server refused to continue a reply.
    refuses_prefill: bool,
}

/// A parameter, or another part of a request, that the server refused.
#[derive(Debug, PartialEq, Eq)]
struct RefusedParameter {
    name: String,
    /// The only form of a request in which it is known to be refused; `None` if it is in all.
    form: Option<u64>,
}

/// Shared by all agents that ask the same model of the same server.
pub(super) type SharedLearned = Arc<Mutex<Learned>>;

type Known = Vec<((String, String), SharedLearned)>;

/// Returns the known refusals of `model` below `address`.
pub(super) fn of_model(address: &str, model: &str) -> SharedLearned {
    static ALL: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, learned)) = all.iter().find(|((at, name), _)| at == address && name == model) {
        return Arc::clone(learned);
    }
    if all.len() == MODELS {
        all.remove(0);
    }
    let learned = SharedLearned::default();
    all.push(((address.to_owned(), model.to_owned()), Arc::clone(&learned)));
    learned
}

pub(super) fn locked(learned: &SharedLearned) -> MutexGuard<'_, Learned> {
    learned.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Learned {
    pub(super) fn token_limit(&self) -> Option<&'static str> {
        self.token_limit
    }

    pub(super) fn most_output(&self) -> Option<u64> {
        self.most_output
    }

    /// Parameters, and other parts of a request, that the server refused in this [form](crate::wire::Question::form)
    /// or in any.
    pub(super) fn unsupported(&self, form: u64) -> Vec<String> {
        let is_refused = |refused: &&RefusedParameter| refused.form.is_none_or(|refused| refused == form);
        self.unsupported.iter().filter(is_refused).map(|refused| refused.name.clone()).collect()
    }

    /// Returns whether the server takes a part of a request in no form.
    pub(super) fn refuses(&self, name: &str) -> bool {
        self.unsupported.iter().any(|refused| refused.form.is_none() && refused.name == name)
    }

    /// Returns whether the server refused to stream.
    pub(super) fn refuses_streams(&self) -> bool {
        self.refuses(STREAM)
    }

    /// Returns whether the server refused `schema`.
    pub(super) fn refused(&self, schema: &Value) -> bool {
        // There are usually none, and the hash takes time.
        !self.schemas.is_empty() && self.schemas.contains(&hash(schema))
    }

    /// Remembers a schema without which the server replied. If it `is_suspected` only, once is not
    /// enough.
    pub(super) fn refuse(&mut self, schema: &Value, is_suspected: bool) {
        let hash = hash(schema);
        let list = if is_suspected && !self.suspected.contains(&hash) {
            &mut self.suspected
        } else {
            &mut self.schemas
        };
        if list.len() == SCHEMAS {
            list.remove(0);
        }
        list.push(hash);
    }

    /// Forgets a suspicion, because the server replied with the schema.
    pub(super) fn clear(&mut self, schema: &Value) {
        if !self.suspected.is_empty() {
            let hash = hash(schema);
            self.suspected.retain(|known| *known != hash);
        }
    }

    pub(super) fn refuses_prefill(&self) -> bool {
        self.refuses_prefill
    }

    /// Remembers a failure that says that the server continues no reply of the model.
    pub(super) fn learn_of_prefill(&mut self, failure: &ProviderFailure) {
        let message = failure.message().to_lowercase();
        self.refuses_prefill |=
            failure.is_about_the_request() && PREFILL_WORDS.iter().any(|words| message.contains(words));
    }

    /// Learns from a failure that names a parameter. Returns whether the request may succeed now.
    /// `limit` is the name of the token limit, and `sent` has the names of all parameters that were
    /// sent, in a request of this `form`.
    pub(super) fn learn(
        &mut self,
        failure: &ProviderFailure,
        limit: &str,
        (sent, form): (&[String], u64),
    ) -> bool {
        let message = failure.message().to_lowercase();
        let is_about_log_probabilities = message.contains("logprobs");
        // OpenAI forbids them for some models by HTTP 403.
        let is_forbidden = failure.status() == Some(403) && is_about_log_probabilities;
        if !failure.is_about_the_request() && !is_forbidden {
            return false;
        }
        if let Some(most) =
            most_output(&message).filter(|most| self.most_output.is_none_or(|known| *most < known))
        {
            self.most_output = Some(most);
            return true;
        }
        // A wrong value is the caller's.
        if WRONG_VALUE.iter().any(|words| message.contains(words)) {
            return false;
        }
        let is_sent = |name: &str| sent.iter().any(|sent| sent == name);
        // Templates that take one say so.
        let is_taken = message.contains("optional system message");
        if is_sent(SYSTEM_TURN) && !is_taken && SYSTEM_WORDS.iter().any(|words| message.contains(words)) {
            self.leave_out(SYSTEM_TURN, None);
            return true;
        }
        if is_sent(STREAM) && (failure.parameter() == Some(STREAM) || message.contains(STREAM_WORDS)) {
            self.leave_out(STREAM, None);
            return true;
        }
        if message.contains("enable_thinking must be set to false") {
            self.leave_out(THINKING_IN_WHOLE, None);
            return true;
        }
        let parameter = failure.parameter().and_then(|parameter| parameter.split('.').next());
        // A message about a schema may name one of its properties.
        let is_about_a_schema = message.contains("schema");
        let names = |name: &str| match parameter {
            // It also has the schema.
            _ if name == "output_config" => message.contains("effort"),
            _ if name == LOG_PROBABILITIES => is_about_log_probabilities && !is_about_a_schema,
            _ if name == ENCRYPTED_REASONING && message.contains("encrypted") => true,
            Some(parameter) if name == ENCRYPTED_REASONING => parameter.starts_with("include"),
            _ if name == CACHE_CONTROL && CACHE_WORDS.iter().any(|words| message.contains(words)) => true,
            Some(parameter) => parameter == name,
            None => !is_about_a_schema && is_named(failure.message(), name),
        };
        // "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        let is_other = |name: &&str| plain(name) != plain(limit) && is_named(failure.message(), name);
        let stated = TOKEN_LIMITS.into_iter().find(is_other);
        // Others only say that they do not know the newer name of Chat Completions.
        let is_unknown =
            limit == "max_completion_tokens" && UNKNOWN.iter().any(|word| message.contains(word));
        let other = stated.or(is_unknown.then_some("max_tokens"));
        if let Some(other) = other.filter(|_| names(limit)) {
            self.token_limit = Some(other);
            return true;
        }
        let was_sent = |name: &&str| is_sent(name);
        let optional = SAMPLING.into_iter().chain(THINKING).chain(OTHERS);
        let single = optional.filter(was_sent).find(|name| names(name));
        let may_be_thinking = parameter.is_none_or(|parameter| THINKING.contains(&parameter));
        let refused: Vec<_> = if single.is_none() && may_be_thinking && refuses_thinking(failure) {
            THINKING.into_iter().filter(was_sent).collect()
        } else {
            single.into_iter().collect()
        };
        let form = Some(form).filter(|_| !is_never_taken(&message));
        for name in &refused {
            self.leave_out(name, form);
        }
        !refused.is_empty()
    }

    fn leave_out(&mut self, name: &str, form: Option<u64>) {
        let refused = RefusedParameter { name: name.to_owned(), form };
        // Another request may have learned it, while this one was under way.
        if self.unsupported.contains(&refused) {
            return;
        }
        let is_of_one_form = |refused: &RefusedParameter| refused.form.is_some();
        if self.unsupported.len() >= PARAMETERS
            && let Some(oldest) = self.unsupported.iter().position(is_of_one_form)
        {
            self.unsupported.remove(oldest);
        }
        self.unsupported.push(refused);
    }
}

/// Returns whether a refusal of a parameter is about the parameter as such, and not about its value or about
/// others that were sent with it.
fn is_never_taken(message: &str) -> bool {
    let has_one = |words: &[&str]| words.iter().any(|words| message.contains(words));
    // "with this model" names no other parameter.
    let is_of_model = |after: &str| after.split_whitespace().take(4).any(|word| word.starts_with("model"));
    let is_combined = message.split(" with ").skip(1).any(|after| !is_of_model(after));
    has_one(&NEVER_TAKEN) && !has_one(&OF_ONE_REQUEST) && !is_combined
}

/// The fewest tokens of room that are worth another request.
const LEAST_ROOM: u64 = 256;

/// Returns the tokens that the prompt leaves in the context, if the server says how many it leaves and the
/// limit of the reply is above them: `190000 + 64000 > 200000` of Anthropic.
pub(super) fn room(failure: &ProviderFailure) -> Option<u64> {
    let message = failure.message().to_lowercase();
    let (_, numbers) = message.split_once("exceed context limit: ")?;
    let (prompt, rest) = numbers.split_once(" + ")?;
    let all = rest.split_once(" > ")?.1.split(|char: char| !char.is_ascii_digit()).next()?;
    let room = all.parse::<u64>().ok()?.checked_sub(prompt.parse().ok()?)?;
    Some(room).filter(|room| failure.is_about_the_request() && *room >= LEAST_ROOM)
}

/// Returns whether the message says that the model's thinking cannot be set, or not so.
fn refuses_thinking(failure: &ProviderFailure) -> bool {
    let message = failure.message().to_lowercase();
    let has_one = |words: &[&str]| words.iter().any(|words| message.contains(words));
    let is_refused = has_one(&THINKING_NAMES) && has_one(&THINKING_REFUSED);
    has_one(&THINKING_WORDS) || is_refused && !failure.speaks_of_the_schema()
}

/// Returns the most tokens of a reply, if `message` says that the token limit of the request is above it.
/// Anthropic names the number after the one of the request.
fn most_output(message: &str) -> Option<u64> {
    // A long prompt leaves less room, and another one may leave more.
    if ["input tokens", "prompt"].iter().any(|words| message.contains(words)) {
        return None;
    }
    // Another sentence may be about another parameter.
    let is_about_it = |sentence: &&str| OUTPUT_LIMITS.iter().any(|words| sentence.contains(words));
    let (_, most) = message.split(". ").filter(is_about_it).find_map(|sentence| {
        let of_anthropic = Some(" > ").filter(|_| sentence.contains("maximum allowed"));
        of_anthropic.iter().chain(&MOST_OUTPUT).find_map(|words| sentence.split_once(*words))
    })?;
    let most = most.trim_start_matches(['`', '\'']);
    let end = most.find(|char: char| !char.is_ascii_digit() && char != ',').unwrap_or(most.len());
    let (most, after) = most.split_at(end);
    let most: u64 = most.replace(',', "").parse().ok()?;
    let is_excluded = after.starts_with(" (exclusive)");
    most.checked_sub(u64::from(is_excluded)).filter(|most| *most > 0)
}

/// Returns whether `message` names a parameter, in the spelling of any format: `top_p` and `topP`. A name
/// that is also a word has to be marked as a name.
fn is_named(message: &str, name: &str) -> bool {
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let is_no_word = |word: &str| word.contains('_') || word.chars().skip(1).any(char::is_uppercase);
    let (name, mut start) = (plain(name), 0);
    message.split(|char| !is_part(char)).any(|word| {
        let (before, rest) = message.split_at(start);
        let after = &rest[word.len()..];
        start += word.len() + after.chars().next().map_or(0, char::len_utf8);
        plain(word) == name && (is_no_word(word) || is_marked(before, after))
    })
}

/// Returns a name as all formats spell it, without underscores and in lower case.
fn plain(name: &str) -> String {
    name.replace('_', "").to_ascii_lowercase()
}

/// Returns whether a word between `before` and `after` is in quotation marks or brackets, at the start of
/// what the server says, before a colon, or beside a word such as `parameter`.
fn is_marked(before: &str, after: &str) -> bool {
    const NOUNS: [&str; 3] = ["parameter", "field", "argument"];
    let is_quoted = before.ends_with(['\'', '"', '`', '[']) && after.starts_with(['\'', '"', '`', ']']);
    let is_at_edge = before.is_empty() || before.ends_with(": ") || after.starts_with(':');
    let (last, next) = (before.split_whitespace().next_back(), after.split_whitespace().next());
    let is_beside = || [last, next].into_iter().flatten().any(|word| NOUNS.contains(&word));
    is_quoted || is_at_edge || before.ends_with(' ') && after.starts_with(' ') && is_beside()
}

fn hash(schema: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    schema.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_tokens_of_a_reply_are_read_in_the_words_of_each_server() {
        for (message, most) in [
            ("max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens", Some(8192)),
            (
                "max_tokens is too large: 64000. This model supports at most 16384 completion tokens",
                Some(16384),
            ),
            ("`max_completion_tokens` must be less than or equal to `8,192`, the maximum value", Some(8192)),
            ("The maximum tokens you requested exceeds the model limit of 4096. Try again with", Some(4096)),
            ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", Some(8192)),
            ("Range of max_tokens should be [1, 16384]", Some(16384)),
            (
                "it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to \
                 65537 (exclusive)",
                Some(65536),
            ),
            ("temperature must be less than or equal to 2", None),
            ("max_tokens is fine. temperature must be less than or equal to 2", None),
            ("input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000", None),
            ("max_tokens must be less than or equal to 900, because the prompt has 100", None),
            ("`inputs` tokens + `max_new_tokens` must be <= 8193", None),
            ("max_tokens must be less than or equal to a lot", None),
        ] {
            assert_eq!(most_output(&message.to_lowercase()), most, "{message}");
        }
    }

    #[test]
    fn a_parameter_is_never_taken_unless_its_value_or_a_combination_is_refused() {
        for (message, is_never) in [
            ("Unsupported parameter: 'temperature' is not supported with this model.", true),
            ("`temperature` is deprecated for this model.", true),
            ("temperature: Extra inputs are not permitted", true),
            ("logprobs are not supported with reasoning models", true),
            ("Argument not supported on this model: topP", true),
            ("temperature must be less than or equal to 1", false),
            ("Unsupported value: 'temperature' does not support 0 with this model.", false),
            ("Invalid value for 'reasoning_effort': 'none' is not supported", false),
            ("\"thinking.type.disabled\" is not supported for this model", false),
            ("'reasoning_effort' is not supported with tools", false),
            ("`temperature` and `top_p` cannot both be specified for this model", false),
            ("temperature is not supported when thinking is enabled", false),
        ] {
            assert_eq!(is_never_taken(&message.to_lowercase()), is_never, "{message}");
        }
    }

    #[test]
    fn what_is_refused_in_one_form_is_forgotten_first() {
        let mut learned = Learned::default();
        learned.leave_out("seed", None);
        for form in 0..100 {
            learned.leave_out("temperature", Some(form));
        }
        assert_eq!(learned.unsupported.len(), PARAMETERS);
        assert_eq!(learned.unsupported(99), ["seed", "temperature"]);
        assert_eq!(learned.unsupported(0), ["seed"]);
    }

    #[test]
    fn a_parameter_is_named_as_a_word() {
        for message in
            ["Unsupported parameter: 'seed'.", "`seed` is not permitted", "seed: extra fields not permitted"]
        {
            assert!(is_named(message, "seed"), "{message}");
        }
        for (message, name) in [
            ("extraneous key [thinking] is not permitted", "thinking"),
            ("This model doesn't support the topP field. Remove topP and try again.", "topP"),
            ("This model doesn't support the temperature field", "temperature"),
            ("HTTP 400 Bad Request: Temperature must be 1 for this model", "temperature"),
            ("Argument not supported on this model: topP", "top_p"),
            ("The model does not support parameter seed here", "seed"),
            ("Extra inputs are not permitted: seed", "seed"),
        ] {
            assert!(is_named(message, name), "{message}");
        }
        for message in ["no seeds here", "the seed of doubt", "random_seed: no", "parameters of seeds"] {
            assert!(!is_named(message, "seed"), "{message}");
        }
        assert!(is_named("max_tokens is too large: use max_completion_tokens", "max_completion_tokens"));
        assert!(!is_named("use max_completion_tokens", "max_tokens"));
    }
}
