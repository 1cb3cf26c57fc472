//! The Hugging Face hub.

use std::{
    env,
    io::Read,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use ureq::{
    Body,
    http::{HeaderMap, Response, StatusCode, header},
};

use super::{
    download::{Download, SourceFailure},
    get::{self, Pace},
    incoming::IncomingFile,
};
use crate::published::Published;

const PUBLIC: &str = "https://huggingface.co";

/// How often a broken transfer is resumed.
const RETRIES: u32 = 3;

/// A hub.
///
/// Data from a hub does not affect what is kept: the revision, the size and the checksum come from
/// [`Published`], and the path is fixed and contains nothing from headers. A hub that lies can only
/// fail.
pub(super) struct Hub {
    endpoint: String,
    /// The wait before the first retry; it doubles for each further one.
    pause: Duration,
}

impl Hub {
    /// The public hub, or the one in `HF_ENDPOINT`.
    pub(super) fn from_environment() -> Self {
        let own = env::var("HF_ENDPOINT").ok().filter(|endpoint| !endpoint.is_empty());
        Self { endpoint: own.unwrap_or_else(|| PUBLIC.to_owned()), pause: Duration::from_millis(500) }
    }

    #[cfg(test)]
    pub(super) fn at(endpoint: String) -> Self {
        Self { endpoint, pause: Duration::ZERO }
    }

    /// Downloads into `folder`. The repositories are public, so no token is sent.
    pub(super) fn download(
        &self,
        published: &'static Published,
        folder: &Path,
    ) -> Result<Download, SourceFailure> {
        let mut arriving = IncomingFile::new(published, folder)?;
        let mut pauses = (0..RETRIES).map(|retry| self.pause * 2_u32.pow(retry));
        while !arriving.is_whole() {
            let Err(failure) = self.transfer(published, &mut arriving) else { continue };
            match (failure, pauses.next()) {
                // A hub that sent nothing would send nothing again.
                (SourceFailure::Unreachable(_), Some(pause)) if arriving.written() > 0 => {
                    thread::sleep(pause);
                }
                (failure, _) => return Err(failure),
            }
        }
        Ok(arriving.finish()?)
    }

    pub(super) fn url(&self, published: &Published) -> String {
        let Published { repository, revision, file, .. } = published;
        format!("{}/{repository}/resolve/{revision}/{file}", self.endpoint.trim_end_matches('/'))
    }

    /// Downloads the rest. Without an error the file is complete.
    fn transfer(&self, published: &Published, arriving: &mut IncomingFile) -> Result<(), SourceFailure> {
        let response = get::get(&get::agent(), &self.url(published), arriving.written())
            .map_err(SourceFailure::Unreachable)?;
        let from = begin(&response, published)?;
        if from == 0 {
            arriving.restart()?;
        } else if from != arriving.written() {
            return Err(SourceFailure::Unreachable("it sent another part than it was asked for".to_owned()));
        }
        copy(response, published, arriving)
    }
}

/// The position in the file of the first byte of the body. A file of another size is not
/// downloaded.
fn begin(response: &Response<Body>, published: &Published) -> Result<u64, SourceFailure> {
    let headers = response.headers();
    let (from, total) = match response.status() {
        StatusCode::OK => (0, number(headers, header::CONTENT_LENGTH)),
        StatusCode::PARTIAL_CONTENT => content_range(headers)
            .ok_or_else(|| SourceFailure::Unreachable("it sent a part without saying which".to_owned()))?,
        status => return Err(SourceFailure::Unreachable(format!("it answered with status {status}"))),
    };
    match total {
        Some(total) if total != published.bytes => Err(SourceFailure::Unreachable(format!(
            "what it has there is no such file: {total} bytes, expected {}",
            published.bytes
        ))),
        _ => Ok(from),
    }
}

fn copy(
    response: Response<Body>,
    published: &Published,
    arriving: &mut IncomingFile,
) -> Result<(), SourceFailure> {
    let mut reader = response.into_body().into_reader();
    let mut pace = Pace::new(Instant::now());
    let mut buffer = vec![0; 1 << 16];
    let reason = loop {
        if arriving.is_whole() {
            return Ok(());
        }
        match reader.read(&mut buffer) {
            Ok(0) => break "it closed the connection".to_owned(),
            Ok(count) => {
                arriving.push(&buffer[..count])?;
                if pace.is_too_slow(count, Instant::now()) {
                    break "it is too slow".to_owned();
                }
            }
            Err(error) => break error.to_string(),
        }
    };
    let (written, bytes) = (arriving.written(), published.bytes);
    Err(SourceFailure::Unreachable(format!(
        "the transfer broke off after {written} of {bytes} bytes: {reason}"
    )))
}

fn number(headers: &HeaderMap, name: header::HeaderName) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

/// The first byte and, if known, the total size of `bytes 10-34/35` (RFC 9110, section 14.4).
fn content_range(headers: &HeaderMap) -> Option<(u64, Option<u64>)> {
    let (range, total) =
        headers.get(header::CONTENT_RANGE)?.to_str().ok()?.strip_prefix("bytes ")?.split_once('/')?;
    Some((range.split_once('-')?.0.parse().ok()?, total.parse().ok()))
}
