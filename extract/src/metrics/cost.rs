//! The cost of an extraction: tokens by model, at prices that the caller sets.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use crate::vocabulary::usage::TokenUsage;

/// The cost of an extraction, computed from [prices](Prices) of the caller.
///
/// `Display` shows the amount, and what keeps it from being exact:
///
/// ```
/// use extract::{Contract, TokenUsage, agent::Reply, metrics::{Price, Prices}};
/// use extract::testing::{ScriptedAgent, block_on};
///
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let agent = ScriptedAgent::new([Reply::new("8").with_usage(TokenUsage::new(1_200, 30).cached(1_000))]);
/// let (_, metrics) = block_on(contract.extract(&agent, "How many legs has a spider?"))?;
///
/// let prices = Prices::new().model("scripted", Price::per_million(3.0, 15.0).cached(0.3))?;
/// let cost = metrics.cost(&prices);
/// assert_eq!(cost.to_string(), "0.00135");
///
/// let cost = metrics.cost(&Prices::new());
/// assert_eq!(cost.unpriced, ["scripted"]);
/// assert_eq!(cost.to_string(), "0 (without `scripted`, which has no price)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Cost {
    /// The sum, in the currency of the prices. It includes only models with a price.
    pub amount: f64,
    /// The models that used tokens but have no price.
    pub unpriced: Vec<String>,
    /// Whether any of the tokens in the amount are an [estimate](crate::TokenUsage::is_estimated).
    pub is_estimated: bool,
}

impl Cost {
    pub(super) fn of(used: &[ModelUsage], prices: &Prices) -> Self {
        let mut cost = Self::default();
        for used in used.iter().filter(|used| used.usage.total() > 0) {
            match prices.find(used) {
                Some(price) => {
                    cost.amount += price.of(&used.usage);
                    cost.is_estimated |= used.usage.is_estimated;
                }
                None if cost.unpriced.iter().any(|name| name == used.name()) => {}
                None => cost.unpriced.push(used.name().to_owned()),
            }
        }
        cost
    }

    /// Returns whether every model that used tokens has a price.
    pub fn is_complete(&self) -> bool {
        self.unpriced.is_empty()
    }
}

/// `0.0123`, `1.50 (estimated)`, or `0 (without `scripted`, which has no price)`
impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(self.amount))?;
        let names: Vec<_> = self.unpriced.iter().map(|name| format!("`{name}`")).collect();
        let has = if names.len() == 1 { "has" } else { "have" };
        let without = format!("without {}, which {has} no price", names.join(", "));
        match (self.is_estimated, names.is_empty()) {
            (false, true) => Ok(()),
            (true, true) => f.write_str(" (estimated)"),
            (false, false) => write!(f, " ({without})"),
            (true, false) => write!(f, " (estimated, {without})"),
        }
    }
}

/// Two decimals; below 1, as many as are needed to show three digits.
fn shown(amount: f64) -> String {
    if amount == 0.0 {
        return "0".to_owned();
    }
    let decimals = (0..15).find(|decimals| amount * 10_f64.powi(*decimals) >= 1.0);
    let decimals = match decimals {
        Some(0) => 2,
        Some(decimals) => usize::try_from(decimals).unwrap_or_default() + 2,
        None => return format!("{amount:e}"),
    };
    format!("{amount:.decimals$}")
}

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

impl fmt::Display for PriceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Input => "input tokens",
            Self::Output => "output tokens",
            Self::Cached => "cached tokens",
            Self::CacheWrite => "tokens written to a cache",
        })
    }
}

/// Tokens of one model, as one agent asked it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelUsage {
    /// Name of the agent that replied.
    pub agent: String,
    /// The model, if the provider [named](super::ReplyOrigin::model) it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Number of replies.
    pub replies: u32,
    /// Their tokens.
    pub usage: TokenUsage,
}

impl ModelUsage {
    /// Creates the entry of one reply: the name of the agent, the model if the provider named it,
    /// and the tokens.
    pub fn of_reply(agent: String, model: Option<String>, usage: TokenUsage) -> Self {
        Self { agent, model, replies: 1, usage }
    }

    /// Returns the name of the model; if that is unknown, the name of the agent; `unknown` if the
    /// agent has no name.
    pub fn name(&self) -> &str {
        match self.model.as_deref().unwrap_or(&self.agent) {
            "" => "unknown",
            name => name,
        }
    }

