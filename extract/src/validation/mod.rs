//! From a JSON value to the list of everything that is wrong with it.

mod judge;

pub use self::judge::{Judge, Place};
