//! Picks a token from scores.

use fastrand::Rng;
use toktrie::{SimpleVob, TokenId};

/// Picks the most probable token, or a random one in proportion to the probabilities.
pub(super) struct Sampler {
    rng: Rng,
}

impl Sampler {
    /// The same seed and the same requests in the same order give the same replies.
    pub(super) fn new(seed: u64) -> Self {
        Self { rng: Rng::with_seed(seed) }
    }

    /// A token from `allowed` (any, if `None`); `None` if it has none with a finite score.
    pub(super) fn pick(
        &mut self,
        scores: &[f32],
        allowed: Option<&SimpleVob>,
        temperature: f64,
    ) -> Option<TokenId> {
        let candidates = (0..).zip(scores.iter().copied()).filter(|(token, score)| {
            score.is_finite() && allowed.is_none_or(|allowed| allowed.is_allowed(*token))
        });
        // Among equal scores the first wins, so that the reply does not depend on the order of
        // iteration.
        let best = |best: (TokenId, f32), next: (TokenId, f32)| if next.1 > best.1 { next } else { best };
        if temperature <= 0.0 {
            return candidates.reduce(best).map(|(token, _)| token);
        }
        let candidates: Vec<(TokenId, f32)> = candidates.collect();
        let (likeliest, highest) = candidates.iter().copied().reduce(best)?;
        let weight = |score: f32| (f64::from(score - highest) / temperature).exp();
        let total: f64 = candidates.iter().map(|(_, score)| weight(*score)).sum();
        let mut left = self.rng.f64() * total;
        for (token, score) in &candidates {
            left -= weight(*score);
            if left < 0.0 {
                return Some(*token);
            }
        }
        // Rounding may leave a small rest of probability.
        Some(likeliest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greedy_takes_the_likeliest_allowed_token() {
        let scores = [0.5, 3.0, 2.0, f32::NAN];
        let mut sampler = Sampler::new(0);
        assert_eq!(sampler.pick(&scores, None, 0.0), Some(1));
        let mut allowed = SimpleVob::alloc(4);
        assert_eq!(sampler.pick(&scores, Some(&allowed), 0.0), None);
        allowed.allow_token(0);
        allowed.allow_token(2);
        assert_eq!(sampler.pick(&scores, Some(&allowed), 0.0), Some(2));
        assert!((0..100).all(|_| matches!(sampler.pick(&scores, Some(&allowed), 1.0), Some(0 | 2))));
    }

    #[test]
    fn a_seed_repeats_and_a_temperature_spreads() {
        let draw = |seed| {
            let mut sampler = Sampler::new(seed);
            (0..200).filter_map(|_| sampler.pick(&[1.0, 1.0, 1.0], None, 0.7)).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        assert!((0..3).all(|token| draw(7).contains(&token)));
    }
}
