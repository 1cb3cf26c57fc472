//! The binary event stream of AWS, from bytes as they arrive.
//!
//! A frame has its length, the length of its headers and a checksum of both, then the headers, the
//! payload and a checksum of everything before
//! (<https://smithy.io/2.0/aws/amazon-eventstream.html>, 2026).

use extract::agent::provider::ProviderFailure;
use serde_json::Value;

use super::{
    event::Event,
    lines::{LONGEST, too_long},
};

/// Bytes of a frame before its headers.
const PRELUDE: usize = 12;

/// Bytes of the last checksum.
const CHECKSUM: usize = 4;

/// Reads frames from bytes as they arrive, which may be cut anywhere.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    bytes: Vec<u8>,
    /// How many of them were read.
    read: usize,
}

impl Frames {
    /// Returns the event of the next frame, and takes all `bytes`. `None` if more are needed.
    pub(crate) fn next(&mut self, bytes: &mut &[u8]) -> Result<Option<Event>, ProviderFailure> {
        self.bytes.extend_from_slice(std::mem::take(bytes));
        let rest = &self.bytes[self.read..];
        if let Some(length) = frame_length(rest)?
            && let Some(frame) = rest.get(..length)
        {
            self.read += length;
            return event(frame).map(Some).ok_or_else(|| broken("a frame of the stream is damaged"));
        }
        // A frame that came in many pieces is not copied for each of them.
        self.bytes.drain(..std::mem::take(&mut self.read));
        Ok(None)
    }

    /// Checks that no frame has only begun.
    pub(crate) fn end(self) -> Result<Option<Event>, ProviderFailure> {
        if self.bytes.is_empty() { Ok(None) } else { Err(broken("the last frame of the stream broke off")) }
    }
}

fn broken(what: &str) -> ProviderFailure {
    ProviderFailure::garbled(format!("{what}: it is not a reply"))
}

/// The length of the frame that `bytes` begin with, if they have its prelude.
fn frame_length(bytes: &[u8]) -> Result<Option<usize>, ProviderFailure> {
    let Some(prelude) = bytes.get(..PRELUDE) else { return Ok(None) };
    let length = number(prelude, 0).unwrap_or(0);
    if number(prelude, 8) != Some(crc32fast::hash(&prelude[..8]) as usize) || length < PRELUDE + CHECKSUM {
        return Err(broken("a frame of the stream is damaged"));
    }
    if length > LONGEST {
        return Err(too_long("a frame"));
    }
    Ok(Some(length))
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at + 4)?.try_into().ok()?;
    usize::try_from(u32::from_be_bytes(bytes)).ok()
}

/// The event of a whole frame. An exception becomes an event called `error`, with its type as the
/// code.
fn event(frame: &[u8]) -> Option<Event> {
    let (content, checksum) = frame.split_at_checked(frame.len().checked_sub(CHECKSUM)?)?;
    if number(checksum, 0)? != crc32fast::hash(content) as usize {
        return None;
    }
    let headers = content.get(PRELUDE..PRELUDE.checked_add(number(frame, 4)?)?)?;
    let payload = std::str::from_utf8(&content[PRELUDE + headers.len()..]).ok()?;
    let header = |name: &str| string_header(headers, name);
    let code = header(":exception-type").or_else(|| header(":error-code"));
    let Some(code) = code else {
        return Some(Event { name: header(":event-type").map(str::to_owned), data: payload.to_owned() });
    };
    let mut error: Value = serde_json::from_str(payload)
        .ok()
        .filter(Value::is_object)
        .unwrap_or_else(|| serde_json::json!({"message": header(":error-message").unwrap_or(payload)}));
    error["code"] = code.into();
    Some(Event { name: Some("error".to_owned()), data: error.to_string() })
}

