//! Which constraint applies to which type. Here the compiler checks what the derive cannot tell
//! from tokens.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque},
    path::PathBuf,
    rc::Rc,
    sync::Arc,
};

use crate::document::Grounded;

/// The unit of `length`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LengthUnit {
    /// Characters.
    Text,
    /// Elements.
    Sequence,
    /// Entries.
    Map,
}

impl LengthUnit {
    /// The keywords of the least and of the greatest length.
    pub(super) fn keywords(self) -> (&'static str, &'static str) {
        match self {
            Self::Text => ("minLength", "maxLength"),
            Self::Sequence => ("minItems", "maxItems"),
            Self::Map => ("minProperties", "maxProperties"),
        }
    }
}

/// Types that accept `range` and `multiple_of`. The parameter is for newtypes: with it the compiler
/// checks the condition on the inner type where the newtype is used, not where it is declared.
#[diagnostic::on_unimplemented(
    message = "`range` and `multiple_of` need a number; `{Self}` is not one",
    label = "does not fit `{Self}`",
    note = "use `length` for the size of a string, a sequence or a map, and `check` for anything else"
)]
pub trait AcceptsRange<D = ()> {
    /// Names this trait in generated code.
    const NUMBER: () = ();
}

/// Types that accept `length`.
#[diagnostic::on_unimplemented(
    message = "`length` needs a string, a sequence or a map; `{Self}` is not one",
    label = "does not fit `{Self}`",
    note = "use `range` for the size of a number, and `check` for anything else"
)]
pub trait AcceptsLength<D = ()> {
    /// The unit of its length.
    const LENGTH: LengthUnit;
}

/// Types that accept `pattern` and `format`.
#[diagnostic::on_unimplemented(
    message = "`pattern` and `format` need a string; `{Self}` is not one",
    label = "does not fit `{Self}`",
    note = "for the elements of a sequence use `items(...)`, for anything else `check`"
)]
pub trait AcceptsPattern<D = ()> {
    /// Names this trait in generated code.
    const TEXT: () = ();
}

/// Types that accept `items`, `unique`, `keep_valid_items` and `merge = all`.
#[diagnostic::on_unimplemented(
    message = "`items`, `unique`, `keep_valid_items` and `merge = all` need a sequence; `{Self}` is not one",
    label = "does not fit `{Self}`",
    note = "for the entries of a map use `keys(...)` and `values(...)`"
)]
pub trait AcceptsElements<D = ()> {
    /// The type of the elements.
    type Element;
    /// Names this trait in generated code.
    const SEQUENCE: () = ();
}

/// Types that accept `keys` and `values`.
#[diagnostic::on_unimplemented(
    message = "`keys` and `values` need a map; `{Self}` is not one",
    label = "does not fit `{Self}`",
    note = "for the elements of a sequence use `items(...)`"
)]
pub trait AcceptsEntries<D = ()> {
    /// The type of the keys.
    type Key;
    /// The type of the values.
    type Value;
    /// Names this trait in generated code.
    const MAP: () = ();
}

macro_rules! numbers {
    ($($type:ty),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl<D> AcceptsRange<D> for $type {}
    )*};
}

numbers!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64);
numbers!(
    std::num::NonZeroI8,
    std::num::NonZeroI16,
    std::num::NonZeroI32,
    std::num::NonZeroI64,
    std::num::NonZeroI128,
    std::num::NonZeroIsize,
    std::num::NonZeroU8,
    std::num::NonZeroU16,
    std::num::NonZeroU32,
    std::num::NonZeroU64,
    std::num::NonZeroU128,
    std::num::NonZeroUsize,
);

macro_rules! strings {
    ($($type:ty),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl<D> AcceptsPattern<D> for $type {}

        #[diagnostic::do_not_recommend]
        impl<D> AcceptsLength<D> for $type {
            const LENGTH: LengthUnit = LengthUnit::Text;
        }
    )*};
}

strings!(str, String, PathBuf);

macro_rules! sequences {
    ($([$($generics:tt)*] $type:ty),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl<T, $($generics)* D> AcceptsElements<D> for $type {
            type Element = T;
        }

        #[diagnostic::do_not_recommend]
        impl<T, $($generics)* D> AcceptsLength<D> for $type {
            const LENGTH: LengthUnit = LengthUnit::Sequence;
        }
    )*};
}

sequences!(
    [] [T], [] Vec<T>, [] VecDeque<T>, [] LinkedList<T>, [] BinaryHeap<T>, [] BTreeSet<T>, [S,] HashSet<T, S>,
);

#[cfg(feature = "indexmap2")]
sequences!([S,] indexmap2::IndexSet<T, S>);

#[diagnostic::do_not_recommend]
impl<T, const N: usize, D> AcceptsElements<D> for [T; N] {
    type Element = T;
}

macro_rules! maps {
    ($([$($generics:tt)*] $type:ty),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl<K, V, $($generics)* D> AcceptsEntries<D> for $type {
            type Key = K;
            type Value = V;
        }

        #[diagnostic::do_not_recommend]
        impl<K, V, $($generics)* D> AcceptsLength<D> for $type {
            const LENGTH: LengthUnit = LengthUnit::Map;
        }
    )*};
}

maps!([] BTreeMap<K, V>, [S,] HashMap<K, V, S>);

#[cfg(feature = "indexmap2")]
maps!([S,] indexmap2::IndexMap<K, V, S>);

/// A constraint passes through wrappers that serde does not show.
macro_rules! through {
    ($([$($generics:tt)*] $type:ty => $inner:ty),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*, D> AcceptsRange<D> for $type where $inner: AcceptsRange<D> {}

        #[diagnostic::do_not_recommend]
        impl<$($generics)*, D> AcceptsLength<D> for $type where $inner: AcceptsLength<D> {
            const LENGTH: LengthUnit = <$inner>::LENGTH;
        }

        #[diagnostic::do_not_recommend]
        impl<$($generics)*, D> AcceptsPattern<D> for $type where $inner: AcceptsPattern<D> {}

        #[diagnostic::do_not_recommend]
        impl<$($generics)*, D> AcceptsElements<D> for $type where $inner: AcceptsElements<D> {
            type Element = <$inner as AcceptsElements<D>>::Element;
        }

        #[diagnostic::do_not_recommend]
        impl<$($generics)*, D> AcceptsEntries<D> for $type where $inner: AcceptsEntries<D> {
            type Key = <$inner as AcceptsEntries<D>>::Key;
            type Value = <$inner as AcceptsEntries<D>>::Value;
        }
    )*};
}

through!(
    [T] Option<T> => T,
    [T: ?Sized] Box<T> => T,
    [T: ?Sized] Rc<T> => T,
    [T: ?Sized] Arc<T> => T,
    [T: ?Sized + ToOwned] Cow<'_, T> => T,
    // A constraint is about the value, not about the quote.
    [T] Grounded<T> => T,
);
