//! Types that contain other values.

use std::{borrow::Cow, marker::PhantomData};

use super::{GrowthOf, Progress, WhileWriting, WrittenPart};
use crate::derive_support::{DerivedType, DescribedType};

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
