//! The tokens of JSON, in a text that is whole or arrives in deltas, and their grammar.
//!
//! Both report what is there and judge nothing: a string may have escapes that JSON does not have,
//! a word may be no constant, a comma may be the last sign in its list. Each reader decides what it
//! accepts.

use std::fmt;

/// A kind of brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bracket {
    List,
    Object,
}

/// A token. Strings and words span several bytes, and deltas may split them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    /// A bracket, a comma or a colon.
    Sign(u8),
    /// Text in double quotes.
    String,
    /// A number, a constant, or anything else of letters and digits.
    Word,
    /// A character that starts none of these.
    Other,
}

/// An observation of the tokenizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// A sign, which was consumed.
    Sign(u8),
    /// A string or a word starts. The quote of a string was consumed.
    Start(Token),
    /// It ends. The quote of a string was consumed.
    End(Token),
    /// The string has something here that strict JSON does not have. Afterwards it goes on, with
    /// this byte as a part of it.
    Flaw(Flaw),
    /// A character that starts no token. It was not consumed, and is passed next.
    Other,
}

/// What strict JSON does not have in a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    Control,
    /// An escape of another language, half of a character, or a backspace or form feed, which are
    /// never meant; see `reading::strict`.
    Escape,
}

/// Splits text into tokens. It keeps its state, so the text may arrive in any deltas.
#[derive(Debug, Default)]
pub(crate) struct Tokenizer {
    state: State,
    /// The first half of a surrogate pair; the second half has to follow at once.
    high: Option<u16>,
    /// Whether the next character is passed, whatever it is.
    is_passing: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Between,
    Word,
    String,
    /// In a string, after a backslash.
    Backslash,
    /// In a string, after `\u` and this many digits.
    Hex(u8, u16),
}

/// The bytes of a string without special meaning: all except the `special` ones, backslashes and
/// control characters.
pub(crate) const fn plain_bytes(special: &[u8]) -> [bool; 256] {
    let mut plain = [true; 256];
    let mut byte = 0;
    while byte < 0x20 {
        plain[byte] = false;
        byte += 1;
    }
    plain[b'\\' as usize] = false;
    let mut index = 0;
    while index < special.len() {
        plain[special[index] as usize] = false;
        index += 1;
    }
    plain
}

const PLAIN: [bool; 256] = plain_bytes(b"\"");

/// Returns whether all of `text` stands for itself in a string.
pub(crate) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| PLAIN[usize::from(byte)])
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'.')
}

/// Takes the text of tokens that nobody needs.
pub(crate) struct Nowhere;

impl fmt::Write for Nowhere {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}

impl Tokenizer {
    pub(crate) fn is_in_string(&self) -> bool {
        !matches!(self.state, State::Between | State::Word)
    }

    /// Returns whether it is inside a string, and not inside an escape.
    pub(crate) fn is_in_plain_string(&self) -> bool {
        self.state == State::String && self.high.is_none() && !self.is_passing
    }

    /// Returns whether it is inside a string or a word.
    pub(crate) fn is_in_token(&self) -> bool {
        self.state != State::Between
    }

    /// Reads `text` from byte `at` on, up to the next event; `None` if the text ends before it.
    /// What words and strings say is appended to `out`, without escapes.
    #[inline]
    pub(crate) fn next(&mut self, text: &str, at: &mut usize, out: &mut impl fmt::Write) -> Option<Event> {
        match self.state {
            State::Between => self.start(text, at),
            State::Word => {
                let rest = &text[*at..];
                let length = rest.bytes().position(|byte| !is_of_word(byte));
                let _ = out.write_str(&rest[..length.unwrap_or(rest.len())]);
                *at += length.unwrap_or(rest.len());
                length?;
                self.state = State::Between;
                Some(Event::End(Token::Word))
            }
            _ => self.string(text, at, out),
        }
    }

    /// Reads a sign, or the start of another token.
    fn start(&mut self, text: &str, at: &mut usize) -> Option<Event> {
        if std::mem::take(&mut self.is_passing) {
            *at += text[*at..].chars().next().map_or(0, char::len_utf8);
        }
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\t' | b'\r');
        *at += text.as_bytes()[*at..].iter().take_while(|byte| is_space(byte)).count();
        let byte = *text.as_bytes().get(*at)?;
        match byte {
            b'{' | b'}' | b'[' | b']' | b',' | b':' => {
                *at += 1;
                Some(Event::Sign(byte))
            }
            b'"' => {
                *at += 1;
                self.state = State::String;
                Some(Event::Start(Token::String))
            }
            byte if is_of_word(byte) => {
                self.state = State::Word;
                Some(Event::Start(Token::Word))
            }
            _ => {
                self.is_passing = true;
                Some(Event::Other)
            }
        }
    }

