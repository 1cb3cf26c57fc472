//! The known part of a typed value while it streams in.

use std::{borrow::Cow, marker::PhantomData};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{DerivedType, DescribedType, each_tuple};
use crate::reading::{Cursor, PartState};

/// How a `T` grows while it is written. Each [`DerivedType`] type names one of the ways in this module.
pub trait GrowthOf<T> {
    /// The known part of a `T` that has started and is not complete.
    type Writing;

    /// The known part of `part`, which should become a `T`.
    fn writing(part: WrittenPart<'_>) -> Self::Writing;

    /// The same for a `T` whose keys are among others in the object `part`.
    fn writing_among(_part: WrittenPart<'_>) -> Self::Writing {
        Self::writing(WrittenPart::PENDING)
    }

    /// Converts a complete value into the form of a known part; `None` for null.
    fn known(value: T) -> Option<Self::Writing>;
}

/// The known part of a `T` while it streams in: the payload of [`Progress::Writing`].
///
/// | `T` | while it is written |
/// |---|---|
/// | `String`, `Box<str>`, `Cow<'static, str>` | its start, a `String`; empty if it has a pattern, a format or a list of allowed values |
/// | a type with `#[extract(partial)]` | its partial, such as `InvoicePartial` |
/// | `Vec<T>` and other sequences, sets and arrays | the elements that have begun, a `Vec<Progress<T>>` |
/// | `BTreeMap<K, V>`, `HashMap<K, V>` | the entries that have begun, in the order of the reply, a `Vec<(String, Progress<V>)>` |
/// | `(A, B)` and other tuples | `(Progress<A>, Progress<B>)` |
/// | `Option<T>` | as `T` |
/// | `Box<T>`, `Rc<T>`, `Arc<T>` | as `T`, in a `Box` |
/// | `serde_json::Value`, `serde_json::Map` | its known part, a `Value` |
/// | numbers, booleans, enums, all other types | nothing, `()` |
pub type WhileWriting<T> = <<T as DerivedType>::__ExtractGrowth as GrowthOf<T>>::Writing;

/// How far an agent has come with a part of its answer, and the known part of its value.
///
/// `Progress<T>` is the type of a field of type `T` in the partial that `#[extract(partial)]`
/// generates. [`WhileWriting`] is the known part of a `T` while it streams in; for a field with a
/// `schema_with` it is `()`.
///
/// ```
/// use extract::partials::Progress;
///
/// fn shown(total: &Progress<f64>) -> String {
///     match total {
///         Progress::Pending => String::new(),
///         Progress::Writing(()) => "…".to_owned(),
///         Progress::Done(total) => format!("{total:.2}"),
///     }
/// }
///
/// assert_eq!(shown(&Progress::Done(12.0)), "12.00");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress<T, W = WhileWriting<T>> {
    /// Not started.
    Pending,
    /// Started and possibly incomplete, or complete but not deserializable, so that the attempt
    /// will fail.
    Writing(W),
    /// Complete. It does not change within an attempt. It may still break a rule.
    Done(T),
}

impl<T, W> Progress<T, W> {
    /// Returns how far the agent has come.
    pub fn state(&self) -> PartState {
        match self {
            Self::Pending => PartState::Pending,
            Self::Writing(_) => PartState::Writing,
            Self::Done(_) => PartState::Done,
        }
    }

    /// Returns the part, if it is complete.
    pub fn done(&self) -> Option<&T> {
        match self {
            Self::Done(value) => Some(value),
            Self::Pending | Self::Writing(_) => None,
        }
    }

    /// Returns the part, if it is complete.
    pub fn into_done(self) -> Option<T> {
        match self {
            Self::Done(value) => Some(value),
            Self::Pending | Self::Writing(_) => None,
        }
    }

    /// Returns the known part, while it streams in.
    pub fn writing(&self) -> Option<&W> {
        match self {
            Self::Writing(known) => Some(known),
            Self::Pending | Self::Done(_) => None,
        }
    }
}

