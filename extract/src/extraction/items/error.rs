//! Why the extraction of a list failed, and which items were delivered.

use std::{error::Error, fmt, sync::Arc};

use crate::{error::ExtractionError, vocabulary::text::counted};

/// An extraction that failed after some items of its list may have been delivered.
///
/// Cheap to clone. `Display` prints the number of items, and then the [`ExtractionError`].
#[derive(Debug, Clone)]
pub struct ItemsError {
    delivered: Arc<[usize]>,
    error: Arc<ExtractionError>,
}

impl ItemsError {
    pub(super) fn new(delivered: impl IntoIterator<Item = usize>, error: ExtractionError) -> Self {
        Self { delivered: delivered.into_iter().collect(), error: Arc::new(error) }
    }

    /// Returns the positions of the delivered items, in ascending order. Each satisfied its part of
    /// the contract; the list as a whole was not accepted.
    pub fn delivered(&self) -> &[usize] {
        &self.delivered
    }

    /// Returns why the extraction failed, with every attempt.
    pub fn error(&self) -> &ExtractionError {
        &self.error
    }
}

impl fmt::Display for ItemsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after {}: {}", counted(self.delivered.len(), "delivered item"), self.error)
    }
}

impl Error for ItemsError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.error)
    }
}
