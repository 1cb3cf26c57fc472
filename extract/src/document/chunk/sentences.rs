//! The ends of sentences.

/// Abbreviations that end with a full stop inside a sentence, in lower case.
const ABBREVIATIONS: [&str; 42] = [
    "abs", "al", "approx", "art", "bzw", "ca", "capt", "cf", "co", "col", "corp", "dr", "e.g", "eg", "fig",
    "frau", "gen", "hon", "hr", "i.e", "ie", "inc", "jr", "lt", "ltd", "messrs", "mme", "mr", "mrs", "ms",
    "mt", "nr", "prof", "rev", "sec", "sgt", "sr", "st", "vol", "vs", "z.b", "zzgl",
];

/// Longest word that may be an abbreviation, in bytes.
const ABBREVIATION_BYTES: usize = 8;

/// Where the sentences of a paragraph end, including the whitespace after them. The last end, that
/// of the text, may be missing. A row of a table is one sentence, and each entry of a list begins
/// one.
pub(super) fn sentences(text: &str) -> Vec<usize> {
    let (mut ends, mut prose, mut at) = (Vec::new(), 0, 0);
    for line in text.split_inclusive('\n') {
        let (start, is_row) = (at, is_row(line));
        at += line.len();
        if is_row || is_entry(line) {
            ends.extend(sentences_of_prose(&text[prose..start]).into_iter().map(|end| prose + end));
            ends.push(start);
            prose = start;
        }
        if is_row {
            ends.push(at);
            prose = at;
        }
    }
    ends.extend(sentences_of_prose(&text[prose..]).into_iter().map(|end| prose + end));
    ends
}

fn sentences_of_prose(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_wide = matches!(c, '。' | '！' | '？' | '｡' | '．');
        if !is_wide && !matches!(c, '.' | '!' | '?' | '…' | '؟' | '۔' | '।' | '॥' | '။') {
            continue;
        }
        // Further marks, closing quotes and brackets belong to the sentence.
        let mut end = at + c.len_utf8();
        while let Some((at, c)) = chars.next_if(|(_, c)| is_closing(*c)) {
            end = at + c.len_utf8();
        }
        let mut spaced = end;
        while let Some((at, c)) = chars.next_if(|(_, c)| c.is_whitespace()) {
            spaced = at + c.len_utf8();
        }
        let next = text[spaced..].chars().next();
        let goes_on = next.is_some_and(char::is_lowercase) || (c == '.' && is_abbreviation(&text[..at]));
        if is_wide || (spaced > end && !goes_on) {
            ends.push(spaced);
        }
    }
    ends
}

fn is_closing(c: char) -> bool {
    matches!(
        c,
        '.' | '!'
            | '?'
            | '…'
            | '"'
            | '\''
            | '”'
            | '’'
            | '»'
            | '›'
            | ')'
            | ']'
            | '」'
            | '』'
            | '）'
            | '。'
            | '！'
            | '？'
    )
}

/// Returns whether `before` ends with an abbreviation that takes a full stop.
fn is_abbreviation(before: &str) -> bool {
    let start = before
        .char_indices()
        .rev()
        .take(ABBREVIATION_BYTES + 1)
        .find(|(_, c)| !c.is_alphabetic() && *c != '.')
        .map_or(before.len().saturating_sub(ABBREVIATION_BYTES + 1), |(at, c)| at + c.len_utf8());
    let Some(word) = before.get(start..).filter(|word| word.len() <= ABBREVIATION_BYTES) else {
        return false;
    };
    let mut chars = word.chars().rev();
    // An initial, such as `J.` or the `S` of `U.S.`
    let is_initial = chars.next().is_some_and(char::is_uppercase) && chars.next().is_none_or(|c| c == '.');
    is_initial || ABBREVIATIONS.binary_search(&word.to_lowercase().as_str()).is_ok()
}

/// Returns whether a line is a row of a table: with bars, tabs or columns aligned by spaces.
fn is_row(line: &str) -> bool {
    let line = line.trim();
    line.contains(['|', '\t']) || line.split("   ").filter(|cell| !cell.trim().is_empty()).count() > 2
}

/// Returns whether a line begins an entry of a list.
fn is_entry(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    line.starts_with(['•', '▪', '◦'])
        || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
        || ((1..4).contains(&digits) && [". ", ") "].iter().any(|mark| line[digits..].starts_with(mark)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        let mut start = 0;
        let mut parts = Vec::new();
        for end in sentences(text).into_iter().chain([text.len()]) {
            if start < end {
                parts.push(&text[start..end]);
            }
            start = end;
        }
        parts
    }

    #[test]
    fn sentences_end_where_a_reader_says_so() {
        for (text, expected) in [
            ("One. Two! Three?", &["One. ", "Two! ", "Three?"][..]),
            ("\"Go.\" (He went.) Then", &["\"Go.\" ", "(He went.) ", "Then"]),
            ("Mr. Smith and Dr. J. R. Who came. So", &["Mr. Smith and Dr. J. R. Who came. ", "So"]),
            ("It is 1.5 mg, e.g. daily. No", &["It is 1.5 mg, e.g. daily. ", "No"]),
            ("Wrapped at\nthe end. And\non", &["Wrapped at\nthe end. ", "And\non"]),
            ("患者は胸痛。投与は五mg。「はい。」次", &["患者は胸痛。", "投与は五mg。", "「はい。」", "次"]),
            ("a | b\n1 | 2\n", &["a | b\n", "1 | 2\n"]),
            ("Drugs:\n- one. \n- two\nend", &["Drugs:\n", "- one. \n", "- two\nend"]),
            ("Really?! Yes… No", &["Really?! ", "Yes… ", "No"]),
            ("", &[]),
        ] {
            assert_eq!(split(text), expected, "{text:?}");
        }
    }

    #[test]
    fn abbreviations_are_sorted_for_the_search() {
        assert!(ABBREVIATIONS.is_sorted());
    }
}
