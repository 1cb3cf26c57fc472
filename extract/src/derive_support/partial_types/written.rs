//! A part of a streaming value, as generated code sees it.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{GrowthOf, Progress};
use crate::{
    derive_support::DescribedType,
    reading::{Cursor, PartState},
};

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
    pub(super) fn state(self) -> PartState {
        self.0.map_or(PartState::Pending, Cursor::state)
    }

    /// A copy of its known part.
    pub(super) fn value(self) -> Option<Value> {
        self.0?.value()
    }

    /// The elements of a list that have started.
    pub(super) fn elements(self) -> impl Iterator<Item = Self> {
        let elements = self.0.map(Cursor::elements);
        elements.into_iter().flatten().map(|element| Self(Some(element)))
    }

    /// The members of an object that have started.
    pub(super) fn entries(self) -> impl Iterator<Item = (String, Self)> {
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
    pub(super) fn done<T>(self, read: impl FnOnce(Value) -> serde_json::Result<T>) -> Option<T> {
        let is_done = self.state() == PartState::Done;
        read(self.value().filter(|_| is_done)?).ok()
    }
}
