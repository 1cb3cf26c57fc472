//! Tests whether values are in their quotes, and where the values of a result are.

use extract::document::{Document, ValuePresence, contains_name, contains_value};
use serde_json::{Value, json};

#[test]
fn a_boolean_has_no_place_beside_a_string_spelled_like_it() {
    let located = Document::from_text("It is true.").locate(&json!({"is": true, "said": "true"}));
    let found: Vec<_> = located.found().iter().map(|leaf| leaf.path().to_string()).collect();
    assert_eq!(found, ["$.said"]);
}

#[test]
fn a_number_stands_in_a_quote_in_any_usual_form() {
    for (quote, value) in [
        ("aspirin 5 mg", json!(5)),
        ("aspirin 5mg", json!(5.0)),
        ("1,200 EUR", json!(1200)),
        ("1.200 EUR", json!(1200)),
        ("1 200 EUR", json!(1200)),
        ("1\u{202f}200,50 EUR", json!(1200.5)),
        ("1'200.50 CHF", json!(1200.5)),
        ("1,234,567.89", json!(1_234_567.89)),
        ("1.234.567,89", json!(1_234_567.89)),
        ("12,34,567 INR", json!(1_234_567)),
        ("3,5 %", json!(3.5)),
        ("1.2e3 units", json!(1200)),
        ("10³ cells", json!(1000)),
        ("10⁻² mol", json!(0.01)),
        ("at -5 °C", json!(-5)),
        ("at −5.0 °C", json!(-5)),
        ("$5.00", json!(5)),
        ("the 5th of May", json!(5)),
        ("pages 5-10", json!(10)),
        ("on 12.03.2026", json!(2026)),
        ("１２ units", json!(12)),
        ("٥ ملغ", json!(5)),
        ("0.5 mg", json!(0.5)),
        ("00042", json!(42)),
        ("18446744073709551615", json!(u64::MAX)),
    ] {
        assert_eq!(contains_value(quote, &value), ValuePresence::Yes, "{value} in {quote:?}");
    }
}

#[test]
fn a_number_that_is_not_in_its_quote_is_not() {
    for (quote, value) in [
        ("aspirin 15 mg", json!(5)),
        ("aspirin 5.2 mg", json!(5)),
        ("aspirin daily", json!(5)),
        ("1,200 EUR", json!(1300)),
        ("2.5 mg", json!(0.4)),
        ("12 March 2026", json!(3)),
        ("twenty-one", json!(1)),
        ("10³ cells", json!(10)),
        ("10^3 cells", json!(3)),
        ("einundzwanzig Stück", json!(1)),
        ("at -5 °C", json!(-6)),
        ("", json!(7)),
        ("2 1/2 cups", json!(2)),
        ("1-1/2 inches", json!(1)),
        ("2½ cups", json!(2)),
        ("2 ½ cups", json!(2)),
    ] {
        assert_eq!(contains_value(quote, &value), ValuePresence::No, "{value} in {quote:?}");
    }
}

