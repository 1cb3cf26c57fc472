//! Places of a schema or a type: paths that may lead to every element.

use std::{fmt, marker::PhantomData, str::FromStr};

use super::{Path, PathError, PatternStep, Segment, parse};

/// A place in all values of a contract: a path in which `[*]` is every element of a list, or the
/// value of every entry of a map.
///
/// [`at!`](crate::at) builds a place that the compiler checks:
/// `at!(Report, findings[..].severity)`. For a contract without a type, write it in the notation of
/// RFC 9535.
///
/// ```
/// use extract::path::PathPattern;
///
/// let place: PathPattern = r#"$.findings[*]["due date"]"#.parse()?;
/// assert_eq!(place.to_string(), r#"$.findings[*]["due date"]"#);
/// # Ok::<(), extract::path::PathError>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct PathPattern {
    steps: Vec<PatternStep>,
}

impl PathPattern {
    /// Returns the place of the whole value, `$`.
    pub fn root() -> Self {
        Self::default()
    }

    /// Returns the place of the value under `key`.
    #[must_use]
    pub fn key(self, key: impl AsRef<str>) -> Self {
        self.step(PatternStep::Key(key.as_ref().into()))
    }

    /// Returns the place of the element at `index` of a tuple.
    #[must_use]
    pub fn index(self, index: usize) -> Self {
        self.step(PatternStep::Index(index))
    }

    /// Returns the place of every element of a list, or of the value of every entry of a map.
    #[must_use]
    pub fn each(self) -> Self {
        self.step(PatternStep::Each)
    }

    /// Returns the steps from the root.
    pub fn steps(&self) -> &[PatternStep] {
        &self.steps
    }

    fn step(mut self, step: PatternStep) -> Self {
        self.steps.push(step);
        self
    }

    /// The first `steps` steps of this place.
    pub(crate) fn start(&self, steps: usize) -> Self {
        Self { steps: self.steps.iter().take(steps).cloned().collect() }
    }
}

impl From<Path> for PathPattern {
    fn from(path: Path) -> Self {
        let steps = path.segments().iter().map(|segment| match segment {
            Segment::Key(key) => PatternStep::Key(key.clone()),
            Segment::Index(index) => PatternStep::Index(*index),
        });
        Self { steps: steps.collect() }
    }
}

impl FromStr for PathPattern {
    type Err = PathError;

    /// Parses `$.lines[*]["unit price"]`; a leading `$` or `$.` may be omitted.
    fn from_str(text: &str) -> Result<Self, PathError> {
        let mut place = Self::root();
        parse::each_step(text, |step| {
            place.steps.push(step);
            Ok(())
        })?;
        Ok(place)
    }
}

/// Parses a place. Any other string becomes a single key, so that the contract's error names it.
impl From<&str> for PathPattern {
    fn from(text: &str) -> Self {
        text.parse().unwrap_or_else(|_| Self::root().key(text))
    }
}

impl From<String> for PathPattern {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

/// `$.lines[*]["unit price"]`, with the limits of a [`Path`].
impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        parse::write_place(f, &self.steps)
    }
}

impl fmt::Debug for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Place({self})")
    }
}

/// A place in the values of the type `T` that holds a `V`. Built by [`at!(T, ...)`](crate::at), so
/// the compiler has checked it.
pub struct TypedPath<T, V> {
    place: PathPattern,
    types: PhantomData<fn(T) -> V>,
}

impl<T, V> TypedPath<T, V> {
    pub(crate) fn new(place: PathPattern) -> Self {
        Self { place, types: PhantomData }
    }
}

impl<T, V> Clone for TypedPath<T, V> {
    fn clone(&self) -> Self {
        Self::new(self.place.clone())
    }
}

impl<T, V> From<TypedPath<T, V>> for PathPattern {
    fn from(place: TypedPath<T, V>) -> Self {
        place.place
    }
}

impl<T, V> fmt::Display for TypedPath<T, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.place.fmt(f)
    }
}

impl<T, V> fmt::Debug for TypedPath<T, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.place, f)
    }
}

/// Types that name a place in the values of a `T`: `at!(T, ...)`, a [`PathPattern`], a [`Path`], or a
/// string such as `"$.lines[*].qty"`. The contract checks places that the compiler did not.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a place of `{T}`",
    label = "a place of another type, or no place",
    note = "name a place of `{T}`: `at!({T}, field)`, `at!({T}, list[..].field)`, or a string such as `\"$.list[*].field\"`"
)]
pub trait IntoPathPattern<T> {
    /// The place, without its type.
    fn into_place(self) -> PathPattern;
}

impl<T, V> IntoPathPattern<T> for TypedPath<T, V> {
    fn into_place(self) -> PathPattern {
        self.place
    }
}

impl<T> IntoPathPattern<T> for PathPattern {
    fn into_place(self) -> PathPattern {
        self
    }
}

macro_rules! untyped {
    ($($type:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T> IntoPathPattern<T> for $type {
            fn into_place(self) -> PathPattern {
                PathPattern::from(self)
            }
        }
    )*};
}

untyped!(Path, &str, String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_and_reads_back_every_step() {
        let place = PathPattern::root().key("a b").each().index(3).key("*").each();
        assert_eq!(place.to_string(), r#"$["a b"][*][3]["*"][*]"#);
        assert_eq!(place.to_string().parse(), Ok(place.clone()));
        assert_eq!(PathPattern::from("lines[*].qty"), PathPattern::root().key("lines").each().key("qty"));
        assert_eq!(PathPattern::from("lines[**]"), PathPattern::root().key("lines[**]"));
        assert_eq!(place.start(2), PathPattern::root().key("a b").each());
    }

    #[test]
    fn a_path_is_a_place_and_stays_without_wildcards() {
        let path: Path = "$.a[0].b".parse().unwrap();
        assert_eq!(PathPattern::from(path), PathPattern::root().key("a").index(0).key("b"));
        assert!("$.a[*]".parse::<Path>().is_err());
    }

    #[test]
    fn a_long_place_loses_its_middle() {
        let place = (0..100_000).fold(PathPattern::root(), |place, _| place.each());
        let text = place.to_string();
        assert!(text.contains("steps)…") && text.chars().count() < 700, "{text}");
    }
}
