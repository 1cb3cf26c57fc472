//! Dates: whether a quote says a calendar day.

use std::{fmt, ops::Range};

use unicode_normalization::UnicodeNormalization;

use super::numerals::digit;

/// A calendar day, such as `2026-03-12`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CalendarDay {
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

/// Names that are also other words. They are months beside a number.
const WORDS: [&str; 6] = ["march", "may", "mar", "mars", "mai", "mei"];

/// Words between a day and its month.
const JOINTS: [&str; 9] = ["st", "nd", "rd", "th", "er", "of", "de", "del", "den"];

/// Eras by the name before the number of a year, and the year before their first. They are the Japanese
/// ones since 1868, and that of the Republic of China.
const ERAS: [(&str, u32); 7] = [
    ("令和", 2018),
    ("平成", 1988),
    ("昭和", 1925),
    ("大正", 1911),
    ("明治", 1867),
    ("民國", 1911),
    ("民国", 1911),
];

impl CalendarDay {
    /// Parses a date in the form of RFC 3339, with or without a time.
    pub(crate) fn parse(text: &str) -> Option<Self> {
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

    /// Returns the day that `text` consists of, in a form that every reader reads in the same way: `5 March 2024`,
    /// `2024/03/05`, `2024年3月5日`. Dates in numbers that end with the year have two orders by custom: `3/4/2024`.
    pub(crate) fn written_as(text: &str) -> Option<Self> {
        let text: String = text.trim().nfc().flat_map(char::to_lowercase).collect();
        let is_name = |word: &str| {
            matches!(word, "年" | "月" | "日" | "년" | "월" | "일")
                || MONTHS.iter().any(|names| names.contains(&word))
        };
        let is_known = |word: &str| word.is_empty() || JOINTS.contains(&word) || is_name(word);
        let is_sign = |c: char| digit(c).is_some() || matches!(c, ' ' | ',' | '.' | '/' | '-');
        let said = SaidDates::read(&text);
        let [date] = said.written[..] else { return None };
        if !said.numbers.is_empty() || !said.months.is_empty() || !text.split(is_sign).all(is_known) {
            return None;
        }
        let (year, month, day) = (date.year.filter(Number::is_whole_year)?, date.month?, date.day?);
        let is_named = text.split(is_sign).any(is_name);
        // `2024-13-04` is a slip, and no custom.
        let is_year_first =
            year.start == 0 && numbers(&text).get(1).is_none_or(|second| second.value == month);
        let is_plain = text.starts_with(char::is_alphanumeric) && text.ends_with(char::is_alphanumeric);
        (is_plain && (is_named || is_year_first)).then_some(Self {
            year: year.value,
            month,
            day,
            has_time: false,
        })
    }

    /// Returns whether `quote` has this day; `None` if that cannot be decided. A time is not checked, so `quote`
    /// is never said to have a date with one.
    pub(crate) fn is_in(self, quote: &str) -> Option<bool> {
        let text: String = quote.nfc().flat_map(char::to_lowercase).collect();
        let said = SaidDates::read(&text);
        let written = said.written.iter().map(|date| self.is_date(date, &said));
        let found: Vec<Option<bool>> = written.chain([self.is_named(&said)]).collect();
        if found.contains(&Some(true)) {
            return (!self.has_time).then_some(true);
        }
        let has_date = !said.written.is_empty() || said.names_date();
        (has_date && !found.contains(&None)).then_some(false)
    }

    /// Returns whether `date` is this day, if that can be decided. A date without a year is of a year that
    /// stands elsewhere.
    fn is_date(self, date: &WrittenDate, said: &SaidDates) -> Option<bool> {
        let is_year = match date.year {
            Some(year) => self.is_year(year),
            None => said.may_be_in(self.year),
        };
        let is_same = |number: Option<u32>, own| number.is_none_or(|number| number == own);
        if !is_year || !is_same(date.month, self.month) || !is_same(date.day, self.day) {
            Some(false)
        } else if date.year.is_some() && date.month.is_some() && date.day.is_some() {
            Some(true)
        } else {
            None
        }
    }

    /// Returns whether the rest of the quote says this day, if that can be decided.
    fn is_named(self, said: &SaidDates) -> Option<bool> {
        let is_month = said.months.iter().any(|month| month.month == self.month);
        let is_day = said.numbers.iter().any(|number| number.is_day() && number.value == self.day);
        let has_year = said.numbers.iter().any(|number| number.len == 4 && number.value == self.year);
        if is_month && is_day && has_year {
            return Some(true);
        }
        let may_be_month = is_month || said.months.iter().all(|month| !month.is_certain);
        let may_be_day = is_day || !said.has_year() || !said.numbers.iter().any(Number::is_day);
        if (is_month || said.names_date()) && may_be_month && may_be_day && said.may_be_in(self.year) {
            None
        } else {
            Some(false)
        }
    }

    fn is_year(self, number: Number) -> bool {
        match number.len {
            4 => number.value == self.year,
            2 => number.value == self.year % 100,
            _ => false,
        }
    }
}

impl fmt::Display for CalendarDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// A number in digits.
#[derive(Debug, Clone, Copy)]
struct Number {
    value: u32,
    /// How many digits it has.
    len: usize,
    /// Its bytes.
    start: usize,
    end: usize,
}

impl Number {
    fn is_day(&self) -> bool {
        self.len < 3 && (1..=31).contains(&self.value)
    }

