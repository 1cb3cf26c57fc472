//! The question for the rest of a value that was cut.

use std::fmt::Write as _;

use serde_json::Value;

use super::message;
use crate::vocabulary::{
    path::{Path, Segment},
    text::{counted, cut, fenced, ticked, visible},
    violation::Violation,
};

/// Maximum number of elements that are shown, the last ones: enough to see what the next one is
/// like.
const MAX_SHOWN: usize = 3;

/// Maximum characters of the existing part that are shown.
const MAX_TAIL_CHARS: usize = 2_000;

/// Characters at the end of a string that are shown: a few sentences.
const TEXT_TAIL_CHARS: usize = 600;

/// Maximum number of members that are named.
const MAX_NAMED: usize = 50;

/// Maximum number of characters of one such name.
const MAX_NAME_CHARS: usize = 100;

/// A value that was cut, and the question for its rest.
#[derive(Debug)]
pub(crate) struct RestQuestion<'a> {
    /// The numbers in `Attempt 2 of 4. `, if that is shown.
    pub(crate) attempt: Option<(u32, u32)>,
    /// The list, string or object that continues.
    pub(crate) place: &'a Path,
    /// Its existing part.
    pub(crate) there: &'a Value,
    /// Whether another element of the list had begun.
    pub(crate) has_begun: bool,
    /// The schema of the members that come after it, if some are missing.
    pub(crate) after: Option<&'a Value>,
    /// The steps from the object with these members to the open part.
    pub(crate) way: &'a [Segment],
    /// Whether the agent itself wrote the existing part.
    pub(crate) is_own: bool,
    /// The violations of the last rest that the agent gave.
    pub(crate) violations: &'a [Violation],
}

impl RestQuestion<'_> {
    pub(crate) fn message(&self) -> String {
        let mut text = String::new();
        if let Some((next, max_attempts)) = self.attempt {
            let _ = write!(text, "Attempt {next} of {max_attempts}. ");
        }
        if !self.violations.is_empty() {
            let _ = writeln!(text, "{}", message::listing(self.violations));
        }
        let whose = if self.is_own { "Your answer" } else { "An earlier answer" };
        let _ = write!(
            text,
            "{whose} was cut off before its end. What is complete is kept: do not write it again. "
        );
        match self.there {
            Value::Array(list) => self.list(&mut text, list),
            Value::String(string) => self.string(&mut text, string),
            object => self.members(&mut text, object),
        }
        if let Some(after) = self.after.filter(|_| !matches!(self.there, Value::Object(_))) {
            let _ = write!(
                text,
                " `after` is an object with the members that follow: {}.",
                names(after, self.way)
            );
        }
        text.push_str(" Answer with this JSON object only: no markdown fences, no explanation.");
        text
    }

    fn list(&self, text: &mut String, list: &[Value]) {
        let (place, next) = (self.place, list.len());
        if list.is_empty() {
            let _ = write!(text, "The list {place} has no elements yet. ");
        } else {
            let (start, tail) = last_elements(list);
            let _ = write!(
                text,
                "The list {place} has {} so far. The last of them, from index {start} on:\n{}\n\n",
                counted(next, "element"),
                fenced("json", &visible(&tail))
            );
        }
        let after = if self.after.is_some() { ", \"after\": {…}" } else { "" };
        let end = if self.has_begun {
            "; at least one, because it had begun when the answer was cut off"
        } else {
            "; it is empty if there are no more"
        };
        let _ = write!(
            text,
            "Go on with index {next}, in this form: {{\"from\": {next}, \"rest\": […]{after}}}. `from` is the index of the \
             first element of `rest`, counted from 0. `rest` has all elements from there to the end of the list{end}."
        );
    }

    fn string(&self, text: &mut String, string: &str) {
        let chars = string.chars().count();
        let shown: String = string.chars().skip(chars.saturating_sub(TEXT_TAIL_CHARS)).collect();
        let after = if self.after.is_some() { ", \"after\": {…}" } else { "" };
        let _ = write!(
            text,
            "The string {} has {} so far. It ends, as JSON, with:\n{}\n\nGo on with the next character, in this form: \
             {{\"rest\": \"…\"{after}}}. `rest` is what follows directly after it, up to the end of the string.",
            self.place,
            counted(chars, "character"),
            fenced("json", &visible(&Value::from(shown).to_string()))
        );
    }

    fn members(&self, text: &mut String, object: &Value) {
        let keys = object.as_object().into_iter().flatten().map(|(key, _)| ticked(&cut(key, MAX_NAME_CHARS)));
        let keys: Vec<_> = keys.take(MAX_NAMED).collect();
        let missing = self.after.map(|after| names(after, self.way)).unwrap_or_default();
        let _ = write!(
            text,
            "The object {} has {} so far. Go on with those that are missing, in this form: {{\"after\": {{…}}}}. `after` is \
             an object with them, as far as there is something to say: {missing}.",
            self.place,
            if keys.is_empty() { "no members".to_owned() } else { keys.join(", ") },
        );
    }
}