impl<T: DerivedType> Progress<T> {
    /// Returns the known part in the same form whether it is complete or not: the start of a
    /// string, the elements of a list, the fields of a type with `#[extract(partial)]`. `None`
    /// before the part starts, and for null.
    ///
    /// ```
    /// use extract::partials::Progress;
    ///
    /// let number: Progress<String> = Progress::Writing("INV-".to_owned());
    /// assert_eq!(number.known().as_deref(), Some("INV-"));
    ///
    /// let lines: Progress<Vec<u8>> = Progress::Done(vec![1, 2]);
    /// assert_eq!(lines.known(), Some(vec![Progress::Done(1), Progress::Done(2)]));
    /// ```
    pub fn known(self) -> Option<WhileWriting<T>> {
        match self {
            Self::Pending => None,
            Self::Writing(known) => Some(known),
            Self::Done(value) => T::__ExtractGrowth::known(value),
        }
    }
}

/// Not started.
impl<T, W> Default for Progress<T, W> {
    fn default() -> Self {
        Self::Pending
    }
}

/// Deserializes a part with serde.
///
/// # Errors
///
/// If it is not a `T`.
pub fn read_value<T: DeserializeOwned>(value: Value) -> serde_json::Result<T> {
    serde_json::from_value(value)
}

/// A part of a value that is still streaming in.
#[derive(Debug, Clone, Copy)]
pub struct WrittenPart<'s>(Option<Cursor<'s>>);

impl<'s> WrittenPart<'s> {
    /// A part that has not started.
    pub const PENDING: Self = Self(None);

    pub(crate) fn new(part: Option<Cursor<'s>>) -> Self {
        Self(part)
    }

    /// Returns the member of an object under one of `names`.
    #[must_use]
    pub fn member(self, names: &[&str]) -> Self {
        Self(self.0.and_then(|object| names.iter().find_map(|name| object.member(name))))
    }

    /// Returns the element of a list at `index`.
    #[must_use]
    pub fn element(self, index: usize) -> Self {
        Self(self.0.and_then(|list| list.element(index)))
    }

    /// Returns how far the agent has come with it.
    fn state(self) -> PartState {
        self.0.map_or(PartState::Pending, Cursor::state)
    }

    /// A copy of its known part.
    fn value(self) -> Option<Value> {
        self.0?.value()
    }

    /// The elements of a list that have started.
    fn elements(self) -> impl Iterator<Item = Self> {
        let elements = self.0.map(Cursor::elements);
        elements.into_iter().flatten().map(|element| Self(Some(element)))
    }

    /// The members of an object that have started.
    fn entries(self) -> impl Iterator<Item = (String, Self)> {
        let entries = self.0.map(Cursor::entries);
        entries.into_iter().flatten().map(|(key, entry)| (key, Self(Some(entry))))
    }

    /// Returns its progress as a `T`. A part that cannot be deserialized is never done.
    #[must_use]
    pub fn progress<T: DescribedType>(self) -> Progress<T> {
        self.progress_of(read_value, T::__ExtractGrowth::writing)
    }

    /// The same for a field that `read` deserializes.
    #[must_use]
    pub fn progress_by<T>(self, read: impl FnOnce(Value) -> serde_json::Result<T>) -> Progress<T, ()> {
        self.progress_of(read, |_| ())
    }

    fn progress_of<T, W>(
        self,
        read: impl FnOnce(Value) -> serde_json::Result<T>,
        writing: impl FnOnce(Self) -> W,
    ) -> Progress<T, W> {
        if self.0.is_none() {
            return Progress::Pending;
        }
        self.done(read).map_or_else(|| Progress::Writing(writing(self)), Progress::Done)
    }

    /// The same for a flattened field of this object. Which keys belong to it is only known once
    /// the whole object is deserialized, so it is not done before.
    #[must_use]
    pub fn flat<T: DescribedType>(self) -> Progress<T> {
        match self.0 {
            Some(_) => Progress::Writing(T::__ExtractGrowth::writing_among(self)),
            None => Progress::Pending,
        }
    }