    fn is_month(&self) -> bool {
        self.len < 3 && (1..=12).contains(&self.value)
    }

    fn is_whole_year(&self) -> bool {
        self.len == 4 && (1800..2200).contains(&self.value)
    }
}

/// A date by one of its readings. What it does not have is `None`.
#[derive(Debug, Clone, Copy)]
struct WrittenDate {
    year: Option<Number>,
    month: Option<u32>,
    day: Option<u32>,
}

/// The name of a month without a day.
#[derive(Debug)]
struct NamedMonth {
    month: u32,
    /// Whether it cannot be another word.
    is_certain: bool,
}

/// What a quote says about dates.
#[derive(Debug, Default)]
struct SaidDates {
    /// The dates with a month, with all their readings.
    written: Vec<WrittenDate>,
    /// The other numbers and months.
    numbers: Vec<Number>,
    months: Vec<NamedMonth>,
}

/// Maximum numbers and names of months that are examined. A quote with more is a table.
const MOST_PARTS: usize = 40;

impl SaidDates {
    /// Reads `text`, which is in lower case.
    fn read(text: &str) -> Self {
        let mut said = Self::default();
        let mut numbers = numbers(text);
        for (month, range) in months(text) {
            let date = DateByName::read(text, &numbers, &range);
            let is_certain =
                !WORDS.contains(&&text[range]) || date.year.is_some_and(|year| year.is_whole_year());
            if date.days.is_empty() {
                said.months.push(NamedMonth { month, is_certain });
                continue;
            }
            said.written.extend(date.readings(month));
            let year = date.year.filter(|_| !date.may_lack_year);
            numbers.retain(|one| date.days.iter().chain(&year).all(|used| used.start != one.start));
        }
        let mut rest = &numbers[..];
        while let [first, ..] = rest {
            let (count, dates) = if unit(text, *first).is_some() {
                with_units(text, rest)
            } else {
                let (count, sign) = chain(text, rest);
                (count, in_numbers(text, &rest[..count], sign))
            };
            let (own, others) = rest.split_at(count);
            rest = others;
            if dates.is_empty() {
                said.numbers.extend(own);
            }
            said.written.extend(dates);
        }
        said
    }

    /// The years that are not in a written date.
    fn years(&self) -> impl Iterator<Item = &Number> {
        self.numbers.iter().filter(|number| number.is_whole_year())
    }

    fn has_year(&self) -> bool {
        self.years().next().is_some()
    }

