//! Unquoted values: numbers, constants, words, calls.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    Context, Parser, Unreadable,
    closing::BareKeys,
    list::{Commas, Next},
    look::{LOOK, constant, foreign_sign, is_number_or_constant, past_escaped_space, past_space},
    number,
};
use crate::{
    reading::{
        node::{Data, Entry, Node},
        prose::{ANSWER_TAGS, OR, Words},
    },
    vocabulary::change::{ChangeKind, Loss},
};

/// Functions that return or show what they are given, in another type at most. In Python,
/// `bool("false")` is true, and `set([1, 1])` has one element.
static KEEPING: Words = Words::of(
    "answer array bigint callback decimal dict double dumps final float
     int integer isodate json list loads long map number numberdecimal numberint
     numberlong object objectid output parse print result str string stringify submit text
     tuple uuid",
);

/// Those of them that return an integer, and may cut a number off.
static CUTTING: Words = Words::of("bigint int integer long numberint numberlong");

/// Names of variables in code, of which a value is a part: `self.name`.
static VARIABLES: Words =
    Words::of("args config data doc env input item obj output person record response result row self this");

impl<'t> Parser<'t> {
    /// Parses the unquoted value here.
    pub(super) fn word(&mut self, context: Context) -> Result<Option<Node<'t>>, Unreadable> {
        if matches!(context, Context::Item | Context::Member) && self.is_prefix() {
            return Ok(self.prefixed(context));
        }
        if matches!(context, Context::Item | Context::Member) && self.is_tuple(self.at) {
            return self.tuple().map(Some);
        }
        // `code: print(1)` is code.
        let is_code = matches!(context, Context::Item | Context::Member) && self.starts_with("print");
        if let Some(open) = self.call().filter(|_| !is_code) {
            return if self.is_keyword_call(open) {
                self.keyword_call(open).map(Some)
            } else {
                self.argument(open)
            };
        }
        if let Some(node) = self.plain_number(context) {
            return Ok(Some(node));
        }
        let start = self.at;
        let mut stop = self.word_end(context);
        // Skip one character, whatever it is.
        if stop == start {
            stop += self.rest().chars().next().map_or(0, char::len_utf8);
        }
        self.at = stop;
        let text = self.text[start..stop].trim_end();
        if self.peek().is_none() && context != Context::Root {
            self.horizon.looked(start, stop);
            self.cut();
            return Ok(partial(text).map(|data| Node::new(start..start + text.len(), data)));
        }
        let end = start + text.len();
        // The closing one of a pair of quotes.
        if self.peek() == Some(b'"') {
            self.at += 1;
            // The opening one may be before the last comma: `[a, b"]`.
            let before = self.text[..start].trim_end().strip_suffix(',');
            let follows_word =
                before.is_some_and(|before| before.trim_end().ends_with(char::is_alphanumeric));
            if context == Context::Item && follows_word {
                self.note(ChangeKind::Quote, Loss::Lossy, start..self.at, "");
            }
        }
        let data = self.classify(text, start, context);
        Ok(Some(Node::new(start..end, data)))
    }

    /// A number in strict JSON with a delimiter right after it, which covers most unquoted values.
    fn plain_number(&mut self, context: Context) -> Option<Node<'t>> {
        let bytes = self.rest().as_bytes();
        let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E');
        let length = bytes.iter().take_while(|byte| is_part(byte)).count();
        let ends = match (context, bytes.get(length)?) {
            (Context::Item | Context::Member, b'}' | b']' | b'\n') => true,
            (Context::Item | Context::Member, b',' | b'{' | b'[' | b':' | b'"') if self.has_clean_strings => {
                true
            }
            (Context::Item, b',') => !self.is_group(self.at + length),
            (Context::Item | Context::Member, b')') => self.is_in_call(),
            (Context::Member, b',') => self.is_key(self.at + length + 1, BareKeys::Likely),
            _ => false,
        };
        let number = number::strict(&self.rest()[..length]).filter(|_| ends)?;
        let start = self.at;
        self.at += length;
        Some(Node::new(start..self.at, Data::Number(number)))
    }

    /// Parses the string after the prefix here. `f"{name}"` is a text with gaps.
    fn prefixed(&mut self, context: Context) -> Option<Node<'t>> {
        let start = self.at;
        self.at += 1;
        let node = self.text(context)?;
        let has_gaps =
            self.byte(start) == Some(b'f') && matches!(&node.data, Data::Text(text) if text.contains('{'));
        let loss = if has_gaps { Loss::Lossy } else { Loss::Lossless };
        self.note(ChangeKind::Quote, loss, start..start + 1, "");
        Some(node)
    }

    /// Returns whether a Python string prefix is here that does not change the text: `f"…"`.
    fn is_prefix(&self) -> bool {
        let quote = self.byte(self.at + 1).filter(|quote| matches!(quote, b'"' | b'\''));
        let is_closed = |quote: u8| self.text.as_bytes()[self.at + 2..].contains(&quote);
        // `b", ` is a string of one letter without its opening quote.
        let is_end = matches!(self.byte(past_space(self.text, self.at + 2)), Some(b',' | b'}' | b']' | b':'));
        matches!(self.peek(), Some(b'f' | b'b' | b'u')) && !is_end && quote.is_some_and(is_closed)
    }

    fn classify(&mut self, text: &'t str, start: usize, context: Context) -> Data<'t> {
        let span = start..start + text.len();
        if let Some(number) = number::strict(text) {
            return Data::Number(number);
        }
        if let Some(json) = constant(text) {
            if json != text {
                self.note(ChangeKind::Literal, Loss::Lossless, span, json);
            }
            return data_of(json);
        }
        if let Some(number) = number::tolerant(text) {
            // `[03]` may lack the comma of `[0,3]`.
            let digits = text.trim_start_matches(['-', '+']).as_bytes();
            if context == Context::Item && matches!(digits, [b'0', b'1'..=b'9', ..]) {
                self.note(ChangeKind::Comma, Loss::Lossy, span.clone(), "");
            }
            self.note_with(ChangeKind::Number, Loss::Lossless, span, || number.to_string());
            return Data::Number(number);
        }
        let is_one = if context == Context::Root { is_one_text(text) } else { is_one_value(text) };
        let is_one = is_one && !(self.is_in_function && is_variable(text));
        let loss = if is_one { Loss::Lossless } else { Loss::Lossy };
        self.note_with(ChangeKind::Quote, loss, span, || Value::from(text).to_string());
        Data::Text(Cow::Borrowed(text))
    }

    fn word_end(&self, context: Context) -> usize {
        let start = self.at;
        let mut at = start;
        while let Some(byte) = self.byte(at) {
            let is_end = match byte {
                b',' | b'{' | b'[' | b':' | b'"' if self.has_clean_strings => true,
                b',' => match context {
                    Context::Member => self.is_key(at + 1, BareKeys::Likely),
                    // `Dear Ann,` is a text with its comma.
                    Context::Root => {
                        past_space(self.text, at + 1) == self.text.len() && self.is_whole(start, at)
                    }
                    Context::Item => !self.is_group(at),
                    _ => true,
                },
                // A number or constant ends before a sign of another script.
                0xd8 | 0xe3 | 0xef if self.text.is_char_boundary(at) => {
                    foreign_sign(self.text, at).is_some() && self.is_whole(start, at)
                }
                b';' => context == Context::Member && self.is_whole(start, at),
                b'}' | b']' | b'\n' => context != Context::Root,
                b')' => {
                    context == Context::Argument
                        || matches!(context, Context::Item | Context::Member) && self.is_in_call()
                }
                b'{' | b'[' => context != Context::Root && self.is_whole(start, at),
                // In a text alone, a second one closes a quotation.
                b'"' => {
                    let is_text = || context == Context::Root && self.text[start..at].contains('"');
                    context != Context::Key && at > start && self.closes(at + 1, context) && !is_text()
                }
                b' ' | b'\t' => self.ends_at_space(start, at, context),
                b'\\' => {
                    context != Context::Root
                        && self.is_whole(start, at)
                        && past_escaped_space(self.text, at).is_some()
                }
                // A text alone may be about comments.
                b'/' => {
                    at > start
                        && self.is_comment(at)
                        && (context != Context::Root || self.is_whole(start, at))
                }
                b'`' => self.text[at..].starts_with("```"),
                _ => false,
            };
            if is_end {
                break;
            }
            at += 1;
        }
        at
    }

    /// Returns whether the comma at `comma` groups the digits of one number, because the digits
    /// after it are not a number of their own: `[1,000]`.
    fn is_group(&self, comma: usize) -> bool {
        self.byte(comma + 1) == Some(b'0') && self.byte(comma + 2).is_some_and(|byte| byte.is_ascii_digit())
    }

    /// Returns whether the text from `start` to `end` is a number or a constant.
    fn is_whole(&self, start: usize, end: usize) -> bool {
        // Longer ones are digits only, and testing again and again must stay cheap.
        let is_number = |text: &str| match text.len() {
            0..=40 => is_number_or_constant(text),
            41..=400 => text.bytes().all(|byte| byte.is_ascii_digit()),
            _ => false,
        };
        end - start <= 400 && self.text.get(start..end).is_some_and(|text| is_number(text.trim_end()))
    }

    /// Returns whether a number or constant ends here because a key follows without a comma.
    fn ends_at_space(&self, start: usize, at: usize, context: Context) -> bool {
        // In a list, the space may also group the digits of one number: `[1 000]`.
        context == Context::Member
            && self.is_whole(start, at)
            && self.is_key(past_space(self.text, at), BareKeys::Likely)
    }

    fn is_comment(&self, at: usize) -> bool {
        let follows_space = self.byte(at - 1).is_some_and(|byte| byte.is_ascii_whitespace());
        match self.byte(at + 1) {
            Some(b'*') => true,
            Some(b'/') => follows_space,
            _ => false,
        }
    }

    /// Returns whether a tuple of Python is at byte `at`: brackets around a list, an object or another tuple, or around
    /// a string, a number or a constant and a comma.
    pub(super) fn is_tuple(&self, at: usize) -> bool {
        if self.byte(at) != Some(b'(') {
            return false;
        }
        let start = past_space(self.text, at + 1);
        let quote = self.byte(start).filter(|byte| matches!(byte, b'"' | b'\''));
        let bytes = self.text.as_bytes().get(start..).unwrap_or_default().iter().take(LOOK);
        let length = match quote {
            Some(quote) => bytes.skip(1).position(|byte| *byte == quote).map_or(0, |inside| inside + 2),
            None => bytes.take_while(|byte| !matches!(byte, b',' | b')' | b'\n')).count(),
        };
        let end = start + length;
        let is_whole = length > 0 && (quote.is_some() || self.is_whole(start, end));
        matches!(self.byte(start), Some(b'{' | b'[' | b'('))
            || is_whole && self.byte(past_space(self.text, end)) == Some(b',')
    }

    /// The bracket of a call such as `ObjectId("12")` or `callback({…});`, if one is here.
    fn call(&self) -> Option<usize> {
        let bytes = self.rest().as_bytes();
        let is_first = bytes.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$');
        let name = bytes.iter().take(64).take_while(|byte| is_part(byte)).count();
        let open = past_space(self.text, self.at + name);
        if !is_first || self.byte(open) != Some(b'(') {
            return None;
        }
        let inside = past_space(self.text, open + 1);
        let is_bracket = matches!(self.byte(inside), Some(b'{' | b'['));
        let is_quote = matches!(self.byte(inside), Some(b'"' | b'\''));
        let is_value = is_bracket || is_quote || self.is_scalar_argument(inside);
        // Any other function may change what it is given: `abs(-7)`, `not(true)`, `int(52.7)`.
        let name = &self.rest()[..name];
        let is_cut = || {
            let argument = self.text[inside..].split([')', ',', '\n']).next().unwrap_or_default();
            CUTTING.any_in(last_name(name)) && argument.contains(['.', 'e', 'E'])
        };
        (is_value && keeps_argument(name) && !is_cut() || self.is_keyword_call(open)).then_some(open)
    }

    /// Returns whether the bracket at `open` belongs to a call with named arguments whose name
    /// starts here.
    pub(super) fn is_keyword_call(&self, open: usize) -> bool {
        let is_named = self.byte(self.at).is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        let inside = past_space(self.text, open + 1);
        let bytes = self.text.as_bytes().get(inside..).unwrap_or_default();
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let length = bytes.iter().take(64).take_while(is_part).count();
        let equals = past_space(self.text, inside + length);
        let is_first = bytes.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        is_named
            && is_first
            && self.byte(equals) == Some(b'=')
            && !matches!(self.byte(equals + 1), Some(b'=' | b'>'))
    }

    /// Parses `Invoice(total=1)`, the way languages print their values, as an object.
    fn keyword_call(&mut self, open: usize) -> Result<Node<'t>, Unreadable> {
        let start = self.at;
        let name = self.text[start..open].trim_end();
        // A type's name starts in upper case.
        let is_function = name.rsplit('.').next().is_some_and(|name| !name.starts_with(char::is_uppercase));
        // Any other function takes its arguments for something else.
        let loss = if is_function && !keeps_argument(name) { Loss::Lossy } else { Loss::Ignored };
        self.note(ChangeKind::Wrapper, loss, start..open + 1, "");
        self.at = open + 1;
        let was_in_function = std::mem::replace(&mut self.is_in_function, is_function);
        let object = self.members(start, b'(');
        self.is_in_function = was_in_function;
        object
    }

    pub(super) fn arguments(&mut self, entries: &mut Vec<Entry<'t>>) -> Result<(), Unreadable> {
        let mut commas = Commas::default();
        while let Next::Element(_) = self.next(&mut commas, ")") {
            let at = self.at;
            self.element(&mut commas, |parser| parser.member(entries))?;
            // Skip one character, whatever it is.
            if self.at == at {
                self.at += self.rest().chars().next().map_or(0, char::len_utf8);
            }
        }
        Ok(())
    }

    fn is_scalar_argument(&self, at: usize) -> bool {
        let bytes = &self.text.as_bytes()[at..];
        let length = bytes.iter().take(40).take_while(|byte| !matches!(byte, b')' | b',' | b'\n')).count();
        self.byte(at + length) == Some(b')') && length > 0 && self.is_whole(at, at + length)
    }

    fn argument(&mut self, open: usize) -> Result<Option<Node<'t>>, Unreadable> {
        let start = self.at;
        self.note(ChangeKind::Wrapper, Loss::Ignored, start..open + 1, "");
        self.at = open + 1;
        self.enter(b'(')?;
        self.space();
        let node = self.value(Context::Argument)?;
        self.open.pop();
        self.space();
        if self.peek() == Some(b')') {
            self.at += 1;
        }
        Ok(node)
    }
}

