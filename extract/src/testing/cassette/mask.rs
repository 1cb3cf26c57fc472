//! What must not be recorded because a field is marked with `#[extract(sensitive)]`.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde_json::Value;

use super::tape::{Answer, Asked, Exchange};
use crate::{
    Contract, Path,
    agent::{FinishReason, Marked, Reply, Request, Role},
    schema::part_at,
    toolkit::Offer,
    validation::{MASK, Secret, secrets_in, without},
};

/// The sensitive values of a conversation, in all the ways in which they are written.
#[derive(Default)]
pub(super) struct Sensitive {
    known: BTreeSet<Secret>,
}

/// Says how many it knows, and no more.
impl std::fmt::Debug for Sensitive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sensitive({})", self.known.len())
    }
}

impl Sensitive {
    /// The text of `reply` as it is recorded: what marked places hold is replaced, and what cannot be looked into is left out.
    pub(super) fn hidden(&mut self, reply: &Reply, request: &Request) -> Option<String> {
        let Marked(contract) = request.marked.as_ref()?;
        if reply.text().is_empty() {
            return None;
        }
        let is_cut = matches!(reply.finish_reason(), FinishReason::Length | FinishReason::ContentFilter);
        let is_about_it = request.schema.as_deref() == Some(&*contract.shared_schema());
        let value = if is_cut || !is_about_it { None } else { contract.read(reply.text()).value };
        let Some(value) = value else { return Some(MASK.to_owned()) };
        let hidden = self.replaced(contract, &value);
        (hidden != value).then(|| hidden.to_string())
    }

    /// The arguments of a call as they are recorded.
    pub(super) fn hidden_arguments(&mut self, arguments: &Value, request: &Request) -> Option<Value> {
        let Marked(contract) = request.marked.as_ref()?;
        let mut hidden = arguments.clone();
        let value = match Offer::of(contract).argument() {
            Some(argument) => hidden.get_mut(argument),
            None => Some(&mut hidden).filter(|value| value.is_object()),
        };
        // A text that is no JSON cannot be looked into.
        let Some(value) = value else { return Some(Value::from(MASK)) };
        *value = self.replaced(contract, value);
        Some(hidden)
    }

    /// `value` with something else at each marked place that holds something.
    fn replaced(&mut self, contract: &Contract, value: &Value) -> Value {
        let mut hidden = value.clone();
        if let Some(sensitive) = contract.sensitive() {
            sensitive.mask_value(&mut hidden);
        }
        let mut places = Vec::new();
        changed(value, &hidden, &Path::root(), &mut places);
        for (path, value) in places {
            secrets_in(value, &mut self.known);
            if let Some(place) = hidden.pointer_mut(&path.to_pointer()) {
                *place = stand_in(contract, &path, value);
            }
        }
        self.without_quotes(&mut hidden);
        hidden
    }

    /// What is known is hidden where other texts of the value repeat it.
    fn without_quotes(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.redacted(text),
            Value::Array(list) => list.iter_mut().for_each(|inside| self.without_quotes(inside)),
            Value::Object(map) => map.values_mut().for_each(|inside| self.without_quotes(inside)),
            _ => {}
        }
    }

    fn redacted(&self, text: &str) -> String {
        // The longest first: one may be part of another.
        self.known.iter().rev().fold(text.to_owned(), |text, (_, secret)| without(&text, secret))
    }

    /// Takes what is known by now out of everything that was said before and after.
    pub(super) fn take_out_of(&self, exchanges: &mut [Exchange]) {
        if self.known.is_empty() {
            return;
        }
        for exchange in exchanges {
            for turn in &mut exchange.request.turns {
                turn.text.0 = self.redacted(&turn.text.0);
            }
            match &mut exchange.answer {
                Answer::Reply(said) => said.notes.iter_mut().for_each(|note| note.0 = self.redacted(&note.0)),
                Answer::Failure(failed) => failed.message.0 = self.redacted(&failed.message.0),
            }
        }
    }
}

/// Hides the replies that `asked` repeats: what was hidden in them looks otherwise when they are replayed.
pub(super) fn without_replies(asked: &mut Asked) {
    for turn in asked.turns.iter_mut().filter(|turn| turn.role == Role::Assistant) {
        MASK.clone_into(&mut turn.text.0);
    }
}

/// `recorded` with the texts of `asked` where they say the same but for what is hidden.
pub(super) fn agreeing(mut recorded: Asked, asked: &Asked) -> Asked {
    for (recorded, asked) in recorded.turns.iter_mut().zip(&asked.turns) {
        if is_same_but_for_masks(&recorded.text.0, &asked.text.0) {
            recorded.text.0.clone_from(&asked.text.0);
        }
    }
    recorded
}

fn is_same_but_for_masks(recorded: &str, asked: &str) -> bool {
    let Some((first, more)) = recorded.split_once(MASK) else { return recorded == asked };
    let Some(mut rest) = asked.strip_prefix(first) else { return false };
    let (between, last) =
        more.rsplit_once(MASK).map_or((None, more), |(between, last)| (Some(between), last));
    for part in between.into_iter().flat_map(|between| between.split(MASK)) {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The places at which `hidden` is another value, except where there is nothing to hide.
fn changed<'v>(value: &'v Value, hidden: &Value, path: &Path, places: &mut Vec<(Path, &'v Value)>) {
    match (value, hidden) {
        (value, hidden) if value == hidden => {}
        (Value::Object(before), Value::Object(after)) => {
            for (key, value) in before {
                changed(value, &after[key], &path.clone().key(key), places);
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            for (index, value) in before.iter().enumerate() {
                changed(value, &after[index], &path.clone().index(index), places);
            }
        }
        _ => places.push((path.clone(), value)),
    }
}

/// What a marked place holds in the record: an example if `value` satisfied the schema, so that the replay does too.
fn stand_in(contract: &Contract, path: &Path, value: &Value) -> Value {
    if value.is_null() {
        return Value::Null;
    }
    let root = contract.schema();
    let example = part_at(root, path).and_then(Value::as_object).and_then(|part| {
        let mut part = part.clone();
        part.extend(root.get("$defs").map(|definitions| ("$defs".to_owned(), definitions.clone())));
        let part = Contract::from_schema(Value::Object(part)).ok()?;
        part.example().filter(|_| part.validate(value).is_empty()).cloned()
    });
    example.unwrap_or_else(|| Value::from(MASK))
}
