//! Decimal digits of every script.

/// The code points of the digit zero in each script; nine more digits follow each one.
///
/// They are the characters of the general category `Nd` in `DerivedGeneralCategory.txt` of the
/// Unicode Character Database 16.0.0, where they always come in tens, in the order of their values
/// (The Unicode Standard, section 4.6).
const ZEROS: [u32; 76] = [
    0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50,
    0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40,
    0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x10d40,
    0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x116d0, 0x116da,
    0x11730, 0x118e0, 0x11950, 0x11bf0, 0x11c50, 0x11d50, 0x11da0, 0x11f50, 0x16130, 0x16a60, 0x16ac0,
    0x16b50, 0x16d70, 0x1ccf0, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e4f0,
    0x1e5f1, 0x1e950, 0x1fbf0,
];

/// `c` as an ASCII digit, if it is a decimal digit of any script.
pub(super) fn digit(c: char) -> Option<char> {
    if c.is_ascii() {
        return c.is_ascii_digit().then_some(c);
    }
    let code = u32::from(c);
    let after = ZEROS.partition_point(|zero| *zero <= code);
    let value = code - ZEROS[after.checked_sub(1)?];
    char::from_digit(value, 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_has_ten_digits_and_no_more() {
        assert!(ZEROS.windows(2).all(|two| two[0] + 10 <= two[1]));
        for zero in ZEROS {
            for value in 0..10 {
                let c = char::from_u32(zero + value).unwrap();
                assert_eq!(digit(c), char::from_digit(value, 10), "U+{:04X}", zero + value);
            }
        }
        for c in ['\u{2f}', '\u{3a}', 'a', '²', '½', '五', '〇', 'Ⅷ', '\u{10ffff}'] {
            assert_eq!(digit(c), None, "{c}");
        }
    }
}
