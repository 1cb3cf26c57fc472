//! Signs that an addition is not a continuation: inside a string it starts with words about
//! continuing, or it repeats the end of the text that it should continue.

use crate::{reading::template_marks, vocabulary::text::prefix_lengths};

/// A yes, a no or a maybe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JoinSign {
    Yes,
    No,
    /// More of the text will tell.
    Maybe,
}

/// Maximum characters of words about continuing.
const MAX_CHARS: usize = 160;

/// Bytes in which such a clause shows what it is.
const TELLING_BYTES: usize = 48;

/// Starts of words that announce a continuation, in lower case.
const CONTINUING: [&str; 16] = [
    "continu",
    "resum",
    "fortsetz",
    "fortgesetzt",
    "fortführ",
    "weiter",
    "voortzet",
    "vervolg",
    "fortsätt",
    "fortsæt",
    "kontynu",
    "pokrač",
    "продолж",
    "suite",
    "seguita",
    "devam",
];

/// The same in scripts without spaces between words.
const CONTINUING_ANYWHERE: [&str; 8] = ["继续", "繼續", "接着", "接上", "続き", "続け", "계속", "이어"];

/// Words that announce a continuation before a colon.
const BEFORE_COLON: [&str; 24] = [
    "rest",
    "remaining",
    "remainder",
    "left",
    "here",
    "hier",
    "voici",
    "reste",
    "aquí",
    "aqui",
    "resto",
    "restante",
    "ecco",
    "вот",
    "остаток",
    "oto",
    "här",
    "işte",
    "以下",
    "剩余",
    "残り",
    "나머지",
    "json",
    "output",
];

/// The word abbreviated.
const ABBREVIATED: [&str; 2] = ["cont", "contd"];

/// Words that agree to do something, at the start of a sentence.
const AGREEING: [&str; 22] = [
    "sure",
    "certainly",
    "absolutely",
    "okay",
    "ok",
    "understood",
    "sorry",
    "apologies",
    "alright",
    "gladly",
    "natürlich",
    "klar",
    "gerne",
    "gern",
    "bien",
    "claro",
    "certo",
    "конечно",
    "хорошо",
    "好的",
    "はい",
    "네",
];

/// Whether a string ends with an addition, or more of it may follow.
#[derive(Debug, Clone, Copy)]
pub(super) enum StringEnd {
    Open,
    Closed,
}

/// Returns whether `inside`, which an addition adds to an open string, starts with words about
/// continuing. `last` is the last character of the string so far.
pub(super) fn sign(inside: &str, end: StringEnd, last: Option<char>) -> JoinSign {
    let start = inside.trim_start();
    // The format of a new reply.
    let mut marks = ["```", "...", "…", "\u{feff}"].into_iter().chain(template_marks());
    if marks.clone().any(|mark| start.starts_with(mark)) {
        return JoinSign::Yes;
    }
    let more = match end {
        StringEnd::Closed => JoinSign::No,
        StringEnd::Open => JoinSign::Maybe,
    };
    if marks.any(|mark| mark.starts_with(start)) {
        return more;
    }
    let is_glued = last.is_some_and(char::is_alphanumeric) && start.starts_with(char::is_uppercase);
    let mut rest = start.char_indices().nth(MAX_CHARS).map_or(start, |(end, _)| &start[..end]);
    loop {
        let (clause, end, after) = first_clause(rest);
        let clause = PreambleClause::of(clause);
        let is_preamble = match end {
            Some(':' | '：') => clause.announces(),
            Some(')' | ']' | '>' | '）' | '】') => clause.is_in_brackets && clause.is_about_continuing(),
            Some(_) => clause.starts_with_it() || is_glued && clause.is_about_continuing(),
            None => is_glued && clause.starts_with_it(),
        };
        match end {
            _ if is_preamble => return JoinSign::Yes,
            // `Sure, with the rest:`
            Some(_) if clause.agrees() => rest = after,
            None if rest.len() < TELLING_BYTES || clause.announces() && start.len() < MAX_CHARS => {
                return more;
            }
            _ => return JoinSign::No,
        }
    }
}

/// Some words in lower case.
struct PreambleClause {
    text: String,
    is_in_brackets: bool,
}

impl PreambleClause {
    fn of(text: &str) -> Self {
        let is_in_brackets = text.trim_start().starts_with(['(', '[', '<', '（', '【', '*']);
        Self { text: text.to_lowercase(), is_in_brackets }
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
    }

    fn first(&self) -> &str {
        self.words().next().unwrap_or_default()
    }

    /// Returns whether it starts with a word about continuing, or agrees to something.
    fn starts_with_it(&self) -> bool {
        is_about(self.first()) || self.agrees()
    }

    fn agrees(&self) -> bool {
        AGREEING.contains(&self.first()) || self.text.trim_start().starts_with("of course")
    }

    fn is_about_continuing(&self) -> bool {
        self.words().any(is_about) || CONTINUING_ANYWHERE.iter().any(|word| self.text.contains(word))
    }