    /// Adds this to the entry of the same agent and model in `all`.
    pub fn add_to(self, all: &mut Vec<Self>) {
        match all.iter_mut().find(|known| known.agent == self.agent && known.model == self.model) {
            Some(known) => {
                known.replies = known.replies.saturating_add(self.replies);
                known.usage.add(self.usage);
            }
            None => all.push(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{metrics::Price, vocabulary::usage::TokenUsage};

    fn used(agent: &str, model: Option<&str>, usage: TokenUsage) -> ModelUsage {
        ModelUsage::of_reply(agent.to_owned(), model.map(str::to_owned), usage)
    }

    fn cost(used: ModelUsage, name: &str, price: Price) -> Cost {
        Cost::of(&[used], &Prices::new().model(name, price).unwrap())
    }

    fn assert_amount(cost: &Cost, expected: f64) {
        assert!((cost.amount - expected).abs() < 1e-12, "{cost:?}, expected {expected}");
        assert!(cost.is_complete());
    }

    #[test]
    fn each_token_costs_what_its_part_costs() {
        let usage =
            TokenUsage::new(1_000_000, 100_000).cached(600_000).cache_written(300_000).reasoning(90_000);
        let plain = Price::per_million(2.0, 10.0);
        assert_amount(&cost(used("a", None, usage), "a", plain), 2.0 + 1.0);
        let cached = plain.cached(0.5);
        assert_amount(&cost(used("a", None, usage), "a", cached), 0.3 + 0.4 * 2.0 + 1.0);
        let written = cached.cache_write(4.0);
        assert_amount(&cost(used("a", None, usage), "a", written), 0.3 + 0.3 * 4.0 + 0.1 * 2.0 + 1.0);
    }

    #[test]
    fn a_price_is_found_by_the_whole_name_of_model_or_agent() {
        let usage = TokenUsage::new(1_000_000, 0);
        let asked = || used("openai/gpt-6", Some("gpt-6-2026-05-01"), usage);
        let price = Price::per_million(1.0, 0.0);
        for name in ["gpt-6-2026-05-01", "openai/gpt-6", "gpt-6"] {
            assert_amount(&cost(asked(), name, price), 1.0);
        }
        for name in ["gpt", "gpt-6-2026", "openai", "GPT-6"] {
            assert_eq!(cost(asked(), name, price).unpriced, ["gpt-6-2026-05-01"], "{name}");
        }
        let both = Prices::new().model("gpt-6", price).unwrap();
        let both = both.model("gpt-6-2026-05-01", Price::per_million(7.0, 0.0)).unwrap();
        assert_amount(&Cost::of(&[asked()], &both), 7.0);
    }

    #[test]
    fn a_model_without_a_price_is_named_once_and_never_free() {
        let tokens = TokenUsage::new(1, 1);
        let all = [used("a", None, tokens), used("b", Some("c"), tokens), used("d", Some("c"), tokens)];
        let cost = Cost::of(&all, &Prices::new().model("a", Price::per_million(1e6, 1e6)).unwrap());
        assert_eq!((cost.unpriced.clone(), cost.is_complete()), (vec!["c".to_owned()], false));
        assert_eq!(cost.to_string(), "2.00 (without `c`, which has no price)");
        let nothing = Cost::of(&[used("cached", None, TokenUsage::default())], &Prices::new());
        assert!(nothing.is_complete(), "no tokens cost nothing, whatever the price");
    }

    #[test]
    fn an_estimate_says_so() {
        let guess = TokenUsage::estimated(4_000_000, 0);
        let cost = cost(used("a", None, guess), "a", Price::per_million(0.5, 0.0));
        assert_eq!(cost.to_string(), "0.500 (estimated)");
    }

    #[test]
    fn what_is_not_a_price_is_an_error_that_says_which() {
        let good = Price::per_million(1.0, 1.0);
        for (price, kind) in [
            (Price::per_million(-1.0, 1.0), "input tokens"),
            (Price::per_million(1.0, f64::NAN), "output tokens"),
            (good.cached(f64::INFINITY), "cached tokens"),
            (good.cache_write(-0.01), "tokens written to a cache"),
            (good.cached(f64::NEG_INFINITY), "cached tokens"),
            (good.cached(1e13), "cached tokens"),
        ] {
            let error = Prices::new().model("m", price).unwrap_err();
            assert!(error.to_string().starts_with(&format!("the price of {kind} of `m` is ")), "{error}");
        }
        assert!(Prices::new().model("m", Price::per_million(0.0, -0.0)).is_ok());
    }

    #[test]
    fn no_sum_is_infinite() {
        let most = TokenUsage::new(u64::MAX, u64::MAX).cached(u64::MAX).cache_written(u64::MAX);
        let price = Price::per_million(1e12, 1e12).cached(1e12).cache_write(1e12);
        assert!(cost(used("a", None, most), "a", price).amount.is_finite());
    }

    #[test]
    fn small_amounts_do_not_look_like_nothing() {
        for (amount, expected) in [
            (0.0, "0"),
            (1234.5, "1234.50"),
            (1.0, "1.00"),
            (0.25, "0.250"),
            (0.001_35, "0.00135"),
            (0.000_000_123, "0.000000123"),
            (1e-20, "1e-20"),
        ] {
            assert_eq!(shown(amount), expected);
        }
    }
}
