//! A handle on a value that is being written.

use std::{fmt, marker::PhantomData};

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::reading::{PartState, Snapshot};

/// What is known of a `T` at some time; cheap to clone, and it never changes.
///
/// Parts are named by JSON Pointers (RFC 6901) with the names of the JSON: `/lines/0/qty`, and the
/// empty string for the whole value.
///
/// `Debug` omits the value, so that it does not end up in a log by accident.
pub struct Partial<T> {
    snapshot: Snapshot,
    value: PhantomData<fn() -> T>,
}

impl<T> Partial<T> {
    pub(super) fn new(snapshot: Snapshot) -> Self {
        Self { snapshot, value: PhantomData }
    }

    /// How far the agent is with the part at `pointer`; `Pending` where there is no such part.
    pub fn state(&self, pointer: &str) -> PartState {
        self.snapshot.state(pointer)
    }

    /// What is known of the part at `pointer`: of a string that is being written its start, of an
    /// object or a list its parts so far. `None` if nothing is known yet.
    ///
    /// It is a copy, so ask for the parts that you show and not for all of a long list each time;
    /// [`len`](Self::len) says what is new.
    pub fn get(&self, pointer: &str) -> Option<Value> {
        self.snapshot.value(pointer)
    }

    /// How many elements of a list, or members of an object, have begun; `None` if there is neither
    /// at `pointer`. All elements of a list before the last one are complete.
    pub fn len(&self, pointer: &str) -> Option<usize> {
        self.snapshot.len(pointer)
    }

    /// The part at `pointer` as a `U`, once it is [`Done`](PartState::Done); `None` until then.
    ///
    /// # Errors
    ///
    /// If it cannot be deserialized. The attempt will then fail.
    ///
    /// ```
    /// # use extract::{Contract, partials::Step, testing::{ScriptedAgent, block_on}};
    /// # let contract = Contract::from_schema(serde_json::json!({"type": "array"}))?;
    /// let agent = ScriptedAgent::new(["[[1, 2], [3, 4]]"]).streaming(["[[1, 2], [3"]);
    /// # block_on(async {
    /// let mut steps = contract.extract(&agent, "…").partials();
    /// let Some(Ok(Step::Partial(partial))) = steps.next().await else { panic!() };
    /// let part = |pointer| partial.part::<(u8, u8)>(pointer).transpose();
    /// assert_eq!((part("/0")?, part("/1")?), (Some((1, 2)), None));
    /// # Ok::<(), serde_json::Error>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn part<U: DeserializeOwned>(&self, pointer: &str) -> Option<serde_json::Result<U>> {
        if self.state(pointer) != PartState::Done {
            return None;
        }
        self.get(pointer).map(serde_json::from_value)
    }

    /// All that is known of the value; null before anything is.
    pub fn to_value(&self) -> Value {
        self.get("").unwrap_or_default()
    }
}

impl<T> Clone for Partial<T> {
    fn clone(&self) -> Self {
        Self::new(self.snapshot.clone())
    }
}

impl<T> fmt::Debug for Partial<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Partial").field("state", &self.state("")).finish_non_exhaustive()
    }
}
