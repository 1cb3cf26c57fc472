//! Detects additions inside a string that start with words about continuing.
//!
//! Anywhere else, words are not JSON. In a string nearly everything can be a continuation, so this
//! is a list of what models say. A string that really goes on so costs one more question.

use super::sign::JoinSign;

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

/// Returns whether `inside`, which an addition adds to an open string, starts with words about
/// continuing. `is_closed` says that the string ends after it; otherwise more may follow.
/// `is_in_word` says that the string so far ends with a letter or digit.
pub(super) fn sign(inside: &str, is_closed: bool, is_in_word: bool) -> JoinSign {
    let start = inside.trim_start();
    if start.starts_with("```") || start.starts_with("...") || start.starts_with('…') {
        return JoinSign::Yes;
    }
    let more = if is_closed { JoinSign::No } else { JoinSign::Maybe };
    if start.len() < 3 && ["```", "..."].iter().any(|mark| mark.starts_with(start)) {
        return more;
    }
    let is_glued = is_in_word && start.starts_with(char::is_uppercase);
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
