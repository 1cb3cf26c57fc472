//! Values that are not recorded because a field is marked with `#[extract(sensitive)]`.

use serde_json::Value;

use super::recording::{RecordedAnswer, RecordedExchange, RecordedRequest};
use crate::{
    agent::{MarkedSchema, Reply, Request, Role},
    contract::Contract,
    judging::tools::ToolSet,
    reading::ReplyEnd,
    schema::{SchemaError, part_at},
    vocabulary::{
        path::{Path, Segment, all_values},
        redaction::{SensitiveValues, VALUE_MARKER},
    },
};

/// Minimum number of digits for a sensitive number to be redacted elsewhere, too; shorter ones
/// occur by chance.
const LONG_NUMBER: usize = 4;

/// The sensitive values of a conversation.
#[derive(Debug, Default)]
pub(super) struct SensitiveCassette {
    known: SensitiveValues,
}

impl SensitiveCassette {
    /// Returns the text of `reply` to record. Values at marked paths are replaced, and text that
    /// cannot be checked is left out.
    pub(super) fn redacted(&mut self, reply: &Reply, request: &Request) -> Option<String> {
        let contract = contract(request)?;
        if reply.text().is_empty() {
            return None;
        }
        let is_cut = reply.end() == ReplyEnd::Cut;
        let Ok(contract) = contract else { return Some(VALUE_MARKER.to_owned()) };
        let is_about_it = request.schema.as_deref() == Some(&**contract.forms().schema());
        let value = if is_cut || !is_about_it { None } else { contract.read(reply.text()).value };
        let Some(value) = value else { return Some(VALUE_MARKER.to_owned()) };
        let redacted = self.replaced(&contract, &value);
        (redacted != value).then(|| redacted.to_string())
    }

    /// The arguments of a call to record.
    pub(super) fn redacted_arguments(&mut self, arguments: &Value, request: &Request) -> Option<Value> {
        let Ok(contract) = contract(request)? else { return Some(Value::from(VALUE_MARKER)) };
        let mut redacted = arguments.clone();
        let value = match ToolSet::of(&contract).argument() {
            Some(argument) => redacted.get_mut(argument),
            None => Some(&mut redacted).filter(|value| value.is_object()),
        };
        // A text that is not JSON cannot be checked.
        let Some(value) = value else { return Some(Value::from(VALUE_MARKER)) };
        *value = self.replaced(&contract, value);
        Some(redacted)
    }

    /// Returns `value` with the values at marked paths replaced.
    fn replaced(&mut self, contract: &Contract, value: &Value) -> Value {
        let Some(sensitive) = contract.sensitive() else { return value.clone() };
        let mut redacted = value.clone();
        sensitive.redact_places(&Path::root(), &mut redacted);
        let mut places = Vec::new();
        changed(value, &redacted, &Path::root(), &mut places);
        for (_, value) in &places {
            let is_scalar = |part: &&Value| !part.is_boolean() && !part.is_array() && !part.is_object();
            all_values(value).filter(is_scalar).for_each(|scalar| self.known.insert(scalar));
        }
        sensitive.gather(value, &mut self.known);
        // Repetitions at other paths, too.
        sensitive.redact_at(&Path::root(), &mut redacted, &self.known);
        places.clear();
        changed(value, &redacted, &Path::root(), &mut places);
        for (path, value) in places {
            let Some(place) = path.resolve_mut(&mut redacted) else { continue };
            let is_quoted_in_part = value.is_string() && place != VALUE_MARKER;
            let is_chance =
                value.is_number() && value.to_string().len() < LONG_NUMBER && !sensitive.is_sensitive(&path);
            if is_chance {
                *place = value.clone();
            } else if !is_quoted_in_part {
                *place = stand_in(contract, &path, value);
            }
        }
        redacted
    }

    /// Redacts the values known so far in all exchanges, earlier ones included.
    pub(super) fn take_out_of(&self, exchanges: &mut [RecordedExchange]) {
        if self.known.is_empty() {
            return;
        }
        let redact = |text: &mut String| *text = self.known.redact(text).into_owned();
        for exchange in exchanges {
            exchange.request.turns.iter_mut().for_each(|turn| redact(&mut turn.text.0));
            match &mut exchange.answer {
                // The values in replies are already replaced.
                RecordedAnswer::Reply(said) => said.notes.iter_mut().for_each(|note| redact(&mut note.0)),
                RecordedAnswer::Failure(failed) => {
                    redact(&mut failed.message.0);
                    failed.text.iter_mut().for_each(|text| redact(&mut text.0));
                }
            }
        }
    }
}