/// The last elements as a JSON list of limited length, and the index of the first one shown.
fn last_elements(list: &[Value]) -> (usize, String) {
    let mut start = list.len() - 1;
    let mut shown = list[start].to_string();
    while let Some(before) = start.checked_sub(1).filter(|before| list.len() - before <= MAX_SHOWN) {
        let more = format!("{},{shown}", list[before]);
        if more.len() > MAX_TAIL_CHARS {
            break;
        }
        (start, shown) = (before, more);
    }
    (start, cut(&format!("[{shown}]"), MAX_TAIL_CHARS))
}

/// The names of the members in `schema`. Those of an object on the `way` follow its own name.
fn names(schema: &Value, way: &[Segment]) -> String {
    let mut found = Vec::new();
    gather(schema, way, &mut Vec::new(), &mut found);
    let more = found.len().saturating_sub(MAX_NAMED);
    found.truncate(MAX_NAMED);
    if more > 0 {
        found.push(format!("and {more} more"));
    }
    if found.is_empty() { "whatever the schema names there".to_owned() } else { found.join("; ") }
}

fn gather(schema: &Value, way: &[Segment], around: &mut Vec<String>, found: &mut Vec<String>) {
    for (key, inside) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let name = ticked(&cut(key, MAX_NAME_CHARS));
        if matches!(way.first(), Some(Segment::Key(step)) if step.as_str() == key) {
            around.push(format!(" in {name}"));
            gather(inside, &way[1..], around, found);
            around.pop();
        } else {
            let is_required = |required: &Vec<Value>| required.iter().any(|one| one == key);
            let required = schema.get("required").and_then(Value::as_array);
            let given = if required.is_some_and(is_required) { "" } else { ", if the text gives it" };
            found.push(format!("{name}{}{given}", around.concat()));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shows_a_bounded_tail() {
        for list in [vec![json!("x".repeat(100_000)); 2], (0..100_000).map(Value::from).collect()] {
            let place = Path::root();
            let there = Value::Array(list);
            let rest = RestQuestion {
                attempt: None,
                place: &place,
                there: &there,
                has_begun: false,
                after: None,
                way: &[],
                is_own: true,
                violations: &[],
            };
            assert!(rest.message().len() < 3_000, "{}", rest.message().len());
        }
    }

    #[test]
    fn shows_the_last_elements_with_their_index() {
        assert_eq!(last_elements(&[json!(1), json!(2), json!(3), json!(4)]), (1, "[2,3,4]".to_owned()));
        let long = json!("y".repeat(1_500));
        assert_eq!(last_elements(&[long.clone(), long.clone()]), (1, format!("[{long}]")));
    }

    #[test]
    fn names_members_with_the_objects_around_them() {
        let schema = json!({"properties": {"inner": {"properties": {"end": {}}, "required": ["end"]}, "last": {"properties": {"x": {}}}}});
        let way = [Segment::Key("inner".into()), Segment::Key("list".into())];
        assert_eq!(names(&schema, &way), "`end` in `inner`; `last`, if the text gives it");
    }
}
