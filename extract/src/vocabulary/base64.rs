//! Base64 (RFC 4648).

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The base64 of `bytes`, with padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let index = bits >> (18 - 6 * place) & 63;
            text.push(if place > chunk.len() { '=' } else { ALPHABET[index as usize].into() });
        }
    }
    text
}

/// The decoded bytes; `None` if [`encode`] cannot have written `text`.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let padding = text.bytes().rev().take_while(|byte| *byte == b'=').count();
    let digits = text[..text.len() - padding].bytes();
    if !text.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for digit in digits {
        let value = ALPHABET.iter().position(|known| *known == digit)?;
        bits = bits << 6 | u32::try_from(value).ok()?;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xFF).ok()?);
            bits &= (1 << count) - 1;
        }
    }
    (bits == 0).then_some(bytes)
}
