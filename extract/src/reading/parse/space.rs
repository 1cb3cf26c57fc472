//! Whitespace and comments between tokens.

use super::{Parser, look};
use crate::reading::slip::Edit;
use crate::vocabulary::change::{ChangeKind, Loss};

impl Parser<'_> {
    /// Skips whitespace and comments.
    pub(super) fn space(&mut self) {
        loop {
            while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
                self.at += 1;
            }
            let start = self.at;
            if self.slip.take_if(|slip| slip.at == start && slip.edit == Edit::Delete).is_some() {
                self.at += 1;
                continue;
            }
            match self.peek() {
                Some(b'/') if self.starts_with("//") => self.comment(start, self.line_end(start)),
                Some(b'/') if self.starts_with("/*") => self.block_comment(start),
                Some(b'#') => self.comment(start, self.line_end(start)),
                Some(b'>') if look::is_quotation(self.text, start) => {
                    self.at += 1;
                    self.note(ChangeKind::Space, Loss::Lossless, start..self.at, " ");
                }
                Some(0x0b | 0x0c | 0x80..) => {
                    self.at = look::past_space(self.text, start);
                    if self.at == start {
                        return;
                    }
                    self.note(ChangeKind::Space, Loss::Lossless, start..self.at, " ");
                }
                _ => return,
            }
        }
    }

    fn line_end(&self, start: usize) -> usize {
        self.text[start..].find('\n').map_or(self.text.len(), |length| start + length)
    }

    fn block_comment(&mut self, start: usize) {
        let end = self.text[start + 2..].find("*/").map_or(self.text.len(), |length| start + length + 4);
        self.comment(start, end);
    }

    fn comment(&mut self, start: usize, end: usize) {
        self.note(ChangeKind::Comment, Loss::Ignored, start..end, "");
        self.at = end;
    }
}
