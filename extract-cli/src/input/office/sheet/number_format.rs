//! Number formats of Excel, which say whether a number is a date.

use super::calendar::DateForm;

/// How a built-in format shows a number; `None` as a number.
/// Source: ECMA-376, part 1, 18.8.30, with the formats of its East Asian languages.
pub(super) fn built_in(id: u32) -> Option<DateForm> {
    match id {
        14..=17 | 22 | 27..=31 | 36 | 50..=58 => Some(DateForm::Date),
        18..=21 | 32..=35 | 45 | 47 => Some(DateForm::Time),
        46 => Some(DateForm::Elapsed),
        _ => None,
    }
}

/// How a format such as `dd/mm/yyyy hh:mm` shows a number; `None` as a number.
pub(super) fn custom(code: &str) -> Option<DateForm> {
    let mut letters = String::new();
    let mut characters = code.chars();
    while let Some(character) = characters.next() {
        match character {
            // The format of positive numbers is the first.
            ';' => break,
            '"' => drop(characters.by_ref().find(|end| *end == '"')),
            // The next character is shown, skipped, or repeated.
            '\\' | '_' | '*' => drop(characters.next()),
            '[' => {
                let inside: String = characters.by_ref().take_while(|end| *end != ']').collect();
                let inside = inside.to_ascii_lowercase();
                // `[h]` are hours that continue after 24; anything else is a colour, a condition or
                // a language.
                if !inside.is_empty()
                    && ["h", "m", "s"].iter().any(|unit| inside.replace(unit, "").is_empty())
                {
                    return Some(DateForm::Elapsed);
                }
            }
            other => letters.extend(other.to_lowercase()),
        }
    }
    // Its letters are not parts of a date.
    let letters = letters.replace("general", "").replace("am/pm", "").replace("a/p", "");
    let has = |parts: [char; 2]| letters.contains(parts);
    if has(['y', 'd']) {
        Some(DateForm::Date)
    } else if has(['h', 's']) {
        Some(DateForm::Time)
    } else {
        letters.contains('m').then_some(DateForm::Date)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_dates_are_told_from_those_of_numbers() {
        for (code, shown) in [
            ("dd/mm/yyyy", Some(DateForm::Date)),
            ("[$-409]d-mmm-yy;@", Some(DateForm::Date)),
            ("mmmm", Some(DateForm::Date)),
            ("yyyy\\-mm\\-dd hh:mm", Some(DateForm::Date)),
            ("h:mm AM/PM", Some(DateForm::Time)),
            ("mm:ss.0", Some(DateForm::Time)),
            ("[h]:mm:ss", Some(DateForm::Elapsed)),
            ("[mm]:ss", Some(DateForm::Elapsed)),
            ("General", None),
            ("0.00", None),
            ("#,##0.00 \"days\"", None),
            ("[Red]0.00", None),
            ("[$€-407] #,##0.00", None),
            ("0\\d", None),
            ("_-* #,##0.00\\ _d_-", None),
            ("0%;\"y\"", None),
            ("@", None),
            ("", None),
            ("\"", None),
            ("[", None),
        ] {
            assert_eq!(custom(code), shown, "{code}");
        }
        assert_eq!([0, 9, 14, 20, 46, 49].map(built_in)[2], Some(DateForm::Date));
    }
}
