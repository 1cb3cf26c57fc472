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

/// How likely a token was, before and after the grammar ruled others out: the natural logarithms of
/// its probability among all tokens, and among the allowed ones. At temperature 1, whatever the
/// sampler's is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TokenLikelihood {
    pub(super) among_all: f64,
    pub(super) among_allowed: f64,
}

impl TokenLikelihood {
    pub(super) fn of(token: TokenId, scores: &[f32], allowed: Option<&SimpleVob>) -> Option<Self> {
        let own = usize::try_from(token).ok().and_then(|token| scores.get(token)).copied()?;
        let finite = || (0..).zip(scores.iter().copied()).filter(|(_, score)| score.is_finite());
        let highest = finite().map(|(_, score)| score).fold(f32::NEG_INFINITY, f32::max);
        if !own.is_finite() {
            return None;
        }
        let (mut all, mut permitted) = (0.0, 0.0);
        for (token, score) in finite() {
            let weight = f64::from(score - highest).exp();
            all += weight;
            if allowed.is_none_or(|allowed| allowed.is_allowed(token)) {
                permitted += weight;
            }
        }
        let own = f64::from(own - highest);
        // A token that the grammar does not allow was not picked; rounding may make 0 a little more.
        let among = |sum: f64| (own - sum.max(f64::MIN_POSITIVE).ln()).min(0.0);
        Some(Self { among_all: among(all), among_allowed: among(permitted) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_likelihood_is_among_all_and_among_the_allowed_tokens() {
        let scores = [0.0, 2.0_f32.ln(), 0.0, f32::NAN];
        let mut allowed = SimpleVob::alloc(4);
        allowed.allow_token(0);
        allowed.allow_token(1);
        let likelihood = TokenLikelihood::of(0, &scores, Some(&allowed)).unwrap();
        assert!((likelihood.among_all.exp() - 0.25).abs() < 1e-6, "{likelihood:?}");
        assert!((likelihood.among_allowed.exp() - 1.0 / 3.0).abs() < 1e-6, "{likelihood:?}");
        let free = TokenLikelihood::of(1, &scores, None).unwrap();
        assert!((free.among_all - free.among_allowed).abs() < 1e-12 && free.among_all < 0.0);
        assert_eq!(TokenLikelihood::of(3, &scores, None), None);
        assert_eq!(TokenLikelihood::of(9, &scores, None), None);
    }

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