    /// Returns whether a continuation may follow, if a colon does.
    fn announces(&self) -> bool {
        self.is_about_continuing() || self.agrees() || self.words().any(|word| BEFORE_COLON.contains(&word))
    }
}

fn is_about(word: &str) -> bool {
    ABBREVIATED.contains(&word) || CONTINUING.iter().any(|start| word.starts_with(start))
}

/// The first clause, the character that ends it, and the text after that.
fn first_clause(text: &str) -> (&str, Option<char>, &str) {
    let is_end = |c: char| ":：.!?,。！，…—–)]>）】".contains(c);
    let end = text.find(is_end).unwrap_or(text.len());
    // A line break in a string is written as an escape.
    if let Some(line) = text.find("\\n").filter(|line| *line < end) {
        return (&text[..line], Some('\n'), &text[line + 2..]);
    }
    let mut rest = text[end..].chars();
    (&text[..end], rest.next(), rest.as_str())
}

/// Bytes at the end of a text that an addition is compared with.
const WINDOW: usize = 64 * 1024;

/// Minimum bytes of a repetition inside a word or a number. A shorter one cannot be told from a
/// word such as `banana` that simply goes on.
const MIN_BYTES: usize = 4;

/// The text to compare with, without white space between tokens.
pub(super) struct TextEnd<'t> {
    pub(super) text: &'t [u8],
    /// Bytes of the string or word that is open at the end.
    pub(super) token: Option<usize>,
    pub(super) is_in_string: bool,
}

impl TextEnd<'_> {
    /// Returns whether `addition` repeats the end of the text before it goes on. `Maybe` if it is
    /// too short to tell: so far, it occurs somewhere in the text.
    pub(super) fn repeated_by(&self, addition: &[u8]) -> JoinSign {
        if self.has_token_again(addition) {
            return JoinSign::Yes;
        }
        let window = &self.text[self.text.len().saturating_sub(WINDOW)..];
        let start = &addition[..addition.len().min(WINDOW)];
        let found = StartOccurrence::of(start, window);
        if self.is_telling(&start[..found.at_end]) {
            JoinSign::Yes
        } else if found.is_anywhere {
            JoinSign::Maybe
        } else {
            JoinSign::No
        }
    }

    /// Returns whether `addition` starts with the whole string, word or number that is open, or
    /// with the last word of that string.
    fn has_token_again(&self, addition: &[u8]) -> bool {
        let Some(bytes) = self.token.filter(|bytes| *bytes > 0) else { return false };
        let token = &self.text[self.text.len() - bytes..];
        let word = if self.is_in_string { last_word(token) } else { token };
        addition.starts_with(token) || !word.is_empty() && addition.starts_with(word)
    }

    /// Returns whether `repeated`, with which the text ends and the addition starts, is there twice
    /// by mistake rather than because the value is so.
    fn is_telling(&self, repeated: &[u8]) -> bool {
        let Some(first) = repeated.first() else { return false };
        if repeated.len() >= MIN_BYTES && (self.is_in_string || self.token.is_some()) {
            return true;
        }
        if self.is_in_string {
            // A space, or the end of a word. Escapes follow each other, as in a blank line.
            let ends_word = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric();
            let has_escape = repeated.contains(&b'\\');
            return *first == b' ' || repeated.len() > 1 && !has_escape && repeated.iter().any(ends_word);
        }
        // Too many brackets of one kind do not make a value, so the join shows them. Digits are part
        // of a number.
        let is_all = |is: fn(&u8) -> bool| repeated.iter().all(is);
        let is_of_brackets = is_all(|byte| b"]}".contains(byte)) || is_all(|byte| b"[{".contains(byte));
        let is_of_number = self.token.is_some() && is_all(|byte| !b",:\"[]{}".contains(byte));
        !is_of_brackets && !is_of_number
    }
}

/// The letters and digits at the end of the string `content`, as written in JSON.
fn last_word(content: &[u8]) -> &[u8] {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let start = content.iter().rposition(|byte| !is_of_word(byte)).map_or(0, |at| at + 1);
    let word = &content[start..];
    if start == 0 || content[start - 1] != b'\\' {
        return word;
    }
    // An escape: `\n`, `\u00e9`. After an escaped backslash, a word may lose its first letter here.
    let escape = if word.first() == Some(&b'u') { 5 } else { 1 };
    word.get(escape..).unwrap_or_default()
}

/// Where the start of an addition occurs in a text.
struct StartOccurrence {
    /// Bytes of the longest start of the addition with which the text ends.
    at_end: usize,
    /// Whether all of it occurs somewhere in the text.
    is_anywhere: bool,
}

impl StartOccurrence {
    /// Looks for `start` in `text`, by the algorithm of Knuth, Morris and Pratt: in linear time.
    fn of(start: &[u8], text: &[u8]) -> Self {
        let lengths = prefix_lengths(start);
        let (mut length, mut is_anywhere) = (0, start.is_empty());
        for byte in text {
            while length > 0 && start.get(length) != Some(byte) {
                length = lengths[length - 1];
            }
            length += usize::from(start.get(length) == Some(byte));
            is_anywhere |= length == start.len();
        }
        Self { at_end: length, is_anywhere }
    }
}
