//! The limit on the size of a document.

/// Maximum bytes of a document.
pub(super) const MAX_BYTES: u64 = 64 << 20;

/// The message about a longer one.
pub(super) fn too_long() -> String {
    format!("longer than {} MiB, the most that one document may have", MAX_BYTES >> 20)
}
