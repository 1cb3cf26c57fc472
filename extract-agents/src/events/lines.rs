//! Lines, from bytes as they arrive.

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
    /// Passes each line that `bytes` complete to `receive`, without its end.
    pub(crate) fn push(
        &mut self,
        mut bytes: &[u8],
        receive: &mut dyn FnMut(&[u8]) -> Result<(), ProviderFailure>,
    ) -> Result<(), ProviderFailure> {
        if std::mem::take(&mut self.is_after_cr) {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            self.is_after_cr = bytes.is_empty();
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, rest) = bytes.split_at(end);
            if self.begun.is_empty() {
                receive(self.without_bom(line))?;
            } else {
                self.begin(line)?;
                let line = std::mem::take(&mut self.begun);
                receive(self.without_bom(&line))?;
            }
            self.has_begun = true;
            bytes = match rest {
                [b'\r', b'\n', rest @ ..] => rest,
                [b'\r'] => {
                    self.is_after_cr = true;
                    &[]
                }
                rest => &rest[1..],
            };
        }
        self.begin(bytes)
    }

    /// Returns the last line, which has no end.
    pub(crate) fn rest(self) -> Vec<u8> {
        self.without_bom(&self.begun).to_vec()
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
