//! Finds the path of a byte in JSON.

use super::steps;
use crate::path::Path;

/// The path of the value at byte `at` of `text`, which may be incomplete. Text before the first
/// bracket is skipped. In text that is not strict JSON, the path follows from brackets, commas and
/// quotes.
pub(super) fn at(text: &str, at: usize) -> Path {
    let mut places = Places::default();
    let mut index = text.find(['{', '[']).unwrap_or(at);
    while index < at {
        steps::count(1);
        match text.as_bytes()[index] {
            b'"' => {
                let end = index + string_len(&text[index..]);
                if end > at {
                    break;
                }
                places.last_string = &text[index..end];
                index = end;
                continue;
            }
            b'{' => places.open(Step::Key(String::new())),
            b'[' => places.open(Step::Index(0)),
            b'}' | b']' => places.close(),
            b',' => places.next(),
            b':' => places.name(),
            _ => {}
        }
        index += 1;
    }
    places.path()
}

/// The length in bytes of the string at the start of `text`, including the quotes that are there.
fn string_len(text: &str) -> usize {
    let mut is_escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        steps::count(1);
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return index + 1,
            _ => {}
        }
    }
    text.len()
}

/// Maximum depth of a path.
const MAX_DEPTH: usize = 256;

enum Step {
    Key(String),
    Index(usize),
}

#[derive(Default)]
struct Places<'t> {
    steps: Vec<Step>,
    /// Number of open brackets beyond that depth.
    deeper: usize,
    last_string: &'t str,
}

impl Places<'_> {
    fn open(&mut self, step: Step) {
        if self.steps.len() < MAX_DEPTH { self.steps.push(step) } else { self.deeper += 1 }
    }

    fn close(&mut self) {
        if self.deeper > 0 {
            self.deeper -= 1;
        } else {
            self.steps.pop();
        }
    }

    fn next(&mut self) {
        match self.steps.last_mut().filter(|_| self.deeper == 0) {
            Some(Step::Index(index)) => *index += 1,
            Some(Step::Key(key)) => key.clear(),
            None => {}
        }
    }

    /// The string before a colon is a key.
    fn name(&mut self) {
        let name = std::mem::take(&mut self.last_string);
        if let Some(Step::Key(key)) = self.steps.last_mut().filter(|_| self.deeper == 0 && !name.is_empty()) {
            *key = serde_json::from_str(name).unwrap_or_default();
        }
    }

    fn path(self) -> Path {
        self.steps.into_iter().fold(Path::root(), |path, step| match step {
            Step::Key(key) if key.is_empty() => path,
            Step::Key(key) => path.key(key),
            Step::Index(index) => path.index(index),
        })
    }
}