    /// Returns whether a date without a year may be in `year`.
    fn may_be_in(&self, year: u32) -> bool {
        let written = self.written.iter().filter_map(|date| date.year.as_ref());
        let mut years = written.filter(|year| year.is_whole_year()).chain(self.years()).peekable();
        years.peek().is_none() || years.any(|one| one.value == year)
    }

    /// Returns whether the rest, outside of written dates, names a date or a part of one.
    fn names_date(&self) -> bool {
        self.has_year() || self.months.iter().any(|month| month.is_certain)
    }
}

/// The numbers in `text`, in digits of any script, apart from times.
fn numbers(text: &str) -> Vec<Number> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(|c| digit(c).is_some()).map(|start| at + start) {
        let end = text[start..].find(|c| digit(c).is_none()).map_or(text.len(), |end| start + end);
        let digits: String = text[start..end].chars().filter_map(digit).take(9).collect();
        let number = digits.parse().ok().map(|value| Number { value, len: digits.len(), start, end });
        found.extend(number.filter(|number| !is_time(text, *number)));
        at = end;
        if found.len() == MOST_PARTS {
            break;
        }
    }
    found
}

/// How many of `numbers`, which begin with one, are joined by the same separator, and that.
fn chain(text: &str, numbers: &[Number]) -> (usize, Option<char>) {
    let separators = || numbers.windows(2).map(|two| separator(two[0], &text[two[0].end..two[1].start]));
    let first = separators().next().flatten();
    (1 + separators().take_while(|one| one.is_some() && *one == first).count(), first)
}

/// The separator of the parts of a date that `between` is, which stands after `number`.
fn separator(number: Number, between: &str) -> Option<char> {
    let is_close = !between.contains(char::is_whitespace);
    match between.trim() {
        _ if between.contains('\n') => None,
        "/" | "／" => Some('/'),
        // A year with a space after it ends its sentence.
        "." | "．" if is_close || number.len < 3 => Some('.'),
        // With spaces it is a range.
        "-" | "‐" | "‑" | "–" | "－" if is_close => Some('-'),
        _ => None,
    }
}

/// The readings of `numbers`, which are joined by `separator`, as a date: `3/4/2024` has two.
fn in_numbers(text: &str, numbers: &[Number], separator: Option<char>) -> Vec<WrittenDate> {
    match *numbers {
        [one] if one.len == 8 => compact(one),
        [one, two] => {
            let is_day_and_month = separator == Some('/');
            let has_dots = separator == Some('.') && text[two.end..].starts_with(['.', '．']);
            let in_year = |year: Number, month: Number| {
                let is_month = year.is_whole_year() && month.is_month();
                is_month.then_some(WrittenDate { year: Some(year), month: Some(month.value), day: None })
            };
            let mut dates: Vec<_> = in_year(one, two).or_else(|| in_year(two, one)).into_iter().collect();
            if is_day_and_month || has_dots {
                dates.extend(date(None, two, one));
            }
            if is_day_and_month {
                dates.extend(date(None, one, two));
            }
            dates
        }
        [year, one, two] if year.is_whole_year() => {
            first_of([date(Some(year), one, two), date(Some(year), two, one)])
        }
        [one, two, year] if year.is_whole_year() || (year.len == 2 && one.len < 3) => {
            let (day_first, month_first) = (date(Some(year), two, one), date(Some(year), one, two));
            if separator == Some('.') {
                return first_of([day_first, month_first]);
            }
            let year_first = if one.len == 2 { date(Some(one), two, year) } else { None };
            [day_first, month_first, year_first].into_iter().flatten().collect()
        }
        _ => Vec::new(),
    }
}

fn first_of(dates: [Option<WrittenDate>; 2]) -> Vec<WrittenDate> {
    dates.into_iter().flatten().take(1).collect()
}

fn date(year: Option<Number>, month: Number, day: Number) -> Option<WrittenDate> {
    let is_date = month.is_month() && day.is_day();
    is_date.then_some(WrittenDate { year, month: Some(month.value), day: Some(day.value) })
}