/// The contract of the replies to `request`, with its sensitive paths marked.
fn contract(request: &Request) -> Option<Result<Contract, SchemaError>> {
    let MarkedSchema(schema) = request.marked_schema.as_ref()?;
    Some(Contract::from_schema((**schema).clone()))
}

/// Redacts the replies quoted in `asked`, because the redacted parts look different in a replay.
pub(super) fn without_replies(asked: &mut RecordedRequest) {
    for turn in asked.turns.iter_mut().filter(|turn| turn.role == Role::Assistant) {
        VALUE_MARKER.clone_into(&mut turn.text.0);
    }
}

/// `recorded`, with the texts of `asked` where they differ only in redacted parts.
pub(super) fn agreeing(mut recorded: RecordedRequest, asked: &RecordedRequest) -> RecordedRequest {
    for (recorded, asked) in recorded.turns.iter_mut().zip(&asked.turns) {
        if is_same_but_for_markers(&recorded.text.0, &asked.text.0) {
            recorded.text.0.clone_from(&asked.text.0);
        }
    }
    recorded
}

fn is_same_but_for_markers(recorded: &str, asked: &str) -> bool {
    let Some((first, more)) = recorded.split_once(VALUE_MARKER) else { return recorded == asked };
    let Some(mut rest) = asked.strip_prefix(first) else { return false };
    let (between, last) =
        more.rsplit_once(VALUE_MARKER).map_or((None, more), |(between, last)| (Some(between), last));
    for part in between.into_iter().flat_map(|between| between.split(VALUE_MARKER)) {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The paths where `redacted` has another value, except where there is nothing to redact.
fn changed<'v>(value: &'v Value, redacted: &Value, path: &Path, places: &mut Vec<(Path, &'v Value)>) {
    match (value, redacted) {
        (value, redacted) if value == redacted => {}
        (Value::Object(_), Value::Object(_)) | (Value::Array(_), Value::Array(_)) => {
            for (step, part) in Segment::parts(value) {
                let redacted = step.within(redacted).unwrap_or(&Value::Null);
                changed(part, redacted, &path.clone().step(step), places);
            }
        }
        _ => places.push((path.clone(), value)),
    }
}

/// Returns the value to record at a marked path: an example if `value` satisfied the schema, so
/// that the replay does too.
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
    example.unwrap_or_else(|| Value::from(VALUE_MARKER))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use serde_json::json;

    use super::*;
    use crate::agent::FinishReason;
    use crate::testing::{Cassette, ScriptedAgent, block_on};

    const NUMBER: &str = "123-4567";
    const PIN: &str = "8642";
    const PROMPT: &str = "Anna, insured as 123-4567, pin 8642, came twice.";

    /// A file that is removed with it.
    struct File(PathBuf);

    impl File {
        fn new(name: &str) -> Self {
            Self(std::env::temp_dir().join(format!("extract-sensitive-{}-{name}.json", std::process::id())))
        }

        /// Returns the recording, which has nothing sensitive in it.
        fn text(&self) -> String {
            let text = fs::read_to_string(&self.0).unwrap();
            for secret in [NUMBER, PIN] {
                assert!(!text.contains(secret), "{secret} is in {text}");
            }
            text
        }

        fn replay(&self) -> Cassette {
            Cassette::replay(&self.0).unwrap()
        }
    }

    impl Drop for File {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    fn patient() -> Contract {
        Contract::from_schema(json!({
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "number": {"type": "string", "pattern": "^[0-9]{3}-[0-9]{4}$", "x-sensitive": true},
                "pin": {"$ref": "#/$defs/Pin"},
                "visits": {"type": "integer"},
                "note": {"type": ["string", "null"], "x-sensitive": true},
            },
            "required": ["name", "number", "pin", "visits"],
            "additionalProperties": false,
            "$defs": {"Pin": {"type": "integer", "minimum": 1000, "x-sensitive": true}},
        }))
        .unwrap()
    }

    fn reply(visits: &str) -> String {
        format!(
            "The patient {NUMBER}:\n```json\n{{\"name\": \"Anna ({NUMBER})\", \"number\": \"{NUMBER}\", \"pin\": {PIN}, \
         \"visits\": {visits}, \"note\": null}}\n```"
        )
    }

    #[test]
    fn sensitive_values_are_not_written_and_the_replay_goes_the_same_way() {
        let file = File::new("way");
        let script = ScriptedAgent::new([reply("\"many\""), reply("2")]);
        let (_, recorded) = block_on(patient().extract(&Cassette::record(script, &file.0), PROMPT)).unwrap();

        let text = file.text();
        assert!(text.contains("Anna, insured as (hidden), pin (hidden), came twice."), "{text}");
        let cassette = file.replay();
        let (value, replayed) = block_on(patient().extract(&cassette, PROMPT)).unwrap();
        assert_eq!((recorded.attempts, replayed.attempts), (2, 2));
        cassette.assert_finished();
        assert_eq!(
            (&value["name"], &value["visits"], &value["note"]),
            (&json!("Anna ((hidden))"), &json!(2), &Value::Null)
        );
        assert!(value["number"] != NUMBER && value["pin"] != json!(8642), "{value}");
    }

    #[test]
    fn a_replay_is_as_strict_about_the_rest() {
        let file = File::new("strict");
        let cassette = Cassette::record(ScriptedAgent::new([reply("2")]), &file.0);
        block_on(patient().extract(&cassette, PROMPT)).unwrap();
        let ask = |prompt: &str| block_on(patient().extract(&file.replay(), prompt)).map(|_| ());
        ask("Anna, insured as 765-4321, pin 1, came twice.").unwrap();
        let error = ask("Anna, insured as 765-4321, pin 1, came often.").unwrap_err().to_string();
        assert!(error.contains("it differs in turn"), "{error}");
    }

    #[test]
    fn what_cannot_be_looked_into_is_left_out() {
        let file = File::new("cut");
        let cut =
            Reply::new(format!("{{\"number\": \"{NUMBER}\", \"pin\": 86")).finished(FinishReason::Length);
        let script = ScriptedAgent::default()
            .then(cut)
            .then(format!("No JSON, but {NUMBER} and {PIN}."))
            .then(reply("2"));
        block_on(patient().extract(&Cassette::record(script, &file.0), PROMPT)).unwrap();
        assert!(file.text().matches(r#""text": "(hidden)""#).count() >= 2, "{}", file.text());
    }

    #[test]
    fn a_value_that_breaks_the_contract_still_does() {
        let file = File::new("broken");
        let broken =
            format!("{{\"name\": \"Anna\", \"number\": \"{NUMBER}\", \"pin\": \"{PIN}x\", \"visits\": 2}}");
        let cassette = Cassette::record(ScriptedAgent::new([broken]), &file.0);
        block_on(patient().extract(&cassette, "Anna?").max_attempts(1)).unwrap_err();
        file.text();
        block_on(patient().extract(&file.replay(), "Anna?").max_attempts(1)).unwrap_err();
    }

    #[test]
    fn without_a_mark_everything_is_written_as_it_is() {
        let file = File::new("plain");
        let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
        let cassette = Cassette::record(ScriptedAgent::new(["8642"]), &file.0);
        block_on(contract.extract(&cassette, "The pin is 8642?")).unwrap();
        let text = fs::read_to_string(&file.0).unwrap();
        assert!(text.contains("\"text\": \"8642\"") && text.contains("The pin is 8642?"), "{text}");
    }

    #[test]
    fn what_is_redacted_may_be_anything() {
        for (recorded, asked, is_same) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("(hidden)", "", true),
            ("pin (hidden).", "pin 1234.", true),
            ("pin (hidden).", "pin 1234", false),
            ("(hidden) and (hidden)", "one and two", true),
            ("(hidden) and (hidden)", "one or two", false),
            ("ab(hidden)b", "ab", false),
        ] {
            assert_eq!(is_same_but_for_markers(recorded, asked), is_same, "{recorded} {asked}");
        }
    }
}
