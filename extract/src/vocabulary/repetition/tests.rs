use super::*;

fn unstated(_: StatedString<'_>) -> usize {
    0
}

fn watched(text: &str, conversation: &str) -> Option<usize> {
    let mut watch = LoopWatch::default();
    text.bytes().position(|byte| watch.push(&[byte], |stated| stated.count(conversation)))
}

/// Pseudorandom numbers, the same in every run.
fn random(seed: u64) -> impl FnMut(usize) -> usize {
    // SplitMix64.
    let mut state = seed;
    move |most| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(most).unwrap()).unwrap()
    }
}

const START: &str = r#"{"title": "A paper", "authors": ["Anna", "#;

#[test]
fn a_loop_is_found_with_its_place_its_block_and_its_beginning() {
    let text = format!("{START}{}\"Ond", r#""Ondricka", "#.repeat(80));
    let found = at_end(&text, unstated).unwrap();
    assert_eq!(found.path().to_string(), "$.authors[1]");
    assert_eq!(found.times(), 81);
    assert_eq!(found.block(), r#""\"Ondricka\", ""#);
    assert!(found.before().starts_with(START) && found.before().len() <= START.len() + 12);
}

#[test]
fn loops_of_every_kind_are_found_in_a_cut_reply() {
    let sentence = "The committee then met again and decided to meet again the day after. ";
    let long = (0..40).map(|number| format!("paragraph {number}, ")).collect::<Vec<_>>().concat();
    for (start, block, path) in [
        (START, r#""Ondricka", "#, "$.authors[1]"),
        (r#"{"a": [{"x": 1}, "#, r#"{"name": "Bo", "age": 7}, "#, "$.a[1]"),
        ("{\"a\": 1,", "\n", "$"),
        (r#"{"a": ""#, sentence, "$.a"),
        (r#"{"a": ""#, "ha", "$.a"),
        (r#"{"a": ""#, "größe ", "$.a"),
        (r#"{"a": ""#, &long, "$.a"),
        (r#"{"a": {"b": ["#, "[", "$.a.b[0]"),
    ] {
        let mut text = format!("{start}{}", block.repeat(4096 / block.len() + 4));
        text.truncate((0..text.len()).rev().find(|at| text.is_char_boundary(*at)).unwrap());
        let found = at_end(&text, unstated).unwrap_or_else(|| panic!("{block}"));
        let shown = found.path().to_string();
        assert!(shown.starts_with(path), "{block}: {shown}");
        assert!(found.times() >= 4, "{block}");
    }
}

#[test]
fn loops_are_found_while_they_are_written() {
    let sentence = "The committee then met again and decided to meet again the day after. ";
    for (block, most) in [
        (r#""Ondricka", "#, 3_000),
        (r#"{"name": "Bo", "age": 7}, "#, 3_000),
        ("\n", 3_000),
        ("ha", 3_000),
        (sentence, 5_500),
        ("0, ", 17_500),
        ("null, ", 17_500),
    ] {
        let text = format!("{START}{}", block.repeat(20_000 / block.len()));
        let at = watched(&text, "").unwrap_or_else(|| panic!("{block}"));
        assert!((2_048..most).contains(&(at - START.len())), "{block}: {at}");
        // Regardless of how it arrives.
        let mut watch = LoopWatch::default();
        let bytes = text.as_bytes();
        assert!(bytes.chunks(997).any(|chunk| watch.push(chunk, unstated)), "{block}");
    }
}

#[test]
fn an_early_end_needs_more_than_one_after_a_cut() {
    for block in [r#""Ondricka", "#, "0, ", "x", "The committee met again and again, then met. "] {
        let text = block.repeat(40_000 / block.len());
        let early = watched(&text, "").unwrap();
        let cut = (1..text.len()).step_by(16).find(|end| at_end(&text[..*end], unstated).is_some()).unwrap();
        assert!(cut * 5 < early * 2, "{block}: {cut} {early}");
    }
}

#[test]
fn what_the_conversation_states_may_be_repeated() {
    let list = |count: usize| format!("{START}{}", r#""Smith", "#.repeat(count));
    let stated = "Smith; ".repeat(400);
    assert!(at_end(&list(800), |stated_| stated_.count(&stated)).is_none());
    assert!(at_end(&list(810), |stated_| stated_.count(&stated)).is_some());
    assert_eq!(watched(&list(800), &stated), None);
    assert!(watched(&list(900), &stated).is_some());
    // A part of another word does not count as stated.
    assert!(watched(&list(800), &"Smithson; ".repeat(400)).is_some());
}

#[test]
fn words_that_the_block_cuts_are_whole() {
    // The block starts somewhere inside the word.
    let text = format!("[\"Naim\", {}", r#""Maim", "#.repeat(400));
    assert!(watched(&text, "aim im a m ".repeat(200).as_str()).is_some());
    assert_eq!(watched(&text, "Maim ".repeat(200).as_str()), None);
}

/// Lists of equal values as long as people write them, zero matrices, tables, base64.
#[test]
fn legitimate_repetition_is_no_loop() {
    let zeros = "0, ".repeat(29) + "0";
    let matrix = format!("{{\"m\": [{}", format!("[{zeros}],\n").repeat(40));
    let cell = |row, column| if row == column { "1" } else { "0" };
    let cells = |row| (0..60).map(|column| cell(row, column)).collect::<Vec<_>>().join(", ");
    let identity = (0..60).map(|row| format!("[{}], ", cells(row))).collect::<Vec<_>>().concat();
    let points = r#"{"x": 0, "y": 0}, "#.repeat(25);
    let rule = format!("{{\"t\": \"|{}|\\n", "-".repeat(400));
    let nulls = "null, ".repeat(500);
    let equal = r#""n/a", "#.repeat(60);
    for text in [matrix, identity, points, rule, nulls, equal] {
        assert_eq!(at_end(&text, unstated), None, "{text}");
        assert_eq!(watched(&text, ""), None, "{text}");
    }
}

#[test]
fn base64_and_random_text_are_no_loops() {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for seed in 0..40 {
        let mut random = random(seed);
        let count = 1 + random(LETTERS.len());
        // Few letters, as in an image of few colours, are not a loop; a single letter is.
        let mut text: String = (0..20_000).map(|_| char::from(LETTERS[random(count.max(2))])).collect();
        assert_eq!(at_end(&text, unstated), None, "{seed}");
        assert_eq!(watched(&text, ""), None, "{seed}");
        text.push_str(&"A".repeat(500));
        assert_eq!(at_end(&text, unstated).map(|found| found.times() > 511), None, "{seed}");
        assert_eq!(watched(&text, ""), None, "{seed}");
    }
}

#[test]
fn records_that_differ_are_no_loop() {
    for seed in 0..40 {
        let mut random = random(seed);
        let record = |number: usize, quantity: usize| {
            format!(
                r#"{{"number": {number}, "description": "Chair", "quantity": {quantity}, "unit": "pcs"}}, "#
            )
        };
        let counted: String = (0..400).map(|number| record(number, 1)).collect();
        let varied: String = (0..400).map(|_| record(7, random(5))).collect();
        for text in [counted, varied] {
            assert_eq!(at_end(&text, unstated), None, "{seed}");
            assert_eq!(watched(&text, ""), None, "{seed}");
        }
    }
}

#[test]
fn every_loop_after_any_text_is_found() {
    for seed in 0..200 {
        let mut random = random(seed);
        let (before, copied) = (random(200), 1 + random(6));
        let mut item = |_| {
            let letter = |_| char::from(b'a' + u8::try_from(random(26)).unwrap());
            format!("\"{}\", ", (0..5).map(letter).collect::<String>())
        };
        let mut text =
            String::from("{\"names\": [") + &(0..before).map(&mut item).collect::<Vec<_>>().concat();
        let block = (0..copied).map(&mut item).collect::<Vec<_>>().concat();
        let start = text.len();
        text += &block.repeat(8_000 / block.len());
        text.truncate(text.len() - random(block.len()));
        let found = at_end(&text, unstated).unwrap();
        assert!(found.period <= block.len() && found.before().len() <= start + block.len(), "{seed}");
        let at = watched(&text, "").unwrap();
        assert!((start + 2_048 - block.len()..start + 7_000).contains(&at), "{seed}: {at} {start}");
    }
}

#[test]
fn a_long_reply_takes_steps_in_proportion_to_its_bytes() {
    let stated = "a ".repeat(300_000);
    let blocks = ["a", "ab", "aab", "[", "0,", "\"a\\\"", "{\"a\":", "[1, \"aab\", \"aa"];
    let mut random = random(0);
    let letter = |_| char::from(b'a' + u8::try_from(random(2)).unwrap());
    let varied: String = (0..1_000_000).map(letter).collect();
    for text in blocks.map(|block| block.repeat(1_000_000 / block.len())).iter().chain([&varied]) {
        let start = &text[..20];
        let cut = steps_of(|| {
            if let Some(found) = at_end(text, unstated) {
                found.path();
            }
        });
        assert!(cut < 2 * text.len(), "{start}: {cut}");
        let written = steps_of(|| assert!(watched(text, &stated).is_none() || *text != varied));
        assert!(written < 12 * text.len() + 2 * stated.len(), "{start}: {written}");
    }
}

#[test]
fn the_place_is_that_of_the_brackets_before_it() {
    for (text, path) in [
        ("", "$"),
        ("no JSON", "$"),
        ("[", "$[0]"),
        ("Here: [1, [2, ", "$[1][1]"),
        (r#"{"a": {"b": 1}, "c": [{"d": "x"#, "$.c[0].d"),
        (r#"{"a": {"b": 1}, "#, "$"),
        (r#"{"a]": "\"[{", "b": [{}, {"#, "$.b[1]"),
        (r"]]}}[1, 2, ", "$[2]"),
    ] {
        assert_eq!(path_at(text, text.len()).to_string(), path, "{text}");
    }
    let deep = "[".repeat(100_000);
    assert_eq!(path_at(&deep, deep.len()).segments().len(), 256);
    // A key is read once, however many colons follow it.
    let colons = format!("{{\"{}\"{}", "k".repeat(1_000_000), ":".repeat(1_000_000));
    assert_eq!(path_at(&colons, colons.len()).segments().len(), 1);
}
