//! A job as one HTML page: its outcomes, its failures with their paths, and its costs.
//!
//! Like the page of a document, it needs no network and no server, and its own policy lets a
//! browser load nothing. It has no script. Its size is bounded, however many documents the job has.

pub(crate) mod escape;
mod links;
mod page;
mod tables;
mod tally;
mod top;

use extract_bulk::{Journal, JournalError, JournalSummary};

use self::tally::OutcomeTally;
pub(crate) use self::{
    links::{FOLDER, Links},
    tally::name,
};

/// The report of a job.
pub(crate) struct JobReport {
    title: String,
    summary: JournalSummary,
    tally: OutcomeTally,
}

impl JobReport {
    /// Reads the whole journal, one outcome at a time.
    pub(crate) fn of(journal: &Journal, title: String) -> Result<Self, JournalError> {
        let mut tally = OutcomeTally::default();
        for outcome in journal.outcomes() {
            tally.add(&outcome?);
        }
        Ok(Self { title, summary: journal.inspect()?, tally })
    }

    /// The page. With `links`, it lists the documents and leads to their pages.
    pub(crate) fn html(&self, links: &Links) -> String {
        page::page(&self.title, &self.summary, &self.tally, links)
    }
}
