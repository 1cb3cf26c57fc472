//! Rejects documents that cannot be given to an agent, by their names, before anything is asked.

use std::path::Path;

use super::{file, item::InputError, pdf, unsupported};

/// How documents are read, and for whom.
#[derive(Debug, Clone)]
pub(super) struct ReadingSettings {
    /// Whether the user says that the files are text, whatever their extensions.
    pub(super) is_text: bool,
    /// Whether the text of PDF files is read here.
    pub(super) reads_pdf_text: bool,
    /// The option with the agent, if the agent takes only text.
    pub(super) text_only: Option<String>,
}

impl ReadingSettings {
    /// Why the file at `path`, shown as `name`, cannot be given to the agent.
    pub(super) fn rejects(&self, path: &Path, name: &str) -> Option<InputError> {
        if let Some(why) = unsupported::by_name(path).filter(|_| !self.is_text) {
            return Some(InputError::new(name, why));
        }
        let agent = self.text_only.as_deref()?;
        match file::media_type(path)? {
            pdf::MEDIA_TYPE if self.reads_pdf_text => None,
            pdf::MEDIA_TYPE => Some(InputError::new(
                name,
                format!(
                    "a PDF, and `{agent}` takes text only; `--pdf-text` reads the text of PDF files, and `--agent \
                     provider/model` names a model that reads the files"
                ),
            )),
            _ => Some(InputError::new(
                name,
                format!(
                    "an image, and `{agent}` takes text only; `--agent provider/model` names a model that reads images"
                ),
            )),
        }
    }
}
