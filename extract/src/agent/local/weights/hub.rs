//! The Hugging Face hub.

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
    time::Duration,
};

use hf_hub::api::{
    Progress,
    sync::{Api, ApiBuilder, ApiError, ApiRepo, Metadata},
};
use indicatif::ProgressBar;

use super::{super::LocalModelError, Download, Published, progress, verify};

/// How long the hub may take to say what a file is. Its client has no time limit of its own, and a network
/// that swallows packets must not keep the other source from being asked.
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
        let path = transfer(&repository, published, &stated)?;
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
    let metadata = ask(api, url)?;
    // Large files are stored by their SHA-256, and the hub gives it as `X-Linked-Etag`. Anything else
    // there (small files have a Git object name) would leave the file unverified.
    let sha256 = metadata.etag().to_ascii_lowercase();
    if sha256.len() != 64 || !sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(Failure::Unreachable(format!("it states no SHA-256 of the file but `{sha256}`")));
    }
    Ok(Stated { bytes: metadata.size() as u64, sha256 })
}

/// Asks on a thread of its own, which is left behind if it gets no answer.
fn ask(api: Api, url: String) -> Result<Metadata, Failure> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(api.metadata(&url)));
    match receiver.recv_timeout(PATIENCE) {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(Failure::Unreachable(format!("no answer within {} seconds", PATIENCE.as_secs()))),
    }
}

fn transfer(repository: &ApiRepo, published: &Published, stated: &Stated) -> Result<PathBuf, Failure> {
    let bar = progress::bytes(stated.bytes, published.name);
    let pointer = repository.download_with_progress(published.file, Bar(bar))?;
    // The hub's cache has links to the content; the content is what will be moved.
    fs::canonicalize(&pointer).map_err(LocalModelError::io("read", pointer)).map_err(Failure::Wrong)
}

/// Our bar in the hub's terms.
struct Bar(ProgressBar);

impl Progress for Bar {
    /// Called again for every retry.
    fn init(&mut self, size: usize, _: &str) {
        self.0.set_length(size as u64);
        self.0.set_position(0);
    }

    fn update(&mut self, size: usize) {
        self.0.inc(size as u64);
    }

    fn finish(&mut self) {
        self.0.finish_and_clear();
    }
}
