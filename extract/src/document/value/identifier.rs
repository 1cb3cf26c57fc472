//! Strings that a quote either has or contradicts, although they are no numbers or dates: addresses, times of day, and
//! codes with digits.

use super::{PresenceResult, ValuePresence, has_digits, is_written, numerals::digit};
use crate::vocabulary::digits::PlainDecimal;

/// Least digits of a number in a string that is looked up. Shorter ones are also months, hours and counts, which a text
/// writes in words.
const SHORTEST: usize = 3;

/// Most such numbers of one string that are looked up.
const MOST: usize = 64;

/// Decides whether `quote`, which does not have the words of `text`, says something else.
pub(super) fn presence(quote: &str, text: &str) -> PresenceResult {
    if is_other_address(quote, text) || is_other_time(quote, text) || is_other_uuid(quote, text) {
        return ValuePresence::No.into();
    }
    let said = QuotedDigits::of(quote);
    let denied = numbers(text).take(MOST).filter(|number| !said.has(number)).find_map(|number| {
        // Zeros before a number are not said in words.
        if number.starts_with('0') && !said.all.is_empty() {
            return Some(ValuePresence::No.into());
        }
        let number = PlainDecimal::of_digits(&number)?;
        Some(is_written(quote, &number, false)).filter(|said| said.presence == ValuePresence::No)
    });
    denied.unwrap_or(ValuePresence::Undecided.into())
}

/// Returns whether `quote` has e-mail addresses, and not the one that `text` is.
fn is_other_address(quote: &str, text: &str) -> bool {
    let is_address = matches!(text.split_once('@'), Some((name, host)) if !name.is_empty() && host.contains('.'))
        && !text.contains(char::is_whitespace);
    let plain = |text: &str| text.replace(char::is_whitespace, "").to_lowercase();
    is_address && quote.contains('@') && !plain(quote).contains(&plain(text))
}

/// Returns whether `quote` has digits, and not the UUID that `text` is.
fn is_other_uuid(quote: &str, text: &str) -> bool {
    let plain = |text: &str| -> String {
        text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    };
    let is_uuid = text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    is_uuid && has_digits(quote) && !plain(quote).contains(&plain(text))
}

/// Returns whether `quote` has times, and not the one that `text` is, or that follows the date in it. The
/// quote may count the hours to twelve.
pub(super) fn is_other_time(quote: &str, text: &str) -> bool {
    let time = text.get(11..).filter(|_| text.contains('-')).unwrap_or(text);
    // With an offset, it may be converted.
    let is_local =
        time.len() >= 5 && time.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'));
    let Some((hour, minute)) = times(time).next().filter(|_| is_local) else { return false };
    let mut said = times(quote).peekable();
    said.peek().is_some() && !said.any(|(other, past)| past == minute && other % 12 == hour % 12)
}

/// The hours and minutes of the times in `text`: `10:30`, `15h20`.
fn times(text: &str) -> impl Iterator<Item = (u32, u32)> {
    text.match_indices([':', 'h']).filter_map(|(at, _)| {
        let before = text[..at].rsplit(|c: char| !c.is_ascii_digit()).next()?;
        let after = text[at + 1..].split(|c: char| !c.is_ascii_digit()).next()?;
        let is_seconds = text[..at - before.len()].ends_with(':');
        let (hour, minute) = (before.parse().ok()?, after.parse().ok()?);
        (before.len() <= 2 && after.len() == 2 && hour <= 24 && minute < 60 && !is_seconds)
            .then_some((hour, minute))
    })
}

/// The numbers of at least [`SHORTEST`] digits in `text`, without those that may be years.
fn numbers(text: &str) -> impl Iterator<Item = String> {
    let words = text.split_whitespace().flat_map(|word| {
        let is_code = word.contains(|c: char| c.is_ascii_alphabetic());
        word.split(|c| digit(c).is_none()).map(move |digits| (digits, is_code))
    });
    let numbers =
        words.map(|(digits, is_code)| (digits.chars().filter_map(digit).collect::<String>(), is_code));
    let is_year = |number: &str| number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
    numbers.filter_map(move |(number, is_code)| {
        (number.len() >= SHORTEST && (is_code || !is_year(&number))).then_some(number)
    })
}

/// The digits of a quote.
struct QuotedDigits {
    /// One after the other: groups are not told apart.
    all: String,
    /// Each number, without its first zeros.
    numbers: Vec<String>,
}

impl QuotedDigits {
    fn of(quote: &str) -> Self {
        let numbers = quote.split(|c| digit(c).is_none()).filter(|number| !number.is_empty());
        let numbers = numbers.map(|number| number.chars().filter_map(digit).collect::<String>());
        let (mut all, mut bare) = (String::new(), Vec::new());
        for number in numbers {
            all.push_str(&number);
            bare.push(number.trim_start_matches('0').to_owned());
        }
        Self { all, numbers: bare }
    }

    /// Returns whether `number` is among them: in groups, without its first zeros, or, of a telephone number, with or
    /// without what comes before it.
    fn has(&self, number: &str) -> bool {
        let bare = number.trim_start_matches('0');
        let end = self.all.trim_start_matches('0');
        self.all.contains(number)
            || self.numbers.iter().any(|one| one == bare)
            || bare.len() > SHORTEST && self.all.contains(bare)
            || end.len() > SHORTEST && bare.ends_with(end)
    }
}
