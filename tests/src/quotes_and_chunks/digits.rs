//! Numbers in the digits of every script, next to words of any script.

use extract::document::{Document, ValuePresence, contains_value};
use serde_json::json;

/// The digit zero of each script of Unicode 16, with the name of the script.
const ZEROS: [(&str, char); 76] = [
    ("Latin", '0'),
    ("Arabic-Indic", '٠'),
    ("Persian and Urdu", '۰'),
    ("N'Ko", '߀'),
    ("Devanagari", '०'),
    ("Bengali", '০'),
    ("Gurmukhi", '੦'),
    ("Gujarati", '૦'),
    ("Odia", '୦'),
    ("Tamil", '௦'),
    ("Telugu", '౦'),
    ("Kannada", '೦'),
    ("Malayalam", '൦'),
    ("Sinhala", '෦'),
    ("Thai", '๐'),
    ("Lao", '໐'),
    ("Tibetan", '༠'),
    ("Burmese", '၀'),
    ("Shan", '႐'),
    ("Khmer", '០'),
    ("Mongolian", '᠐'),
    ("Limbu", '᥆'),
    ("New Tai Lue", '᧐'),
    ("Tai Tham Hora", '᪀'),
    ("Tai Tham", '᪐'),
    ("Balinese", '᭐'),
    ("Sundanese", '᮰'),
    ("Lepcha", '᱀'),
    ("Ol Chiki", '᱐'),
    ("Vai", '꘠'),
    ("Saurashtra", '꣐'),
    ("Kayah Li", '꤀'),
    ("Javanese", '꧐'),
    ("Tai Laing", '꧰'),
    ("Cham", '꩐'),
    ("Meitei", '꯰'),
    ("fullwidth", '０'),
    ("Osmanya", '\u{104a0}'),
    ("Hanifi Rohingya", '\u{10d30}'),
    ("Garay", '\u{10d40}'),
    ("Brahmi", '\u{11066}'),
    ("Sora Sompeng", '\u{110f0}'),
    ("Chakma", '\u{11136}'),
    ("Sharada", '\u{111d0}'),
    ("Khudawadi", '\u{112f0}'),
    ("Newa", '\u{11450}'),
    ("Tirhuta", '\u{114d0}'),
    ("Modi", '\u{11650}'),
    ("Takri", '\u{116c0}'),
    ("Pa-O Karen", '\u{116d0}'),
    ("Eastern Pwo Karen", '\u{116da}'),
    ("Ahom", '\u{11730}'),
    ("Warang Citi", '\u{118e0}'),
    ("Dives Akuru", '\u{11950}'),
    ("Sunuwar", '\u{11bf0}'),
    ("Bhaiksuki", '\u{11c50}'),
    ("Masaram Gondi", '\u{11d50}'),
    ("Gunjala Gondi", '\u{11da0}'),
    ("Kawi", '\u{11f50}'),
    ("Gurung Khema", '\u{16130}'),
    ("Mro", '\u{16a60}'),
    ("Tangsa", '\u{16ac0}'),
    ("Pahawh Hmong", '\u{16b50}'),
    ("Kirat Rai", '\u{16d70}'),
    ("outlined", '\u{1ccf0}'),
    ("bold", '\u{1d7ce}'),
    ("double-struck", '\u{1d7d8}'),
    ("sans-serif", '\u{1d7e2}'),
    ("bold sans-serif", '\u{1d7ec}'),
    ("monospace", '\u{1d7f6}'),
    ("Nyiakeng Puachue Hmong", '\u{1e140}'),
    ("Wancho", '\u{1e2f0}'),
    ("Nag Mundari", '\u{1e4f0}'),
    ("Ol Onal", '\u{1e5f1}'),
    ("Adlam", '\u{1e950}'),
    ("segmented", '\u{1fbf0}'),
];

/// `digits` in the script of this zero.
fn written(zero: char, digits: &str) -> String {
    let digit =
        |c: char| c.to_digit(10).and_then(|value| char::from_u32(u32::from(zero) + value)).unwrap_or(c);
    digits.chars().map(digit).collect()
}

#[test]
fn a_number_is_compared_in_the_digits_of_every_script() {
    for (script, zero) in ZEROS {
        let number = written(zero, "250");
        for quote in
            [number.clone(), format!("{number}円"), format!("剂量{number}"), format!("x {number} mg")]
        {
            assert_eq!(contains_value(&quote, &json!(250)), ValuePresence::Yes, "{script}: {quote}");
            for other in [json!(999), json!(25), json!(2500), json!(0.25e-5), json!(251), json!(50)] {
                assert_eq!(contains_value(&quote, &other), ValuePresence::No, "{script}: {other} in {quote}");
            }
        }
        let fraction = written(zero, "1,234.5");
        assert_eq!(contains_value(&fraction, &json!(1234.5)), ValuePresence::Yes, "{script}");
        assert_eq!(contains_value(&fraction, &json!(12345)), ValuePresence::No, "{script}");
    }
}

