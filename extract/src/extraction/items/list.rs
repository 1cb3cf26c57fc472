//! Types that are lists, and their paths.

use std::{
    collections::{BTreeSet, BinaryHeap, HashSet, LinkedList, VecDeque},
    rc::Rc,
    sync::Arc,
};

use serde_json::Value;

use crate::vocabulary::path::{Path, PathPattern, TypedPath};

/// A type that is a list in JSON, so that its elements can be delivered one by one.
///
/// `Value` counts as a list of values, for a contract without a type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list",
    label = "only a list has items",
    note = "for a list inside of a type, name its place: `.items_of(at!(Report, findings))`",
    note = "an `Option` is entered with `?`, as in `at!(Report, findings?)`"
)]
pub trait ItemList {
    /// The type of an element.
    type Item;
}

macro_rules! lists {
    ($([$($generics:tt)*] $type:ty => $item:ty),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> ItemList for $type {
            type Item = $item;
        }
    )*};
}

lists!(
    [T] Vec<T> => T,
    [T] Box<[T]> => T,
    [T] VecDeque<T> => T,
    [T] LinkedList<T> => T,
    [T] BinaryHeap<T> => T,
    [T] BTreeSet<T> => T,
    [T, S] HashSet<T, S> => T,
    [T, const N: usize] [T; N] => T,
    [L: ItemList] Box<L> => L::Item,
    [L: ItemList] Rc<L> => L::Item,
    [L: ItemList] Arc<L> => L::Item,
    [] Value => Value,
);

#[cfg(feature = "indexmap2")]
lists!([T, S] indexmap2::IndexSet<T, S> => T);

/// The path of a list in the values of a `T`: `at!(Report, findings)`. A contract without a type
/// also takes a [`PathPattern`], a [`Path`], or a string such as `"$.findings"`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the place of a list in `{T}`",
    label = "no place of a list",
    note = "name one that the compiler can check: `at!({T}, list)`"
)]
pub trait ListPath<T> {
    /// The type of an element.
    type Item;

    /// Returns the place, without its type.
    fn into_place(self) -> PathPattern;
}

impl<T, L: ItemList> ListPath<T> for TypedPath<T, L> {
    type Item = L::Item;

    fn into_place(self) -> PathPattern {
        self.into()
    }
}

macro_rules! untyped {
    ($($type:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl ListPath<Value> for $type {
            type Item = Value;

            fn into_place(self) -> PathPattern {
                PathPattern::from(self)
            }
        }
    )*};
}

untyped!(PathPattern, Path, &str, String);
