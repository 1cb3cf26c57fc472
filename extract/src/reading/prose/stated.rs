//! What prose states: a name and its value, in a sentence, a heading, a table or a tag.

use super::{ARTICLES, NOTHING, Words, first_bytes, last_bytes, last_line, words};

/// Most bytes of a value that is compared with prose.
const MAX_SCALAR: usize = 256;

/// Most characters of a key that is looked for in prose.
pub(crate) const MAX_NAME: usize = 128;

/// Most tags between a key and its value: `</key><value>`, and one more.
const MAX_TAGS: usize = 3;

/// The members that are written in `text`: each key with whether it is quoted, and the text of its
/// value. An unquoted key starts a line.
pub(crate) fn members(text: &str) -> impl Iterator<Item = (&str, bool, &str)> {
    text.match_indices([':', '：', '=']).filter_map(|(at, sign)| {
        let before = text[..at].trim_end_matches([' ', '*']);
        // `a == 1`, `a >= 1` and `a != 1` are conditions.
        let value = text[at + sign.len()..].trim_start_matches([' ', '*', '>', '`']);
        if sign == "=" && (before.ends_with(['=', '!', '<', '>', ':']) || value.starts_with('=')) {
            return None;
        }
        if let Some(name) = before.strip_suffix(['"', '\'']) {
            let start = name.rfind(['"', '\'']).filter(|start| name.len() - start <= MAX_NAME)?;
            return Some((&name[start + 1..], true, value));
        }
        let name = last_name(before, &['_', '-']);
        let lead = before[..before.len() - name.len()]
            .trim_end_matches([' ', '\t', '-', '*', '•', '{', ',', '–', '—', '>', '#', '/', '@']);
        // `Note: age: 42` and `(age: 42)` give it, too.
        let starts_line = lead.is_empty() || lead.ends_with(['\n', ':', '(']);
        let is_value = !value.is_empty() && !value.starts_with(['\n', '\r']) || is_bulleted(value);
        let name = if starts_line { Some(name) } else { label(before) };
        name.filter(|name| !name.is_empty() && is_value).map(|name| (name, false, value))
    })
}

/// Most words of a label that may be a key: `years of experience`.
const MAX_LABEL: usize = 4;

/// The words from the start of a line to the end of `before`, if they are a few: `Total amount`.
fn label(before: &str) -> Option<&str> {
    let line = last_line(last_bytes(before, MAX_NAME));
    let label = line.trim_start_matches([' ', '\t', '-', '*', '•', '>', '#']);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-');
    let is_short = label.split_whitespace().count() <= MAX_LABEL;
    (is_short && label.chars().all(is_part)).then_some(label)
}

/// The letters, digits and `signs` at the end of `text`, at most [`MAX_NAME`].
pub(crate) fn last_name<'t>(text: &'t str, signs: &[char]) -> &'t str {
    let is_part = |c: &char| c.is_alphanumeric() || signs.contains(c);
    let length: usize = text.chars().rev().take(MAX_NAME).take_while(is_part).map(char::len_utf8).sum();
    &text[text.len() - length..]
}

/// Returns whether the first line of `text`, up to a tag, is one word, or a name like `out.json`.
pub(crate) fn is_one_word(text: &str) -> bool {
    let line = first_bytes(text, MAX_SCALAR).lines().next().unwrap_or_default();
    let word = line.split_once("</").map_or(line, |(value, _)| value).trim_matches([' ', '*', '.', '`']);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '/' | '@');
    word.chars().all(is_part) && word.contains(char::is_alphanumeric)
}

/// Returns whether the first line of `text` is empty and the next one is an element of a list.
pub(crate) fn is_bulleted(text: &str) -> bool {
    let line = text.strip_prefix('\r').unwrap_or(text).strip_prefix('\n').map(str::trim_start);
    line.is_some_and(|line| after_bullet(line).is_some())
}

/// The text after the bullet that `line` starts with.
pub(crate) fn after_bullet(line: &str) -> Option<&str> {
    ["- ", "* ", "• "].into_iter().find_map(|bullet| line.strip_prefix(bullet))
}

/// Parts of a text that are counted: `page 3` gives no key `page` a value.
static COUNTED: Words = Words::of(
    "appendix article chapter column figure item line note number page paragraph part point row
     section step table version",
);

