//! Documents that cannot be read, all at once.

use std::fmt;

use super::item::InputError;

/// How many of them are named.
pub(super) const MAX_NAMED: usize = 10;

/// Why documents cannot be read. There is at least one.
#[derive(Debug, Default)]
pub(crate) struct UnreadDocuments {
    /// The first ones: each reason, with the documents to which it applies.
    named: Vec<(String, Vec<String>)>,
    count: usize,
    /// Whether others were not looked at.
    has_more: bool,
    /// Whether others can be read without them.
    can_be_skipped: bool,
}

impl UnreadDocuments {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn add(&mut self, error: InputError) {
        self.count += 1;
        self.can_be_skipped |= !error.is_about_input;
        if self.count > MAX_NAMED {
            return;
        }
        let InputError { place, message, .. } = error;
        match self.named.iter_mut().find(|(reason, _)| *reason == message) {
            Some((_, places)) => places.push(place),
            None => self.named.push((message, vec![place])),
        }
    }

    /// What to do, if the message does not say it. `is_kept` says whether the job has a journal.
    pub(crate) fn help(&self, is_kept: bool) -> Option<&'static str> {
        let help = if is_kept {
            "correct it, or give `--skip-unreadable`; the same command goes on, and asks nothing twice"
        } else {
            "correct it, or give `--skip-unreadable`; with `--out` or `--journal`, the same command would go on"
        };
        self.can_be_skipped.then_some(help)
    }

    /// Says that others were not looked at.
    pub(super) fn may_be_more(&mut self) {
        self.has_more = true;
    }
}

impl fmt::Display for UnreadDocuments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, least) = (self.count, if self.has_more { "at least " } else { "" });
        let start = if count > 1 { "\n  " } else { "" };
        if count > 1 {
            write!(f, "{least}{count} documents cannot be read:")?;
        }
        for (reason, places) in &self.named {
            write!(f, "{start}{}: {reason}", places.join(", "))?;
        }
        match count.saturating_sub(MAX_NAMED) {
            0 => Ok(()),
            more => write!(f, "{start}and {more} more"),
        }
    }
}

impl std::error::Error for UnreadDocuments {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_are_the_same_are_said_once() {
        let mut unread = UnreadDocuments::default();
        unread.add(InputError::new("a.txt", "it is empty"));
        assert_eq!(unread.to_string(), "a.txt: it is empty");
        unread.add(InputError::new("b.txt", "not UTF-8"));
        unread.add(InputError::new("c.txt", "it is empty"));
        let shown = "3 documents cannot be read:\n  a.txt, c.txt: it is empty\n  b.txt: not UTF-8";
        assert_eq!(unread.to_string(), shown);
        (0..20).for_each(|number| unread.add(InputError::new(number.to_string(), "it is empty")));
        unread.may_be_more();
        let shown = unread.to_string();
        assert!(
            shown.starts_with("at least 23 documents cannot be read:\n  a.txt, c.txt, 0, 1, 2, 3, 4, 5, 6: ")
        );
        assert!(shown.ends_with("\n  and 13 more"), "{shown}");
    }
}
