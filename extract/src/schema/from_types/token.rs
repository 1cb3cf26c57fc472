//! The words, signs and comments of a text of types, and the errors in it.

use serde_json::Value;

use crate::schema::SchemaError;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TypesToken {
    /// A name or a keyword.
    Name(String),
    /// A string, a number, `true`, `false` or `null`.
    Literal(Value),
    Sign(char),
    /// `...`
    Dots,
    Comment(TypeComment),
}

/// A comment.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TypeComment {
    /// Its lines, without the marks of the comment.
    pub(super) lines: Vec<String>,
    /// Whether only whitespace precedes it on its line.
    pub(super) is_on_own_line: bool,
    /// Whether it has an end mark, as in `/* … */`.
    pub(super) is_inline: bool,
}

/// A token and the byte where it starts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LocatedToken {
    pub(super) at: usize,
    pub(super) token: TypesToken,
}

/// The tokens of `text`.
pub(super) fn tokens(text: &str) -> Result<Vec<LocatedToken>, TypesMistake> {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut tokenizer = TypesTokenizer { text, at: start, line_has_token: false };
    let mut tokens = Vec::new();
    while let Some(located) = tokenizer.next()? {
        tokens.push(located);
    }
    Ok(tokens)
}

struct TypesTokenizer<'t> {
    text: &'t str,
    at: usize,
    /// Whether this line already has a token.
    line_has_token: bool,
}

impl<'t> TypesTokenizer<'t> {
    fn next(&mut self) -> Result<Option<LocatedToken>, TypesMistake> {
        self.skip_space();
        let at = self.at;
        let Some(first) = self.rest().chars().next() else { return Ok(None) };
        let token = match first {
            '/' if self.rest().starts_with("//") => self.line_comment(),
            '/' if self.rest().starts_with("/*") => self.block_comment()?,
            '"' => TypesToken::Literal(self.string()?),
            '\'' => TypesToken::Literal(self.single_quoted()?),
            '.' if self.rest().starts_with("...") => {
                self.at += 3;
                TypesToken::Dots
            }
            '-' | '0'..='9' => TypesToken::Literal(self.number()?),
            '{' | '}' | '[' | ']' | '(' | ')' | '<' | '>' | ':' | ';' | ',' | '=' | '|' | '&' | '?' => {
                self.at += 1;
                TypesToken::Sign(first)
            }
            _ if is_of_name(first) => self.name(),
            other => return Err(TypesMistake::new(at, format!("`{other}` is not part of the notation"))),
        };
        self.line_has_token = true;
        Ok(Some(LocatedToken { at, token }))
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        let space = &rest[..rest.len() - rest.trim_start().len()];
        if space.contains('\n') {
            self.line_has_token = false;
        }
        self.at += space.len();
    }

    /// Consumes the characters that `is_part` accepts.
    fn take(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn name(&mut self) -> TypesToken {
        match self.take(is_of_name) {
            "true" => TypesToken::Literal(Value::Bool(true)),
            "false" => TypesToken::Literal(Value::Bool(false)),
            "null" => TypesToken::Literal(Value::Null),
            name => TypesToken::Name(name.to_owned()),
        }
    }

    fn number(&mut self) -> Result<Value, TypesMistake> {
        let at = self.at;
        let digits = self.take(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'));
        let number = serde_json::from_str::<Value>(digits).ok().filter(Value::is_number);
        number.ok_or_else(|| TypesMistake::new(at, format!("`{digits}` is not a number of JSON")))
    }

    fn string(&mut self) -> Result<Value, TypesMistake> {
        let at = self.at;
        let mut strings = serde_json::Deserializer::from_str(self.rest()).into_iter::<String>();
        match strings.next() {
            Some(Ok(string)) => {
                self.at += strings.byte_offset();
                Ok(Value::String(string))
            }
            _ => Err(TypesMistake::new(at, "a string that is not one of JSON, or does not end")),
        }
    }

    /// Parses `'…'`, where only the quote and the backslash are escaped.
    fn single_quoted(&mut self) -> Result<Value, TypesMistake> {
        let at = self.at;
        let mut string = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((place, c)) = chars.next() {
            match c {
                '\'' => {
                    self.at += place + 1;
                    return Ok(Value::String(string));
                }
                '\n' => break,
                '\\' => match chars.next() {
                    Some((_, c @ ('\\' | '\''))) => string.push(c),
                    _ => {
                        return Err(TypesMistake::new(
                            at + place,
                            "write a string with escapes in double quotes",
                        ));
                    }
                },
                c => string.push(c),
            }
        }
        Err(TypesMistake::new(at, "a string that does not end"))
    }

    fn line_comment(&mut self) -> TypesToken {
        let words = self.take(|c| c != '\n').trim_start_matches('/').trim();
        TypesToken::Comment(TypeComment {
            lines: vec![words.to_owned()],
            is_on_own_line: !self.line_has_token,
            is_inline: false,
        })
    }

    fn block_comment(&mut self) -> Result<TypesToken, TypesMistake> {
        let (rest, at) = (self.rest(), self.at);
        // After its start: `/*/` does not end.
        let text = &rest[2..];
        let end = text.find("*/").ok_or_else(|| TypesMistake::new(at, "a comment that does not end"))?;
        self.at += 2 + end + 2;
        let lines = text[..end].lines().map(|line| line.trim().trim_start_matches('*').trim().to_owned());
        Ok(TypesToken::Comment(TypeComment {
            lines: lines.filter(|line| !line.is_empty()).collect(),
            is_on_own_line: !self.line_has_token,
            is_inline: true,
        }))
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// Why a text of types does not become a contract; see
/// [`Contract::from_types`](crate::Contract::from_types).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TypesError {
    /// The text does not follow the notation.
    #[error("line {line}, column {column}: {message}")]
    #[non_exhaustive]
    Notation {
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// The reason, without the position.
        message: String,
    },
    /// The schema of the types does not compile, for example because of a broken pattern.
    #[error(transparent)]
    Schema(#[from] SchemaError),
}

/// A mistake at a byte offset of the text.
#[derive(Debug)]
pub(super) struct TypesMistake {
    at: usize,
    message: String,
}

impl TypesMistake {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }

    pub(super) fn in_text(self, text: &str) -> TypesError {
        let before = text.get(..self.at).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        TypesError::Notation { line, column: before[start..].chars().count() + 1, message: self.message }
    }
}
