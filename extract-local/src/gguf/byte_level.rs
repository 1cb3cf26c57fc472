//! The notation of bytes in byte-level vocabularies.
//!
//! Since GPT-2 the vocabularies of byte-level BPE are lists of printable strings. Each of the 256
//! bytes is represented by one character: the printable ones of Latin-1 by themselves, the other
//! 68, in order, by the characters from U+0100 on. A space, for example, is `Ġ` (U+0120).

/// The byte of a character in a vocabulary.
pub(super) fn byte(character: char) -> Option<u8> {
    let code = u32::from(character);
    match u8::try_from(code) {
        Ok(byte) => is_itself(byte).then_some(byte),
        Err(_) => (0..=u8::MAX).filter(|byte| !is_itself(*byte)).nth((code - 0x100) as usize),
    }
}

/// Returns whether a character represents a byte.
#[cfg(test)]
pub(crate) fn is_character(character: char) -> bool {
    byte(character).is_some()
}

fn is_itself(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_one_character() {
        let mut bytes: Vec<u8> = (0..0x200).filter_map(char::from_u32).filter_map(byte).collect();
        bytes.sort_unstable();
        assert_eq!(bytes, (0..=u8::MAX).collect::<Vec<_>>());
        assert_eq!([byte('a'), byte('Ġ'), byte('Ċ'), byte(' ')], [Some(b'a'), Some(b' '), Some(b'\n'), None]);
    }
}
