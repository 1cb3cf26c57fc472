//! JSON whose quotes are all escaped, as if it were inside of a string, a cell of CSV or a page of HTML.

use super::{
    super::{
        parse::{self, Parsed},
        prose::first_bytes,
        receipt::Note,
    },
    candidate::Candidate,
};
use crate::vocabulary::{
    change::{ChangeKind, Loss},
    tokens::unescape,
};

/// How the quotes of a text are escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuoteEscapes {
    /// `{\"a\": 1}`
    Backslashes,
    /// `{""a"": 1}`, as in CSV.
    DoubledQuotes,
    /// `{&quot;a&quot;: 1}`
    Entities,
}

/// Most bytes of an entity of HTML: `&#x0022;`.
const MAX_ENTITY: usize = 10;

impl QuoteEscapes {
    /// The escapes of the quote after the opening brackets of `text`.
    pub(super) fn of(text: &str) -> Option<Self> {
        let inside = text.trim_start_matches(['{', '[', ' ', '\n', '\r', '\t']);
        let starts_doubled = || {
            let word = inside.strip_prefix("\"\"").unwrap_or_default();
            word.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        };
        // The first quote decides: beside others, a backslash before one is an escape.
        let is_escaped = || inside.find('"').is_some_and(|quote| inside[..quote].ends_with('\\'));
        if inside.starts_with("\\\"") || inside.starts_with("\\n") && is_escaped() {
            Some(Self::Backslashes)
        } else if starts_doubled() {
            Some(Self::DoubledQuotes)
        } else {
            entity(inside).filter(|(c, _)| *c == '"').map(|_| Self::Entities)
        }
    }

    /// `text` without these escapes.
    pub(super) fn undone(self, text: &str) -> String {
        let mut plain = String::with_capacity(text.len());
        plain.extend(self.units(text).map(|(c, _)| c));
        plain
    }

    /// The candidate at byte `start` of the reply, where `text` is, that was parsed from `plain`: `text` without its
    /// escapes. `None` if it has other quotes, too.
    pub(super) fn candidate<'t>(
        self,
        text: &str,
        start: usize,
        plain: &str,
        parsed: Parsed<'_>,
    ) -> Option<Candidate<'t>> {
        let length = self.source_length(text, parsed.node.span.end);
        let is_strict = parsed.notes.is_empty() && !parsed.is_cut;
        if self != Self::Backslashes && !(is_strict && self.are_all_of(&text[..length])) {
            return None;
        }
        let after = match self {
            Self::Backslashes => "the same without backslashes before quotes",
            Self::DoubledQuotes => "the same with each quote once",
            Self::Entities => "the same without entities of HTML",
        };
        let span = start..start + length;
        let mut notes = vec![Note::new(ChangeKind::Escape, Loss::Lossless, span.clone()).after(after)];
        notes.extend(parsed.notes.into_iter().map(|note| Note { span: span.clone(), ..note }));
        let node = parsed.node.moved_to(&span, plain);
        Some(Candidate { span, ..Candidate::of(Parsed { node, notes, ..parsed }) })
    }

    /// Returns whether no quote in `text` is written in another way, and no entity is unknown.
    fn are_all_of(self, text: &str) -> bool {
        match self {
            Self::Backslashes => true,
            Self::DoubledQuotes => text.split(|c| c != '"').all(|quotes| quotes.len() % 2 == 0),
            Self::Entities => {
                !text.contains('"') && text.match_indices('&').all(|(at, _)| entity(&text[at..]).is_some())
            }
        }
    }

    /// How many bytes of `text` yield the first `length` bytes without escapes.
    fn source_length(self, text: &str, length: usize) -> usize {
        let mut plain = 0;
        let is_part = |(c, _): &(char, usize)| {
            plain += c.len_utf8();
            plain <= length
        };
        self.units(text).take_while(is_part).map(|(_, length)| length).sum()
    }

    /// The characters that `text` stands for, each with the number of bytes it is written with.
    fn units(self, text: &str) -> impl Iterator<Item = (char, usize)> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let first = rest.chars().next()?;
            let escaped = match (self, first) {
                (Self::Backslashes, '\\') => match unescape(rest) {
                    Some((Some(c @ ('"' | '\\' | '/' | '\n' | '\t' | '\r')), 2)) => Some((c, 2)),
                    _ => None,
                },
                (Self::DoubledQuotes, '"') => rest.starts_with("\"\"").then_some(('"', 2)),
                (Self::Entities, '&') => entity(rest),
                _ => None,
            };
            let (c, length) = escaped.unwrap_or((first, first.len_utf8()));
            rest = &rest[length..];
            Some((c, length))
        })
    }
}

/// The character that the entity of HTML at the start of `text` stands for, and the length of the entity.
fn entity(text: &str) -> Option<(char, usize)> {
    let (name, _) = first_bytes(text.strip_prefix('&')?, MAX_ENTITY).split_once(';')?;
    // HTML has another meaning for the control characters from 128 on.
    let number = |digits: &str, radix| {
        let code = u32::from_str_radix(digits, radix).ok().filter(|code| !(128..160).contains(code));
        code.filter(|_| !digits.starts_with('+')).and_then(char::from_u32)
    };
    let c = match name {
        "quot" => '"',
        "apos" => '\'',
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        _ => {
            let code = name.strip_prefix('#')?;
            match code.strip_prefix(['x', 'X']) {
                Some(digits) => number(digits, 16)?,
                None => number(code, 10)?,
            }
        }
    };
    Some((c, name.len() + 2))
}

/// Parses all of `text` from byte `start` on if its quotes are escaped with backslashes: `\"…\"`.
pub(super) fn escaped_text<'t>(text: &str, start: usize, max_depth: usize) -> Option<Candidate<'t>> {
    let inside = text[start..].trim();
    if inside.len() < 4 || !inside.starts_with("\\\"") || !inside.ends_with("\\\"") {
        return None;
    }
    let start = start + (text[start..].len() - text[start..].trim_start().len());
    let plain = QuoteEscapes::Backslashes.undone(inside);
    QuoteEscapes::Backslashes.candidate(inside, start, &plain, parse::whole(&plain, 0, max_depth)?)
}