/// The readings of eight digits, of which the first or last four are the year.
fn compact(digits: Number) -> Vec<WrittenDate> {
    let year = |divisor: u32| Number { value: digits.value / divisor % 10_000, len: 4, ..digits };
    let part = |divisor: u32| Number { value: digits.value / divisor % 100, len: 2, ..digits };
    let in_numbers = |year: Number, month: Number, day: Number| {
        if year.is_whole_year() { date(Some(year), month, day) } else { None }
    };
    let year_first = in_numbers(year(10_000), part(100), part(1));
    let (first, second) = (part(1_000_000), part(10_000));
    let year_last = [in_numbers(year(1), second, first), in_numbers(year(1), first, second)];
    if year_first.is_some() {
        first_of([year_first, None])
    } else {
        year_last.into_iter().flatten().collect()
    }
}

/// A unit behind a number of a date in Chinese, Japanese or Korean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum DateUnit {
    Year,
    Month,
    Day,
}

fn unit(text: &str, number: Number) -> Option<DateUnit> {
    match text[number.end..].trim_start().chars().next()? {
        '年' | '년' => Some(DateUnit::Year),
        '月' | '월' => Some(DateUnit::Month),
        '日' | '号' | '號' | '일' => Some(DateUnit::Day),
        _ => None,
    }
}

/// The date that begins `numbers`, whose first has a unit, and of how many numbers it consists.
/// A number of years or days is none: `3年`.
fn with_units(text: &str, numbers: &[Number]) -> (usize, Vec<WrittenDate>) {
    let mut date = WrittenDate { year: None, month: None, day: None };
    let (mut count, mut last) = (0, None);
    for number in numbers {
        let unit = unit(text, *number);
        let is_next = count == 0 || text[numbers[count - 1].end..number.start].trim().chars().count() == 1;
        if unit.is_none() || unit <= last || !is_next {
            break;
        }
        match unit {
            Some(DateUnit::Year) => date.year = Some(in_era(text, *number)),
            Some(DateUnit::Month) => date.month = Some(number.value),
            _ => date.day = Some(number.value),
        }
        (count, last) = (count + 1, unit);
    }
    let is_date = date.month.is_some() || date.year.is_some_and(|year| year.is_whole_year());
    (count, if is_date { vec![date] } else { Vec::new() })
}

/// `year` in the common era, if the name of another stands before it.
fn in_era(text: &str, year: Number) -> Number {
    let before = text[..year.start].trim_end();
    match ERAS.iter().find(|(name, _)| before.ends_with(name)) {
        Some((_, first)) => Number { value: year.value.saturating_add(*first), len: 4, ..year },
        None => year,
    }
}

/// Returns whether `number` is a part of a time: `14:30`.
fn is_time(text: &str, number: Number) -> bool {
    let starts =
        |text: &str| text.strip_prefix(':').is_some_and(|rest| rest.starts_with(|c| digit(c).is_some()));
    let ends = |text: &str| text.strip_suffix(':').is_some_and(|rest| rest.ends_with(|c| digit(c).is_some()));
    number.len < 3 && (starts(&text[number.end..]) || ends(&text[..number.start]))
}

/// The months named in `text`, with their places.
fn months(text: &str) -> Vec<(u32, Range<usize>)> {
    let is_mark = |c: char| !c.is_alphabetic();
    let words = text.split_inclusive(is_mark).scan(0, |at, piece| {
        let start = *at;
        *at += piece.len();
        Some((start, piece.trim_end_matches(is_mark)))
    });
    let named = words.filter_map(|(start, word)| {
        let (month, _) = (1..).zip(MONTHS).find(|(_, names)| names.contains(&word))?;
        Some((month, start..start + word.len()))
    });
    named.take(MOST_PARTS).collect()
}

