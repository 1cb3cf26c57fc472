//! The items of a list, while the list is written.
//!
//! [`Extraction::items`](crate::Extraction::items) turns the extraction of a list into a stream of
//! its elements. [`items_of`](crate::Extraction::items_of) does the same for one list inside a
//! value. Each [`Item`] is validated when it arrives. [`Items::finish`] returns the whole value.
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
//! # Delivery
//!
//! - An item is delivered once it is complete and satisfies the schema, serde, its checks and its
//!   rules. Items come in the order in which they become valid. The [index](Item::index) of an item
//!   is its position in the final list.
//! - A broken item is held back, and the others continue. When the reply has ended, one question
//!   asks for corrections by index, as a [patch](crate::Feedback::Patch) where possible. The
//!   missing items follow.
//! - Each index is delivered once, and the final list has the same item there. A later attempt, or
//!   a reply that restarts because the transport failed, may not change a delivered item. If it
//!   does, nothing else in it is delivered, and the agent is told with
//!   [`Code::Changed`](crate::Code::Changed). Key order, and `2` or `2.0`, make no difference.
//! - Conditions on the whole list are checked at the end: its length, whether items are equal, the
//!   rules of the values around it, `on_submit`. If they fail for good, [`ItemsError`] lists the
//!   delivered items. A violation inside a delivered item ends the extraction at once, because the
//!   item can neither stay nor change.
//! - An item is delivered only after the whole reply was read if the text needs a repair from there
//!   on or has to be aligned to the schema; if the agent does not stream, submits the value by
//!   calling a [tool](crate::Extraction::tools), or answers with a patch; or if the list is inside
//!   a wrapper that the type does not have. It is delivered only after the whole value was accepted
//!   if it has `async_check`s or `async_rule`s, or if only the whole value shows which checks
//!   apply, as in an untagged enum.
//! - With [`keep_valid_items`](crate::Extraction::keep_valid_items), indexes count the items of the
//!   list as written, including the items that are finally [left
//!   out](crate::ExtractionMetrics::left_out). An attempt that lacks a delivered item is not
//!   accepted in part.
//!
//! A reply that [repeats itself](crate::Extraction::end_repetition) delivers repeated items until
//! the repetition is noticed. Items delivered from a reply that was cut stay. The items of its
//! continuation are delivered while that is written, as soon as the overlap cannot take them back.
//!
//! # Cost
//!
//! The work is proportional to the length of the replies. Checks and rules of an item run when it
//! is complete, and again when the whole value is judged. The stream needs no runtime, and asks
//! nothing until it is polled. While items wait to be taken, the agent is not polled, so a slow
//! consumer piles up the items of one delta at most. The text of the reply is kept for its final
//! reading and for the history. The text of each delivered item is kept to compare it with later
//! attempts. Everything else read of an item is dropped once the item was checked. Dropping the
//! stream ends the extraction.

mod delivered;
mod feed;
mod stream;

pub use self::{
    delivered::Item,
    stream::{ItemList, Items, ItemsError, ListPath},
};
