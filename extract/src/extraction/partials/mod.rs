//! The value while it is written.
//!
//! [`Extraction::partials`](crate::Extraction::partials) turns an extraction into a stream of
//! [`PartialStep`]s: what is known of the value after every delta of the reply, and finally the value. A
//! [`Partial`] is a cheap handle on shared parts: a thousand of them take no more memory than one.
//!
//! ```
//! use extract::{Extractable, partials::{PartState, PartialStep}};
//! # use extract::testing::{ScriptedAgent, block_on};
//! # use serde::Deserialize;
//! #[derive(Deserialize, Extractable)]
//! struct Invoice {
//!     number: String,
//!     total: f64,
//! }
//!
//! # let agent = ScriptedAgent::new([r#"{"number": "INV-7", "total": 1200}"#])
//! #     .streaming([r#"{"number": "INV"#, r#"-7", "total": 12"#]);
//! # block_on(async {
//! let mut shown = Vec::new();
//! let mut steps = Invoice::extract(&agent, "…").partials();
//! while let Some(step) = steps.next().await {
//!     match step? {
//!         PartialStep::Partial(partial) => shown.push((partial.get("/number"), partial.state("/total"))),
//!         PartialStep::Restarted { .. } => shown.clear(),
//!         PartialStep::Finished(invoice, _) => assert_eq!((&*invoice.number, invoice.total), ("INV-7", 1200.0)),
//!         _ => {}
//!     }
//! }
//! assert_eq!(
//!     shown,
//!     [
//!         (Some("INV".into()), PartState::Pending),
//!         (Some("INV-7".into()), PartState::Writing), // not 12
//!         (Some("INV-7".into()), PartState::Done),
//!     ]
//! );
//! # Ok::<(), extract::ExtractionError>(())
//! # }).unwrap();
//! ```
//!
//! # When parts are shown
//!
//! - Nothing before the answer begins: no reasoning, no prose.
//! - A string grows while it is written. A string with a pattern, a format or a list of allowed
//!   values appears when it is complete, and so do numbers, booleans and null: `12` may become
//!   `1200`.
//! - A part is [`Done`](PartState::Done) as soon as the text after it shows that it is complete and
//!   will be read as written. A number, a word or a string is done at the comma or bracket after
//!   it. A part that is done does not change within an attempt. It may still break the rules.
//! - Only parts that the schema names are shown. A part that is not written as the schema requires,
//!   such as `"12"` for a number, appears when the whole reply was read.
//! - From the first byte that is not strict JSON, such as a single quote, the tolerant reader takes
//!   over. It rereads the text whenever the text has grown by half, so all its readings together
//!   pass over at most three times the bytes of the reply. It stays a few hundred bytes behind the
//!   end of the text, because those may change how the text is read.
//!
//! # Fields
//!
//! `#[extract(partial)]` on a struct generates a type with the same fields, which has a
//! [`Progress`] for each of them. [`Partial::fields`] returns it. [`Partial::progress`] does the
//! same for every other type, such as a list of such structs. A field of an enum type is
//! `Writing(())` until the whole enum is complete, because its variant decides what its parts mean.
//!
//! ```
//! use extract::{Extractable, partials::{Progress, PartialStep}};
//! # use extract::testing::{ScriptedAgent, block_on};
//! # use serde::Deserialize;
//! #[derive(Deserialize, Extractable)]
//! #[extract(partial)]
//! struct Invoice {
//!     number: String,
//!     #[extract(range(min = 0.0))]
//!     total: f64,
//! }
//!
//! # let reply = r#"{"total": -1, "number": "INV-7"}"#;
//! # let agent = ScriptedAgent::new([reply]).streaming([&reply[..29]]);
//! # block_on(async {
//! # let mut steps = Invoice::extract(&agent, "…").partials();
//! # while let Some(step) = steps.next().await {
//! if let PartialStep::Partial(partial) = step? {
//!     let InvoicePartial { number, total } = partial.fields();
//!     assert_eq!(number, Progress::Writing("INV-".to_owned()));
//!     assert_eq!(total, Progress::Done(-1.0));
//!     assert_eq!(partial.violations("/total").len(), 1);
//! }
//! # break;
//! # }
//! # let _ = |invoice: Invoice| (invoice.number, invoice.total);
//! # Ok::<(), extract::ExtractionError>(())
//! # }).unwrap();
//! ```
//!
//! # Violations
//!
//! [`Partial::violations`] returns what the schema, serde, checks and rules find in the complete
//! parts, so that a form can show a red field while the rest is written. The judgement of the whole
//! value remains the authority.
//!
//! # Steps
//!
//! [`PartialStep::Restarted`] supersedes everything shown before: the next attempt begins, the transport
//! failed, or the reader chose another value of the reply as the answer.
//!
//! A reply that [continues](crate::Extraction::max_continuations) a cut one is not the value
//! itself. If it continues a list, the complete part is shown again, and then each complete element
//! that the overlap cannot take back. Otherwise the value is shown when the rest was read.
//!
//! If the value is submitted by calling a [tool](crate::Extraction::tools), the arguments of the
//! first `submit` of a reply are shown, without any wrapper around the value. A list that is
//! submitted in several calls is shown when it was read. A value that is only validated is not the
//! answer until the attempt is judged by it, and is shown then.
//!
//! An agent that does not stream, or does not stream the arguments of its calls, shows its value at
//! once. The stream needs no runtime, and asks nothing until it is polled. Dropping it ends the
//! extraction. A slow consumer costs no memory: missed steps are skipped, except `Restarted` and
//! the last partial.

mod feed;
mod partial;
mod stream;
mod violations;

pub use self::{
    partial::{Partial, PartialStep},
    stream::Partials,
};
pub use crate::{
    derive_support::{HasPartial, Progress, WhileWriting},
    reading::PartState,
};
