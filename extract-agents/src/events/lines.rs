//! Lines, from bytes as they arrive.

use std::borrow::Cow;

use extract::agent::provider::ProviderFailure;

/// Maximum bytes of a line, and of the data of one event. The last event of the Responses API repeats
/// the whole reply.
pub(super) const LONGEST: usize = 8 << 20;

pub(super) fn too_long(what: &str) -> ProviderFailure {
    ProviderFailure::garbled(format!("{what} of the stream is longer than {LONGEST} bytes"))
}

/// Splits bytes into lines that end with CR LF, LF or CR.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// The beginning of a line.
    begun: Vec<u8>,
    /// Whether the last byte was a CR. An LF after it belongs to it.
    is_after_cr: bool,
    has_begun: bool,
}

const BOM: &[u8] = "\u{feff}".as_bytes();

impl Lines {
    /// Returns the next line without its end, and removes what was read from `bytes`. `None` if more bytes
    /// are needed.
    pub(crate) fn next<'b>(
        &mut self,
        bytes: &mut &'b [u8],
    ) -> Result<Option<Cow<'b, [u8]>>, ProviderFailure> {
        if self.is_after_cr && !bytes.is_empty() {
            self.is_after_cr = false;
            *bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        let Some(end) = memchr::memchr2(b'\n', b'\r', bytes) else {
            self.begin(std::mem::take(bytes))?;
            return Ok(None);
        };
        let (line, rest) = bytes.split_at(end);
        (self.is_after_cr, *bytes) = (rest[0] == b'\r', &rest[1..]);
        let line = if self.begun.is_empty() {
            Cow::Borrowed(self.without_bom(line))
        } else {
            self.begin(line)?;
            Cow::Owned(self.rest())
        };
        self.has_begun = true;
        Ok(Some(line))
    }

    /// Returns the line that has no end yet.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut line = std::mem::take(&mut self.begun);
        if self.without_bom(&line).len() < line.len() {
            line.drain(..BOM.len());
        }
        line
    }

    fn begin(&mut self, bytes: &[u8]) -> Result<(), ProviderFailure> {
        if self.begun.len() + bytes.len() > LONGEST {
            return Err(too_long("a line"));
        }
        self.begun.extend_from_slice(bytes);
        Ok(())
    }

    /// The first line of a stream may begin with a mark of its byte order.
    fn without_bom<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        if self.has_begun { line } else { line.strip_prefix(BOM).unwrap_or(line) }
    }
}
