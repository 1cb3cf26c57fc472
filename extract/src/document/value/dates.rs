//! Decides whether a date occurs in a quote.

use crate::document::{
    fold::FoldedText,
    value::{digits::digit, presence::ValuePresence},
};

/// A calendar day, such as `2026-03-12`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CalendarDay {
    year: u32,
    month: u32,
    day: u32,
    /// Whether a time follows.
    has_time: bool,
}

/// The names of each month in English, German, French, Spanish, Portuguese, Italian and Dutch, with
/// abbreviations.
const MONTHS: [&[&str]; 12] = [
    &[
        "january", "jan", "januar", "jänner", "janvier", "janv", "enero", "ene", "janeiro", "gennaio",
        "genn", "januari",
    ],
    &[
        "february",
        "feb",
        "februar",
        "février",
        "févr",
        "febrero",
        "fevereiro",
        "fev",
        "febbraio",
        "febbr",
        "februari",
    ],
    &["march", "mar", "märz", "mrz", "mars", "marzo", "março", "maart", "mrt"],
    &["april", "apr", "avril", "avr", "abril", "abr", "aprile"],
    &["may", "mai", "mayo", "maio", "maggio", "magg", "mei"],
    &["june", "jun", "juni", "juin", "junio", "junho", "giugno", "giu"],
    &["july", "jul", "juli", "juillet", "juil", "julio", "julho", "luglio", "lug"],
    &["august", "aug", "août", "agosto", "augustus"],
    &["september", "sep", "sept", "septembre", "septiembre", "setembro", "settembre", "sett"],
    &["october", "oct", "oktober", "okt", "octobre", "octubre", "outubro", "ottobre", "ott"],
    &["november", "nov", "novembre", "noviembre", "novembro"],
    &["december", "dec", "dezember", "dez", "décembre", "déc", "diciembre", "dic", "dezembro", "dicembre"],
];

/// Names that are also other words.
const WORDS: [&str; 6] = ["march", "may", "mar", "mars", "mai", "mei"];

impl CalendarDay {
    /// Parses a date in the form of RFC 3339, with or without a time.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (date, rest) = text.split_at_checked(10)?;
        let mut parts = date.split('-');
        let mut part = |len: usize| {
            let digits = parts.next()?;
            let is_number = digits.len() == len && digits.bytes().all(|byte| byte.is_ascii_digit());
            if is_number { digits.parse().ok() } else { None }
        };
        let (year, month, day) = (part(4)?, part(2)?, part(2)?);
        let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
        let has_time = !rest.is_empty();
        (is_date && (!has_time || rest.starts_with(['T', 't', ' ']))).then_some(Self {
            year,
            month,
            day,
            has_time,
        })
    }

    /// Decides whether `quote` has this day. A time is not checked, so a date with a time is never
    /// [`ValuePresence::Yes`].
    pub(super) fn is_in(self, quote: &str) -> ValuePresence {
        let folded = FoldedText::new(quote);
        let (numbers, months) = (runs(quote), months(folded.text()));
        if self.is_written(&numbers, &months) {
            return if self.has_time { ValuePresence::Undecided } else { ValuePresence::Yes };
        }
        let has_number = |number: u32| numbers.iter().any(|run| run.value == number);
        let mut years =
            numbers.iter().filter(|run| run.len == 4 && (1800..2200).contains(&run.value)).peekable();
        if years.peek().is_some() {
            if years.all(|run| run.value != self.year) {
                return ValuePresence::No;
            }
            let mut days =
                numbers.iter().filter(|run| run.len < 3 && (1..=31).contains(&run.value)).peekable();
            let has_days = days.peek().is_some();
            let is_other_month = !months.is_empty()
                && !has_number(self.month)
                && months.iter().all(|(month, is_word)| *month != self.month && !is_word);
            if has_days && (is_other_month || days.all(|run| run.value != self.day)) {
                return ValuePresence::No;
            }
        }
        ValuePresence::Undecided
    }

    /// Returns whether year, month and day are there, each separately.
    fn is_written(self, numbers: &[DigitRun], months: &[(u32, bool)]) -> bool {
        let compact = self.year * 10_000 + self.month * 100 + self.day;
        if numbers.iter().any(|run| run.len == 8 && run.value == compact) {
            return true;
        }
        let is_year = |run: &DigitRun| {
            (run.len == 4 && run.value == self.year) || (run.len == 2 && run.value == self.year % 100)
        };
        let is_short = |run: &DigitRun, number: u32| run.len < 3 && run.value == number;
        let has_name = months.iter().any(|(month, _)| *month == self.month);
        // A quote has few numbers: try every assignment.
        (0..numbers.len()).filter(|at| is_year(&numbers[*at])).any(|year| {
            (0..numbers.len()).filter(|at| *at != year && is_short(&numbers[*at], self.day)).any(|day| {
                let mut others = (0..numbers.len()).filter(|at| *at != year && *at != day);
                has_name || others.any(|at| is_short(&numbers[at], self.month))
            })
        })
    }
}

/// A run of digits.
#[derive(Debug)]
struct DigitRun {
    value: u32,
    len: usize,
}

/// Maximum runs that are examined. A quote with more numbers is a table.
const MOST_RUNS: usize = 40;

fn runs(text: &str) -> Vec<DigitRun> {
    let runs = text.split(|c| digit(c).is_none()).filter(|run| !run.is_empty()).take(MOST_RUNS);
    runs.filter_map(|run| {
        let digits: String = run.chars().filter_map(digit).take(9).collect();
        Some(DigitRun { value: digits.parse().ok()?, len: digits.len() })
    })
    .collect()
}

/// The months named in a normalised text, each with whether its name may be another word.
fn months(folded: &str) -> Vec<(u32, bool)> {
    let words = folded.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 2);
    let month =
        |word: &str| (1..).zip(MONTHS).find(|(_, names)| names.contains(&word)).map(|(month, _)| month);
    words.filter_map(|word| Some((month(word)?, WORDS.contains(&word)))).take(MOST_RUNS).collect()
}
