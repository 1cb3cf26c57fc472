//! Bounds the operands of one operation, which the reader collects before it returns the operation.

use super::PdfError;

/// Maximum bytes from one operator to the next. Every two bytes may be an operand, which takes
/// several hundred bytes of memory.
const MAX_OPERATION: usize = 512 << 10;

/// Fails if the operands of an operation in `content` take too many bytes.
///
/// Only the ends of operators matter. Strings, names, arrays, dictionaries and comments contain
/// none. Where this is in doubt, as in the data of an inline image, bytes count as operands.
pub(super) fn check(content: &[u8]) -> Result<(), PdfError> {
    let mut rest = OperatorTokens { content, at: 0, open: 0 };
    let mut end = 0;
    while let Some(is_operator) = rest.skip() {
        if rest.at - end > MAX_OPERATION {
            let reason = format!("one operation has more than {} KiB of operands", MAX_OPERATION >> 10);
            return Err(PdfError::TooLarge { reason });
        }
        if is_operator {
            end = rest.at;
        }
    }
    Ok(())
}

struct OperatorTokens<'c> {
    content: &'c [u8],
    at: usize,
    /// Brackets of arrays and dictionaries that are open.
    open: usize,
}

impl OperatorTokens<'_> {
    /// Skips a token or whitespace, and returns whether it was an operator; `None` at the end.
    fn skip(&mut self) -> Option<bool> {
        let first = *self.content.get(self.at)?;
        self.at += 1;
        match first {
            b'(' => self.string(),
            b'%' => self.while_(|byte| !matches!(byte, b'\r' | b'\n')),
            b'/' => self.while_(is_regular),
            b'[' | b'<' => self.open += 1,
            b']' | b'>' => self.open = self.open.saturating_sub(1),
            _ if !is_regular(first) => {}
            _ => {
                let start = self.at - 1;
                self.while_(is_regular);
                return Some(self.open == 0 && self.is_operator(start));
            }
        }
        Some(false)
    }

    fn while_(&mut self, is_part: impl Fn(u8) -> bool) {
        let rest = &self.content[self.at..];
        self.at += rest.iter().position(|byte| !is_part(*byte)).unwrap_or(rest.len());
    }

    /// Skips a string, from after its opening bracket.
    fn string(&mut self) {
        let mut open = 1;
        while let Some(byte) = self.content.get(self.at).filter(|_| open > 0) {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'(' => open += 1,
                b')' => open -= 1,
                _ => {}
            }
        }
        self.at = self.at.min(self.content.len());
    }

    /// Returns whether the word that ends here is an operator. After `ID` come the data of an
    /// image.
    fn is_operator(&mut self, start: usize) -> bool {
        let word = &self.content[start..self.at];
        let is_operand = matches!(word, b"true" | b"false" | b"null")
            || matches!(word[0], b'0'..=b'9' | b'+' | b'-' | b'.');
        if word == b"ID" {
            let rest = &self.content[self.at..];
            self.at += rest.windows(2).position(|pair| pair == b"EI").unwrap_or(rest.len());
        }
        !is_operand
    }
}

/// Returns whether the byte is neither whitespace nor a delimiter (ISO 32000-1, 7.2.2).
fn is_regular(byte: u8) -> bool {
    !matches!(
        byte,
        0 | b'\t'
            | b'\n'
            | 12
            | b'\r'
            | b' '
            | b'('
            | b')'
            | b'<'
            | b'>'
            | b'['
            | b']'
            | b'{'
            | b'}'
            | b'/'
            | b'%'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_operators_end_an_operation() {
        let half = |part: &str| part.repeat((MAX_OPERATION / 2) / part.len() + 10);
        for part in [
            "0 ",
            "[]",
            "<00>",
            "(Tj) ",
            "(\\) Tj \\( )",
            "/Tj ",
            "true ",
            "-.5 ",
            "<</Tj 1>>",
            "[1 Tj]",
            "%Tj\n",
        ] {
            let half = half(part);
            assert!(check(format!("{half} {half} Tj").as_bytes()).is_err(), "{part}");
            assert!(check(format!("{half} Tj {half} Tj").as_bytes()).is_ok(), "{part}");
        }
        let many = half("0 ");
        assert!(check(format!("BI /W 1 ID ( EI {many}{many} Tj").as_bytes()).is_err());
        assert!(check(format!("({many}{many}").as_bytes()).is_err());
        for end in ["(", "(\\", "<", "/", "%", "ID", "ID E"] {
            assert!(check(end.as_bytes()).is_ok());
        }
    }
}