/// Words between a name and its value.
const VERBS: [&str; 27] = [
    "changed to ",
    "corrected to ",
    "updated to ",
    "is ",
    "was ",
    "are ",
    "should be ",
    "must be ",
    "ist ",
    "sollte ",
    "muss ",
    "lautet ",
    "est ",
    "doit être ",
    "devrait être ",
    "es ",
    "debe ser ",
    "debería ser ",
    "è ",
    "deve essere ",
    "deve ser ",
    "deveria ser ",
    "должно быть ",
    "должен быть ",
    "равно ",
    "应为",
    "应该是",
];

/// Signs that give a name a value, or change the one it has.
const ASSIGNING: [&str; 11] = ["=", ":=", "=>", "->", "→", "==", "+=", "-=", "≈", "~", "~="];

/// A name in prose, and the text of the value that the prose gives it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given<'t> {
    pub(crate) name: &'t str,
    pub(crate) value: &'t str,
    /// Whether the value starts with a number, a constant or a quote, and not with a word.
    pub(crate) is_scalar: bool,
    /// Whether a sign assigns it: `name = Ann`.
    pub(crate) is_assigned: bool,
    pub(crate) position: NamePosition,
}

/// Where a name is in its sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamePosition {
    /// A line or a sentence starts with it.
    First,
    /// A word before it makes it another one: `the middle name`.
    Qualified,
    Inside,
}

impl NamePosition {
    fn after(before: &str) -> Self {
        match (starts_sentence(before), is_qualified(before)) {
            (true, _) => Self::First,
            (false, true) => Self::Qualified,
            (false, false) => Self::Inside,
        }
    }
}

/// The names that `given` may have in `text`, with up to so many words before its own: `amount` and `total amount`.
pub(crate) fn with_words_before<'t>(text: &'t str, given: Given<'t>) -> impl Iterator<Item = Given<'t>> {
    let end = given.name.as_ptr() as usize - text.as_ptr() as usize + given.name.len();
    let mut start = end - given.name.len();
    // Without a sign or a verb, `total amount 90` may be about anything.
    let value = given.value.as_ptr() as usize - text.as_ptr() as usize;
    let is_told = !text.get(end..value).unwrap_or_default().trim().is_empty();
    let longer = std::iter::from_fn(move || {
        let before = text[..start].strip_suffix([' ', '-'])?;
        let word = last_name(before, &['_']);
        start = before.len() - word.len();
        let position = NamePosition::after(&text[..start]);
        (!word.is_empty()).then_some(Given { name: &text[start..end], position, ..given })
    });
    std::iter::once(given).chain(longer.take(if is_told { MAX_LABEL - 1 } else { 0 }))
}

/// The names in `text`, each with the value that the text gives it: after a sign or a verb, below a
/// heading, in a row of a table, in a tag, or right after it.
pub(crate) fn given(text: &str) -> impl Iterator<Item = Given<'_>> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let first = |word: &str| word.chars().next().unwrap_or_default();
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let word = &rest[rest.find(is_part)?..];
            let end = word.find(|c| !is_part(c) || is_without_spaces(c) != is_without_spaces(first(word)));
            let (word, behind) = word.split_at(end.unwrap_or(word.len()));
            rest = behind;
            let before = &text[..text.len() - behind.len() - word.len()];
            let is_tag = before.ends_with('<');
            let tagged = if is_tag { in_tag(behind, word) } else { None };
            if let Some((value, is_assigned)) =
                tagged.map(|value| (value, true)).or_else(|| after_name(word, behind))
            {
                let is_scalar = is_tag || starts_value(value);
                let (name, position) = (word.trim_matches('_'), NamePosition::after(before));
                return Some(Given { name, value, is_scalar, is_assigned, position });
            }
        }
    })
}

