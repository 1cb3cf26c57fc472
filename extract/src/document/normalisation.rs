//! The differences that are allowed between a quote and the text, and texts in which they are removed.

use std::{fmt, ops::Range};

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use super::{
    characters::{char_after, is_dash, is_east_asian, is_invisible, joins, quotation_mark},
    source_map::SourceMap,
};

/// A difference that is ignored when a quote is compared with the text. No other difference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Normalisation {
    /// The amount and kind of whitespace. A line break between two Chinese or Japanese characters
    /// is a space or nothing.
    WhiteSpace,
    /// The kind of quotation marks: `"`, `'`, `“`, `«`, `「` and the like. After a digit, single and
    /// double ones differ: `5'` is five feet, and `5"` five inches.
    QuotationMarks,
    /// The kind of dash: `-`, `–`, `—`, `−`, and `--` for one of them, except between digits.
    Dashes,
    /// Letters that are printed as one character: `ﬁ`.
    Ligatures,
    /// Invisible characters: soft hyphens, zero-width spaces, direction marks.
    Invisible,
    /// A hyphen at the end of a line, within a word: `exam-⏎ple` is `example`, and `well-⏎known` is
    /// `well-known`. As in other places, the line break may also be a space.
    Hyphenation,
    /// Characters that Unicode's compatibility composition (NFKC) makes equal, such as `é` in one
    /// or two characters, or the `Ａ` of East Asian fonts. A superscript digit next to another digit
    /// stays different: `10²` is not `102`.
    Unicode,
    /// Upper and lower case.
    Case,
}

impl Normalisation {
    /// All normalisations, in the order of their declaration.
    pub const ALL: [Self; 8] = [
        Self::WhiteSpace,
        Self::QuotationMarks,
        Self::Dashes,
        Self::Ligatures,
        Self::Invisible,
        Self::Hyphenation,
        Self::Unicode,
        Self::Case,
    ];
}

impl fmt::Display for Normalisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WhiteSpace => "white space",
            Self::QuotationMarks => "quotation marks",
            Self::Dashes => "dashes",
            Self::Ligatures => "ligatures",
            Self::Invisible => "invisible characters",
            Self::Hyphenation => "hyphenation",
            Self::Unicode => "Unicode composition",
            Self::Case => "case",
        })
    }
}

/// A set of normalisations. Prints as `white space, case`, or as `nothing` if it is empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<Normalisation>", into = "Vec<Normalisation>")]
pub struct Normalisations(u8);

impl Normalisations {
    /// All normalisations.
    pub(super) const ALL: Self = Self(u8::MAX);

    /// Returns whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the set contains `one`.
    pub fn contains(self, one: Normalisation) -> bool {
        self.0 & bit(one) != 0
    }

    /// Returns the normalisations in the set, in the order of their declaration.
    pub fn iter(self) -> impl Iterator<Item = Normalisation> {
        Normalisation::ALL.into_iter().filter(move |one| self.contains(*one))
    }

    /// The set without `one`.
    pub(super) fn without(self, one: Normalisation) -> Self {
        Self(self.0 & !bit(one))
    }
}

fn bit(one: Normalisation) -> u8 {
    1 << one as u8
}

impl FromIterator<Normalisation> for Normalisations {
    fn from_iter<I: IntoIterator<Item = Normalisation>>(all: I) -> Self {
        Self(all.into_iter().fold(0, |bits, one| bits | bit(one)))
    }
}

impl From<Vec<Normalisation>> for Normalisations {
    fn from(all: Vec<Normalisation>) -> Self {
        all.into_iter().collect()
    }
}

impl From<Normalisations> for Vec<Normalisation> {
    fn from(all: Normalisations) -> Self {
        all.iter().collect()
    }
}

impl fmt::Display for Normalisations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("nothing");
        }
        for (index, one) in self.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{one}")?;
        }
        Ok(())
    }
}

/// A normalised text, with the source of each of its parts.
///
/// Hyphens inside words are not part of the text, because a hyphen at the end of a line may or may
/// not belong to the word. They are kept in a separate list, and two texts are equal only if their
/// hyphens agree too.
#[derive(Debug)]
pub(super) struct FoldedText {
    text: String,
    map: SourceMap,
    hyphens: LineHyphens,
}

impl FoldedText {
    /// Normalises `text`, in linear time.
    pub(super) fn new(text: &str) -> Self {
        Self::with(text, Normalisations::ALL)
    }

