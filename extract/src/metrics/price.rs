//! Prices of tokens, set by the caller.

use std::collections::BTreeMap;

use super::ModelUsage;
use crate::vocabulary::usage::TokenUsage;

/// The highest accepted price, so that no sum is infinite: a million for one token.
const HIGHEST: f64 = 1e12;

/// The number of tokens that a price is for.
const PER: f64 = 1e6;

/// The price of a million tokens of one model, in any currency. No prices are built in, because
/// they change.
///
/// Reasoning is priced as output. [`Prices::model`] checks the numbers.
///
/// ```
/// use extract::metrics::Price;
///
/// let price = Price::per_million(3.0, 15.0).cached(0.3).cache_write(3.75);
/// # let _ = price;
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub struct Price {
    input: f64,
    output: f64,
    cached: Option<f64>,
    cache_write: Option<f64>,
}

impl Price {
    /// Sets the prices of a million input tokens and of a million output tokens.
    pub fn per_million(input: f64, output: f64) -> Self {
        Self { input, output, cached: None, cache_write: None }
    }

    /// Sets the price of a million tokens that are read from a cache; by default the price of other
    /// input.
    pub fn cached(mut self, price: f64) -> Self {
        self.cached = Some(price);
        self
    }

    /// Sets the price of a million tokens that are written to a cache; by default the price of
    /// other input.
    pub fn cache_write(mut self, price: f64) -> Self {
        self.cache_write = Some(price);
        self
    }

    /// The first number that is not a price, and its kind.
    fn wrong(&self) -> Option<(PriceKind, f64)> {
        let numbers = [
            (PriceKind::Input, Some(self.input)),
            (PriceKind::Output, Some(self.output)),
            (PriceKind::Cached, self.cached),
            (PriceKind::CacheWrite, self.cache_write),
        ];
        let mut numbers = numbers.into_iter().filter_map(|(kind, number)| Some((kind, number?)));
        numbers.find(|(_, number)| !(0.0..=HIGHEST).contains(number))
    }

    /// The cost of `usage`.
    pub(super) fn of(&self, usage: &TokenUsage) -> f64 {
        let TokenUsage { input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, .. } = *usage;
        let other = input_tokens.saturating_sub(cached_input_tokens).saturating_sub(cache_write_tokens);
        let parts = [
            (other, self.input),
            (cached_input_tokens, self.cached.unwrap_or(self.input)),
            (cache_write_tokens, self.cache_write.unwrap_or(self.input)),
            (output_tokens, self.output),
        ];
        parts.into_iter().map(|(tokens, price)| as_number(tokens) * price / PER).sum()
    }
}

/// Exact up to 2⁵³ tokens.
#[expect(clippy::cast_precision_loss)]
fn as_number(tokens: u64) -> f64 {
    tokens as f64
}

/// Prices of models.
///
/// A price is looked up by three names in this order: the name of the model as the
/// [provider](super::ReplyOrigin::model) gives it, the name of the agent (`openai/gpt-6-luna`), and
/// that name without the provider (`gpt-6-luna`). Names never match in part: `gpt-6` is not the
/// price of `gpt-6-mini`.
///
/// ```
/// use extract::metrics::{Price, Prices};
///
/// let prices = Prices::new()
///     .model("gpt-6-luna", Price::per_million(0.25, 2.0).cached(0.025))?
///     .model("claude-haiku-5-5", Price::per_million(1.0, 5.0).cached(0.1).cache_write(1.25))?;
/// # let _ = prices;
///
/// let error = Prices::new().model("gpt-6-luna", Price::per_million(-0.25, 2.0)).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the price of input tokens of `gpt-6-luna` is -0.25; expected a number from 0 to 1e12 for a million tokens"
/// );
/// # Ok::<(), extract::metrics::PriceError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use]
pub struct Prices {
    by_name: BTreeMap<String, Price>,
}

impl Prices {
    /// Creates a table without prices.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the price of the model or agent called `name`; the last one counts.
    ///
    /// # Errors
    ///
    /// [`PriceError`] if a number of `price` is negative, not a number, infinite, or more than
    /// 1e12.
    pub fn model(mut self, name: impl Into<String>, price: Price) -> Result<Self, PriceError> {
        let name = name.into();
        if let Some((kind, number)) = price.wrong() {
            return Err(PriceError { model: name, kind, price: number });
        }
        self.by_name.insert(name, price);
        Ok(self)
    }

    /// The price for the model of `used`.
    pub(super) fn find(&self, used: &ModelUsage) -> Option<&Price> {
        let bare = used.agent.split_once('/').map(|(_, model)| model);
        let names = used.model.as_deref().into_iter().chain([&*used.agent]).chain(bare);
        names.into_iter().find_map(|name| self.by_name.get(name))
    }
}

/// A number that is not a price.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the price of {kind} of `{model}` is {price}; expected a number from 0 to 1e12 for a million tokens")]
#[non_exhaustive]
pub struct PriceError {
    /// The model with that price.
    pub model: String,
    /// Which of its prices.
    pub kind: PriceKind,
    /// The number.
    pub price: f64,
}

/// Which number of a [`Price`] is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PriceKind {
    /// Input tokens.
    Input,
    /// Output tokens.
    Output,
    /// Tokens that are read from a cache.
    Cached,
    /// Tokens that are written to a cache.
    CacheWrite,
}

impl std::fmt::Display for PriceKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Input => "input tokens",
            Self::Output => "output tokens",
            Self::Cached => "cached tokens",
            Self::CacheWrite => "tokens written to a cache",
        })
    }
}
