//! Finds the path of a byte in JSON.

use super::steps;
use crate::vocabulary::{
    path::Path,
    tokens::{Token, lexemes},
};

/// The path of the value at byte `at` of `text`, which may be incomplete. Text before the first
/// bracket is skipped. In text that is not strict JSON, the path follows from brackets, commas and
/// quotes.
pub(super) fn at(text: &str, at: usize) -> Path {
    let mut places = TextPositions::default();
    let start = text.find(['{', '[']).unwrap_or(at);
    for lexeme in lexemes(text, start).take_while(|lexeme| lexeme.start < at) {
        let end = lexeme.end.unwrap_or(text.len());
        steps::count(end - lexeme.start);
        match lexeme.token {
            Token::String if end > at => break,
            Token::String => places.last_string = &text[lexeme.start..end],
            Token::Sign(b'{') => places.open(PositionStep::Key(String::new())),
            Token::Sign(b'[') => places.open(PositionStep::Index(0)),
            Token::Sign(b'}' | b']') => places.close(),
            Token::Sign(b',') => places.next(),
            Token::Sign(_) => places.name(),
            Token::Word | Token::Other => {}
        }
    }
    places.path()
}

/// Maximum depth of a path.
const MAX_DEPTH: usize = 256;

enum PositionStep {
    Key(String),
    Index(usize),
}

#[derive(Default)]
struct TextPositions<'t> {
    steps: Vec<PositionStep>,
    /// Number of open brackets beyond that depth.
    deeper: usize,
    last_string: &'t str,
}

impl TextPositions<'_> {
    fn open(&mut self, step: PositionStep) {
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
            Some(PositionStep::Index(index)) => *index += 1,
            Some(PositionStep::Key(key)) => key.clear(),
            None => {}
        }
    }

    /// The string before a colon is a key.
    fn name(&mut self) {
        let name = std::mem::take(&mut self.last_string);
        if let Some(PositionStep::Key(key)) =
            self.steps.last_mut().filter(|_| self.deeper == 0 && !name.is_empty())
        {
            *key = serde_json::from_str(name).unwrap_or_default();
        }
    }

    fn path(self) -> Path {
        self.steps.into_iter().fold(Path::root(), |path, step| match step {
            PositionStep::Key(key) if key.is_empty() => path,
            PositionStep::Key(key) => path.key(key),
            PositionStep::Index(index) => path.index(index),
        })
    }
}
