//! Paths that the compiler checks.

use std::marker::PhantomData;

use super::{Described, step::Step};
use crate::path::Path;

/// A path that [`at!`](crate::at) builds.
#[derive(Debug)]
pub struct At(Path);

impl At {
    /// The value that the path starts from.
    #[must_use]
    pub fn root() -> Self {
        Self(Path::root())
    }

    /// Steps into the field with the Rust name `name`. Neither closure is called: the first fixes
    /// the type, the second makes the compiler look up the field.
    #[must_use]
    pub fn field<T: Described>(
        self,
        _of: impl FnOnce() -> PhantomData<T>,
        _has: impl FnOnce(),
        name: &'static str,
    ) -> Self {
        let known = T::__EXTRACT_STEPS.iter().find(|(field, _)| *field == name);
        Self(match (known, name.parse()) {
            (Some((_, Step::Key(key))), _) => self.0.key(*key),
            (Some((_, Step::Index(index))), _) => self.0.index(*index),
            (Some((_, Step::Here)), _) => self.0,
            (None, Ok(index)) => self.0.index(index),
            (None, Err(_)) => self.0.key(name),
        })
    }

    /// Steps into an element or an entry. The closure is not called; it makes the compiler look up
    /// the element.
    #[must_use]
    pub fn element(self, position: impl Position, _has: impl FnOnce()) -> Self {
        Self(position.after(self.0))
    }

    /// The path.
    #[must_use]
    pub fn into_path(self) -> Path {
        self.0
    }
}

/// The index or key in brackets.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a position in a JSON value",
    label = "neither an index nor a key",
    note = "use a `usize` for the elements of a sequence and a string for the entries of a map"
)]
pub trait Position {
    /// Appends this to `path`.
    fn after(&self, path: Path) -> Path;
}

impl Position for usize {
    fn after(&self, path: Path) -> Path {
        path.index(*self)
    }
}

impl Position for str {
    fn after(&self, path: Path) -> Path {
        path.key(self)
    }
}

impl Position for String {
    fn after(&self, path: Path) -> Path {
        path.key(self.as_str())
    }
}

impl<P: Position + ?Sized> Position for &P {
    fn after(&self, path: Path) -> Path {
        (**self).after(path)
    }
}

/// The [`Path`] of a part of a value, for [`Rejection::at`](crate::Rejection::at). The compiler
/// checks it, and the path has the names of the JSON.
///
/// The first name is the value where the path starts, usually the argument of the rule. Only what
/// stands in brackets is evaluated.
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
#[cfg(feature = "derive")]
#[macro_export]
macro_rules! at {
    ($($place:tt)*) => {
        $crate::__private::at!($crate, $($place)*)
    };
}
