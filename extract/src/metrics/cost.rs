//! The cost of an extraction.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{ModelUsage, Prices};

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