/// Returns whether the function `name` is one of those that return or show what they are given.
pub(crate) fn keeps_argument(name: &str) -> bool {
    KEEPING.any_in(last_name(name))
}

/// The name of the function in `name`, without what it is a part of.
fn last_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Returns whether unquoted `text` may be the name of a variable.
fn is_variable(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
}

/// Most words of a text that may list alternatives. In a longer one they are part of a sentence.
const MAX_OFFERED: usize = 5;

/// Returns whether unquoted `text` is two values, of which it leaves open which is meant: `this or that`.
fn offers_two(text: &str) -> bool {
    let said: Vec<&str> = text.split_whitespace().take(MAX_OFFERED + 1).collect();
    said.len() > 2 && said.len() <= MAX_OFFERED && said[1..said.len() - 1].iter().any(|word| OR.have(word))
}

/// Returns whether unquoted `text` is `null`, `true` or `false` with a letter too many, too few or another one: `nul`.
fn is_almost_constant(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let differs_by_one = |constant: &str| {
        let same = constant.bytes().zip(text.bytes()).take_while(|(one, other)| one == other).count();
        let (rest, other) = (&constant[same..], &text[same..]);
        let (shorter, shorter_other) = (rest.get(1..), other.get(1..));
        shorter == Some(other) || shorter_other == Some(rest) || shorter.is_some() && shorter == shorter_other
    };
    text.is_ascii() && ["null", "true", "false"].into_iter().any(differs_by_one)
}

