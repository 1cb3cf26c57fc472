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
    /// The string has something that strict JSON does not have. It was consumed, and not appended.
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
    state: TokenizerState,
    /// The part of an escape with which an earlier delta ended.
    escape: String,
    /// Whether the next character starts no token, and was reported.
    is_passing: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum TokenizerState {
    #[default]
    Between,
    Word,
    String,
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

/// Returns whether `byte` may be part of a word.
pub(crate) fn is_of_word(byte: u8) -> bool {
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
        self.state == TokenizerState::String
    }

    /// Returns whether it is inside a string, and not inside an escape.
    pub(crate) fn is_in_plain_string(&self) -> bool {
        self.state == TokenizerState::String && self.escape.is_empty()
    }

    /// Returns whether it is inside a string or a word.
    pub(crate) fn is_in_token(&self) -> bool {
        self.state != TokenizerState::Between
    }

    /// Reads `text` from byte `at` on, up to the next event; `None` if the text ends before it.
    /// What words and strings say is appended to `out`, without escapes. Errors of `out` are ignored,
    /// because a string has none.
    #[inline]
    pub(crate) fn next(&mut self, text: &str, at: &mut usize, out: &mut impl fmt::Write) -> Option<Event> {
        match self.state {
            TokenizerState::Between => self.start(text, at),
            TokenizerState::Word => {
                let rest = &text[*at..];
                let length = rest.bytes().position(|byte| !is_of_word(byte));
                let _ = out.write_str(&rest[..length.unwrap_or(rest.len())]);
                *at += length.unwrap_or(rest.len());
                length?;
                self.state = TokenizerState::Between;
                Some(Event::End(Token::Word))
            }
            TokenizerState::String => self.string(text, at, out),
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
                self.state = TokenizerState::String;
                Some(Event::Start(Token::String))
            }
            byte if is_of_word(byte) => {
                self.state = TokenizerState::Word;
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
        while !self.escape.is_empty() {
            let Some((meant, length)) = unescape(&self.escape) else {
                let c = text[*at..].chars().next()?;
                *at += c.len_utf8();
                self.escape.push(c);
                continue;
            };
            let flaw = write_escape(out, &self.escape[..length], meant);
            self.escape.drain(..length);
            // Behind half of a character is the start of another escape, or the last character.
            if !self.escape.starts_with('\\') {
                *at -= self.escape.len();
                self.escape.clear();
            }
            if flaw.is_some() {
                return flaw;
            }
        }
        loop {
            let rest = &text[*at..];
            let plain = rest.bytes().position(|byte| !PLAIN[usize::from(byte)]).unwrap_or(rest.len());
            let _ = out.write_str(&rest[..plain]);
            *at += plain;
            let rest = &rest[plain..];
            match rest.as_bytes().first()? {
                b'"' => {
                    *at += 1;
                    self.state = TokenizerState::Between;
                    return Some(Event::End(Token::String));
                }
                b'\\' => {
                    let Some((meant, length)) = unescape(rest) else {
                        *at = text.len();
                        self.escape.push_str(rest);
                        return None;
                    };
                    *at += length;
                    let flaw = write_escape(out, &rest[..length], meant);
                    if flaw.is_some() {
                        return flaw;
                    }
                }
                _ => {
                    *at += 1;
                    return Some(Event::Flaw(Flaw::Control));
                }
            }
        }
    }
}

/// Writes what an `escape` stands for, or reports that JSON does not have it or that it is never meant.
fn write_escape(out: &mut impl fmt::Write, escape: &str, meant: Option<char>) -> Option<Event> {
    let Some(c) = meant.filter(|_| !matches!(escape, "\\b" | "\\f")) else {
        return Some(Event::Flaw(Flaw::Escape));
    };
    let _ = out.write_char(c);
    None
}

/// What the escape at the start of `text` stands for, unless JSON does not have it, and its length.
/// `None` if the text ends inside it.
pub(crate) fn unescape(text: &str) -> Option<(Option<char>, usize)> {
    let next = text[1..].chars().next()?;
    let meant = match next {
        '"' | '\\' | '/' => next,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => return code_point(text),
        _ => return Some((None, 1 + next.len_utf8())),
    };
    Some((Some(meant), 2))
}

/// The same for `\uXXXX`, or two of them for a character beyond 16 bits.
fn code_point(text: &str) -> Option<(Option<char>, usize)> {
    let first = match code_unit(text)? {
        Ok(unit) => unit,
        Err(length) => return Some((None, length)),
    };
    if !matches!(first, 0xd800..=0xdbff) {
        return Some((char::from_u32(first.into()), 6));
    }
    let second = code_unit(&text[6..])?.ok();
    let c = char::decode_utf16([Some(first), second].into_iter().flatten()).next();
    Some(c.and_then(Result::ok).map_or((None, 6), |c| (Some(c), 12)))
}

/// The code unit `\uXXXX` at the start of `text`, otherwise how many bytes of one are there. `None` if
/// the text ends inside it.
fn code_unit(text: &str) -> Option<Result<u16, usize>> {
    let Some(digits) = text.strip_prefix("\\u") else {
        return if "\\u".starts_with(text) { None } else { Some(Err(0)) };
    };
    match digits.bytes().take(4).take_while(u8::is_ascii_hexdigit).count() {
        4 => Some(u16::from_str_radix(&digits[..4], 16).map_err(|_| 2)),
        count if count == digits.len() => None,
        count => Some(Err(2 + count)),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The events of a text that arrives in `deltas`, and what its tokens say.
    fn events<'t>(deltas: impl IntoIterator<Item = &'t str>) -> (Vec<Event>, String) {
        let (mut tokenizer, mut events, mut said) = (Tokenizer::default(), Vec::new(), String::new());
        for delta in deltas {
            let mut at = 0;
            events.extend(std::iter::from_fn(|| tokenizer.next(delta, &mut at, &mut said)));
            assert_eq!(at, delta.len(), "{delta:?}");
        }
        (events, said)
    }

    #[test]
    fn deltas_change_no_token() {
        for text in [
            r#" {"a\n\"é": [1.5e-3, true, "\ud83e\udd80\u00e9\/"], x: 'ü' }"#,
            "\"\\ud83e\\n\\x\u{1}\\‘\\ud83e\\u0041\\u12\" \\ / \u{feff}a_b",
            r#"["\ud83e\udd"#,
        ] {
            let whole = events([text]);
            for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let (before, after) = text.split_at(at);
                assert_eq!(events([before, after]), whole, "{before:?} {after:?}");
            }
            assert_eq!(events(text.split("").filter(|c| !c.is_empty())), whole, "{text:?}");
        }
    }

    #[test]
    fn what_strict_json_does_not_have_is_reported_and_left_out() {
        for (text, flaws, said) in [
            (r#""\"\\\/\n\r\t\u0008""#, &[][..], "\"\\/\n\r\t\u{8}"),
            (r#""\ud83e\udd80""#, &[], "🦀"),
            (r#""a\xb""#, &[Flaw::Escape], "ab"),
            (r#""\b\f""#, &[Flaw::Escape, Flaw::Escape], ""),
            (r#""\ud83e\n""#, &[Flaw::Escape], "\n"),
            (r#""\udd80\u12""#, &[Flaw::Escape, Flaw::Escape], ""),
            ("\"a\nb\"", &[Flaw::Control], "ab"),
            ("\"a\\\nb\"", &[Flaw::Escape], "ab"),
        ] {
            let (events, found) = events([text]);
            let flaws = flaws.iter().map(|flaw| Event::Flaw(*flaw));
            let start = [Event::Start(Token::String)].into_iter();
            let expected: Vec<Event> = start.chain(flaws).chain([Event::End(Token::String)]).collect();
            assert_eq!((events, found.as_str()), (expected, said), "{text}");
        }
    }

    #[test]
    fn each_token_has_its_role_or_none() {
        let roles = |text: &str| {
            let mut walk = Walk::default();
            let mut roles = Vec::new();
            for lexeme in lexemes(text, 0) {
                let role = walk.role(lexeme.token)?;
                match role {
                    Role::Open(bracket) => walk.enter(bracket, ()),
                    Role::Close { .. } => walk.leave()?,
                    role => walk.pass(role),
                }
                roles.push(role);
            }
            walk.is_complete().then_some(roles)
        };
        let close = |is_after_comma| Role::Close { is_after_comma };
        let (list, object) = (Role::Open(Bracket::List), Role::Open(Bracket::Object));
        assert_eq!(roles("12"), Some(vec![Role::Scalar]));
        assert_eq!(
            roles(r#"{"a": [1,], b: {}}"#),
            Some(vec![
                object,
                Role::Key,
                Role::Colon,
                list,
                Role::Scalar,
                Role::Comma,
                close(true),
                Role::Comma,
                Role::Key,
                Role::Colon,
                object,
                close(false),
                close(false),
            ])
        );
        for text in
            ["", "[", "[1", "[1}", "[1 2]", "{1}", "{\"a\" 1}", "{\"a\":}", "[,]", "1 2", "[]]", "{\"a\",}"]
        {
            assert_eq!(roles(text), None, "{text}");
        }
    }
}