#[test]
fn separators_of_other_scripts_are_read() {
    for (quote, value, others) in [
        ("١٬٢٣٤٫٥", json!(1234.5), [json!(12345), json!(1.2345)]),
        ("٠٫٢٥٠ ملغ", json!(0.25), [json!(250), json!(25)]),
        ("١٫٢٣٤", json!(1.234), [json!(1234), json!(12.34)]),
        ("١٬٢٣٤", json!(1234), [json!(1.234), json!(234)]),
        ("۲۵۰٬۰۰۰ ریال", json!(250_000), [json!(250), json!(25000)]),
        ("１，２３４．５円", json!(1234.5), [json!(12345), json!(234)]),
        ("२.५ मिग्रा", json!(2.5), [json!(25), json!(5)]),
    ] {
        assert_eq!(contains_value(quote, &value), ValuePresence::Yes, "{value} in {quote}");
        for other in others {
            assert_eq!(contains_value(quote, &other), ValuePresence::No, "{other} in {quote}");
        }
    }
}

#[test]
fn words_of_any_script_beside_a_number_say_no_other_number() {
    for quote in [
        "250円",
        "剂量250",
        "250毫克",
        "약 250밀리그램",
        "٢٥٠ ملغ",
        "250 мг в день",
        "ขนาด250มก.",
        "२५० मिग्रा",
        "250 ლარი",
        "250 מ״ג",
        "250mg錠",
        "weight 250 mg",
        "recently 250 cents",
        "250 ml",
        "250 mm",
        "250 mg/m²",
        "№ 250",
    ] {
        for other in [json!(999), json!(251), json!(2)] {
            let expected =
                if other == 2 && quote.contains('²') { ValuePresence::Undecided } else { ValuePresence::No };
            assert_eq!(contains_value(quote, &other), expected, "{other} in {quote}");
        }
        assert_eq!(contains_value(quote, &json!(250)), ValuePresence::Yes, "{quote}");
    }
    for other in [json!(5), json!(1), json!(34), json!(26), json!(20263)] {
        assert_eq!(contains_value("2026年3月4日", &other), ValuePresence::No, "{other}");
    }
    for part in [json!(2026), json!(3), json!(4)] {
        assert_eq!(contains_value("2026年3月4日", &part), ValuePresence::Yes, "{part}");
    }
}

#[test]
fn only_the_place_of_the_decimal_point_is_a_difference() {
    for (quote, value) in [
        ("250毫克", json!(25)),
        ("250 mg", json!(2500)),
        ("250 mg", json!(25)),
        ("250 mg", json!(2.5)),
        ("1,234.5", json!(12345)),
        ("1,234.5", json!(123.45)),
        ("10 mg daily", json!(1)),
        ("0.1 ml", json!(1)),
        ("250 ml", json!(25)),
        ("0.250 g", json!(25)),
        ("0.250 kg", json!(2.5)),
        ("250 000 EUR", json!(250)),
        ("12.50 EUR", json!(1250)),
        ("5 %", json!(0.5)),
        ("5 %", json!(500)),
        ("2 million", json!(200_000)),
        ("2 million", json!(20)),
        ("1.2k", json!(12_000)),
        ("3万", json!(3000)),
        ("250 mg of a 5 % solution", json!(2.5)),
        ("1.2 × 10^3", json!(12)),
        ("2.5 cm", json!(25)),
    ] {
        assert_eq!(contains_value(quote, &value), ValuePresence::No, "{value} in {quote}");
        let document = Document::from_text(format!("x {quote} y"));
        assert_eq!(document.shows(quote, &value), ValuePresence::No, "{value} in {quote}");
    }
}

#[test]
fn a_scale_or_a_unit_explains_a_power_of_ten() {
    for (quote, value) in [
        ("5 %", json!(0.05)),
        ("5 percent", json!(0.05)),
        ("٥٪", json!(0.05)),
        ("５％", json!(0.05)),
        ("% 5", json!(0.05)),
        ("5 per cent", json!(0.05)),
        ("5 Prozent", json!(0.05)),
        ("between 5 and 10 %", json!(0.05)),
        ("5-10%", json!(0.1)),
        ("8 ‰", json!(0.008)),
        ("25 bps", json!(0.0025)),
        ("2 million", json!(2_000_000)),
        ("2 million", json!(2)),
        ("$1.2m", json!(1_200_000)),
        ("1.2k", json!(1200)),
        ("5 to 10 million", json!(5_000_000)),
        ("12,5 Mio. EUR", json!(12_500_000)),
        ("3 Mrd. €", json!(3_000_000_000_u64)),
        ("2 hundred thousand", json!(200_000)),
        ("1 million 200 thousand", json!(1_200_000)),
        ("5 lakh", json!(500_000)),
        ("3万", json!(30_000)),
        ("1.5億円", json!(150_000_000)),
        ("2万5千円", json!(25_000)),
        ("3만 원", json!(30_000)),
        ("2 млн рублей", json!(2_000_000)),
        ("٥ ملايين", json!(5_000_000)),
        ("5 ล้านบาท", json!(5_000_000)),
        ("in thousands of EUR: 1,250", json!(1_250_000)),
        ("単位:百万円 250", json!(250_000_000)),
        ("50 cents", json!(0.5)),
        ("0.5 g", json!(500)),
        ("500 mg", json!(0.5)),
        ("0.5克", json!(500)),
        ("5 x 10^9 per litre", json!(5_000_000_000_u64)),
        ("5 × 10⁹/l", json!(5_000_000_000_u64)),
        ("10² pieces", json!(100)),
    ] {
        assert_ne!(contains_value(quote, &value), ValuePresence::No, "{value} in {quote}");
    }
}

