//! The bytes of a request.

use extract::agent::provider::ProviderFailure;
use serde_json::{Map, Value};

use super::{
    head::Heads,
    instructions::SYSTEM_TURN,
    json,
    question::{CACHE_CONTROL, ENCRYPTED_REASONING, LOG_PROBABILITIES, Question},
    writer::{parameters, serialized_schema, write_prefill, write_turn},
};

/// The body of a request, and notes on how it differs from what was asked for.
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    pub(crate) notes: Vec<String>,
    /// The names of the parameters.
    pub(crate) parameters: Vec<String>,
    /// See [`Question::form`].
    pub(crate) form: u64,
    /// The name of the token limit.
    pub(crate) token_limit: &'static str,
    /// The most tokens of the reply, if the request has a limit.
    pub(crate) sent_limit: Option<u64>,
    /// The length of the context that the server is told, in tokens.
    pub(crate) context: Option<u64>,
}

/// Members that have parameters, in the formats that do not have all of them at the top.
const NESTED: [&str; 4] = ["generationConfig", "options", "inferenceConfig", "additionalModelRequestFields"];

/// The bytes of `question`.
pub(crate) fn body(question: &Question<'_>, heads: &Heads) -> Result<Body, ProviderFailure> {
    question.check_parts()?;
    let turns = question.request.conversation.turns();
    let head = heads.head(question);
    let text: usize = turns[head.turns.len()..].iter().map(|turn| turn.text().len()).sum();
    let mut out = Vec::with_capacity(head.bytes.len() + text + text / 8 + 1024);
    out.extend_from_slice(&head.bytes);
    let rest = &turns[head.turns.len()..];
    for (index, turn) in rest.iter().enumerate() {
        let breakpoint = question.breakpoint(index, rest.len().checked_sub(1));
        write_turn(&mut out, question, turn, breakpoint);
    }
    if let Some(prefill) = question.prefill() {
        write_prefill(&mut out, question, prefill);
    }
    out.push(b']');
    let (mut members, mut notes) = parameters(question);
    notes.extend(question.missing_log_probabilities());
    let (mut parameters, mut refused) = (Vec::new(), Vec::new());
    let mut remove_refused = |members: &mut Map<String, Value>| {
        members.retain(|name, _| {
            let is_refused = question.unsupported.contains(name);
            if is_refused { &mut refused } else { &mut parameters }.push(name.clone());
            !is_refused
        });
    };
    remove_refused(&mut members);
    let nested = members.iter_mut().filter(|(name, _)| NESTED.contains(&name.as_str()));
    nested.filter_map(|(_, inner)| inner.as_object_mut()).for_each(remove_refused);
    if !refused.is_empty() {
        notes.push(format!("`{}` refused `{}`, so it is not sent", question.model, refused.join("`, `")));
    }
    if let Some(most) = question.most_output {
        token_limits(&mut members, question.token_limit).for_each(|limit| lower(limit, most));
    }
    json::merge(&mut members, &question.settings.body);
    json::members(&mut out, &members, serialized_schema(question).as_ref());
    out.push(b'}');
    if question.asks_log_probabilities() && !parameters.iter().any(|name| name == LOG_PROBABILITIES) {
        parameters.push(LOG_PROBABILITIES.to_owned());
    }
    if question.asks_encrypted_reasoning() {
        parameters.push(ENCRYPTED_REASONING.to_owned());
    }
    if question.has_breakpoints() {
        parameters.push(CACHE_CONTROL.to_owned());
    }
    if !question.system_turns().is_empty() {
        parameters.push(SYSTEM_TURN.to_owned());
    }
    let sent_limit = token_limits(&mut members, question.token_limit).find_map(|limit| limit.as_u64());
    let context = members.get("options").and_then(|options| options.get("num_ctx")?.as_u64());
    let (form, token_limit) = (question.form(), question.token_limit);
    Ok(Body { bytes: out, notes, parameters, form, token_limit, sent_limit, context })
}

/// The limits of tokens called `name`, at the top and in the members that have parameters.
fn token_limits<'m>(members: &'m mut Map<String, Value>, name: &str) -> impl Iterator<Item = &'m mut Value> {
    members.iter_mut().filter_map(move |(member, value)| match member.as_str() {
        top if top == name => Some(value),
        nested if NESTED.contains(&nested) => value.get_mut(name),
        _ => None,
    })
}

fn lower(limit: &mut Value, most: u64) {
    if limit.as_u64().is_some_and(|limit| limit > most) {
        *limit = most.into();
    }
}