    /// Like [`new`](Self::new), with these normalisations only.
    pub(super) fn with(text: &str, kinds: Normalisations) -> Self {
        let folded = Self {
            text: String::with_capacity(text.len()),
            map: SourceMap::default(),
            hyphens: LineHyphens::default(),
        };
        let mut reader = TextFolder { source: text, kinds, at: 0, before: None, folded };
        while let Some(c) = char_after(text, reader.at) {
            if !reader.plain_run() {
                reader.step(c);
            }
        }
        reader.folded
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn hyphens(&self) -> &LineHyphens {
        &self.hyphens
    }

    /// The bytes of the source that `range` of the normalised text comes from. `None` if the range
    /// starts or ends inside one character of the source.
    pub(super) fn source(&self, range: &Range<usize>) -> Option<Range<usize>> {
        self.map.exact_source(range)
    }

    /// The bytes of the source that `range` comes from, extended to whole characters.
    pub(super) fn source_around(&self, range: &Range<usize>) -> Option<Range<usize>> {
        self.map.source(range)
    }

    /// Returns whether both texts are equal.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        self.text == other.text
            && self.hyphens.agree(0..self.text.len(), &other.hyphens, &mut usize::MAX.clone())
    }
}

struct TextFolder<'t> {
    source: &'t str,
    kinds: Normalisations,
    /// The next byte to read.
    at: usize,
    /// The last visible character that was read.
    before: Option<char>,
    folded: FoldedText,
}

