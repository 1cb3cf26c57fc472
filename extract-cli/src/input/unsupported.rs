//! Formats that are not read, each with the cure.

use std::path::Path;

use super::format::ending;

const TO_TEXT: &str = "save it as PDF, HTML or text";
const TO_TABLE: &str = "save each sheet as CSV";
const TO_PDF: &str = "save it as PDF";
const TO_FILES: &str = "unpack it, and name the files or their folder";
const TO_IMAGE: &str = "convert it to PNG or JPEG";
const TO_MAIL: &str = "save its message as text or HTML, or give `--as text` to read the file as it is";
const TO_MARKED: &str = "save it as PDF, HTML or text, or give `--as text` to read the file as it is";

/// What a file is by its ending, and what to do about it; `None` if it may be read.
pub(super) fn by_name(path: &Path) -> Option<String> {
    let ending = ending(path);
    let (what, cure) = match &*ending {
        "docx" | "doc" | "docm" | "dotx" => ("a Word document", TO_TEXT),
        "odt" => ("an OpenDocument text", TO_TEXT),
        "rtf" => ("a document in Rich Text Format", TO_MARKED),
        "pages" => ("a Pages document", TO_TEXT),
        "epub" | "mobi" => ("an electronic book", TO_TEXT),
        "xlsx" | "xls" | "xlsm" | "xlsb" => ("an Excel workbook", TO_TABLE),
        "ods" => ("an OpenDocument spreadsheet", TO_TABLE),
        "numbers" => ("a Numbers spreadsheet", TO_TABLE),
        "pptx" | "ppt" | "pptm" => ("a PowerPoint presentation", TO_PDF),
        "odp" => ("an OpenDocument presentation", TO_PDF),
        "eml" | "mbox" => ("an e-mail", TO_MAIL),
        "msg" | "pst" => ("an Outlook file", "save its messages as text or HTML"),
        "zip" | "tar" | "gz" | "tgz" | "bz2" | "xz" | "zst" | "7z" | "rar" => ("an archive", TO_FILES),
        "tif" | "tiff" | "bmp" | "heic" | "heif" | "avif" | "svg" => {
            ("an image that models do not take", TO_IMAGE)
        }
        _ => return None,
    };
    Some(format!("{what} (.{ending}), which is not read; {cure}"))
}

/// The same by the content of a file that is not text.
pub(super) fn by_content(bytes: &[u8]) -> Option<String> {
    let (what, cure) = [
        (
            &b"PK\x03\x04"[..],
            "a ZIP archive, as Word, Excel and OpenDocument files are",
            "save it as PDF, HTML, CSV or text",
        ),
        (
            b"\xd0\xcf\x11\xe0",
            "an old Office document or Outlook message",
            "save it as PDF, HTML, CSV or text",
        ),
        (b"\x1f\x8b", "a gzip archive", TO_FILES),
        (b"%PDF-", "a PDF", "name its file, with the ending .pdf"),
        (b"\x89PNG", "an image", "name its file, with the ending .png"),
        (b"\xff\xd8\xff", "an image", "name its file, with the ending .jpg"),
        (b"PAR1", "a Parquet file", "name it with the ending .parquet, or give `--as parquet`"),
    ]
    .into_iter()
    .find_map(|(start, what, cure)| bytes.starts_with(start).then_some((what, cure)))?;
    Some(format!("{what}, which is not read as text; {cure}"))
}