#[test]
fn a_string_with_other_digits_than_its_quote_is_not_in_it() {
    let uuid = json!("0192f1c0-7e51-7cc2-8f3a-5f8f1e2d0001");
    for (quote, value) in [
        ("Invoice INV-1234", json!("INV-9999")),
        ("no. 2024/17 of the year", json!("INV-2024-018")),
        ("invoice two hundred, page 7", json!("INV-300")),
        ("id 0192f1c0-7e51-7cc2-8f3a-5f8f1e2d0000", uuid.clone()),
        ("mail ann@a.de or cy@b.de", json!("bob@b.de")),
        ("at 10:30", json!("11:30:00")),
        ("à 15h20", json!("15:25:00")),
        ("3 May 2024 10:30", json!("2024-05-03T11:30:00")),
        ("1, 2 and 3", json!([1, 2, 4])),
        ("INV-1234 and INV-1235", json!(["INV-1234", "INV-1236"])),
        ("10115 Berlin", json!("10117")),
        ("+49 30 1234567", json!("+49 30 1234568")),
    ] {
        assert_eq!(contains_value(quote, &value), ValuePresence::No, "{value} in {quote:?}");
    }
    for (quote, value) in [
        ("no. 2024/17", json!("INV-2024-017")),
        ("invoice two hundred, page 7", json!("INV-200")),
        ("ID {0192F1C0 7E51 7CC2 8F3A 5F8F1E2D0001}", uuid),
        ("ann (at) a.de", json!("ann@a.de")),
        ("at 3:25 pm", json!("15:25:00")),
        ("at 10:30 UTC", json!("11:30:00+01:00")),
        ("after 10:30, until 11:30", json!("11:30")),
        ("around noon, or 10 am", json!("10:30:00")),
        ("March 2026", json!("2026-03")),
        ("'26", json!("2026")),
        ("1.5 g", json!("1500 mg")),
        ("DE89 3704 0044 0532 0130 00", json!("DE89370400440532013000")),
        ("030/1234567", json!("+49301234567")),
        ("+49 30 1234567", json!("0301234567")),
        ("the third quarter of 2024", json!("2024-Q3")),
        ("room 12", json!("room 13")),
        ("1, 2 and 3", json!([1, 2, 3])),
        ("2 1/2 cups", json!(2.5)),
        ("2½ cups", json!(2.5)),
        ("on 2 1/2/2026", json!(2)),
    ] {
        assert_ne!(contains_value(quote, &value), ValuePresence::No, "{value} in {quote:?}");
    }
}

/// The rows are sentences of languages with known and unknown number words; nothing in the quotes
/// reveals the language.
#[test]
fn without_digits_the_language_of_the_document_decides() {
    for (text, quote, expected) in [
        ("The patient was given aspirin daily.", "aspirin daily", ValuePresence::No),
        ("Der Patient nahm das Mittel ein.", "Mittel", ValuePresence::No),
        ("Potilas sai viisi tablettia joka päivä.", "viisi tablettia", ValuePresence::Undecided),
        ("A beteg öt tablettát kapott naponta.", "öt tablettát", ValuePresence::Undecided),
        ("Hasta günde beş tablet aldı.", "beş tablet", ValuePresence::Undecided),
        ("Potilas sai 3 tablettia joka päivä.", "3 tablettia", ValuePresence::No),
    ] {
        assert_eq!(Document::from_text(text).shows(quote, &json!(5)), expected, "{quote:?} of {text:?}");
    }
}

#[test]
fn what_depends_on_the_meaning_of_words_is_undecided() {
    for (quote, value) in [
        ("five mg", json!(5)),
        ("twenty-five of them", json!(25)),
        ("fünfundzwanzig Stück", json!(25)),
        ("½ tablet", json!(0.5)),
        ("五毫克", json!(5)),
        ("chapter XIV", json!(14)),
        ("5 %", json!(0.05)),
        ("0.5 g", json!(500)),
        ("2 million", json!(2_000_000)),
        ("a loss of 5 EUR", json!(-5)),
        ("at -5 °C", json!(5)),
        ("items 3,4", json!(4)),
        ("no tablets", json!(0)),
        ("a tablet", json!(1)),
        ("yes", json!(true)),
        ("x", Value::Null),
        ("by mouth", json!("oral")),
        ("tomorrow", json!("2026-03-12")),
        ("12 March 2026 at 5", json!("2026-03-12T17:00:00Z")),
        ("12 March 2569", json!("2026-03-12")),
        ("he may go in 2026", json!("2026-03-12")),
    ] {
        assert_eq!(contains_value(quote, &value), ValuePresence::Undecided, "{value} in {quote:?}");
    }
}

