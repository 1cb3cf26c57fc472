//! Dates of files.

use std::{
    fs,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

/// The day on which a file was last written, in UTC; today if it is unknown.
pub(super) fn of(path: Option<&Path>) -> String {
    let written = path.and_then(|path| fs::metadata(path).ok()?.modified().ok());
    let time = written.unwrap_or_else(SystemTime::now).duration_since(UNIX_EPOCH).unwrap_or_default();
    day(time.as_secs() / (24 * 60 * 60))
}

/// The date of a day after 1970-01-01, in the Gregorian calendar.
fn day(days: u64) -> String {
    // Years start in March, so that a leap day is the last of its year; day 0 is 0000-03-01.
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year_of_era + later)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        for (days, date) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_517, "2026-03-05"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(day(days), date);
        }
    }
}