/// Returns whether `c` is of a script that puts no spaces between words: in `age应该是41`, a word ends
/// before the first such letter.
fn is_without_spaces(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

/// Returns whether `before` ends with a word that is not an article.
fn is_qualified(before: &str) -> bool {
    let before = before.strip_suffix(' ').unwrap_or_default();
    let word = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    // `the number of days`
    !word.is_empty() && !ARTICLES.have(word) && word != "of"
}

/// Words that start a line or a sentence, and do not make the name after them another one: `Final score: 2`.
static LEADING: Words = Words::of("actual correct final my our overall the");

/// Returns whether what follows `before` starts a line or a sentence, after marks and an article.
fn starts_sentence(before: &str) -> bool {
    // `<answer><age>`
    if before.strip_suffix('<').is_some_and(|before| before.trim_end().ends_with('>')) {
        return true;
    }
    let is_mark =
        |c: char| matches!(c, ' ' | '*' | '_' | '#' | '-' | '•' | '|' | '>' | '<' | '[' | '`' | '"');
    let before = before.trim_end_matches(is_mark);
    let word = last_name(before, &[]);
    let before = if LEADING.have(word) { &before[..before.len() - word.len()] } else { before };
    let before = before.trim_end_matches(is_mark);
    before.is_empty()
        || before.ends_with(['\n', '.', '!', ',', ':'])
        || before.ends_with(|c: char| c.is_ascii_digit())
}

/// The cells of the rows of tables in `text` whose headings are all keys: of Markdown, CSV, or with
/// tabs.
pub(crate) fn rows(text: &str, is_key: impl Fn(&str) -> bool) -> impl Iterator<Item = &str> {
    let mut mark = None;
    text.lines().flat_map(move |line| {
        let cells = |mark: char| {
            line.trim().trim_matches('|').split(mark).map(|cell| cell.trim_matches([' ', '*', '"', '`']))
        };
        let is_head = |mark: &char| cells(*mark).count() > 1 && cells(*mark).all(&is_key);
        if let Some(head) = ['|', ',', ';', '\t'].into_iter().find(is_head) {
            mark = Some(head);
            return Vec::new();
        }
        let row: Vec<&str> = mark.map(|mark| cells(mark).collect()).unwrap_or_default();
        let is_rule = |cell: &str| cell.chars().all(|c| matches!(c, '-' | ':' | ' '));
        if row.len() < 2 || row.iter().all(|cell| is_rule(cell)) {
            mark = mark.filter(|_| row.len() > 1);
            return Vec::new();
        }
        row
    })
}

/// The value that `text`, after `name`, gives it, and whether a sign assigns it.
fn after_name<'t>(name: &str, text: &'t str) -> Option<(&'t str, bool)> {
    let has_tags = past_tags(text).len() < text.len();
    let text = past_tags(text);
    let is_mark = |c: char| c == ' ' || matches!(c, '*' | '`' | '"' | '\'' | '”' | ']' | '#');
    let is_quoted = text.starts_with(['"', '\'', '`']);
    let text = text.trim_start_matches(is_mark);
    // `the age above is 41`
    let text = text.strip_prefix("above ").unwrap_or(text);
    let is_rule = |c: char| c.is_whitespace() || matches!(c, '|' | '-' | ':' | '=');
    if text.starts_with(['\n', '\r'])
        || text.starts_with('|') && text[1..].trim_start_matches(' ').starts_with('\n')
    {
        // A heading, or the only column of a table.
        let value = text.trim_start_matches(is_rule);
        let cell = || first_bytes(value, MAX_SCALAR).split_once('|').map(|(cell, _)| cell);
        let is_whole = || is_scalar(cell().unwrap_or(value));
        return (starts_value(value) && is_whole()).then_some((value, true));
    }
    let sign = text.find(|c: char| !":：=-–>→|,+~≈".contains(c));
    let (sign, behind) = text.split_at(sign.unwrap_or(text.len()));
    let verb = VERBS.iter().find_map(|verb| text.strip_prefix(verb));
    let value = match sign {
        ":" | "：" | "|" => Some(behind),
        sign if ASSIGNING.contains(&sign) => Some(behind),
        // `<parameter name="age">`
        ">" => Some(behind.trim_start()),
        "" if text.starts_with('{') => Some(&text[1..]),
        "-" | "–" => behind.starts_with(' ').then_some(behind),
        "," => is_quoted.then_some(behind),
        "" if verb.is_some() => verb,
        // `age 41`
        "" if has_tags => Some(text),
        "" => (name.len() > 2 && !COUNTED.have(name) && text.starts_with(|c: char| c.is_ascii_digit()))
            .then_some(text),
        _ => None,
    };
    let value = value?.trim_start_matches([' ', '*', '`', '$', '€', '£']);
    // An adverb between the verb and the value. `Emily` is a name.
    let is_adverb =
        |word: &str| word == "now" || word.ends_with("ly") && word.starts_with(char::is_lowercase);
    let value = value.split_once(' ').filter(|(word, _)| is_adverb(word)).map_or(value, |(_, value)| value);
    let value = without_currency(value);
    let is_assigned = ASSIGNING.contains(&sign);
    let is_word = is_assigned || verb.is_some() || matches!(sign, ":" | "：");
    let may_be = starts_value(value) || is_word && value.starts_with(char::is_alphanumeric);
    may_be.then_some((value, is_assigned))
}

/// The amount in `text` after the code of its currency: of `CHF 460`, the `460`.
fn without_currency(text: &str) -> &str {
    match text.split_at_checked(4) {
        Some((code, amount))
            if code.ends_with(' ')
                && code.trim_end().bytes().all(|byte| byte.is_ascii_uppercase())
                && amount.starts_with(|c: char| c.is_ascii_digit()) =>
        {
            amount
        }
        _ => text,
    }
}

