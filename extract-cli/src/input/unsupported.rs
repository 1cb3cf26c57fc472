//! Formats that are not read, each with advice.

use std::path::Path;

use super::format::ending;
use crate::install::install;

const TO_TEXT: &str = "save it as PDF, HTML or text";
const TO_PDF: &str = "save it as PDF";
const TO_FILES: &str = "unpack it, and name the files or their folder";
const TO_IMAGE: &str = "convert it to PNG or JPEG";
const TO_MAILS: &str = "save each message as .eml";
const TO_MARKED: &str = "save it as PDF, HTML or text, or give `--as text` to read the file as it is";
const TO_WORD: &str = "save it as .docx or PDF";
const TO_SHEET: &str = "save it as .xlsx, or each sheet as CSV";
const INSTALL: &str = concat!("install it with: ", install!("office"));

/// Returns the kind of a file by its extension, and advice; `None` if it may be read.
pub(super) fn by_name(path: &Path) -> Option<String> {
    let ending = ending(path);
    let (what, cure) = match &*ending {
        // With the feature they are separate formats, and come here as `--as text` only.
        "docx" | "docm" | "dotx" => ("a Word document", INSTALL),
        "xlsx" | "xlsm" | "xltx" => ("an Excel workbook", INSTALL),
        "ods" => ("an OpenDocument spreadsheet", INSTALL),
        "eml" => ("an e-mail", INSTALL),
        "doc" => ("a Word document", TO_WORD),
        "odt" => ("an OpenDocument text", TO_WORD),
        "rtf" => ("a document in Rich Text Format", TO_MARKED),
        "pages" => ("a Pages document", TO_WORD),
        "epub" | "mobi" => ("an electronic book", TO_TEXT),
        "xls" | "xlsb" => ("an Excel workbook", TO_SHEET),
        "numbers" => ("a Numbers spreadsheet", TO_SHEET),
        "pptx" | "ppt" | "pptm" => ("a PowerPoint presentation", TO_PDF),
        "odp" => ("an OpenDocument presentation", TO_PDF),
        "mbox" => ("a mailbox", TO_MAILS),
        "msg" | "pst" => ("an Outlook file", TO_MAILS),
        "zip" | "tar" | "gz" | "tgz" | "bz2" | "xz" | "zst" | "7z" | "rar" => ("an archive", TO_FILES),
        "tif" | "tiff" | "bmp" | "heic" | "heif" | "avif" | "svg" => {
            ("an image that models do not take", TO_IMAGE)
        }
        _ => return None,
    };
    let by = if cure == INSTALL { "which this build does not read" } else { "which is not read" };
    Some(format!("{what} (.{ending}), {by}; {cure}"))
}

/// The same by the content of a file that is not text.
pub(super) fn by_content(bytes: &[u8]) -> Option<String> {
    let (what, cure) = [
        (
            &b"PK\x03\x04"[..],
            "a ZIP archive, as Word, Excel and OpenDocument files are",
            "name its file, with the ending .docx, .xlsx or .ods",
        ),
        (
            b"\xd0\xcf\x11\xe0",
            "an old Office document or Outlook message",
            "save it as .docx, .xlsx, .eml or PDF",
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
