//! Limits the length of messages on a stream, one per line.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, ReadBuf};

/// Maximum bytes of a message; the same limit as for a reply.
pub(super) const MAX_MESSAGE_BYTES: usize = 8 << 20;

/// Fails in the middle of a line that is too long. The protocol buffers a whole line without a
/// limit of its own.
pub(super) struct LineLimit<R> {
    reader: R,
    /// Bytes of the line that is being read.
    line: usize,
    too_long: TooLong,
}

/// Whether a line was too long. The protocol does not pass on why a stream ended.
#[derive(Clone, Default)]
pub(super) struct TooLong(Arc<AtomicBool>);

impl TooLong {
    pub(super) fn occurred(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl<R> LineLimit<R> {
    pub(super) fn new(reader: R) -> (Self, TooLong) {
        let too_long = TooLong::default();
        (Self { reader, line: 0, too_long: too_long.clone() }, too_long)
    }

    fn count(&mut self, read: &[u8]) -> io::Result<()> {
        for line in read.split_inclusive(|byte| *byte == b'\n') {
            self.line += line.len();
            if self.line > MAX_MESSAGE_BYTES {
                self.too_long.0.store(true, Ordering::Release);
                return Err(io::ErrorKind::InvalidData.into());
            }
            if line.ends_with(b"\n") {
                self.line = 0;
            }
        }
        Ok(())
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for LineLimit<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.reader).poll_read(context, buffer))?;
        Poll::Ready(self.count(&buffer.filled()[before..]))
    }
}