#[test]
fn a_date_stands_in_a_quote_in_any_usual_form() {
    let date = json!("2026-03-12");
    for quote in [
        "12 March 2026",
        "March 12th, 2026",
        "12. März 2026",
        "le 12 mars 2026",
        "12.03.2026",
        "3/12/2026",
        "12/3/26",
        "2026-03-12",
        "20260312",
        "2026年3月12日",
        "12-Mar-26",
        "on the 12th of MARCH, 2026 at 14:30",
        "令和8年3月12日",
        "2026/03/12",
        "12032026",
        "12. 3. 2026",
        "１２．０３．２０２６",
        "2026년 3월 12일",
        "12 de marzo de 2026",
        "2025-01-01 to 2026-03-12",
        "11, 12 and 13 March 2026",
        "March 10th to 12th, 2026",
        "March 2026, on the 12th",
    ] {
        assert_eq!(contains_value(quote, &date), ValuePresence::Yes, "{quote:?}");
    }
    for quote in ["12 April 2026", "13 March 2026", "12 March 2025", "2026-03-13", "on 1 December 2026"] {
        assert_eq!(contains_value(quote, &date), ValuePresence::No, "{quote:?}");
    }
    for quote in [
        "2026-12-03",
        "2026/12/03",
        "2026年12月3日",
        "20261203",
        "12 March 2025 to 3 April 2026",
        "3 mars 2026",
        "12 mai 2026",
        "11 March",
        "March 3rd",
        "12 April",
        "3/11",
        "3.4.",
        "3.12.26",
        "令和6年3月12日",
        "12月3日",
        "3월 11일",
        "12-Mar-25",
        "26-Mar-12",
        "12 April and 3 March 2026",
        "2/2026",
    ] {
        assert_eq!(contains_value(quote, &date), ValuePresence::No, "{quote:?}");
    }
    for quote in [
        "12 March",
        "12 March - 14 April 2026",
        "12 March 14 April 2026",
        "Built in 2026. 12 rooms.",
        "the 12th of March",
        "March 12",
        "3/12",
        "12.3.",
        "3月12日",
        "3月",
        "3/2026",
        "2026-03",
        "in March",
        "in spring 2026",
        "on the 12th",
        "12 marca 2026",
        "end of March, 2 payments",
        "24/7 until 12 March",
        "2 of 3 pages",
        "within 30 days",
        "3年12日以内",
        "Invoice of 2026-01-05, paid in March",
        "10.3.4.12 since 2026",
        "2026 | 3 | 12",
    ] {
        assert_eq!(contains_value(quote, &date), ValuePresence::Undecided, "{quote:?}");
    }
    // One number is not day and month at once.
    assert_eq!(contains_value("3/2026", &json!("2026-03-03")), ValuePresence::Undecided);
    assert_eq!(contains_value("3/3/2026", &json!("2026-03-03")), ValuePresence::Yes);
}

/// Each form has one reading, or two where the day and the month may be told apart by neither.
#[test]
fn a_date_in_any_form_is_that_day_and_no_other() {
    const MONTHS: [&str; 12] = [
        "January", "Februar", "mars", "abril", "May", "June", "juillet", "Aug", "setembro", "ottobre", "Nov",
        "Dezember",
    ];
    let days: Vec<(u32, u32, u32)> = [1998, 2024]
        .into_iter()
        .flat_map(|year| (1..=12).flat_map(move |month| [3, 12, 28].map(move |day| (year, month, day))))
        .collect();
    let forms = |(year, month, day): (u32, u32, u32)| {
        let (name, short) = (MONTHS[month as usize - 1], year % 100);
        let clear = vec![
            format!("{year}-{month:02}-{day:02}"),
            format!("{year}/{month}/{day}"),
            format!("{year}{month:02}{day:02}"),
            format!("{day}.{month}.{year}"),
            format!("am {day:02}. {month:02}. {year},"),
            format!("{day}.{month:02}.{short:02}"),
            format!("{year}年{month}月{day}日"),
            format!("{day} {name} {year}"),
            format!("{day}-{name}-{short:02}"),
            format!("on the {day}th of {name}, {year} at 10:15"),
            format!("{name} {day}, {year}"),
        ];
        let swapped = vec![format!("{day}/{month}/{year}"), format!("{month}/{day}/{year}")];
        (clear, swapped)
    };
    let value = |(year, month, day): (u32, u32, u32)| json!(format!("{year}-{month:02}-{day:02}"));
    for one in &days {
        let (clear, swapped) = forms(*one);
        for quote in clear.iter().chain(&swapped) {
            assert_eq!(contains_value(quote, &value(*one)), ValuePresence::Yes, "{quote}");
        }
        for other in days.iter().filter(|other| *other != one) {
            for quote in &clear {
                assert_eq!(contains_value(quote, &value(*other)), ValuePresence::No, "{quote} {other:?}");
            }
            let is_swapped = (other.0, other.2, other.1) == *one;
            for quote in swapped.iter().filter(|_| !is_swapped) {
                assert_eq!(contains_value(quote, &value(*other)), ValuePresence::No, "{quote} {other:?}");
            }
        }
    }
}

