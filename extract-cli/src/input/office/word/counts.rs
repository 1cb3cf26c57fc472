//! Counts of content that a Word file has and its text lacks.

use super::super::reading::not_read;

/// How often it occurs.
#[derive(Debug, Default)]
pub(super) struct ListCounts {
    pub(super) images: usize,
    pub(super) charts: usize,
    pub(super) objects: usize,
    pub(super) deletions: usize,
    pub(super) hidden: usize,
}

impl ListCounts {
    pub(super) fn remark(&self) -> Option<String> {
        not_read(&[
            (self.images, "image"),
            (self.charts, "chart"),
            (self.objects, "embedded object"),
            (self.deletions, "tracked deletion"),
            (self.hidden, "hidden text"),
        ])
    }
}
