//! Scans strict JSON while it streams in, in linear time however the text is split.
//!
//! A delta goes in, a [`Snapshot`] comes out. Strict JSON means the same as in `serde_json`, except
//! that a repeated key in an object is not strict, as in [`strict`](super::strict). At the first
//! byte that is not strict JSON the scanner stops for good.
//!
//! All snapshots share one [tape](tape::Tape), which only grows. A snapshot is a mark on the tape
//! and copies nothing.

mod places;
mod scanner;
mod snapshot;
mod tape;
#[cfg(test)]
mod tests;

pub use self::snapshot::PartState;
pub(super) use self::{
    places::PlaceId,
    scanner::{ScanEnd, Scanner, written},
};
pub(crate) use self::{
    places::{Places, UnknownMembers},
    snapshot::{Cursor, Sight, Snapshot},
    tape::{Mark, SharedMark, SharedTape},
};
