//! The data in the three pipes of a program, all bounded.

use std::{
    collections::VecDeque,
    io::{self, ErrorKind},
};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// Bytes of each standard stream that are kept for an error. Many more than are shown, because keys
/// are removed before the text is shortened.
const TAIL: usize = 64 * 1024;

/// Bytes that fit into a pipe that nobody reads: the default of Linux (`pipe(7)`), and the maximum
/// on macOS.
const PIPE: usize = 64 * 1024;

/// The data that a program has read and printed so far.
#[derive(Default)]
pub(super) struct Streams {
    /// Bytes of the prompt that the program has read.
    pub(super) taken: usize,
    pub(super) output: Vec<u8>,
    pub(super) errors: VecDeque<u8>,
}

impl Streams {
    /// Returns whether the program ended without reading all of a prompt of this many bytes. A
    /// short prompt fits into the pipe unless the program ends before we write it. That is chance,
    /// so short prompts never count.
    pub(super) fn has_left(&self, prompt: usize) -> bool {
        self.taken < prompt && prompt > PIPE
    }

    /// The end of its standard error, otherwise of its output: some programs print their errors
    /// there. A first word that may be half a key is left out.
    pub(super) fn tail(&mut self) -> (&'static str, String) {
        let (name, bytes) = if self.errors.iter().any(|byte| !byte.is_ascii_whitespace()) {
            ("stderr", &*self.errors.make_contiguous())
        } else {
            ("stdout", &*self.output)
        };
        let is_cut = bytes.len() >= TAIL;
        let tail = &bytes[bytes.len().saturating_sub(TAIL)..];
        let start = tail.iter().position(u8::is_ascii_whitespace).filter(|_| is_cut);
        (name, String::from_utf8_lossy(&tail[start.unwrap_or(0)..]).into_owned())
    }
}

/// Why a run is ended before the program ends.
pub(super) enum Stop {
    /// It printed more than is allowed.
    Flooded,
    /// A pipe failed.
    Broken(io::Error),
}

/// Writes `prompt` and closes the pipe. If the program closes it first, that is not an error;
/// `taken` shows it.
pub(super) async fn feed(
    pipe: Option<impl AsyncWrite + Unpin>,
    prompt: &[u8],
    taken: &mut usize,
) -> Result<(), Stop> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    while *taken < prompt.len() {
        match pipe.write(&prompt[*taken..]).await {
            Ok(0) => return Ok(()),
            Ok(count) => *taken += count,
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            Err(error) => return Err(Stop::Broken(error)),
        }
    }
    pipe.shutdown().await.map_err(Stop::Broken)
}

/// Reads to the end, at most `limit` bytes.
pub(super) async fn drain(
    pipe: Option<impl AsyncRead + Unpin>,
    output: &mut Vec<u8>,
    limit: usize,
) -> Result<(), Stop> {
    let Some(pipe) = pipe else { return Ok(()) };
    // One byte more, to tell output of exactly the limit from longer output.
    let mut pipe = pipe.take(u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1));
    while pipe.read_buf(output).await.map_err(Stop::Broken)? > 0 {}
    if output.len() > limit { Err(Stop::Flooded) } else { Ok(()) }
}

/// Reads to the end, and keeps the last bytes.
pub(super) async fn keep_tail(
    pipe: Option<impl AsyncRead + Unpin>,
    tail: &mut VecDeque<u8>,
) -> Result<(), Stop> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    let mut buffer = [0; 4096];
    loop {
        let count = pipe.read(&mut buffer).await.map_err(Stop::Broken)?;
        if count == 0 {
            return Ok(());
        }
        tail.extend(&buffer[..count]);
        tail.drain(..tail.len().saturating_sub(TAIL));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_key_at_the_start_of_a_tail_is_left_out() {
        for end in [3, 10] {
            let end = "x".repeat(end);
            let kept = ["half-a-key", &" ".repeat(TAIL - 10 - end.len()), &end].concat();
            let printed = ["sk-", &kept].concat().into_bytes();
            let mut streams = Streams { errors: kept.into_bytes().into(), ..Streams::default() };
            assert_eq!(streams.tail().1.trim(), end);
            let mut streams = Streams { output: printed, ..Streams::default() };
            assert_eq!(streams.tail().1.trim(), end);
        }
        let mut streams = Streams { output: b"a key".to_vec(), ..Streams::default() };
        assert_eq!(streams.tail(), ("stdout", "a key".to_owned()));
    }

    #[tokio::test]
    async fn the_last_bytes_are_kept_and_no_more() {
        let mut written = vec![b'x'; 10 * TAIL];
        written.extend(b"the end");
        let mut tail = VecDeque::new();
        assert!(keep_tail(Some(&written[..]), &mut tail).await.is_ok());
        assert_eq!(tail.len(), TAIL);
        assert!(tail.make_contiguous().ends_with(b"the end"));
    }
}
