//! How much a font's table of characters takes.

use lopdf::{Dictionary, Document as Pdf, Object};

use super::{PdfError, budget::Budget};

/// Bytes of memory for a code, which the reader keeps in both directions, and for a difference.
const CODE: usize = 128;
const DIFFERENCE: usize = 16;

/// Counts the tables of a font before the reader reads them. The reader writes every code of a range
/// out, so a table of some bytes may have billions.
pub(super) fn check(pdf: &Pdf, font: &Dictionary, budget: &mut Budget) -> Result<(), PdfError> {
    for key in [&b"ToUnicode"[..], b"Encoding"] {
        match font.get_deref(key, pdf) {
            Ok(Object::Stream(table)) => {
                let table = budget.stream(table)?;
                budget.memory(codes(&table), CODE)?;
            }
            Ok(Object::Dictionary(encoding)) => {
                let differences = encoding.get_deref(b"Differences", pdf).and_then(Object::as_array);
                budget.memory(differences.map_or(0, Vec::len), DIFFERENCE)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the number of codes that the entries of a table cover.
fn codes(table: &[u8]) -> usize {
    let (mut codes, mut at) = (0_usize, 0);
    // Within `beginbfrange … endbfrange`, whose entries have three parts: the first code, the last
    // one, and a character or a list of characters.
    let (mut is_in_ranges, mut part, mut first) = (false, 0, 0_u64);
    while let Some(byte) = table.get(at) {
        let rest = &table[at + 1..];
        let length =
            |is_part: &dyn Fn(u8) -> bool| rest.iter().position(|byte| !is_part(*byte)).unwrap_or(rest.len());
        at += 1;
        match byte {
            b'%' => at += length(&|byte| !matches!(byte, b'\r' | b'\n')),
            b'[' if is_in_ranges => {
                at += length(&|byte| byte != b']');
                part = 0;
            }
            b'<' => {
                let end = length(&|byte| byte != b'>');
                let code = number(&rest[..end]);
                at += end;
                codes = codes.saturating_add(1);
                if is_in_ranges && part == 1 {
                    let more = usize::try_from(code.saturating_sub(first)).unwrap_or(usize::MAX);
                    codes = codes.saturating_add(more);
                }
                (first, part) = (code, (part + 1) % 3);
            }
            byte if byte.is_ascii_alphabetic() => {
                let end = length(&|byte| byte.is_ascii_alphanumeric());
                match &table[at - 1..at + end] {
                    b"beginbfrange" => (is_in_ranges, part) = (true, 0),
                    b"endbfrange" => is_in_ranges = false,
                    _ => {}
                }
                at += end;
            }
            _ => {}
        }
    }
    codes
}

/// Returns the number of a code in hexadecimal digits; the largest one for anything else.
fn number(digits: &[u8]) -> u64 {
    let mut number = 0_u64;
    for digit in digits.iter().filter(|byte| !byte.is_ascii_whitespace()) {
        let Some(digit) = char::from(*digit).to_digit(16) else { return u64::MAX };
        number = number.saturating_mul(16).saturating_add(u64::from(digit));
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_with_all_their_codes() {
        let table = b"1 begincodespacerange <0000> <ffff> endcodespacerange 2 beginbfchar <01> <0041> <02> <ffff> \
                      endbfchar 3 beginbfrange <03> <07> <0041> <10> <11> [<0041> <0042>] <0 a> <0c> <0000> endbfrange";
        // Two, four, and the parts of each range and the codes in it.
        assert_eq!(codes(table), 2 + 4 + (3 + 4) + (2 + 1) + (3 + 2));
        assert!(codes(b"beginbfrange <00000000> <ffffffff> <0041>") > 1 << 31);
        assert!(codes(b"beginbfrange %<00> <00>\n<00> % endbfrange\n<ff> <0041>") > 255);
        for cut in ["<", "%", "beginbfrange [", "beginbfrange <00", ""] {
            codes(cut.as_bytes());
        }
    }
}
