//! The Hugging Face hub.

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use hf_hub::api::{
    Progress,
    sync::{Api, ApiBuilder, ApiError, ApiRepo},
};
use indicatif::ProgressBar;

use super::{super::LocalModelError, Download, Published, progress, verify};

/// How long nothing may arrive. The client has no time limit of its own, and a network that swallows packets
/// must not keep the other source from being asked.
const PATIENCE: Duration = Duration::from_secs(30);

/// Broken transfers are taken up again where they broke off, this many times.
const RETRIES: usize = 3;

/// Why the hub did not deliver.
pub(super) enum Failure {
    /// It could not be reached, broke off, or does not have the file.
    Unreachable(String),
    /// It delivered something that is not what it states.
    Wrong(LocalModelError),
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Unreachable(error.to_string())
    }
}

/// Which hub.
pub(super) struct Hub {
    endpoint: Option<String>,
}

impl Hub {
    /// The public one, or the one in `HF_ENDPOINT`.
    pub(super) fn from_environment() -> Self {
        Self { endpoint: env::var("HF_ENDPOINT").ok().filter(|endpoint| !endpoint.is_empty()) }
    }

    #[cfg(test)]
    pub(super) fn at(endpoint: String) -> Self {
        Self { endpoint: Some(endpoint) }
    }

    /// Downloads into `folder` and holds the file against what the hub states of it.
    pub(super) fn download(&self, published: &Published, folder: &Path) -> Result<Download, Failure> {
        let api = self.api(folder)?;
        let repository = api.model(published.repository.to_owned());
        let stated = stated(api, repository.url(published.file))?;
        let path = transfer(repository, published, &stated)?;
        let download = Download { sha256: verify::sum(&path).map_err(Failure::Wrong)?, path };
        let actual_bytes = fs::metadata(&download.path)
            .map_err(LocalModelError::io("read", &download.path))
            .map_err(Failure::Wrong)?
            .len();
        if download.sha256 == stated.sha256 && actual_bytes == stated.bytes {
            return Ok(download);
        }
        Err(Failure::Wrong(LocalModelError::WrongFile {
            path: download.path,
            discarded: true,
            expected_bytes: stated.bytes,
            expected_sha256: stated.sha256,
            actual_bytes,
            actual_sha256: download.sha256,
        }))
    }

    fn api(&self, folder: &Path) -> Result<Api, ApiError> {
        // The repositories are public, so no token is sent to anyone.
        let builder =
            ApiBuilder::new().with_cache_dir(folder.join("hub")).with_token(None).with_retries(RETRIES);
        match &self.endpoint {
            Some(endpoint) => builder.with_endpoint(endpoint.trim_end_matches('/').to_owned()),
            None => builder,
        }
        .build()
    }
}

/// What the hub says about a file.
struct Stated {
    bytes: u64,
    sha256: String,
}

fn stated(api: Api, url: String) -> Result<Stated, Failure> {
    let metadata = watched(&Arc::default(), move || api.metadata(&url))?;
    // Large files are stored by their SHA-256, and the hub gives it as `X-Linked-Etag`. Anything else
    // there (small files have a Git object name) would leave the file unverified.
    let sha256 = metadata.etag().to_ascii_lowercase();
    if sha256.len() != 64 || !sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(Failure::Unreachable(format!("it states no SHA-256 of the file but `{sha256}`")));
    }
    Ok(Stated { bytes: metadata.size() as u64, sha256 })
}

/// Does it on a thread of its own, which is left behind when `bytes` stands still for too long.
fn watched<T: Send + 'static>(
    bytes: &Arc<AtomicU64>,
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, Failure> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(work()));
    let mut before = bytes.load(Ordering::Relaxed);
    loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(outcome) => return Ok(outcome?),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::Unreachable("its client panicked".to_owned()));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let now = bytes.load(Ordering::Relaxed);
        if now == before {
            let seconds = PATIENCE.as_secs();
            return Err(Failure::Unreachable(format!(
                "nothing came for {seconds} seconds, after {now} bytes"
            )));
        }
        before = now;
    }
}

fn transfer(repository: ApiRepo, published: &Published, stated: &Stated) -> Result<PathBuf, Failure> {
    let bytes = Arc::new(AtomicU64::new(0));
    let bar = Bar { bar: progress::bytes(stated.bytes, published.name), bytes: Arc::clone(&bytes) };
    let file = published.file;
    let pointer = watched(&bytes, move || repository.download_with_progress(file, bar))?;
    // The hub's cache has links to the content; the content is what will be moved.
    fs::canonicalize(&pointer).map_err(LocalModelError::io("read", pointer)).map_err(Failure::Wrong)
}

/// Our bar in the hub's terms, and a count for [`watched`].
struct Bar {
    bar: ProgressBar,
    bytes: Arc<AtomicU64>,
}

impl Progress for Bar {
    /// Called again for every retry.
    fn init(&mut self, size: usize, _: &str) {
        self.bar.set_length(size as u64);
        self.bar.set_position(0);
    }

    fn update(&mut self, size: usize) {
        self.bar.inc(size as u64);
        self.bytes.fetch_add(size as u64, Ordering::Relaxed);
    }

    fn finish(&mut self) {
        self.bar.finish_and_clear();
    }
}
