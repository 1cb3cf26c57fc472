//! The items of a list while it is written.
//!
//! [`Extraction::items`](crate::Extraction::items) turns the extraction of a list into a stream of
//! its elements, and [`items_of`](crate::Extraction::items_of) does so with one list inside of a
//! value. Each [`Item`] is validated when it comes. [`Items::finish`] returns the whole value.
//!
//! ```
//! use extract::Extractable;
//! # use extract::testing::{ScriptedAgent, block_on};
//! # use serde::Deserialize;
//! #[derive(Deserialize, Extractable)]
//! struct Line {
//!     what: String,
//!     #[extract(range(min = 1))]
//!     qty: u32,
//! }
//!
//! # let agent = ScriptedAgent::new([
//! #     r#"[{"what": "bolts", "qty": 3}, {"what": "nuts", "qty": 0}, {"what": "rings", "qty": 5}]"#,
//! #     r#"[{"op": "replace", "path": "/1/qty", "value": 4}]"#,
//! # ]);
//! # block_on(async {
//! let mut shown = Vec::new();
//! let mut items = Vec::<Line>::extract(&agent, "…").items();
//! while let Some(item) = items.next().await {
//!     let item = item?;
//!     shown.push((item.index, item.value.what));
//! }
//! // The agent wrote 0 nuts, and was asked for them again.
//! assert_eq!(shown, [(0, "bolts".into()), (2, "rings".into()), (1, "nuts".into())]);
//! let (lines, metrics) = items.finish().await?;
//! assert_eq!((lines[1].qty, metrics.attempts), (4, 2));
//! # Ok::<(), extract::items::ItemsError>(())
//! # }).unwrap();
//! ```
//!
//! # What is delivered, and when
//!
//! - An item that is complete and satisfies what the schema, serde, its checks and its rules ask of
//!   it, in the order in which they become so. Its [index](Item::index) is the one in the final
//!   list.
//! - A broken item is held back, and the others go on. When the reply has ended, one question asks
//!   for what is wrong, by index, as a [patch](crate::Feedback::Patch) where that is possible. What
//!   follows are the items that were missing.
//! - Each index is delivered once. The final list has the same item there: a later attempt, or a
//!   reply that begins anew because the transport broke off, may not change what was delivered. If
//!   it does, nothing else of it is delivered, and the agent is told, with
//!   [`Code::Changed`](crate::Code::Changed). Key order, and `2` or `2.0`, make no difference.
//! - What only the whole list can say is said at the end: its length, whether items are equal, the
//!   rules of the values around, `on_submit`. If that fails for good, [`ItemsError`] says which
//!   items were delivered. A violation inside of a delivered item ends the extraction at once,
//!   because the item can neither stay nor change.
//! - An item comes when the whole reply was read if what is written needs a repair from there on
//!   or is to be aligned to the schema, if the agent does not stream, submits the value by calling a
//!   [tool](crate::Extraction::tools), or answers with a patch, and if its list is inside of a
//!   wrapper that the type does not have. It comes when the whole value was accepted if it has
//!   `async_check`s or `async_rule`s, or if only the whole value says which checks it has, as in an
//!   untagged enum.
//! - With [`keep_valid_items`](crate::Extraction::keep_valid_items), indexes are those of the list as
//!   it was written, with the items that are [left out](crate::ExtractionMetrics::left_out) in the
//!   end. An attempt that lacks a delivered item is not accepted in part.
//!
//! A reply that [repeats itself](crate::Extraction::end_repetition) delivers what it repeats until
//! that is noticed. What was delivered of a reply that was cut stays, and the items of its rest come
//! while that is written, as far as the seam cannot take them back.
//!
//! # What it costs
//!
//! The work is proportional to the replies. Checks and rules of an item run when it is complete, and
//! again when the whole value is judged. The stream needs no runtime, and asks nothing until it is
//! polled. While items wait to be taken, the agent is not polled, so a slow consumer piles up those
//! of one delta at most. The text of the reply is kept for its final reading and for the history, and that of
//! each delivered item to compare it with later attempts. Everything else that was read of an item
//! is forgotten when it was looked at. Dropping the stream ends the extraction.

mod delivered;
mod error;
mod feed;
mod item;
mod list;
mod stream;

pub use self::{
    error::ItemsError,
    item::Item,
    list::{ItemList, ListPlace},
    stream::Items,
};