/// Returns whether unquoted `text` is certainly one value: words, a date, a path or an address. A
/// sign that parts values, calls a function, or quotes in another language may mean more.
pub(crate) fn is_one_value(text: &str) -> bool {
    let owner = text.split_once('.').map_or("", |(owner, _)| owner);
    // `x for x in all` is code.
    let is_code =
        matches!(text.split(' ').collect::<Vec<_>>()[..], [one, "for", other, "in", ..] if one == other);
    if is_code
        || offers_two(text)
        || is_almost_constant(text)
        || matches!(text, "NaN" | "Infinity")
        || VARIABLES.have(owner) && !text.contains(' ')
    {
        return false;
    }
    let is_joint = |c: char| " _-.!?/@#&+%°".contains(c);
    let is_address = text.contains("://") && !text.contains(' ');
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    let is_joined = |c: char, before: char, after: Option<char>| {
        let is_inside = before.is_alphanumeric() && after.is_some_and(char::is_alphanumeric);
        match c {
            '\'' | '’' => is_inside,
            ':' => is_address || before.is_ascii_digit() && after.is_some_and(|c| c.is_ascii_digit()),
            '=' | '~' => is_address,
            // `$name` is a variable.
            '$' | '€' | '£' => before.is_ascii_digit() || after.is_some_and(|c| c.is_ascii_digit()),
            _ => is_joint(c),
        }
    };
    while let Some(c) = rest.next() {
        if !c.is_alphanumeric() && !is_joined(c, before, rest.peek().copied()) {
            return false;
        }
        before = c;
    }
    // A sentence may end with a dot; a word with one may stand for more: `etc.`
    let is_sentence = text.contains(' ') && text.ends_with(['.', '!', '?']);
    let is_end = |c: char| c.is_alphanumeric() || "+#%/$€£°".contains(c);
    let is_negative =
        text.strip_prefix('-').is_some_and(|text| text.starts_with(|c: char| c.is_ascii_digit()));
    (is_negative || text.starts_with(|c: char| c.is_alphanumeric() || "/#@.$€£".contains(c)))
        && (is_sentence || text.ends_with(is_end))
        && text.contains(char::is_alphanumeric)
        && !(text.contains(' ') && number::is_number_with_marks(text))
        && !is_numbered(text)
}