#[test]
fn a_name_stands_in_a_quote_by_its_words_and_not_beside_another_name() {
    let names = ["inProgress", "done", "past_due", "active", "inactive"];
    for (quote, name, expected) in [
        ("it is in progress", "inProgress", ValuePresence::Yes),
        ("PAST-DUE since May", "past_due", ValuePresence::Yes),
        ("well done", "inProgress", ValuePresence::No),
        ("not done", "inProgress", ValuePresence::Undecided),
        ("it is inactive", "active", ValuePresence::Undecided),
        ("it is inactive", "inactive", ValuePresence::Yes),
        ("it goes on", "inProgress", ValuePresence::Undecided),
        ("abandoned", "done", ValuePresence::Undecided),
    ] {
        assert_eq!(contains_name(quote, name, &names), expected, "{name} in {quote:?}");
    }
}

#[test]
fn the_leaves_of_a_value_have_places_or_are_named() {
    let document = Document::from_text("Aspirin 5 mg, Ibuprofen 400 mg, Codein 5 mg.\nTotal: 1.200,00 EUR");
    let located = document.locate(&json!({
        "drugs": [
            {"name": "aspirin", "mg": 5},
            {"name": "Codein", "mg": 5.0, "route": "oral"},
        ],
        "total": 1200,
        "paid": false,
        "note": null,
        "mark": "…",
    }));
    let found: Vec<_> = located
        .found()
        .iter()
        .map(|leaf| (leaf.path().to_string(), leaf.span().start(), &document.text()[leaf.span().range()]))
        .collect();
    assert_eq!(
        found,
        [
            ("$.drugs[0].name".to_owned(), 0, "Aspirin"),
            ("$.drugs[0].mg".to_owned(), 8, "5"),
            ("$.drugs[1].name".to_owned(), 32, "Codein"),
            ("$.drugs[1].mg".to_owned(), 39, "5"),
            ("$.total".to_owned(), 52, "1.200,00"),
        ]
    );
    assert!(located.found().iter().all(|leaf| leaf.alternatives() == 0));
    let without: Vec<_> = located.without_place().iter().map(ToString::to_string).collect();
    assert_eq!(without, ["$.drugs[1].route", "$.paid", "$.mark"]);
}

#[test]
fn hostile_quotes_and_values_take_no_more_than_linear_time() {
    for piece in [
        "1",
        "1,",
        "1 ",
        "1.2.",
        "1e",
        "-",
        "½",
        "12 March ",
        "_A",
        "1'000",
        "two ",
        "twenty-",
        "million ",
        "2万",
        "五",
        "1/2 ",
        "half ",
        "5 % ",
        "seisei",
        "2 to ",
    ] {
        let quote = piece.repeat(4_000);
        for value in [json!(7), json!("2026-03-12"), json!("in_progress")] {
            let _ = contains_value(&quote, &value);
        }
        let _ = contains_name(&quote, "a", &["b", "c"]);
    }
    // The same number in many leaves and at many positions.
    let document = Document::from_text("1 ".repeat(5_000));
    let located = document.locate(&json!(vec![1; 400]));
    assert_eq!(located.found().len(), 400);
}