impl TextFolder<'_> {
    fn folds(&self, kind: Normalisation) -> bool {
        self.kinds.contains(kind)
    }

    /// Reads a run of ASCII letters and digits, which most texts mostly consist of. Returns whether
    /// there was one.
    fn plain_run(&mut self) -> bool {
        let rest = &self.source.as_bytes()[self.at..];
        let run = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        // The last one may combine with the character that follows.
        let is_last_open = rest.get(run).is_some_and(|byte| !byte.is_ascii());
        let end = self.at + run - usize::from(is_last_open && run > 0);
        let run = &self.source[self.at..end];
        let Some(last) = run.chars().next_back() else { return false };
        let start = self.folded.text.len();
        self.folded.text.push_str(run);
        if self.folds(Normalisation::Case) {
            self.folded.text[start..].make_ascii_lowercase();
        }
        self.folded.map.push_bytewise(self.at..end);
        (self.at, self.before) = (end, Some(last));
        true
    }

    fn step(&mut self, c: char) {
        if c.is_ascii_alphanumeric()
            && !char_after(self.source, self.at + 1).is_some_and(|next| joins(c, next))
        {
            let case = self.folds(Normalisation::Case);
            self.bytewise(if case { c.to_ascii_lowercase() } else { c }, c);
        } else if c.is_whitespace() {
            self.space(c);
        } else if self.folds(Normalisation::Invisible) && c != '\u{ad}' && is_invisible(c) {
            self.at += c.len_utf8();
        } else if c == '\u{ad}' {
            self.soft_hyphen();
        } else if is_dash(c) && (c == '-' || self.folds(Normalisation::Dashes)) {
            self.dash(c);
        } else if let Some(mark) = quotation_mark(c) {
            self.quotation_mark(c, mark);
        } else {
            self.character(c);
        }
    }

    /// Writes `folded`, which has as many bytes as `c`, for `c`.
    fn bytewise(&mut self, folded: char, c: char) {
        let end = self.at + c.len_utf8();
        self.folded.text.push(folded);
        self.folded.map.push_bytewise(self.at..end);
        (self.at, self.before) = (end, Some(c));
    }

    /// Writes `folded` for the source up to `end`, as a whole.
    fn whole(&mut self, folded: &str, end: usize) {
        let source = self.at..end;
        self.before = self.source[source.clone()].chars().next_back().or(self.before);
        self.folded.text.push_str(folded);
        if self.source[source.clone()] == *folded && folded.chars().count() == 1 {
            self.folded.map.push_bytewise(source);
        } else {
            self.folded.map.push_whole(folded.len(), source);
        }
        self.at = end;
    }

    /// The end of the run of characters from `start` that are `wanted`.
    fn run(&self, start: usize, wanted: impl Fn(char) -> bool) -> usize {
        let rest = &self.source[start..];
        start + rest.find(|c| !wanted(c)).unwrap_or(rest.len())
    }

    /// The end of the whitespace from `start`, including invisible characters.
    fn space_end(&self, start: usize) -> usize {
        let invisible = self.folds(Normalisation::Invisible);
        self.run(start, |c| c.is_whitespace() || (invisible && is_invisible(c)))
    }

    fn space(&mut self, c: char) {
        if !self.folds(Normalisation::WhiteSpace) {
            return self.whole(c.encode_utf8(&mut [0; 4]), self.at + c.len_utf8());
        }
        let end = self.space_end(self.at);
        let is_broken_line = self.source[self.at..end].contains(is_line_break);
        let after = char_after(self.source, end);
        if is_broken_line && self.before.is_some_and(is_east_asian) && after.is_some_and(is_east_asian) {
            self.at = end;
        } else {
            self.whole(" ", end);
        }
    }

    /// The end of the whitespace from `start`, if it contains a line break.
    fn line_break_end(&self, start: usize) -> Option<usize> {
        let end = self.space_end(start);
        self.source[start..end].contains(is_line_break).then_some(end)
    }

    fn soft_hyphen(&mut self) {
        let after = self.at + '\u{ad}'.len_utf8();
        let broken = self.line_break_end(after).filter(|_| self.folds(Normalisation::Hyphenation));
        match broken {
            Some(end) if self.is_within_word(end) => self.at = end,
            // All at once: otherwise each one would search for the end of the line again.
            _ if self.folds(Normalisation::Invisible) => self.at = self.run(after, is_invisible),
            _ => self.whole("\u{ad}", after),
        }
    }

    /// Returns whether the last character and the one at `next` belong to one word.
    fn is_within_word(&self, next: usize) -> bool {
        self.before.is_some_and(is_of_word) && char_after(self.source, next).is_some_and(is_of_word)
    }

    fn dash(&mut self, c: char) {
        let dashes = self.folds(Normalisation::Dashes);
        let run_end = self.run(self.at, if dashes { is_dash } else { |c| c == '-' });
        let end = self.at + c.len_utf8();
        if run_end > end {
            let is_numeric = |c: Option<char>| c.is_some_and(char::is_numeric);
            let is_between_digits = is_numeric(self.before) && is_numeric(char_after(self.source, run_end));
            return match dashes {
                // Two signs: of a range, and of a number.
                true if is_between_digits => self.whole("-", end),
                true if self.is_within_word(run_end) => self.hyphen(run_end, HyphenKind::Lasting),
                true => self.whole("-", run_end),
                false => self.whole(&self.source[self.at..run_end], run_end),
            };
        }
        let is_hyphen = matches!(c, '-' | '\u{2010}') && self.folds(Normalisation::Hyphenation);
        match self.line_break_end(end).filter(|_| is_hyphen) {
            Some(next) if self.is_within_word(next) => {
                let is_letter = |c: Option<char>| c.is_some_and(|c| !c.is_numeric());
                let is_of_line = is_letter(self.before) && is_letter(char_after(self.source, next));
                self.hyphen(next, if is_of_line { HyphenKind::OfLine } else { HyphenKind::Lasting });
            }
            _ if self.is_within_word(end) => self.hyphen(end, HyphenKind::Lasting),
            _ => self.whole("-", end),
        }
    }

    /// Records the source up to `end` as a hyphen inside a word.
    fn hyphen(&mut self, end: usize, kind: HyphenKind) {
        self.folded.hyphens.push(self.folded.text.len(), kind);
        (self.at, self.before) = (end, Some('-'));
    }

    fn quotation_mark(&mut self, c: char, mark: char) {
        let end = self.at + c.len_utf8();
        let mut folded = if self.folds(Normalisation::QuotationMarks) { mark } else { c };
        if folded == '"'
            && self.folds(Normalisation::QuotationMarks)
            && !self.before.is_some_and(char::is_numeric)
        {
            folded = '\'';
        }
        self.whole(folded.encode_utf8(&mut [0; 4]), end);
    }

    /// Reads a character with its combining characters.
    fn character(&mut self, c: char) {
        let mut end = self.at + c.len_utf8();
        let mut last = c;
        while let Some(next) = char_after(self.source, end).filter(|next| joins(last, *next)) {
            end += next.len_utf8();
            last = next;
        }
        let cluster = &self.source[self.at..end];
        let is_single = end == self.at + c.len_utf8();
        if is_single && is_plain(c) {
            return self.bytewise(c, c);
        }
        let kind = match c {
            '\u{fb00}'..='\u{fb06}' => Normalisation::Ligatures,
            _ => Normalisation::Unicode,
        };
        let composes = self.folds(kind) && !(is_single && self.is_raised_beside_digit(c, end));
        // Ligatures take their case from their letters.
        let cases = self.folds(Normalisation::Case) && (composes || kind != Normalisation::Ligatures);
        let folded: String = match (composes, cases) {
            (true, true) => cluster.nfkc().flat_map(folded_case).nfkc().collect(),
            (true, false) => cluster.nfkc().collect(),
            (false, true) => cluster.chars().flat_map(folded_case).collect(),
            (false, false) => cluster.to_owned(),
        };
        self.whole(&folded, end);
    }

    /// Returns whether `c`, which ends at `end`, is a digit of a special form, such as a
    /// superscript, next to an ordinary digit.
    fn is_raised_beside_digit(&self, c: char, end: usize) -> bool {
        let is_digit = |c: char| c.is_ascii_digit();
        c.is_numeric()
            && !matches!(c, '\u{ff10}'..='\u{ff19}' | '\u{1d7ce}'..='\u{1d7ff}' | '\u{1fbf0}'..='\u{1fbf9}')
            && (self.before.is_some_and(is_digit) || char_after(self.source, end).is_some_and(is_digit))
    }
}