#[test]
fn what_is_written_beside_digits_in_another_way_is_not_refused() {
    for (quote, value) in [
        ("two 250 mg tablets", json!(2)),
        ("250 mg twice daily", json!(2)),
        ("250 mg once daily", json!(1)),
        ("a 250 mg tablet", json!(1)),
        ("half a 250 mg tablet", json!(0.5)),
        ("half a 250 mg tablet", json!(125)),
        ("2 1/2 tablets of 250 mg", json!(2.5)),
        ("1/3 of 250", json!(0.33)),
        ("2½ tablets", json!(2.5)),
        (".5 mg", json!(0.5)),
        ("2 and a half", json!(2.5)),
        ("2 dozen", json!(24)),
        ("两片250毫克", json!(2)),
        ("每日三次，每次250毫克", json!(3)),
        ("Article XIV, 250 words", json!(14)),
        ("令和8年", json!(2026)),
        ("พ.ศ. 2569", json!(2026)),
        ("a loss of 5 EUR", json!(-5)),
        ("rooms 101,102,103", json!(102)),
        ("2 500 mg tablets", json!(500)),
        ("2.50662827463100050242", json!(2.506_628_274_631_000_2)),
        ("123456789012345678901234567890", json!(1.234_567_890_123_456_8e29)),
    ] {
        assert_ne!(contains_value(quote, &value), ValuePresence::No, "{value} in {quote}");
    }
    for (quote, value) in [
        ("two 250 mg tablets", json!(3)),
        ("half a 250 mg tablet", json!(999)),
        ("每日三次，每次250毫克", json!(4)),
        ("1,200 EUR", json!(200)),
        ("0.250 mg", json!(250)),
        (".5 mg", json!(5)),
        ("½ tablet", json!(5)),
    ] {
        assert_eq!(contains_value(quote, &value), ValuePresence::No, "{value} in {quote}");
    }
}

#[test]
fn number_words_are_compared_where_their_language_shows() {
    for (quote, value, other) in [
        ("twenty-five", 25, 26),
        ("twenty-five tablets", 25, 52),
        ("two hundred and fifty mg", 250, 999),
        ("nineteen ninety-nine", 1999, 1998),
        ("seven", 7, 70),
        ("ten", 10, 11),
        ("between five and seven", 5, 6),
        ("the fifth of May", 5, 6),
        ("fünfundzwanzig", 25, 26),
        ("zweihundertfünfzig", 250, 25),
        ("vingt-cinq", 25, 26),
        ("quatre-vingt-dix-sept", 97, 87),
        ("soixante et onze", 71, 61),
        ("veinticinco", 25, 35),
        ("treinta y dos", 32, 23),
        ("duzentos e cinquenta", 250, 205),
        ("venticinque", 25, 15),
        ("vijfentwintig", 25, 52),
        ("tjugofem", 25, 26),
        ("femogtyve", 25, 20_005),
        ("dwadzieścia pięć", 25, 26),
        ("dvacet pět", 25, 26),
        ("二百五十毫克", 250, 999),
        ("五錠", 5, 6),
        ("二〇二六年", 2026, 2025),
    ] {
        let document = Document::from_text(format!("x {quote} y."));
        assert_eq!(document.shows(quote, &json!(value)), ValuePresence::Undecided, "{value} in {quote}");
        assert_eq!(document.shows(quote, &json!(other)), ValuePresence::No, "{other} in {quote}");
    }
    for (quote, value) in [
        ("two point five", json!(2.5)),
        ("zwei Komma fünf", json!(2.5)),
        ("two and a half", json!(2.5)),
        ("half a million", json!(500_000)),
        ("a dozen", json!(12)),
        ("several", json!(7)),
        ("three quarters", json!(0.75)),
        ("几片", json!(3)),
        ("いつつ", json!(5)),
        ("пять", json!(5)),
        ("пять", json!(6)),
        ("vyf en twintig", json!(25)),
        ("kaksikymmentä", json!(20)),
    ] {
        let document = Document::from_text(format!("x {quote} y."));
        assert_eq!(document.shows(quote, &value), ValuePresence::Undecided, "{value} in {quote}");
    }
}
