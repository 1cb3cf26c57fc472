//! The methods of types and contracts.

use std::sync::Arc;

use extract::{Agent, Contract, Extractable};
use serde_json::Value;

use crate::{
    builder::{Bulk, JobQuestion},
    source::IntoSource,
};

/// Asks about many documents for any [`Extractable`] type.
///
/// ```
/// use extract::testing::{ScriptedAgent, block_on};
/// use extract_bulk::{BulkExt as _, Doc};
///
/// let agent = ScriptedAgent::new(["[8]"]);
/// let report = block_on(Vec::<u8>::bulk(&agent, [Doc::new("spider", "How many legs?")]))?;
/// assert_eq!((report.documents, report.done), (1, 1));
/// # Ok::<(), extract_bulk::BulkError>(())
/// ```
pub trait BulkExt: Extractable {
    /// Asks `agent` about many documents, as one job with a journal: it survives a kill, obeys the
    /// limits of the provider, and asks nothing twice.
    ///
    /// `documents` is an iterator or a stream of [`Doc`](crate::Doc) or `Result<Doc, E>`.
    fn bulk<'a, A: Agent + ?Sized, K>(agent: &'a A, documents: impl IntoSource<'a, K>) -> Bulk<'a, Self>
    where
        Self: Send,
    {
        let question = JobQuestion {
            contract: Contract::of::<Self>(),
            extract: Arc::new(move |prompt| Self::extract(agent, prompt)),
            read: |value| Self::deserialize(&value).ok(),
            agent: Box::new(move || agent.name().into_owned()),
        };
        Bulk::new(question, documents.into_source())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Extractable> BulkExt for T {}

/// Asks about many documents for a [`Contract`], such as one from a schema known at run time.
///
/// ```
/// use extract::{Contract, testing::{ScriptedAgent, block_on}};
/// use extract_bulk::{ContractBulkExt as _, Doc};
///
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let agent = ScriptedAgent::new(["8"]);
/// let mut outcomes = contract.bulk(&agent, [Doc::new("spider", "How many legs?")]).outcomes();
/// let outcome = block_on(outcomes.next()).unwrap()?;
/// assert_eq!((&*outcome.key, outcome.result.unwrap()), ("spider", 8.into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ContractBulkExt {
    /// Asks `agent` about many documents, as one job with a journal; the untyped form of
    /// [`BulkExt::bulk`].
    fn bulk<'a, A: Agent + ?Sized, K>(
        &self,
        agent: &'a A,
        documents: impl IntoSource<'a, K>,
    ) -> Bulk<'a, Value>;
}

impl ContractBulkExt for Contract {
    fn bulk<'a, A: Agent + ?Sized, K>(
        &self,
        agent: &'a A,
        documents: impl IntoSource<'a, K>,
    ) -> Bulk<'a, Value> {
        let contract = self.clone();
        let question = JobQuestion {
            contract: Ok(self.clone()),
            extract: Arc::new(move |prompt| contract.extract(agent, prompt)),
            read: Some,
            agent: Box::new(move || agent.name().into_owned()),
        };
        Bulk::new(question, documents.into_source())
    }
}