/// Returns whether `text` starts with the number of a line in a list: `1. name`.
fn is_numbered(text: &str) -> bool {
    text.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(". ")
}

/// Returns whether each pair of double quotes in `text` has words in it that a sentence quotes: `Ann said "hello".` Quotes
/// after a sign that gives a value, or before one, are those of a value.
fn quotes_words(text: &str) -> bool {
    let gives = |c: char| matches!(c, ':' | '=' | '>' | '[' | '{' | '：');
    let opens = |at: usize| {
        let before = &text[..at];
        let is_apart = before.ends_with([' ', '(']);
        is_apart
            && !before.trim_end().ends_with(gives)
            && text[at + 1..].starts_with(|c: char| !c.is_whitespace())
    };
    let closes = |at: usize| {
        let after = &text[at + 1..];
        let is_end =
            after.is_empty() || after.starts_with([' ', '\n', '.', ',', ';', '!', '?', ')', '\'', '’']);
        is_end && text[..at].ends_with(|c: char| !c.is_whitespace()) && !after.trim_start().starts_with(gives)
    };
    let mut is_open = false;
    let fits = text.match_indices('"').all(|(at, _)| {
        is_open = !is_open;
        if is_open { opens(at) } else { closes(at) }
    });
    fits && !is_open
}

/// Returns whether `text`, which is a whole reply, may be one text: its double quotes are those of a sentence, it has no
/// tags around it, no marks of a chat template or of text that is struck out, and its brackets nest.
fn is_one_text(text: &str) -> bool {
    let mut open = 0_usize;
    let nests = text.bytes().all(|byte| match byte {
        b'(' | b'[' | b'{' => {
            open += 1;
            true
        }
        b')' | b']' | b'}' => {
            let is_open = open > 0;
            open = open.saturating_sub(1);
            is_open
        }
        _ => true,
    });
    let has_end = |name: &&str| text.contains(&format!("</{name}>"));
    let is_tagged = text.starts_with('<') && (text.ends_with('>') || ANSWER_TAGS.iter().any(has_end));
    nests && open == 0 && quotes_words(text) && !is_tagged && !text.contains("<|") && !text.contains("~~")
}

fn data_of(constant: &str) -> Data<'static> {
    match constant {
        "true" => Data::Bool(true),
        "false" => Data::Bool(false),
        _ => Data::Null,
    }
}

/// The certain part of an unfinished word: nothing if it may be the start of a constant.
fn partial(text: &str) -> Option<Data<'_>> {
    let number = text.trim_end_matches(['e', 'E', '+', '-', '.']);
    if let Some(number) = number::tolerant(number) {
        return Some(Data::Number(number));
    }
    if let Some(json) = constant(text) {
        return Some(data_of(json));
    }
    let lower = text.to_ascii_lowercase();
    let is_start =
        ["true", "false", "null", "none", "undefined"].iter().any(|name| name.starts_with(&*lower));
    (!is_start && text != "-" && text != "+").then_some(Data::Text(Cow::Borrowed(text)))
}
