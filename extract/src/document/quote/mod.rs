//! Quotes: words copied from a document, and their locations.

mod bare;
mod choose;
mod error;
mod find;
mod nearest;
mod place;

pub(crate) use self::place::LikelyLocations;
pub(super) use self::{choose::QuoteLocations, place::chosen_places};
pub use self::{
    error::QuoteError,
    find::{QuoteMatch, QuoteMatches},
    nearest::NearestPassage,
    place::{ExpectedQuote, QuoteLocation},
};
