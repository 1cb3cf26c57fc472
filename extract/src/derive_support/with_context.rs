//! Types whose rules can use a context.

use super::DescribedType;
use crate::vocabulary::context::{NoContext, ProvidesContext};

/// A type whose rules can use the context `C`. Every [`Extractable`](crate::Extractable) type is
/// one for the context that its rules need; if they need none, it is one for every context.
///
/// Use it as a bound of functions that are generic over the extracted type. It is implemented
/// automatically.
///
/// ```
/// use extract::{Agent, Extractable, ExtractionError, WithContext};
///
/// async fn ask<T: Extractable + WithContext + Send>(agent: &dyn Agent) -> Result<T, ExtractionError> {
///     Ok(T::extract(agent, "What do you see?").await?.0)
/// }
///
/// async fn ask_within<T: Extractable + WithContext<C> + Send, C: Sync + 'static>(
///     agent: &dyn Agent,
///     context: &C,
/// ) -> Result<T, ExtractionError> {
///     Ok(T::extract(agent, "What do you see?").context(context).await?.0)
/// }
/// # let _ = (ask::<u8>, ask_within::<u8, String>);
/// ```
pub trait WithContext<C = NoContext>: DescribedType {}

impl<T: DescribedType, C: ProvidesContext<T::__ExtractContext>> WithContext<C> for T {}