    /// The same for a flattened field that another function deserializes.
    #[must_use]
    pub fn flat_by<T>(self) -> Progress<T, ()> {
        if self.0.is_some() { Progress::Writing(()) } else { Progress::Pending }
    }

    /// Deserializes it with `read`, if it is complete.
    fn done<T>(self, read: impl FnOnce(Value) -> serde_json::Result<T>) -> Option<T> {
        let is_done = self.state() == PartState::Done;
        read(self.value().filter(|_| is_done)?).ok()
    }
}

/// A type with `#[extract(partial)]`, whose fields can be shown while it streams in.
///
/// The derive implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no partial",
    label = "its fields cannot be shown while it is written",
    note = "for a struct of your own, add `#[extract(partial)]` to it",
    note = "`Partial::progress` works for every type, and `Partial::get` for every part"
)]
pub trait HasPartial: Sized {
    /// The known fields while the value streams in. By default none has started; in the partial of
    /// a complete value all are done.
    type Partial: From<Self> + Default;

    #[doc(hidden)]
    fn __extract_fields(part: WrittenPart<'_>) -> Self::Partial;
}

/// The fields of a type with `#[extract(partial)]`.
#[derive(Debug)]
pub enum FieldsGrowth {}

impl<T: HasPartial> GrowthOf<T> for FieldsGrowth {
    type Writing = T::Partial;

    fn writing(part: WrittenPart<'_>) -> T::Partial {
        T::__extract_fields(part)
    }

    fn writing_among(part: WrittenPart<'_>) -> T::Partial {
        T::__extract_fields(part)
    }

    fn known(value: T) -> Option<T::Partial> {
        Some(value.into())
    }
}

impl WrittenPart<'_> {
    /// Returns the fields of a `T`. If it is complete, they come from deserializing the whole, so
    /// missing fields have their defaults.
    pub(crate) fn fields<T: HasPartial + DescribedType>(self) -> T::Partial {
        match self.done(read_value::<T>) {
            Some(value) => value.into(),
            None => T::__extract_fields(self),
        }
    }
}

/// A type that is unknown until it is complete.
#[derive(Debug)]
pub enum WholeGrowth {}

impl<T> GrowthOf<T> for WholeGrowth {
    type Writing = ();

    fn writing(_: WrittenPart<'_>) {}

    fn known(_: T) -> Option<()> {
        Some(())
    }
}

/// A string, whose start may be known.
#[derive(Debug)]
pub enum StringGrowth {}

impl<T: Into<String>> GrowthOf<T> for StringGrowth {
    type Writing = String;

    fn writing(part: WrittenPart<'_>) -> String {
        match part.value() {
            Some(Value::String(text)) => text,
            _ => String::new(),
        }
    }

    fn known(value: T) -> Option<String> {
        Some(value.into())
    }
}

/// Any JSON.
#[derive(Debug)]
pub enum JsonGrowth {}

impl<T: Into<Value>> GrowthOf<T> for JsonGrowth {
    type Writing = Value;

    fn writing(part: WrittenPart<'_>) -> Value {
        part.value().unwrap_or_default()
    }

    fn known(value: T) -> Option<Value> {
        Some(value.into())
    }
}

/// The elements of a sequence.
#[derive(Debug)]
pub struct ElementsGrowth<T>(PhantomData<T>);

impl<T: DescribedType, L: IntoIterator<Item = T>> GrowthOf<L> for ElementsGrowth<T> {
    type Writing = Vec<Progress<T>>;

    fn writing(part: WrittenPart<'_>) -> Self::Writing {
        part.elements().map(WrittenPart::progress).collect()
    }

    fn known(list: L) -> Option<Self::Writing> {
        Some(list.into_iter().map(Progress::Done).collect())
    }
}

/// The entries of a map, with their keys as in the JSON.
#[derive(Debug)]
pub struct EntriesGrowth<K, V>(PhantomData<(K, V)>);

impl<K: DerivedType, V: DescribedType, M: IntoIterator<Item = (K, V)>> GrowthOf<M> for EntriesGrowth<K, V> {
    type Writing = Vec<(String, Progress<V>)>;

