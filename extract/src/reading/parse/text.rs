//! A text under construction: borrowed from the reply until it differs from it.

use std::{borrow::Cow, ops::Range};

pub(super) struct Text<'t> {
    source: &'t str,
    /// The text so far, while it is a part of the source.
    part: Range<usize>,
    /// The text so far, once it differs from the source.
    own: Option<String>,
}

impl<'t> Text<'t> {
    pub(super) fn new(source: &'t str) -> Self {
        Self { source, part: 0..0, own: None }
    }

    pub(super) fn as_str(&self) -> &str {
        self.own.as_deref().unwrap_or(&self.source[self.part.clone()])
    }

    pub(super) fn len(&self) -> usize {
        self.own.as_ref().map_or(self.part.len(), String::len)
    }

    /// Appends a part of the source.
    pub(super) fn take(&mut self, part: Range<usize>) {
        match &self.own {
            None if self.part.is_empty() => self.part = part,
            None if self.part.end == part.start => self.part.end = part.end,
            _ => {
                let part = &self.source[part];
                self.own().push_str(part);
            }
        }
    }

    pub(super) fn push(&mut self, c: char) {
        self.own().push(c);
    }

    pub(super) fn truncate(&mut self, length: usize) {
        match &mut self.own {
            Some(own) => own.truncate(length),
            None => self.part.end = self.part.start + length.min(self.part.len()),
        }
    }

    pub(super) fn finish(self) -> Cow<'t, str> {
        match self.own {
            Some(own) => Cow::Owned(own),
            None => Cow::Borrowed(&self.source[self.part]),
        }
    }

    fn own(&mut self) -> &mut String {
        let part = &self.source[self.part.clone()];
        self.own.get_or_insert_with(|| {
            let mut own = String::with_capacity(2 * part.len() + 16);
            own.push_str(part);
            own
        })
    }
}
