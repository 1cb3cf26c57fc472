//! Values in a text: whether a value is in its quote, and where the values of a result are.

mod contains_value;
mod dates;
mod decimal;
mod digits;
mod locate;
mod names;
mod number_words;
mod numerals;
mod presence;
mod roman;
mod said;
mod tokens;

pub(super) use self::number_words::knows_number_words;
pub(crate) use self::said::is_chinese_numeral;
pub use self::{
    contains_value::contains_value,
    locate::{LocatedLeaf, LocatedValue},
    names::contains_name,
    presence::ValuePresence,
};
