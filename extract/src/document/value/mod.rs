//! Values in a text: whether a value is in its quote, and where the values of a result are.

mod dates;
mod decimal;
mod digits;
mod locate;
mod names;
mod number_words;
mod numerals;
mod roman;
mod said;
mod standing;
mod stands;
mod tokens;

pub(super) use self::number_words::knows_number_words;
pub(crate) use self::said::is_chinese_numeral;
pub use self::{
    locate::{Located, LocatedLeaf},
    names::name_stands_in,
    standing::Standing,
    stands::stands_in,
};