    fn writing(part: WrittenPart<'_>) -> Self::Writing {
        part.entries().map(|(key, entry)| (key, entry.progress())).collect()
    }

    fn known(map: M) -> Option<Self::Writing> {
        let entry = |(key, value): (K, V)| (key.__extract_key().into_owned(), Progress::Done(value));
        Some(map.into_iter().map(entry).collect())
    }
}

/// The inside of an `Option`.
#[derive(Debug)]
pub struct OptionGrowth<T>(PhantomData<T>);

impl<T: DerivedType> GrowthOf<Option<T>> for OptionGrowth<T> {
    type Writing = WhileWriting<T>;

    fn writing(part: WrittenPart<'_>) -> Self::Writing {
        T::__ExtractGrowth::writing(part)
    }

    fn writing_among(part: WrittenPart<'_>) -> Self::Writing {
        T::__ExtractGrowth::writing_among(part)
    }

    fn known(value: Option<T>) -> Option<Self::Writing> {
        value.and_then(T::__ExtractGrowth::known)
    }
}

/// The inside of a pointer. It is boxed, so that recursive types have a size.
#[derive(Debug)]
pub struct PointerGrowth<T>(PhantomData<T>);

/// Implements growth for a pointer to a `T` that `$inside` unwraps.
macro_rules! boxed {
    ($pointer:ty, $inside:expr) => {
        impl<T: DerivedType> GrowthOf<$pointer> for PointerGrowth<T> {
            type Writing = Box<WhileWriting<T>>;

            fn writing(part: WrittenPart<'_>) -> Self::Writing {
                Box::new(T::__ExtractGrowth::writing(part))
            }

            fn writing_among(part: WrittenPart<'_>) -> Self::Writing {
                Box::new(T::__ExtractGrowth::writing_among(part))
            }

            fn known(pointer: $pointer) -> Option<Self::Writing> {
                let inside: Option<T> = $inside(pointer);
                inside.and_then(T::__ExtractGrowth::known).map(Box::new)
            }
        }
    };
}

boxed!(Box<T>, |pointer: Box<T>| Some(*pointer));

// serde has just created them, so nothing else shares them.
#[cfg(feature = "rc")]
boxed!(std::rc::Rc<T>, std::rc::Rc::into_inner);
#[cfg(feature = "rc")]
boxed!(std::sync::Arc<T>, std::sync::Arc::into_inner);

/// Grows like the owned form of a `Cow`.
#[derive(Debug)]
pub struct CowGrowth<T>(PhantomData<T>);

impl<B> GrowthOf<Cow<'static, B>> for CowGrowth<B::Owned>
where
    B: ToOwned<Owned: DerivedType> + ?Sized + 'static,
{
    type Writing = WhileWriting<B::Owned>;

    fn writing(part: WrittenPart<'_>) -> Self::Writing {
        <B::Owned as DerivedType>::__ExtractGrowth::writing(part)
    }

    fn known(value: Cow<'static, B>) -> Option<Self::Writing> {
        <B::Owned as DerivedType>::__ExtractGrowth::known(value.into_owned())
    }
}

/// The members of a tuple.
#[derive(Debug)]
pub enum TupleGrowth {}

macro_rules! tuple {
    ($_:literal: $($name:ident $index:tt)+) => {
        impl<$($name: DescribedType),+> GrowthOf<($($name,)+)> for TupleGrowth {
            type Writing = ($(Progress<$name>,)+);

            fn writing(part: WrittenPart<'_>) -> Self::Writing {
                ($(part.element($index).progress::<$name>(),)+)
            }

            fn known(tuple: ($($name,)+)) -> Option<Self::Writing> {
                Some(($(Progress::Done(tuple.$index),)+))
            }
        }
    };
}

each_tuple!(tuple);