/// The value of the header `wanted`, if it is a string.
fn string_header<'h>(mut headers: &'h [u8], wanted: &str) -> Option<&'h str> {
    loop {
        let (length, rest) = headers.split_first()?;
        let (name, rest) = rest.split_at_checked(usize::from(*length))?;
        let (kind, rest) = rest.split_first()?;
        let (skipped, length) = match kind {
            0 | 1 => (0, 0),
            2 => (0, 1),
            3 => (0, 2),
            4 => (0, 4),
            5 | 8 => (0, 8),
            9 => (0, 16),
            _ => (2, usize::from(u16::from_be_bytes(rest.get(..2)?.try_into().ok()?))),
        };
        let (value, after) = rest.get(skipped..)?.split_at_checked(length)?;
        if name == wanted.as_bytes() && *kind == 7 {
            return std::str::from_utf8(value).ok();
        }
        headers = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame with these headers, which are encoded already.
    fn frame(headers: &[u8], payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(PRELUDE + headers.len() + payload.len() + CHECKSUM).unwrap();
        let mut bytes = length.to_be_bytes().to_vec();
        bytes.extend(u32::try_from(headers.len()).unwrap().to_be_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_be_bytes());
        bytes.extend([headers, payload].concat());
        bytes.extend(crc32fast::hash(&bytes).to_be_bytes());
        bytes
    }

    fn text(name: &str, value: &str) -> Vec<u8> {
        let mut bytes = vec![u8::try_from(name.len()).unwrap()];
        bytes.extend(name.bytes());
        bytes.push(7);
        bytes.extend(u16::try_from(value.len()).unwrap().to_be_bytes());
        bytes.extend(value.bytes());
        bytes
    }

    fn read<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> Result<Vec<(String, String)>, String> {
        let (mut frames, mut found) = (Frames::default(), Vec::new());
        let said = |failure: ProviderFailure| failure.message().to_owned();
        for piece in pieces {
            let mut piece = piece;
            while let Some(event) = frames.next(&mut piece).map_err(said)? {
                found.push((event.name.unwrap_or_default(), event.data));
            }
        }
        frames.end().map_err(said)?;
        Ok(found)
    }

    fn stream() -> Vec<u8> {
        // A header of each type comes before the names.
        let mut headers = Vec::new();
        for (kind, length) in [(0, 0), (1, 0), (2, 1), (3, 2), (4, 4), (5, 8), (8, 8), (9, 16)] {
            headers.extend([1, b'x', kind]);
            headers.extend(vec![7; length]);
        }
        headers.extend([1, b'x', 6, 0, 2, 7, 7]);
        headers.extend(text(":event-type", "contentBlockDelta"));
        let throttled = text(":exception-type", "throttlingException");
        let failed = [text(":error-code", "Internal"), text(":error-message", "broken")].concat();
        [
            frame(&headers, "{\"ü\": 1}".as_bytes()),
            frame(&[], b""),
            frame(&throttled, b"{\"message\": \"slow down\"}"),
            frame(&failed, b""),
        ]
        .concat()
    }

    #[test]
    fn frames_may_be_cut_at_any_byte() {
        let bytes = stream();
        let expected = [
            ("contentBlockDelta", "{\"ü\": 1}"),
            ("", ""),
            ("error", "{\"message\":\"slow down\",\"code\":\"throttlingException\"}"),
            ("error", "{\"message\":\"broken\",\"code\":\"Internal\"}"),
        ];
        let expected: Vec<_> = expected.map(|(name, data)| (name.to_owned(), data.to_owned())).into();
        for at in 0..=bytes.len() {
            assert_eq!(read([&bytes[..at], &bytes[at..]]).unwrap(), expected, "{at}");
        }
        assert_eq!(read(bytes.chunks(1)).unwrap(), expected);
    }

    #[test]
    fn a_damaged_or_cut_frame_is_an_error() {
        let bytes = frame(&text(":event-type", "messageStop"), b"{}");
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(read([&*damaged]).is_err(), "{at}");
            assert_eq!(read([&bytes[..at]]).is_err(), at > 0, "{at}");
        }
        let mut long = u32::MAX.to_be_bytes().to_vec();
        long.extend([0; 4]);
        long.extend(crc32fast::hash(&long).to_be_bytes());
        assert!(read([&*long]).unwrap_err().contains("longer than"));
        let beyond = [&[200, b'x'][..], &[7, 255, 255, 1]];
        for headers in beyond {
            assert_eq!(read([&*frame(headers, b"{}")]).unwrap(), [(String::new(), "{}".to_owned())]);
        }
    }
}
