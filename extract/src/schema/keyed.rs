//! Types that are objects in JSON, whose keys can be merged into another object.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    marker::PhantomData,
    rc::Rc,
    sync::Arc,
    time::{Duration, SystemTime},
};

use serde_json::{Map, Value};

/// Types that can be flattened or placed beside the tag of an enum. For the parameter, see
/// [`AcceptsRange`](super::accepts::AcceptsRange).
#[diagnostic::on_unimplemented(
    message = "only an object can be flattened or stand beside a tag; `{Self}` is not one",
    label = "has no keys in JSON",
    note = "structs with named fields, enums and maps are objects; give anything else a field with a name of its own"
)]
pub trait HasKeys<D = ()> {
    /// Names this trait in generated code.
    const KEYS: () = ();
}

macro_rules! objects {
    ($([$($generics:tt)*] $type:ty),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)* D> HasKeys<D> for $type {}
    )*};
}

// A unit has no keys.
objects!(
    [] (), [T: ?Sized,] PhantomData<T>, [] Value, [] Map<String, Value>, [K, V,] BTreeMap<K, V>, [K, V, S,] HashMap<K, V, S>,
    [] Duration, [] SystemTime,
);

#[cfg(feature = "indexmap2")]
objects!([K, V, S,] indexmap2::IndexMap<K, V, S>);

macro_rules! through {
    ($([$($generics:tt)*] $type:ty),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*, D> HasKeys<D> for $type where T: HasKeys<D> {}
    )*};
}

through!([T] Option<T>, [T: ?Sized] Box<T>, [T: ?Sized] Rc<T>, [T: ?Sized] Arc<T>, [T: ?Sized + ToOwned] Cow<'_, T>);
