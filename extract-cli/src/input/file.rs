//! Reads a whole file as one document.

use std::{io::Read as _, path::Path};

use extract::document::{Document, DocumentError};
use serde_json::Value;

#[cfg(feature = "office")]
use super::office;
use super::{
    format::{Format, ending},
    item::{Content, InputError, InputItem, STDIN},
    pdf,
    size::{MAX_BYTES, too_long},
    unsupported,
};

/// Advice for a file in another encoding.
pub(super) const CONVERT: &str = "convert it first, for example with iconv";

/// Why an empty document is refused: a model that is asked about nothing invents a value.
pub(super) const EMPTY: &str = "it is empty, so there is nothing to extract";

/// Refuses an empty standard input: a pipe that nobody writes to is a mistake, such as a job started without
/// its files.
pub(super) fn nothing_came() -> InputError {
    let message = "nothing came in; name files, folders or patterns, or pipe a text in";
    InputError { is_about_input: true, ..InputError::new(STDIN, message) }
}

/// Reads one document of a format. One without any text is an error. Of [`Format::Text`], the kind follows from the extension of `name`.
/// For a PDF it is the text if `reads_pdf_text`, else the file.
pub(super) fn read(
    name: &str,
    format: Format,
    reader: impl std::io::Read,
    reads_pdf_text: bool,
) -> Result<InputItem, InputError> {
    let mut bytes = Vec::new();
    let size =
        reader.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| InputError::new(name, error))?;
    if size as u64 > MAX_BYTES {
        return Err(InputError::new(name, too_long()));
    }
    #[cfg(feature = "office")]
    if format.is_office() {
        let office::Read { document, remark } = match format {
            Format::Docx => office::word(name, bytes)?,
            _ => office::mail(name, &bytes)?,
        };
        return item(name, Content::Text(document), remark);
    }
    #[cfg(not(feature = "office"))]
    let _ = format;
    let ending = ending(Path::new(name));
    let content = match media_type(Path::new(name)) {
        Some(pdf::MEDIA_TYPE) if reads_pdf_text => Content::Text(pdf::text(name, &bytes)?),
        Some(media_type) => {
            let media_type = image_type(&bytes).unwrap_or(media_type);
            Content::Media { bytes, media_type }
        }
        None => {
            let text = text_of(name, bytes)?;
            Content::Text(document(&ending, text).map_err(|error| InputError::new(name, error))?)
        }
    };
    item(name, content, None)
}

fn item(name: &str, content: Content, remark: Option<String>) -> Result<InputItem, InputError> {
    match &content {
        Content::Text(document) if document.text().trim().is_empty() && name == STDIN => Err(nothing_came()),
        Content::Text(document) if document.text().trim().is_empty() => Err(InputError::new(name, EMPTY)),
        _ => {
            Ok(InputItem { key: name.to_owned(), place: name.to_owned(), content, meta: Value::Null, remark })
        }
    }
}

/// `bytes` as text, without a byte order mark.
pub(super) fn text_of(place: &str, bytes: Vec<u8>) -> Result<String, InputError> {
    let text = String::from_utf8(bytes).map_err(|error| {
        if let Some(why) = unsupported::by_content(error.as_bytes()) {
            return InputError::new(place, why);
        }
        let at = error.utf8_error().valid_up_to();
        InputError::new(place, format!("not UTF-8 text (at byte {at}); {CONVERT}"))
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

fn document(ending: &str, text: String) -> Result<Document, DocumentError> {
    match ending {
        "html" | "htm" => extract_documents::html(text),
        "md" | "markdown" => extract_documents::markdown(text),
        _ => Ok(Document::from_text(text)),
    }
}

/// The type of an image by its first bytes. Providers refuse one under another name.
fn image_type(bytes: &[u8]) -> Option<&'static str> {
    let starts_with = |mark: &[u8]| bytes.starts_with(mark);
    Some(match bytes {
        _ if starts_with(b"\x89PNG\r\n\x1a\n") => "image/png",
        _ if starts_with(b"\xff\xd8\xff") => "image/jpeg",
        _ if starts_with(b"GIF8") => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        _ => return None,
    })
}

/// The type of a file that is given to the agent as it is.
pub(super) fn media_type(path: &Path) -> Option<&'static str> {
    Some(match &*ending(path) {
        "pdf" => pdf::MEDIA_TYPE,
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        _ => return None,
    })
}
