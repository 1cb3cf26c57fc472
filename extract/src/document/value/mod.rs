//! Values in a text: whether a value is in its quote, and where the values of a result are.

mod contains_value;
mod han;
mod locate;
mod number_languages;
mod number_words;
mod numerals;
mod said;
mod scales;
mod tokens;

pub(super) use self::number_words::knows_number_words;
pub(crate) use self::said::is_chinese_numeral;
pub use self::{
    contains_value::{ValuePresence, contains_name, contains_value},
    locate::{LocatedLeaf, LocatedValue},
};