/// `text` with a space for each byte of a line break.
pub(super) fn with_spaces(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut spaced, c| {
        if is_line_break(c) {
            spaced.extend(std::iter::repeat_n(' ', c.len_utf8()));
        } else {
            spaced.push(c);
        }
        spaced
    })
}

/// Returns whether a line break in the place of a space of `text` would be more than a space.
pub(super) fn may_break_lines(text: &str) -> bool {
    let is_joining = |c| matches!(c, '-' | '\u{2010}') || is_east_asian(c);
    let after = text.chars().skip(1);
    text.chars().zip(after).any(|(c, after)| is_joining(c) && after.is_whitespace())
}

fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || (!c.is_ascii() && joins('a', c))
}

/// Returns whether `c` belongs to the characters without case that no normalisation changes, which
/// most Chinese, Japanese and Korean text consists of.
fn is_plain(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(c, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// `c` in folded case. The dotless `ı` stays, because it is a different letter from `i`.
fn folded_case(c: char) -> impl Iterator<Item = char> {
    let upper = if c == 'ı' { None } else { Some(c.to_lowercase().flat_map(char::to_uppercase)) };
    let lower = upper.into_iter().flatten().flat_map(char::to_lowercase);
    lower.chain((c == 'ı').then_some(c))
}

/// Hyphens in order, by the byte of the normalised text that follows each.
#[derive(Debug, Default)]
pub(super) struct LineHyphens(Vec<LineHyphen>);

#[derive(Debug, Clone, Copy)]
struct LineHyphen {
    at: usize,
    kind: HyphenKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HyphenKind {
    /// It belongs to the word.
    Lasting,
    /// It may be there only because of a line break.
    OfLine,
}

impl LineHyphens {
    fn push(&mut self, at: usize, kind: HyphenKind) {
        self.0.push(LineHyphen { at, kind });
    }

    /// Where hyphens are that belong to the word, in order.
    pub(super) fn lasting(&self) -> impl Iterator<Item = usize> {
        self.0.iter().filter(|hyphen| hyphen.kind == HyphenKind::Lasting).map(|hyphen| hyphen.at)
    }

    /// Returns whether the hyphens within `range` match the hyphens of `quote`, whose text equals
    /// the text there. Takes its steps from `steps`, and returns `false` if none are left.
    pub(super) fn agree(&self, range: Range<usize>, quote: &Self, steps: &mut usize) -> bool {
        let first = self.0.partition_point(|hyphen| hyphen.at <= range.start);
        let mut own = self.0[first..].iter().take_while(|hyphen| hyphen.at < range.end).peekable();
        let mut others = quote.0.iter().peekable();
        loop {
            let Some(left) = steps.checked_sub(1) else { return false };
            *steps = left;
            let (mine, theirs) =
                (own.peek().map(|one| one.at - range.start), others.peek().map(|one| one.at));
            match (mine, theirs) {
                (None, None) => return true,
                (Some(mine), Some(theirs)) if mine == theirs => {
                    own.next();
                    others.next();
                }
                (Some(mine), theirs) if theirs.is_none_or(|theirs| mine < theirs) => {
                    if !own.next().is_some_and(|hyphen| hyphen.kind == HyphenKind::OfLine) {
                        return false;
                    }
                }
                _ => {
                    if !others.next().is_some_and(|hyphen| hyphen.kind == HyphenKind::OfLine) {
                        return false;
                    }
                }
            }
        }
    }
}
