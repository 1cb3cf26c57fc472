//! The page of limits has the numbers of the source.

use std::fs;

const PAGE: &str = include_str!("../../docs/bounds.md");

/// Number words of the page, by their value.
const WORDS: [&str; 11] =
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/// The values of the constants that the third cell of a row names: `` `NAME` in `file` ``.
fn constants(cell: &str) -> Vec<(String, u64)> {
    let parts: Vec<&str> = cell.split('`').collect();
    let named = parts.windows(3).skip(1).step_by(2).filter(|window| window[1] == " in ");
    named.map(|window| (window[0].to_owned(), value(window[0], window[2]))).collect()
}

/// The value of a constant of the library, in units or milliseconds.
fn value(name: &str, file: &str) -> u64 {
    // Those of other packages are named with their folder.
    let path =
        if file.starts_with("extract-") { format!("../{file}") } else { format!("../extract/src/{file}") };
    let source = fs::read_to_string(path).unwrap();
    let start = format!("const {name}: ");
    let line = source.lines().find(|line| line.contains(&start));
    let line = line.unwrap_or_else(|| panic!("no `{name}` in {file}"));
    let (_, expression) = line.split_once(" = ").unwrap();
    evaluated(expression.trim_end_matches(';'))
        .unwrap_or_else(|| panic!("`{name}` in {file} is not a number: {expression}"))
}

fn evaluated(expression: &str) -> Option<u64> {
    let number = |text: &str| text.trim().replace('_', "").parse::<u64>().ok();
    if let Some(millis) = expression.strip_prefix("Duration::from_millis(") {
        return number(millis.trim_end_matches(')'));
    }
    if let Some((left, right)) = expression.split_once("<<") {
        return Some(number(left)? << number(right)?);
    }
    expression.split('*').map(number).product()
}

/// The spellings of a value that the page uses.
fn spellings(value: u64) -> Vec<String> {
    let mut grouped = value.to_string();
    for at in (1..grouped.len()).rev().filter(|at| (grouped.len() - at).is_multiple_of(3)).collect::<Vec<_>>()
    {
        grouped.insert(at, ',');
    }
    let mut all = vec![grouped, format!("{} KiB", value >> 10), format!("{} MiB", value >> 20)];
    if value.is_multiple_of(100) && value < 1_000 {
        all.push(format!("0.{} s", value / 100));
    }
    all.extend(usize::try_from(value).ok().and_then(|value| WORDS.get(value)).map(|word| (*word).to_owned()));
    all
}

/// Returns whether the words of `part` are in `text`, one after the other.
fn has_words(text: &str, part: &str) -> bool {
    let words = |text: &'_ str| -> Vec<String> {
        text.split_whitespace()
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
            .collect()
    };
    let (all, part) = (words(text), words(part));
    all.windows(part.len()).any(|window| window == part)
}

#[test]
fn rows_that_name_a_constant_have_its_value() {
    let rows = PAGE.lines().filter(|line| line.starts_with("| "));
    let mut compared = 0;
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [_, limit, place] = cells.as_slice() else { continue };
        for (name, value) in constants(place) {
            let spellings = spellings(value);
            assert!(
                spellings.iter().any(|spelling| has_words(limit, spelling)),
                "`{name}` is {value}, and the row says: {limit}"
            );
            compared += 1;
        }
    }
    assert!(compared > 70, "{compared}");
}
