//! The media of parts, in the words of formats that have their own.

use extract::agent::Part;

/// The formats of images and documents, by their media types.
const FORMATS: [(&str, &str); 13] = [
    ("image/png", "png"),
    ("image/jpeg", "jpeg"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
    ("application/pdf", "pdf"),
    ("text/csv", "csv"),
    ("application/msword", "doc"),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
    ("application/vnd.ms-excel", "xls"),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    ("text/html", "html"),
    ("text/plain", "txt"),
    ("text/markdown", "md"),
];

/// The format of an image or a document, if Converse has one for it.
pub(super) fn converse_format(part: &Part) -> Option<&'static str> {
    let kind = part.media_type()?.split(';').next()?.trim();
    FORMATS.iter().find(|(known, _)| known.eq_ignore_ascii_case(kind)).map(|(_, format)| *format)
}
