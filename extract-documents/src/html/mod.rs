//! Extracts the readable text of HTML, with a mapping to the source.

mod entities;
mod layout;
mod tags;

use extract::document::{Document, DocumentError};

use self::layout::HtmlText;

/// Creates a document from the readable text of HTML.
///
/// Tags, comments, scripts and styles are omitted. Paragraphs, headings, rows and similar elements
/// are on lines of their own. A blank line separates paragraphs, and a tab separates the cells of a
/// row. Any other whitespace is one space, except in `<pre>`. Headings divide the text, see
/// [`Chunks::by_section`](extract::document::Chunks::by_section). References such as `&amp;` become
/// characters: numeric ones, and the names of HTML 4.
///
/// [`source_range`](Document::source_range) maps the text back to the HTML. The HTML is read
/// leniently, in linear time; nothing is loaded or run. Text hidden by CSS is included.
///
/// # Errors
///
/// None is known; any text is read as HTML.
///
/// ```
/// let html = "<h1>Caf&eacute;</h1><p>Open <b>daily</b>,<br>not on&nbsp;Sunday.<script>x()</script>";
/// let document = extract_documents::html(html)?;
/// assert_eq!(document.text(), "Café\n\nOpen daily,\nnot on\u{a0}Sunday.");
/// let span = document.find("café").unwrap()[0].span();
/// assert_eq!(&html[document.source_range(span.range()).unwrap()], "Caf&eacute;");
/// # Ok::<(), extract::document::DocumentError>(())
/// ```
pub fn html(html: impl Into<String>) -> Result<Document, DocumentError> {
    let html = html.into();
    let mut layout = HtmlText::default();
    tags::read(&html, &mut layout);
    let (text, headings, map) = layout.finish();
    Document::from_text(text).with_headings(headings)?.with_source(html, map)
}
