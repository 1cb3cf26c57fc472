//! A bound that the compiler reports in the words of the trait.

/// A type is itself, and nothing else.
///
/// A bound on a method's own parameter, as in `fn items<U: ItemList>(self) where T: Same<U>`, is
/// checked after the method was found. One on `T` is checked before, and then the compiler only
/// says that there is no such method.
pub trait SameType<T> {}

#[diagnostic::do_not_recommend]
impl<T> SameType<T> for T {}
