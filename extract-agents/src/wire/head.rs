//! The part of a body that is the same in each request of a contract.

use std::sync::{Arc, Mutex, PoisonError};

use extract::agent::{Role, Tool, Turn};

use super::{
    question::{Offered, Question},
    writer::{write_start, write_turn},
};

/// Heads that are kept: one for each contract and way of asking in use.
const KEPT: usize = 8;

/// Longer heads are not kept.
const LONGEST: usize = 1 << 20;

/// Instructions, schema, tools and worked examples, serialized.
pub(crate) struct Head {
    offered: Option<Arc<Offered>>,
    tools: Option<Arc<[Tool]>>,
    has_breakpoints: bool,
    /// The turns at the start of the conversation that the head has.
    pub(super) turns: Vec<Turn>,
    pub(super) bytes: Vec<u8>,
}

/// The heads of an agent's requests, each serialized once.
#[derive(Default)]
pub(crate) struct Heads(Mutex<Vec<Arc<Head>>>);

impl Heads {
    /// Returns the longest known head of `question`. A new one has all turns except the last, which
    /// changes from one document to the next. In a later attempt, the turns before the last quote
    /// the document too; by then the head of the first attempt is known.
    pub(super) fn head(&self, question: &Question<'_>) -> Arc<Head> {
        let turns = question.request.conversation.turns();
        let instructions = question.system_turns().len();
        let known = {
            let heads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let fitting = heads.iter().filter(|head| head.fits(question) && head.turns.len() >= instructions);
            fitting.max_by_key(|head| head.turns.len()).map(Arc::clone)
        };
        known.unwrap_or_else(|| {
            let head = Arc::new(Head::new(question, turns.len().saturating_sub(1).max(instructions)));
            if head.bytes.len() <= LONGEST {
                let mut heads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                if heads.len() == KEPT {
                    heads.remove(0);
                }
                heads.push(Arc::clone(&head));
            }
            head
        })
    }
}

impl Head {
    fn new(question: &Question<'_>, count: usize) -> Self {
        let turns = question.request.conversation.turns()[..count].to_vec();
        let mut bytes = Vec::with_capacity(1024);
        write_start(&mut bytes, question);
        let last = turns.iter().rposition(|turn| turn.role() != Role::System);
        for (index, turn) in turns.iter().enumerate() {
            write_turn(&mut bytes, question, turn, question.breakpoint(index, last));
        }
        let schema = question.schema().and(question.offered.clone());
        let has_breakpoints = question.has_breakpoints();
        Self { offered: schema, tools: question.request.tools.clone(), has_breakpoints, turns, bytes }
    }

    fn fits(&self, question: &Question<'_>) -> bool {
        let turns = question.request.conversation.turns();
        let schema = question.schema().and(question.offered.as_ref());
        same(self.offered.as_ref(), schema)
            && same(self.tools.as_ref(), question.request.tools.as_ref())
            && self.has_breakpoints == question.has_breakpoints()
            && turns.starts_with(&self.turns)
    }
}

/// Returns whether both are the same allocation. It is kept as long as the head, so no other can
/// have its address.
fn same<T: ?Sized>(a: Option<&Arc<T>>, b: Option<&Arc<T>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}