    /// Reads the part of a string that is in `text` from byte `at` on.
    fn string(&mut self, text: &str, at: &mut usize, out: &mut impl fmt::Write) -> Option<Event> {
        loop {
            if self.is_in_plain_string() {
                let rest = &text[*at..];
                let plain = rest.bytes().position(|byte| !PLAIN[usize::from(byte)]).unwrap_or(rest.len());
                let _ = out.write_str(&rest[..plain]);
                *at += plain;
            }
            let byte = *text.as_bytes().get(*at)?;
            let flaw = match self.state {
                _ if std::mem::take(&mut self.is_passing) && byte.is_ascii() => {
                    let _ = out.write_char(char::from(byte));
                    None
                }
                State::Backslash => self.escaped(byte, out),
                State::Hex(count, code) => self.hex(byte, count, code, out),
                _ if self.high.is_some() && byte != b'\\' => Some(Flaw::Escape),
                _ => match byte {
                    b'\\' => {
                        self.state = State::Backslash;
                        None
                    }
                    b'"' => {
                        *at += 1;
                        self.state = State::Between;
                        return Some(Event::End(Token::String));
                    }
                    0..0x20 => {
                        self.is_passing = true;
                        Some(Flaw::Control)
                    }
                    _ => continue,
                },
            };
            if let Some(flaw) = flaw {
                if flaw == Flaw::Escape {
                    (self.state, self.high) = (State::String, None);
                }
                return Some(Event::Flaw(flaw));
            }
            *at += 1;
        }
    }

    fn escaped(&mut self, byte: u8, out: &mut impl fmt::Write) -> Option<Flaw> {
        if byte == b'u' {
            self.state = State::Hex(0, 0);
            return None;
        }
        let meant = match byte {
            _ if self.high.is_some() => None,
            b'"' | b'\\' | b'/' => Some(char::from(byte)),
            b'n' => Some('\n'),
            b'r' => Some('\r'),
            b't' => Some('\t'),
            _ => None,
        };
        let Some(meant) = meant else {
            self.is_passing = true;
            return Some(Flaw::Escape);
        };
        self.state = State::String;
        let _ = out.write_char(meant);
        None
    }

    fn hex(&mut self, byte: u8, count: u8, code: u16, out: &mut impl fmt::Write) -> Option<Flaw> {
        let digit = char::from(byte).to_digit(16).and_then(|digit| u16::try_from(digit).ok());
        let Some(digit) = digit else { return Some(Flaw::Escape) };
        let code = code << 4 | digit;
        if count < 3 {
            self.state = State::Hex(count + 1, code);
            return None;
        }
        let units = [self.high.take(), Some(code)];
        let mut chars = char::decode_utf16(units.into_iter().flatten());
        match (chars.next(), chars.next()) {
            (Some(Ok(char)), None) => {
                let _ = out.write_char(char);
            }
            (Some(Err(_)), None) if (0xD800..0xDC00).contains(&code) => self.high = Some(code),
            _ => {
                self.is_passing = true;
                return Some(Flaw::Escape);
            }
        }
        self.state = State::String;
        None
    }
}

/// A token of a whole text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lexeme {
    pub(crate) token: Token,
    pub(crate) start: usize,
    /// The byte after it; `None` if the text ends inside it.
    pub(crate) end: Option<usize>,
    /// Whether it is a string with a control character in it.
    pub(crate) has_control: bool,
}

/// The tokens of `text` from byte `start` on.
pub(crate) fn lexemes(text: &str, start: usize) -> impl Iterator<Item = Lexeme> {
    let (mut tokenizer, mut at) = (Tokenizer::default(), start);
    std::iter::from_fn(move || {
        let (token, start) = match tokenizer.next(text, &mut at, &mut Nowhere)? {
            Event::Start(Token::String) => (Token::String, at - 1),
            Event::Start(token) => (token, at),
            Event::Sign(sign) => {
                let token = Token::Sign(sign);
                return Some(Lexeme { token, start: at - 1, end: Some(at), has_control: false });
            }
            _ => return Some(Lexeme { token: Token::Other, start: at, end: Some(at), has_control: false }),
        };
        let mut has_control = false;
        let end = loop {
            match tokenizer.next(text, &mut at, &mut Nowhere) {
                None => break None,
                Some(Event::End(_)) => break Some(at),
                Some(event) => has_control |= event == Event::Flaw(Flaw::Control),
            }
        };
        Some(Lexeme { token, start, end, has_control })
    })
}

