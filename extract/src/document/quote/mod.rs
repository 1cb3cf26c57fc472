//! Quotes: words copied from a document, and their locations.

mod bare;
mod choose;
mod error;
mod find;
mod nearest;
mod place;

pub(crate) use self::place::Likely;
pub(super) use self::{choose::Places, place::chosen_places};
pub use self::{
    error::QuoteError,
    find::{Match, Matches},
    nearest::Nearest,
    place::{Placement, Quoted},
};
