//! Types that hold any number of values, for `[..]` in `at!`.

use std::{
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque},
    rc::Rc,
    sync::Arc,
};

/// A list, or a map with its values.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no elements",
    label = "`[..]` means every element of a list, or the value of every entry of a map",
    note = "an `Option` is entered with `?`, as in `at!(Order, lines?[..])`, a field with its name"
)]
pub trait HasElements {
    /// The elements, or the values of the entries.
    type Element;
}

macro_rules! elements {
    ($([$($generics:tt)*] $type:ty),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl<T, $($generics)*> HasElements for $type {
            type Element = T;
        }
    )*};
}

elements!(
    [] [T], [] Vec<T>, [] VecDeque<T>, [] LinkedList<T>, [] BinaryHeap<T>, [] BTreeSet<T>, [S] HashSet<T, S>,
    [const N: usize] [T; N], [K] BTreeMap<K, T>, [K, S] HashMap<K, T, S>,
);

#[cfg(feature = "indexmap2")]
elements!([S] indexmap2::IndexSet<T, S>, [K, S] indexmap2::IndexMap<K, T, S>);

macro_rules! through {
    ($($type:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: HasElements + ?Sized> HasElements for $type {
            type Element = T::Element;
        }
    )*};
}

through!(Box<T>, Rc<T>, Arc<T>);

/// The type of an element of `list`. Never called, so no element is needed.
pub fn element<L: HasElements<Element = E> + ?Sized, E>(_list: &L) -> Option<&E> {
    None
}

/// The type of the value in an `Option`.
pub fn inside<T>(value: &Option<T>) -> Option<&T> {
    value.as_ref()
}
