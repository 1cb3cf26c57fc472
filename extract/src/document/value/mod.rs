//! Values in a text: whether a value is in its quote, and where the values of a result are.

mod dates;
mod decimal;
mod locate;
mod names;
mod number_words;
mod numerals;
mod standing;
mod stands;

pub(super) use self::number_words::knows_number_words;
pub use self::{
    locate::{Located, LocatedLeaf},
    names::name_stands_in,
    standing::Standing,
    stands::stands_in,
};
