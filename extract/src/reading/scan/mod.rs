//! Reads strict JSON while it is written, in time proportional to the text however it is cut.
//!
//! A delta goes in, a [`Snapshot`] comes out. What is strict JSON means what it means to
//! `serde_json`; a key that comes twice in an object is not strict, as in [`strict`](super::strict).
//! At the first byte that is not strict JSON the scanner stops for good.
//!
//! All snapshots share one [tape](tape::Tape), which only grows: a snapshot is a mark on it, and
//! nothing is ever copied for one.

mod grammar;
mod guide;
mod scanner;
mod snapshot;
mod tape;
#[cfg(test)]
mod tests;
mod token;
mod values;

pub use self::snapshot::PartState;
pub(super) use self::{
    guide::{Bracket, Guide, Member, Scalar},
    scanner::{ScanEnd, Scanner},
};
pub(crate) use self::{
    snapshot::{Cursor, Sight, Snapshot},
    tape::{Mark, SharedMark, SharedTape},
};
