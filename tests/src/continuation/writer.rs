//! An agent that knows the answer, and whose replies may be cut anywhere.

use std::sync::Mutex;

use extract::Path;
use extract::agent::{Agent, Reply, ReplyFuture, Request};
use serde_json::{Map, Value, json};

use super::cut;

/// Decides how many bytes of a text are written, given its length.
type Cuts = Box<dyn FnMut(usize) -> usize + Send>;

pub(super) struct Writer {
    whole: Value,
    /// How many elements, or characters of a string, are repeated.
    overlap: usize,
    cuts: Mutex<Cuts>,
    /// The last turns of the questions.
    pub(super) asked: Mutex<Vec<String>>,
}

impl Writer {
    pub(super) fn new(
        whole: Value,
        overlap: usize,
        cuts: impl FnMut(usize) -> usize + Send + 'static,
    ) -> Self {
        Self { whole, overlap, cuts: Mutex::new(Box::new(cuts)), asked: Mutex::default() }
    }

    fn answer(&self, request: &Request) -> Value {
        let text = request.conversation.turns().last().unwrap().text();
        let Some(place) = place(text) else { return self.whole.clone() };
        let part = place.resolve(&self.whole).unwrap();
        let there = number(text, " has ");
        let mut form = Map::new();
        match part {
            Value::Array(list) => {
                let from = there.saturating_sub(self.overlap);
                form.insert("from".to_owned(), json!(from));
                form.insert("rest".to_owned(), json!(list[from..]));
            }
            Value::String(text) => {
                // A shorter repetition would not be recognised.
                let from = if self.overlap < 20 { there } else { there.saturating_sub(self.overlap) };
                form.insert("rest".to_owned(), text.chars().skip(from).collect::<String>().into());
            }
            _ => {}
        }
        let schema = request.schema.as_ref().unwrap();
        if let Some(after) = schema["properties"].get("after") {
            let top = top(&place);
            form.insert("after".to_owned(), listed(after, top.resolve(&self.whole).unwrap()));
        }
        Value::Object(form)
    }
}

/// Returns the path named in the question.
fn place(text: &str) -> Option<Path> {
    let (_, question) = text.rsplit_once("do not write it again. The ")?;
    question.split(' ').nth(1)?.parse().ok()
}

fn number(text: &str, before: &str) -> usize {
    let (_, rest) = text.rsplit_once("do not write it again. ").unwrap();
    let (_, rest) = rest.split_once(before).unwrap();
    rest.split(' ').next().unwrap().parse().unwrap_or(0)
}

/// Returns the element of the last list around `place`, or the root.
fn top(place: &Path) -> Path {
    let text = place.to_string();
    text.rfind(']').map_or_else(Path::root, |end| text[..=end].parse().unwrap())
}

/// The members of `value` that `schema` names.
fn listed(schema: &Value, value: &Value) -> Value {
    let (Some(properties), Some(members)) = (schema["properties"].as_object(), value.as_object()) else {
        return value.clone();
    };
    let found =
        properties.iter().filter_map(|(key, schema)| Some((key.clone(), listed(schema, members.get(key)?))));
    Value::Object(found.collect())
}

impl Agent for Writer {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async move {
            let last = request.conversation.turns().last().unwrap().text().to_owned();
            self.asked.lock().unwrap().push(last);
            let text = self.answer(request).to_string();
            let mut end = (self.cuts.lock().unwrap())(text.len()).min(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            Ok(if end == text.len() { Reply::new(text) } else { cut(&text[..end]) })
        })
    }
}
