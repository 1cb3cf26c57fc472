//! The parts of a document.

use std::ops::Range;

/// A page or section, to build a [`Document`](crate::document::Document) from.
///
/// ```
/// use extract::document::{Document, DocumentPart};
///
/// let document = Document::from_parts([
///     DocumentPart::page(1, "The tenant shall pay the"),
///     DocumentPart::page(2, "rent in advance."),
///     DocumentPart::new("Signed.").named("Signatures").on_page(2),
/// ]);
/// let span = document.find("rent in advance").unwrap()[0].span();
/// assert_eq!(span.page(), Some(2));
/// assert_eq!(document.sections()[2].name(), Some("Signatures"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentPart {
    pub(super) text: String,
    pub(super) name: Option<String>,
    pub(super) page: Option<usize>,
}

impl DocumentPart {
    /// Creates a part without a name or page.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Creates a page with this number, as numbered in the source.
    pub fn page(number: usize, text: impl Into<String>) -> Self {
        Self::new(text).on_page(number)
    }

    /// Creates a section with this name.
    pub fn section(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(text).named(name)
    }

    /// Sets the name of the part.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the page of the part.
    #[must_use]
    pub fn on_page(mut self, number: usize) -> Self {
        self.page = Some(number);
        self
    }
}

/// A part of a document, with its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    pub(super) name: Option<String>,
    pub(super) page: Option<usize>,
    pub(super) range: Range<usize>,
}

impl Section {
    /// Returns the name it was given.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the page it is on.
    pub fn page(&self) -> Option<usize> {
        self.page
    }

    /// Returns its bytes in the document.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }
}