/// Where in the grammar of JSON a reader is. It knows an `L` of each open bracket.
#[derive(Debug, Clone)]
pub(crate) struct Walk<L> {
    open: Vec<(Bracket, L)>,
    expected: Expected,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Value,
    /// An element, or the end of an empty list.
    FirstItem,
    /// An element, after a comma.
    Item,
    /// A key, or the end of an empty object.
    FirstKey,
    /// A key, after a comma.
    Key,
    Colon,
    /// A comma or the closing bracket.
    Next,
    /// The value is complete.
    Nothing,
}

/// What a token is in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Open(Bracket),
    Close {
        /// Whether a comma precedes it, which strict JSON does not have.
        is_after_comma: bool,
    },
    /// A string, or a word, which strict JSON does not have.
    Key,
    Scalar,
    Colon,
    Comma,
}

impl<L> Default for Walk<L> {
    fn default() -> Self {
        Self { open: Vec::new(), expected: Expected::Value }
    }
}

impl<L> Walk<L> {
    /// Returns whether the value is complete.
    pub(crate) fn is_complete(&self) -> bool {
        self.expected == Expected::Nothing
    }

    /// Returns whether the last token was a comma of a list at `levels` open brackets.
    pub(crate) fn is_between_items(&self, levels: usize) -> bool {
        self.expected == Expected::Item && self.open.len() == levels
    }

    /// The open brackets, outermost first.
    pub(crate) fn open(&self) -> &[(Bracket, L)] {
        &self.open
    }

    /// The innermost open bracket.
    pub(crate) fn innermost(&mut self) -> Option<&mut L> {
        self.open.last_mut().map(|(_, level)| level)
    }

    /// What `token` would be here; `None` if it may not be here.
    pub(crate) fn role(&self, token: Token) -> Option<Role> {
        let is_in = |kind| self.open.last().is_some_and(|(bracket, _)| *bracket == kind);
        let is_value = matches!(self.expected, Expected::Value | Expected::FirstItem | Expected::Item);
        let is_key = matches!(self.expected, Expected::FirstKey | Expected::Key);
        let is_next = self.expected == Expected::Next;
        let is_after_comma = matches!(self.expected, Expected::Item | Expected::Key);
        Some(match token {
            Token::Sign(b'[') if is_value => Role::Open(Bracket::List),
            Token::Sign(b'{') if is_value => Role::Open(Bracket::Object),
            Token::Sign(b']') if is_in(Bracket::List) => Role::Close { is_after_comma },
            Token::Sign(b'}') if is_in(Bracket::Object) && (is_key || is_next) => {
                Role::Close { is_after_comma }
            }
            Token::Sign(b':') if self.expected == Expected::Colon => Role::Colon,
            Token::Sign(b',') if is_next => Role::Comma,
            Token::String | Token::Word if is_value => Role::Scalar,
            Token::String | Token::Word if is_key => Role::Key,
            _ => return None,
        })
    }

    /// Passes a key, a scalar, a colon or a comma.
    pub(crate) fn pass(&mut self, role: Role) {
        self.expected = match (role, self.open.last()) {
            (Role::Key, _) => Expected::Colon,
            (Role::Colon, _) => Expected::Value,
            (Role::Comma, Some((Bracket::List, _))) => Expected::Item,
            (Role::Comma, _) => Expected::Key,
            (_, Some(_)) => Expected::Next,
            (_, None) => Expected::Nothing,
        };
    }

    /// Passes an opening bracket.
    pub(crate) fn enter(&mut self, bracket: Bracket, level: L) {
        self.open.push((bracket, level));
        self.expected = if bracket == Bracket::List { Expected::FirstItem } else { Expected::FirstKey };
    }

    /// Passes a closing bracket. Returns what was known of the one that it closes.
    pub(crate) fn leave(&mut self) -> Option<L> {
        let (_, level) = self.open.pop()?;
        self.pass(Role::Scalar);
        Some(level)
    }
}
