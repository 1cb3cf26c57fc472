//! Types that contain other values.

use std::{borrow::Cow, marker::PhantomData};

use super::{Growth, Progress, WhileWriting, Written};
use crate::described::{Derived, Described};

/// The elements of a sequence.
#[derive(Debug)]
pub struct Elements<T>(PhantomData<T>);

impl<T: Described, L: IntoIterator<Item = T>> Growth<L> for Elements<T> {
    type Writing = Vec<Progress<T>>;

    fn writing(part: Written<'_>) -> Self::Writing {
        part.elements().map(Written::progress).collect()
    }

    fn known(list: L) -> Option<Self::Writing> {
        Some(list.into_iter().map(Progress::Done).collect())
    }
}

/// The entries of a map, with their keys as in the JSON.
#[derive(Debug)]
pub struct Entries<K, V>(PhantomData<(K, V)>);

impl<K: Derived, V: Described, M: IntoIterator<Item = (K, V)>> Growth<M> for Entries<K, V> {
    type Writing = Vec<(String, Progress<V>)>;

    fn writing(part: Written<'_>) -> Self::Writing {
        part.entries().map(|(key, entry)| (key, entry.progress())).collect()
    }

    fn known(map: M) -> Option<Self::Writing> {
        let entry = |(key, value): (K, V)| (key.__extract_key().into_owned(), Progress::Done(value));
        Some(map.into_iter().map(entry).collect())
    }
}

/// The inside of an `Option`.
#[derive(Debug)]
pub struct Inside<T>(PhantomData<T>);

impl<T: Derived> Growth<Option<T>> for Inside<T> {
    type Writing = WhileWriting<T>;

    fn writing(part: Written<'_>) -> Self::Writing {
        T::__ExtractGrowth::writing(part)
    }

    fn writing_among(part: Written<'_>) -> Self::Writing {
        T::__ExtractGrowth::writing_among(part)
    }

    fn known(value: Option<T>) -> Option<Self::Writing> {
        value.and_then(T::__ExtractGrowth::known)
    }
}

/// The inside of a pointer. It is boxed, so that recursive types have a size.
#[derive(Debug)]
pub struct Boxed<T>(PhantomData<T>);

/// Implements growth for a pointer to a `T` that `$inside` unwraps.
macro_rules! boxed {
    ($pointer:ty, $inside:expr) => {
        impl<T: Derived> Growth<$pointer> for Boxed<T> {
            type Writing = Box<WhileWriting<T>>;

            fn writing(part: Written<'_>) -> Self::Writing {
                Box::new(T::__ExtractGrowth::writing(part))
            }

            fn writing_among(part: Written<'_>) -> Self::Writing {
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
pub struct Owned<T>(PhantomData<T>);

impl<B> Growth<Cow<'static, B>> for Owned<B::Owned>
where
    B: ToOwned<Owned: Derived> + ?Sized + 'static,
{
    type Writing = WhileWriting<B::Owned>;

    fn writing(part: Written<'_>) -> Self::Writing {
        <B::Owned as Derived>::__ExtractGrowth::writing(part)
    }

    fn known(value: Cow<'static, B>) -> Option<Self::Writing> {
        <B::Owned as Derived>::__ExtractGrowth::known(value.into_owned())
    }
}
