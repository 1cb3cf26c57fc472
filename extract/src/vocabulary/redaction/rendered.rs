//! The ways to write one value.

use std::fmt::Write as _;

use serde_json::Number;

/// Minimum characters of an encoded string that is searched.
const SHORTEST_ENCODED: usize = 5;

/// Maximum bytes of a string that are encoded; of a longer string, the start is searched in encoded
/// form.
const LONGEST_ENCODED: usize = 16 * 1024;

/// `number` as JSON, `Display` and `Debug` write it, with up to six decimals, rounded, truncated,
/// and with an exponent. Separators of thousands are ignored when a text is searched.
pub(super) fn numbers(number: &Number) -> Vec<String> {
    let mut ways = vec![number.to_string()];
    if let Some(number) = number.as_f64() {
        floats(number.abs(), &mut ways);
    }
    for way in &mut ways {
        // The sign may be elsewhere, or another character.
        *way = way.trim_start_matches('-').to_owned();
    }
    ways.sort_unstable();
    ways.dedup();
    ways
}

/// As [`numbers`], if `text` is a number, with or without separators of thousands.
pub(super) fn numbers_in(text: &str) -> Vec<String> {
    let is_separator = |char: char| char.is_whitespace() || matches!(char, ',' | '_' | '\'' | '’');
    let is_short = text.len() <= 40;
    let plain: String = text.chars().take(40).filter(|char| !is_separator(*char)).collect();
    let number = plain.parse::<f64>().ok().filter(|_| is_short).and_then(Number::from_f64);
    let mut ways = number.map_or_else(Vec::new, |number| numbers(&number));
    ways.extend(
        plain.parse::<i128>().ok().filter(|_| is_short).map(|number| number.unsigned_abs().to_string()),
    );
    ways
}

fn floats(number: f64, ways: &mut Vec<String>) {
    ways.extend([format!("{number}"), format!("{number:?}"), format!("{number:e}")]);
    ways.extend((1..=6).map(|decimals| format!("{number:.decimals$}")));
    #[expect(clippy::cast_possible_truncation, reason = "what an `f32` makes of it is one of the ways")]
    let narrow = number as f32;
    if narrow.is_finite() {
        ways.push(format!("{narrow}"));
    }
    // With fewer digits they match unrelated numbers.
    let whole = [format!("{:.0}", number.trunc()), format!("{number:.0}")];
    ways.extend(whole.into_iter().filter(|whole| whole.len() >= 3));
    // As other languages write it: `5.2e+4`, `5.2e+04`, `5.0e3`.
    let scientific = format!("{number:e}");
    if let Some((digits, exponent)) = scientific.split_once('e') {
        let (sign, exponent) = exponent.strip_prefix('-').map_or(("+", exponent), |rest| ("-", rest));
        let point = if digits.contains('.') { "" } else { ".0" };
        ways.extend(["", point].map(|point| format!("{digits}{point}e{sign}{exponent:0>2}")));
        ways.extend(["", point].map(|point| format!("{digits}{point}e{sign}{exponent}")));
        ways.push(format!("{digits}{point}e{}{exponent}", sign.trim_start_matches('+')));
    }
    // A decimal comma.
    let commas: Vec<String> =
        ways.iter().filter(|way| way.contains('.')).map(|way| way.replace('.', ",")).collect();
    ways.extend(commas);
}

/// `text` in base64 and in hexadecimal digits, without characters that depend on adjacent bytes.
pub(super) fn encoded(text: &str) -> Vec<String> {
    let mut end = text.len().min(LONGEST_ENCODED);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let bytes = &text.as_bytes()[..end];
    let mut hex = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(hex, "{byte:02x}");
    }
    let mut ways: Vec<String> = (0..3).map(|offset| base64(bytes, offset)).collect();
    ways.push(hex);
    ways.retain(|way| way.len() >= SHORTEST_ENCODED);
    ways
}

/// The characters of base64 (RFC 4648) that depend only on `bytes`, with `offset` bytes of a group
/// of three before them.
fn base64(bytes: &[u8], offset: usize) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let padded: Vec<u8> = std::iter::repeat_n(0, offset).chain(bytes.iter().copied()).collect();
    // Each character of six bits depends on the bytes that contain these bits.
    let whole = padded.len() * 8 / 6;
    let first = (offset * 8).div_ceil(6);
    (first..whole)
        .map(|index| {
            let bit = index * 6;
            let byte = |at: usize| u16::from(padded.get(at).copied().unwrap_or_default());
            let pair = byte(bit / 8) << 8 | byte(bit / 8 + 1);
            char::from(ALPHABET[usize::from(pair >> (10 - bit % 8) & 63)])
        })
        .collect()
}
