//! Paths that the compiler checks: the steps to fields and elements, and the type at the end.

use std::{
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque},
    marker::PhantomData,
    rc::Rc,
    sync::Arc,
};

use super::DescribedType;
use crate::vocabulary::path::{Path, PathPattern, TypedPath};

/// The position of a Rust field in the JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldPosition {
    /// Under this key.
    Key(&'static str),
    /// At this position.
    Index(usize),
    /// The same position as the type: the inside of a newtype, and flattened fields.
    Here,
}

/// A path built by [`at!`](crate::at).
#[derive(Debug)]
pub struct BuiltPath(Path);

impl BuiltPath {
    /// Returns the value where the path starts.
    #[must_use]
    pub fn root() -> Self {
        Self(Path::root())
    }

    /// Steps into the field with the Rust name `name`. Neither closure is called: the first fixes
    /// the type, the second makes the compiler look up the field.
    #[must_use]
    pub fn field<T: DescribedType>(
        self,
        _of: impl FnOnce() -> PhantomData<T>,
        _has: impl FnOnce(),
        name: &'static str,
    ) -> Self {
        Self(match step::<T>(name) {
            FieldPosition::Key(key) => self.0.key(key),
            FieldPosition::Index(index) => self.0.index(index),
            FieldPosition::Here => self.0,
        })
    }

    /// Steps into an element or an entry. The closure is not called; it makes the compiler look up
    /// the element.
    #[must_use]
    pub fn element(self, position: impl PathPosition, _has: impl FnOnce()) -> Self {
        Self(position.after(self.0))
    }

    /// Returns the path.
    #[must_use]
    pub fn into_path(self) -> Path {
        self.0
    }
}

/// The step from a `T` to its field with the Rust name `name`.
pub(super) fn step<T: DescribedType>(name: &'static str) -> FieldPosition {
    let known = T::__EXTRACT_STEPS.iter().find(|(field, _)| *field == name);
    match (known, name.parse()) {
        (Some((_, step)), _) => *step,
        (None, Ok(index)) => FieldPosition::Index(index),
        (None, Err(_)) => FieldPosition::Key(name),
    }
}

/// The index or key in brackets.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a position in a JSON value",
    label = "neither an index nor a key",
    note = "use a `usize` for the elements of a sequence and a string for the entries of a map"
)]
pub trait PathPosition {
    /// Appends this to `path`.
    fn after(&self, path: Path) -> Path;
}

impl PathPosition for usize {
    fn after(&self, path: Path) -> Path {
        path.index(*self)
    }
}

impl PathPosition for str {
    fn after(&self, path: Path) -> Path {
        path.key(self)
    }
}

impl PathPosition for String {
    fn after(&self, path: Path) -> Path {
        path.key(self.as_str())
    }
}

impl<P: PathPosition + ?Sized> PathPosition for &P {
    fn after(&self, path: Path) -> Path {
        (**self).after(path)
    }
}

/// Builds the path of a part of a value, or a place in all values of a type. The compiler checks
/// it, and the result uses the names of the JSON.
///
/// # A part of a value
///
/// `at!(order.lines[i].qty)` is a [`Path`], for [`Rejection::at`](crate::Rejection::at). The first
/// name is the value where the path starts, usually the argument of the rule. Only the expressions
/// in brackets are evaluated.
///
/// ```
/// use extract::{Extractable, Rejection, at};
/// use serde::Deserialize;
///
/// #[derive(Deserialize, Extractable)]
/// #[extract(rule = lines_have_a_quantity)]
/// struct Order {
///     lines: Vec<Line>,
/// }
///
/// #[derive(Deserialize, Extractable)]
/// #[serde(rename_all = "camelCase")]
/// struct Line {
///     unit_price: f64,
/// }
///
/// fn lines_have_a_quantity(order: &Order) -> Result<(), Rejection> {
///     match order.lines.iter().position(|line| line.unit_price < 0.0) {
///         None => Ok(()),
///         Some(i) => Err(Rejection::new("a price is not negative").at(at!(order.lines[i].unit_price))),
///     }
/// }
///
/// let order = Order { lines: vec![Line { unit_price: -1.0 }] };
/// assert!(lines_have_a_quantity(&order).is_err());
/// assert_eq!(at!(order.lines[0].unit_price).to_string(), "$.lines[0].unitPrice");
/// ```
///
/// # A place of a type
///
/// `at!(Order, lines[..].qty)` is a [`TypedPath`](crate::path::TypedPath) the `Order`, for
/// [`one_of`](crate::Extraction::one_of) and others. `[..]` is every element of a list, or the
/// value of every entry of a map, and `?` is the inside of an `Option`.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use extract::{Extractable, at};
/// use serde::Deserialize;
///
/// #[derive(Deserialize, Extractable)]
/// struct Report {
///     findings: Vec<Finding>,
///     author: Option<Author>,
///     ratings: BTreeMap<String, u8>,
/// }
///
/// #[derive(Deserialize, Extractable)]
/// #[serde(rename_all = "camelCase")]
/// struct Finding {
///     how_severe: String,
/// }
///
/// #[derive(Deserialize, Extractable)]
/// struct Author {
///     name: String,
/// }
///
/// assert_eq!(at!(Report, findings[..].how_severe).to_string(), "$.findings[*].howSevere");
/// assert_eq!(at!(Report, author?.name).to_string(), "$.author.name");
/// assert_eq!(at!(Report, ratings[..]).to_string(), "$.ratings[*]");
/// assert_eq!(at!(Vec<Finding>, [..].how_severe).to_string(), "$[*].howSevere");
/// # let _ = |report: Report| (report.findings[0].how_severe.len(), report.author.unwrap().name);
/// ```
///
/// A step into the variants of an enum cannot be written this way. Write that place as a string,
/// which the contract checks at run time: `"$.payment.Card.number"`.
#[cfg(feature = "derive")]
#[macro_export]
macro_rules! at {
    ($($place:tt)*) => {
        $crate::__private::at!($crate, $($place)*)
    };
}

/// A place that [`at!`](crate::at) builds from a type. No closure is called: they make the compiler
/// look up fields and infer types.
#[derive(Debug)]
pub struct TypePath<T> {
    place: PathPattern,
    root: PhantomData<fn(T)>,
}

impl<T> TypePath<T> {
    /// The whole value.
    #[must_use]
    pub fn root() -> Self {
        Self { place: PathPattern::root(), root: PhantomData }
    }

    /// Steps into the field with the Rust name `name` of an `F`.
    #[must_use]
    pub fn field<F: DescribedType>(
        self,
        _of: impl FnOnce(&T) -> Option<PhantomData<F>>,
        _has: impl FnOnce(&T) -> Option<()>,
        name: &'static str,
    ) -> Self {
        let Self { place, root } = self;
        let place = match step::<F>(name) {
            FieldPosition::Key(key) => place.key(key),
            FieldPosition::Index(index) => place.index(index),
            FieldPosition::Here => place,
        };
        Self { place, root }
    }

    /// Steps into every element.
    #[must_use]
    pub fn each(self, _has: impl FnOnce(&T) -> Option<()>) -> Self {
        Self { place: self.place.each(), ..self }
    }

    /// Returns the place of a `V`.
    #[must_use]
    pub fn finish<V>(self, _holds: impl FnOnce(&T) -> Option<PhantomData<V>>) -> TypedPath<T, V> {
        TypedPath::new(self.place)
    }
}

/// The type of a value that is named and not evaluated.
pub fn type_of<V>(_: &V) -> PhantomData<V> {
    PhantomData
}

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