/// The numbers beside the name of a month: `12 and 13 March 2026`, `March 12th, 2026`.
#[derive(Debug)]
struct DateByName {
    days: Vec<Number>,
    year: Option<Number>,
    /// Whether `year` may also be another number: `12 March 26`.
    may_lack_year: bool,
}

impl DateByName {
    fn read(text: &str, numbers: &[Number], month: &Range<usize>) -> Self {
        let before = end_before(&text[..month.start]);
        let behind = |at: usize| {
            let start = start_after(text, at);
            numbers.iter().position(|number| number.start == start)
        };
        let is_listed = |one: &Number, next: &Number| one.is_day() && is_list(&text[one.end..next.start]);
        let last_day = numbers.iter().position(|number| number.end == before && number.is_day());
        // `March, 2 items` is no day.
        let is_day = |day: Number| day.is_day() && !text[month.end..day.start].contains(',');
        let first_day = behind(month.end).filter(|at| last_day.is_none() && is_day(numbers[*at]));
        let days = match (last_day, first_day) {
            (Some(last), _) => {
                let others = numbers[..=last].windows(2).rev().take_while(|two| is_listed(&two[0], &two[1]));
                &numbers[last - others.count()..=last]
            }
            (None, Some(first)) => {
                let is_other = |two: &&[Number]| two[1].is_day() && is_listed(&two[0], &two[1]);
                let others = numbers[first..].windows(2).take_while(is_other);
                &numbers[first..=first + others.count()]
            }
            (None, None) => &[],
        };
        let end = days.last().map_or(month.end, |day| day.end.max(month.end));
        let year = behind(end).map(|at| numbers[at]).filter(|year| year.len == 2 || year.is_whole_year());
        let is_joined =
            |between: &str| !between.contains(char::is_whitespace) || between.contains(['\'', '’']);
        let may_lack_year = year.is_none_or(|year| year.len == 2 && !is_joined(&text[end..year.start]));
        Self { days: days.to_vec(), year, may_lack_year }
    }

    /// The dates that it may be.
    fn readings(&self, month: u32) -> impl Iterator<Item = WrittenDate> {
        let years = self.year.map(Some).into_iter().chain(self.may_lack_year.then_some(None));
        years.flat_map(move |year| {
            self.days.iter().map(move |day| WrittenDate { year, month: Some(month), day: Some(day.value) })
        })
    }
}

/// Returns whether `between` stands between the days of a month: `12th and 13th`, `3-5`.
fn is_list(between: &str) -> bool {
    const WORDS: [&str; 12] = ["and", "to", "or", "und", "bis", "et", "au", "y", "e", "a", "en", "tot"];
    let mut words = between.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    between.len() < 16 && words.all(|word| JOINTS.contains(&word) || WORDS.contains(&word))
}

/// Signs between a day and its month.
const SIGNS: [char; 9] = ['.', ',', '-', '/', '\'', '’', 'º', 'ª', '°'];

fn is_between(c: char) -> bool {
    c.is_whitespace() || SIGNS.contains(&c)
}

/// Where the text before a month ends, without the words and signs between them.
fn end_before(text: &str) -> usize {
    let mut text = text.trim_end_matches(is_between);
    for _ in 0..2 {
        let joint = JOINTS.iter().filter_map(|joint| text.strip_suffix(joint));
        let Some(rest) =
            joint.min_by_key(|rest| rest.len()).filter(|rest| !rest.ends_with(char::is_alphabetic))
        else {
            break;
        };
        text = rest.trim_end_matches(is_between);
    }
    text.len()
}

/// Where the text after a month begins, which ends at `at`, without the words and signs between.
fn start_after(text: &str, at: usize) -> usize {
    let rest = text[at..].trim_start_matches(is_between);
    let word = rest.find(|c: char| !c.is_alphabetic()).map_or(rest, |end| &rest[..end]);
    let rest = if JOINTS.contains(&word) || word == "the" {
        rest[word.len()..].trim_start_matches(is_between)
    } else {
        rest
    };
    text.len() - rest.len()
}
