//! Decides whether a document already has its outcome.

use super::{identity::Identity, journal::RecordHead, options::Retry, outcome::Status};

/// Returns whether the outcome in the journal counts for this document.
pub(super) fn is_known(head: &RecordHead, identity: &Identity, retry: Retry) -> bool {
    match retry {
        Retry::Never => head.answers(identity),
        Retry::Failed | Retry::InPart => head.question == identity.question && head.status != Status::Failed,
    }
}
