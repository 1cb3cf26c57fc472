//! The result of reading a document of an office program.

use extract::document::Document;

use crate::{input::item::InputError, output, panics};

/// The text of a document, and a remark on the rest.
pub(crate) struct Read {
    pub(crate) document: Document,
    /// Parts of the file that the text lacks.
    pub(crate) remark: Option<String>,
}

/// Runs `read`, whose libraries may panic on damaged files.
pub(super) fn guarded<T>(name: &str, read: impl FnOnce() -> Result<T, String>) -> Result<T, InputError> {
    panics::caught(read)
        .unwrap_or_else(|| Err("the file is damaged".to_owned()))
        .map_err(|error| InputError::new(name, error))
}

/// `2 images, 1 chart are not read`, without what does not occur.
pub(super) fn not_read(counts: &[(usize, &str)]) -> Option<String> {
    let found: Vec<_> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| output::counted(*count as u64, what))
        .collect();
    let verb = if counts.iter().map(|(count, _)| count).sum::<usize>() == 1 { "is" } else { "are" };
    (!found.is_empty()).then(|| format!("{} {verb} not read", found.join(", ")))
}