/// The first words of `text`, up to the end of what they are part of.
pub(crate) fn first_words(text: &str) -> &str {
    let line = first_bytes(text, MAX_SCALAR).lines().next().unwrap_or_default();
    let is_end = |(at, c): &(usize, char)| match c {
        '.' | '!' => !line[at + 1..].starts_with(char::is_alphanumeric),
        _ => matches!(c, ')' | ',' | ';' | '<' | '*' | '`'),
    };
    let end = line.char_indices().find(is_end).map_or(line.len(), |(at, _)| at);
    line[..end].trim_end()
}

/// Returns whether prose says that there is no value: `N/A`, `null`, `nicht vorhanden`.
pub(crate) fn says_nothing(value: &str) -> bool {
    static NOT: Words = Words::of("fehlt missing never nicht not null unbekannt unknown");
    let said = first_words(value);
    said.eq_ignore_ascii_case("n/a")
        || matches!(said, "-" | "–" | "—")
        || words(said).next().is_some_and(|word| NOTHING.have(word) || NOT.have(word))
}

/// `text` without the tags at its start: of `</key><value>30`, the `30`.
fn past_tags(text: &str) -> &str {
    let inside = |text: &str| first_bytes(text.trim_start().strip_prefix('<')?, MAX_NAME).find('>');
    let mut rest = text;
    // Each name is followed by its own tags; without a bound, all of them would be read again and again.
    for _ in 0..MAX_TAGS {
        let Some(end) = inside(rest) else { break };
        rest = &rest.trim_start()[end + 2..];
    }
    if rest.len() < text.len() { rest.trim_start() } else { text }
}

/// Returns whether `text` starts with a number, a constant or a string in quotes.
fn starts_value(text: &str) -> bool {
    let number = text.strip_prefix(['-', '+']).unwrap_or(text);
    number.starts_with(|c: char| c.is_ascii_digit()) || text.starts_with(['"', '“', '\'']) || is_scalar(text)
}

/// The value that `text`, after `<` and `name`, has before the closing tag.
fn in_tag<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (value, tag) = first_bytes(text.strip_prefix('>')?, MAX_SCALAR).split_once("</")?;
    let value = value.trim();
    (!value.is_empty() && tag.starts_with(name)).then_some(value)
}

/// Returns whether the first line of `text` is a number, a constant or a string in quotes, and
/// nothing else.
pub(crate) fn is_scalar(text: &str) -> bool {
    let start = first_bytes(text, MAX_SCALAR);
    let line = start.lines().next().unwrap_or_default();
    if line.len() == start.len() && start.len() < text.len() {
        return false;
    }
    let line = line.trim().trim_end_matches([',', '}', ')', '*', ' ']);
    serde_json::from_str::<serde_json::Value>(line).is_ok_and(|value| !value.is_array() && !value.is_object())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_given_by_a_sign_a_verb_a_heading_a_tag_or_right_away() {
        for (text, expected) in [
            ("Age = 41", "41"),
            ("the age is 41.", "41."),
            ("## Age\n\n41", "41"),
            ("| age |\n|---|\n| 41 |", "41 |"),
            ("<age> 41 </age>", "41"),
            ("with age 41", "41"),
            ("\"age\", 41", "41"),
            ("[[ ## age ## ]]\n41", "41"),
            ("age -> \"old\"", "\"old\""),
            ("age: true", "true"),
        ] {
            let found = given(text).find(|given| given.is_scalar && given.name.eq_ignore_ascii_case("age"));
            assert_eq!(found.map(|given| given.value), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_name_without_a_value_gives_none() {
        for text in ["the age of 41 people", "age", "age unknown", "age\n\n4 people", "ageing 41", "age, 41"]
        {
            assert!(!given(text).any(|given| given.is_scalar && given.name == "age"), "{text}");
        }
    }

    #[test]
    fn a_table_of_keys_has_rows() {
        let is_key = |cell: &str| matches!(cell, "name" | "age");
        let found = |text: &str| rows(text, is_key).map(str::to_owned).collect::<Vec<_>>().join(" ");
        assert_eq!(found("| name | age |\n|---|---|\n| Ann | 41 |\n\nBye, you"), "Ann 41");
        assert_eq!(found("name,age\nAnn,41\nBo,42"), "Ann 41 Bo 42");
        assert_eq!(found("name and age, of all"), "");
        assert_eq!(found("a,b\n1,2"), "");
    }
}
