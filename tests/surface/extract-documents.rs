// html/mod.rs
pub fn html(html: impl Into<String>) -> Result<Document, DocumentError> {}

// lib.rs
#[cfg(feature = "pdf")]
pub use self::pdf::{PdfError, pdf};
pub use self::{html::html, markdown::markdown, view::{View, view}};

// markdown.rs
pub fn markdown(text: impl Into<String>) -> Result<Document, DocumentError> {}

// pdf/error.rs
#[derive(Debug)]
#[non_exhaustive]
pub enum PdfError {
    Unreadable { reason: String },
    Encrypted,
    NoPages,
    NoText { pages: Vec<usize>, document: Document },
    TooLarge { reason: String },
}

// pdf/mod.rs
pub use self::error::PdfError;
pub fn pdf(bytes: impl AsRef<[u8]>) -> Result<Document, PdfError> {}

// view/mod.rs
#[derive(Clone)]
pub struct View {}
pub fn view<T: Serialize + ?Sized>(document: &Document, found: &T) -> View {}
impl View {
    pub fn of(document: &Document) -> Self {}
    pub fn value<T: Serialize + ?Sized>(
        self,
        found: &T,
    ) -> Result<Self, serde_json::Error> {}
    pub fn title(self, title: impl Into<String>) -> Self {}
    pub fn about(self, name: impl Into<String>, text: impl Into<String>) -> Self {}
    pub fn violations<'v>(
        self,
        violations: impl IntoIterator<Item = &'v Violation>,
    ) -> Self {}
    pub fn metrics(self, metrics: &ExtractionMetrics) -> Self {}
    pub fn places(self, path: Path, spans: impl IntoIterator<Item = Span>) -> Self {}
    pub fn conflict(
        self,
        path: Path,
        statements: impl IntoIterator<Item = (Value, Vec<Span>)>,
    ) -> Self {}
    pub fn gaps(self, gaps: impl IntoIterator<Item = Range<usize>>) -> Self {}
    pub fn html(&self) -> &str {}
}

