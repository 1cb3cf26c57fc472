//! Builds a place of a type.

use std::marker::PhantomData;

use super::{DescribedType, built_path::step, field_position::FieldPosition};
use crate::vocabulary::path::{PathPattern, TypedPath};

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
