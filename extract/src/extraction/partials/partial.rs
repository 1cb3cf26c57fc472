//! A handle on a value that is being written, and the steps in which it is extracted.

use std::{fmt, sync::Arc};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::violations::PartialViolations;
use crate::{
    derive_support::{DescribedType, HasPartial, Progress, WrittenPart},
    extraction::same_type::SameType,
    metrics::ExtractionMetrics,
    reading::{Mark, PartState, Sight},
    vocabulary::violation::Violation,
};

/// The known part of a `T` at one moment. It never changes and is cheap to clone.
///
/// Parts are named by JSON Pointers (RFC 6901) with the names of the JSON: `/lines/0/qty`, and the
/// empty string for the whole value.
///
/// `Debug` omits the value, so that it does not end up in a log by accident.
pub struct Partial<T> {
    value: Arc<PartialViolations<T>>,
    mark: Mark,
}

impl<T> Partial<T> {
    pub(super) fn new(value: Arc<PartialViolations<T>>, mark: Mark) -> Self {
        Self { value, mark }
    }

    fn sight(&self) -> Sight<'_> {
        self.value.sight(self.mark)
    }

    /// Returns how complete the part at `pointer` is; `Pending` if there is no such part.
    pub fn state(&self, pointer: &str) -> PartState {
        self.sight().state(pointer)
    }

    /// Returns what is known of the part at `pointer`: the start of a string that is being written,
    /// the parts so far of an object or a list. `None` if nothing is known yet.
    ///
    /// The value is a copy, so ask for the parts that you show, not for all of a long list each
    /// time; [`len`](Self::len) tells what is new.
    pub fn get(&self, pointer: &str) -> Option<Value> {
        self.sight().value(pointer)
    }

    /// Returns how many elements of a list, or members of an object, have begun; `None` if
    /// `pointer` leads to neither. All elements of a list before the last one are complete.
    pub fn len(&self, pointer: &str) -> Option<usize> {
        self.sight().len(pointer)
    }

    /// Returns the part at `pointer` as a `U`, once it is [`Done`](PartState::Done); `None` until
    /// then.
    ///
    /// # Errors
    ///
    /// If it cannot be deserialized. The attempt will then fail.
    ///
    /// ```
    /// # use extract::{Contract, partials::PartialStep, testing::{ScriptedAgent, block_on}};
    /// # let contract = Contract::from_schema(serde_json::json!({"type": "array"}))?;
    /// let agent = ScriptedAgent::new(["[[1, 2], [3, 4]]"]).streaming(["[[1, 2], [3"]);
    /// # block_on(async {
    /// let mut steps = contract.extract(&agent, "…").partials();
    /// let Some(Ok(PartialStep::Partial(partial))) = steps.next().await else { panic!() };
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

    /// Returns what is known of the value as a `T`: the elements of a list that have begun, or the
    /// fields of a type with `#[extract(partial)]`; see [`WhileWriting`](super::WhileWriting).
    ///
    /// The result is a copy of everything known, and each part is copied once. For the new rows of
    /// a long list, [`len`](Self::len) and [`part`](Self::part) are cheaper.
    ///
    /// ```
    /// # use extract::{Extractable, testing::{ScriptedAgent, block_on}};
    /// use extract::partials::{Progress, PartialStep};
    ///
    /// let agent = ScriptedAgent::new([r#"["one", "two"]"#]).streaming([r#"["one", "tw"#]);
    /// # block_on(async {
    /// let mut steps = Vec::<String>::extract(&agent, "…").partials();
    /// let Some(Ok(PartialStep::Partial(partial))) = steps.next().await else { panic!() };
    /// let Progress::Writing(words) = partial.progress() else { panic!() };
    /// assert_eq!(words, [Progress::Done("one".to_owned()), Progress::Writing("tw".to_owned())]);
    /// # });
    /// ```
    pub fn progress(&self) -> Progress<T>
    where
        T: DescribedType,
    {
        WrittenPart::new(self.sight().root()).progress()
    }

    /// Returns what is known of the value's fields. `T` has `#[extract(partial)]`.
    ///
    /// A field is `Done` as soon as serde has deserialized it. A field that serde rejects stays
    /// `Writing`; the attempt will then fail.
    ///
    /// The result is a copy, as in [`progress`](Self::progress).
    ///
    /// ```
    /// # use extract::testing::{ScriptedAgent, block_on};
    /// use extract::{Extractable, partials::{Progress, PartialStep}};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, Extractable)]
    /// #[extract(partial)]
    /// struct Invoice {
    ///     number: String,
    ///     lines: Vec<Line>,
    ///     total: f64,
    /// }
    ///
    /// #[derive(Deserialize, Extractable)]
    /// #[extract(partial)]
    /// struct Line {
    ///     what: String,
    ///     qty: u32,
    /// }
    ///
    /// let reply = r#"{"number": "INV-7", "lines": [{"what": "bolts", "qty": 12}], "total": 1200}"#;
    /// let agent = ScriptedAgent::new([reply]).streaming([&reply[..42]]);
    /// # block_on(async {
    /// let mut steps = Invoice::extract(&agent, "…").partials();
    /// let Some(Ok(PartialStep::Partial(partial))) = steps.next().await else { panic!() };
    /// let InvoicePartial { number, lines, total } = partial.fields();
    /// assert_eq!(number, Progress::Done("INV-7".to_owned()));
    /// assert_eq!(total, Progress::Pending);
    /// // The rows of a table, whether they are complete or not.
    /// let rows: Vec<LinePartial> =
    ///     lines.known().into_iter().flatten().filter_map(Progress::known).collect();
    /// assert_eq!(rows[0].what, Progress::Writing("bo".to_owned()));
    /// assert_eq!(rows[0].qty, Progress::Pending);
    /// # });
    /// ```
    pub fn fields<U: HasPartial + DescribedType>(&self) -> U::Partial
    where
        T: SameType<U>,
    {
        WrittenPart::new(self.sight().root()).fields::<U>()
    }

    /// Returns the known violations of the part at `pointer` and inside it, which the schema,
    /// serde, and the checks and rules of the type find in the parts that are
    /// [`Done`](PartState::Done).
    ///
    /// Each part is judged once: when it is first asked for or, if the rules have a context, when
    /// it is shown. Parts more than four levels inside the value are judged with the part around
    /// them, so the work is proportional to the length of the reply. In an enum, violations that
    /// depend on the variant are known once the variant is known. No violation is taken back within
    /// an attempt. At most 1,000 violations are known.
    ///
    /// The judgement of the whole value is the authority. Only it runs the rules of the whole,
    /// async checks and `on_submit`, and reports missing parts of values that are not complete yet.
    /// It also reports the panic of a check, which is not a violation here. Sensitive values are
    /// redacted.
    ///
    /// ```
    /// # use extract::testing::{ScriptedAgent, block_on};
    /// use extract::{Extractable, partials::PartialStep};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, Extractable)]
    /// struct Invoice {
    ///     #[extract(range(min = 0))]
    ///     total: i32,
    ///     note: String,
    /// }
    ///
    /// # let agent = ScriptedAgent::new([r#"{"total": -1, "note": "x"}"#]).streaming([r#"{"total": -1, "no"#]);
    /// # block_on(async {
    /// let mut steps = Invoice::extract(&agent, "…").partials();
    /// let Some(Ok(PartialStep::Partial(partial))) = steps.next().await else { panic!() };
    /// assert_eq!(partial.violations("/total")[0].message, "too small");
    /// assert!(partial.violations("/note").is_empty());
    /// # });
    /// # let _ = |invoice: Invoice| (invoice.total, invoice.note);
    /// ```
    pub fn violations(&self, pointer: &str) -> Vec<Violation> {
        self.value.violations(pointer, self.mark)
    }

    /// Returns everything known of the value; null if nothing is known yet.
    pub fn to_value(&self) -> Value {
        self.get("").unwrap_or_default()
    }
}

impl<T> Clone for Partial<T> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.value), self.mark)
    }
}

impl<T> fmt::Debug for Partial<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Partial").field("state", &self.state("")).finish_non_exhaustive()
    }
}

/// One step of an extraction, from [`Partials`](super::Partials).
#[derive(Debug)]
#[non_exhaustive]
pub enum PartialStep<T> {
    /// More is known of the value.
    Partial(Partial<T>),
    /// Everything shown before is superseded. A partial of the new value may follow.
    #[non_exhaustive]
    Restarted {
        /// Number of the attempt that continues, from 1.
        attempt: u32,
        /// The violations of the previous attempt. Empty if the attempt is the same: the transport
        /// failed and the agent was asked again, or the reader chose another value of the reply as
        /// the answer.
        violations: Vec<Violation>,
    },
    /// The value and its metrics. The stream ends.
    ///
    /// The metrics are boxed because a step is moved with each delta: unboxed, these moves took
    /// half as long as parsing the reply.
    Finished(T, Box<ExtractionMetrics>),
}
