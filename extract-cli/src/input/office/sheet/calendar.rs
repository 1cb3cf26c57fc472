//! Dates and times of Excel, which are numbers of days.

/// How a number is shown as a date or time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DateForm {
    /// With a date.
    Date,
    /// A time of the day only.
    Time,
    /// Hours that may be more than 24.
    Elapsed,
}

/// Seconds of a day.
const DAY: i64 = 86_400;

/// The day after 9999-12-31.
const END: f64 = 2_958_466.0;

/// A number of days in ISO 8601, such as `2026-01-31`, `2026-01-31T13:45:00` or `13:45:00`; `None` if
/// no date has this number.
pub(super) fn iso(days: f64, shown: DateForm, is_1904: bool) -> Option<String> {
    if !(0.0..END).contains(&days) {
        return None;
    }
    #[allow(clippy::cast_possible_truncation, reason = "limited above")]
    let seconds = (days * 86_400.0).round() as i64;
    if shown == DateForm::Elapsed || (shown == DateForm::Time && seconds < DAY) {
        return Some(time(seconds));
    }
    let (day, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let date = if is_1904 {
        date(day + DAYS_TO_1904)
    } else {
        match day {
            // Excel has a 29th of February 1900, so that the days before it are one later.
            60 => "1900-02-29".to_owned(),
            0..60 => date(day + DAYS_TO_1899 + 1),
            _ => date(day + DAYS_TO_1899),
        }
    };
    Some(if second == 0 { date } else { format!("{date}T{}", time(second)) })
}

/// Days from 1970-01-01 to 1904-01-01 and to 1899-12-30.
const DAYS_TO_1904: i64 = -24_107;
const DAYS_TO_1899: i64 = -25_569;

fn time(seconds: i64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

/// The date of a day counted from 1970-01-01 in the Gregorian calendar.
/// Source: <https://howardhinnant.github.io/date_algorithms.html>, `civil_from_days`.
fn date(day: i64) -> String {
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{of_month:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_days_are_dates() {
        for (days, shown, is_1904, iso_text) in [
            (46_053.0, DateForm::Date, false, "2026-01-31"),
            (46_053.572_916_666_7, DateForm::Date, false, "2026-01-31T13:45:00"),
            (44_591.0, DateForm::Date, true, "2026-01-31"),
            (1.0, DateForm::Date, false, "1900-01-01"),
            (59.0, DateForm::Date, false, "1900-02-28"),
            (60.0, DateForm::Date, false, "1900-02-29"),
            (61.0, DateForm::Date, false, "1900-03-01"),
            (45_351.0, DateForm::Date, false, "2024-02-29"),
            (2_958_465.0, DateForm::Date, false, "9999-12-31"),
            (0.572_916_666_7, DateForm::Time, false, "13:45:00"),
            (1.104_166_666_7, DateForm::Elapsed, false, "26:30:00"),
        ] {
            assert_eq!(iso(days, shown, is_1904).as_deref(), Some(iso_text), "{days}");
        }
        for days in [-1.0, 2_958_466.0, f64::NAN, f64::INFINITY] {
            assert_eq!(iso(days, DateForm::Date, false), None);
        }
    }
}
