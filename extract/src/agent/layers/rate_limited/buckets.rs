//! Token buckets. The caller passes the current time.

use std::time::Duration;

use crate::vocabulary::time_limit::Instant;

const MINUTE: f64 = 60.0;

/// The requests and tokens that are available, as two token buckets: for a layer or a job that
/// schedules requests itself, and has a clock of its own.
///
/// ```
/// use std::time::{Duration, Instant};
/// use extract::agent::layers::RateBuckets;
///
/// let now = Instant::now();
/// let second = Duration::from_secs(1);
/// let mut buckets = RateBuckets::full(Some(60), None, second, now);
/// assert_eq!(buckets.take(0.0, now), None);
/// assert_eq!(buckets.take(0.0, now), Some(second));
/// ```
#[derive(Debug)]
pub struct RateBuckets {
    requests: Option<RateBucket>,
    tokens: Option<RateBucket>,
}

impl RateBuckets {
    /// Creates full buckets with the allowance of `burst`. A number per minute that is `None` sets no
    /// limit.
    pub fn full(requests: Option<u32>, tokens: Option<u32>, burst: Duration, now: Instant) -> Self {
        let bucket = |per_minute: u32| RateBucket::full(f64::from(per_minute), burst, now);
        Self { requests: requests.map(bucket), tokens: tokens.map(bucket) }
    }

    /// Takes one request and its tokens, or takes nothing and returns how long to wait for both.
    pub fn take(&mut self, tokens: f64, now: Instant) -> Option<Duration> {
        let mut wanted = [(self.requests.as_mut(), 1.0), (self.tokens.as_mut(), tokens)];
        let waits = wanted.iter_mut().filter_map(|(bucket, amount)| bucket.as_mut()?.wait(*amount, now));
        let longest = waits.max();
        if longest.is_none() {
            for (bucket, amount) in wanted {
                if let Some(bucket) = bucket {
                    bucket.level -= amount;
                }
            }
        }
        longest
    }

    /// Returns unused tokens. A negative number takes more.
    pub(super) fn give_back(&mut self, tokens: f64, now: Instant) {
        if let Some(bucket) = &mut self.tokens {
            bucket.refill(now);
            bucket.level = (bucket.level + tokens).min(bucket.capacity);
        }
    }
}

/// The available amount, and how it grows. Below zero it is a debt.
#[derive(Debug)]
struct RateBucket {
    level: f64,
    capacity: f64,
    per_second: f64,
    seen: Instant,
}

impl RateBucket {
    fn full(per_minute: f64, burst: Duration, now: Instant) -> Self {
        let per_second = per_minute / MINUTE;
        let capacity = (per_second * burst.as_secs_f64()).max(1.0);
        Self { level: capacity, capacity, per_second, seen: now }
    }

    fn refill(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.seen).as_secs_f64();
        self.level = (self.level + passed * self.per_second).min(self.capacity);
        self.seen = now;
    }

    /// How long until `amount` is available; `None` if it is now.
    fn wait(&mut self, amount: f64, now: Instant) -> Option<Duration> {
        // Less than a tenth of a millisecond is rounding.
        const SLACK: f64 = 1e-4;
        self.refill(now);
        let missing = amount.min(self.capacity) - self.level;
        let seconds = missing / self.per_second;
        (seconds > SLACK).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TENTH: Duration = Duration::from_millis(100);
    const SECOND: Duration = Duration::from_secs(1);

    /// Returns whether `found` is `expected`, but for rounding.
    fn is_about(found: Option<Duration>, expected: Duration) -> bool {
        found.is_some_and(|found| found.abs_diff(expected) < Duration::from_millis(1))
    }

    #[test]
    fn requests_beyond_the_rate_wait() {
        let mut now = Instant::now();
        // One each tenth of a second, and one saved up.
        let mut buckets = RateBuckets::full(Some(600), None, Duration::ZERO, now);
        assert_eq!(buckets.take(0.0, now), None);
        for _ in 0..3 {
            assert!(is_about(buckets.take(0.0, now), TENTH));
            now += TENTH / 2;
            assert!(is_about(buckets.take(0.0, now), TENTH / 2));
            now += TENTH / 2;
            assert_eq!(buckets.take(0.0, now), None);
        }
        now += SECOND;
        assert_eq!(buckets.take(0.0, now), None);
        assert!(is_about(buckets.take(0.0, now), TENTH), "no more than one is saved up");
    }

    #[test]
    fn requests_beyond_the_rate_wait_and_a_second_is_saved_up() {
        let mut now = Instant::now();
        let mut buckets = RateBuckets::full(Some(600), None, SECOND, now);
        for _ in 0..3 {
            assert_eq!([(); 10].map(|()| buckets.take(0.0, now)), [None; 10]);
            assert!(is_about(buckets.take(0.0, now), TENTH));
            now += TENTH;
            assert_eq!(buckets.take(0.0, now), None);
            now += 60 * TENTH;
        }
    }

    #[test]
    fn a_rate_below_one_each_second_saves_up_one() {
        let mut now = Instant::now();
        let mut buckets = RateBuckets::full(Some(6), None, SECOND, now);
        assert_eq!(buckets.take(0.0, now), None);
        now += 5 * SECOND;
        let wait = buckets.take(0.0, now);
        assert!(is_about(wait, 5 * SECOND), "{wait:?}");
        assert_eq!(buckets.take(0.0, now + wait.unwrap()), None);
    }

    #[test]
    fn what_was_used_beyond_the_estimate_is_a_debt() {
        let now = Instant::now();
        // 100 tokens each second, and 100 saved up.
        let mut buckets = RateBuckets::full(None, Some(6000), SECOND, now);
        assert_eq!(buckets.take(10.0, now), None);
        buckets.give_back(10.0 - 130.0, now);
        // 30 are owed, and 10 are needed.
        assert!(is_about(buckets.take(10.0, now), 4 * TENTH));
        assert_eq!(buckets.take(10.0, now + 4 * TENTH), None);
    }

    #[test]
    fn what_was_estimated_too_high_is_given_back_up_to_what_fits() {
        let now = Instant::now();
        let mut buckets = RateBuckets::full(None, Some(60), 60 * SECOND, now);
        assert_eq!(buckets.take(50.0, now), None);
        buckets.give_back(48.0, now);
        assert_eq!(buckets.take(58.0, now), None);
        buckets.give_back(1000.0, now);
        assert_eq!(buckets.take(60.0, now), None);
        assert!(is_about(buckets.take(1.0, now), SECOND));
    }

    #[test]
    fn a_request_larger_than_the_bucket_goes_when_it_is_full() {
        let now = Instant::now();
        let mut buckets = RateBuckets::full(None, Some(6000), TENTH, now);
        assert_eq!(buckets.take(50.0, now), None);
        assert!(is_about(buckets.take(50.0, now), 5 * TENTH), "40 are owed, and 10 fit");
        assert_eq!(buckets.take(50.0, now + 5 * TENTH), None);
    }

    #[test]
    fn one_that_has_to_wait_takes_nothing() {
        let now = Instant::now();
        let mut buckets = RateBuckets::full(Some(60), Some(6000), SECOND, now);
        assert_eq!(buckets.take(100.0, now), None);
        assert!(is_about(buckets.take(200.0, now), SECOND));
        let later = now + SECOND;
        assert_eq!(buckets.take(1.0, later), None, "its request is still there");
    }
}
