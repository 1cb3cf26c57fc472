//! Extracts the readable text of HTML, with a mapping to the source.

mod entities;
mod layout;
mod tags;

use self::layout::Layout;
use super::text::{Document, Source};

impl Document {
    /// Creates a document from the readable text of HTML.
    ///
    /// Tags, comments, scripts and styles are left out. Paragraphs, headings, rows and similar
    /// elements are on lines of their own. A blank line separates paragraphs, and a tab separates
    /// the cells of a row. Any other whitespace is one space, except in `<pre>`. Headings divide
    /// the text, see [`Chunks::by_section`](crate::document::Chunks::by_section). References such
    /// as `&amp;` become characters: numeric ones, and the names of HTML 4.
    ///
    /// [`source_range`](Self::source_range) maps the text back to the HTML. The HTML is read
    /// leniently, in linear time; nothing is loaded or run. Text hidden by CSS is included.
    ///
    /// ```
    /// use extract::document::Document;
    ///
    /// let html = "<h1>Caf&eacute;</h1><p>Open <b>daily</b>,<br>not on&nbsp;Sunday.<script>x()</script>";
    /// let document = Document::from_html(html);
    /// assert_eq!(document.text(), "Café\n\nOpen daily,\nnot on\u{a0}Sunday.");
    /// let span = document.find("café").unwrap()[0].span();
    /// assert_eq!(&html[document.source_range(span.range()).unwrap()], "Caf&eacute;");
    /// ```
    pub fn from_html(html: impl Into<String>) -> Self {
        let html = html.into();
        let mut layout = Layout::default();
        tags::read(&html, &mut layout);
        let (text, headings, map) = layout.finish();
        Self::new(text, Vec::new(), headings, Some(Source { text: html, map }))
    }
}
