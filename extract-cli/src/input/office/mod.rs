//! Documents of office programs: Word files as text, sheets as rows, e-mails.
//!
//! Each is read here, and not by the agent, so content of a file that is not in its text is either
//! marked in the text or counted in a remark. Archives, XML and texts have limits.

mod archive;
mod mail;
mod reading;
mod sheet;
mod word;
mod xml;

use self::reading::guarded;
pub(super) use self::{reading::Read, sheet::items as rows};
use super::item::InputError;

/// The text of a Word file.
pub(super) fn word(name: &str, bytes: Vec<u8>) -> Result<Read, InputError> {
    guarded(name, || word::read(bytes))
}

/// The header lines and the text of an e-mail.
pub(super) fn mail(name: &str, bytes: &[u8]) -> Result<Read, InputError> {
    guarded(name, || mail::read(bytes))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write as _};

    use zip::{ZipWriter, write::SimpleFileOptions};

    /// An archive with these parts.
    pub(super) fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, part) in parts {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(part.as_bytes()).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }
}
