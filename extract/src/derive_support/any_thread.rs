//! Types that an extraction can make.

/// A type that may be sent to another thread, as an extraction may be: every type that is `Send`.
///
/// It is implemented automatically, and says what to do where it is not. Functions that are generic
/// over the extracted type may use it or `Send` as a bound.
///
/// ```
/// use extract::{Agent, AnyThread, Extractable, ExtractionError, WithContext};
///
/// async fn ask<T: Extractable + WithContext + AnyThread>(agent: &dyn Agent) -> Result<T, ExtractionError> {
///     Ok(T::extract(agent, "What do you see?").await?.0)
/// }
/// # let _ = ask::<u8>;
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent to another thread, and an extraction may run on any",
    label = "hold an `Arc` instead of an `Rc`, or read a reply that is already there with `from_reply`"
)]
pub trait AnyThread: Send {}

#[diagnostic::do_not_recommend]
impl<T: Send> AnyThread for T {}
