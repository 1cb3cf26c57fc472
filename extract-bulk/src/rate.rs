//! The requests per minute, as a token bucket. The caller passes the current time.

use std::time::{Duration, Instant};

/// How long unused requests are saved up. One second keeps the flow even.
const BURST_SECONDS: f64 = 1.0;

/// Less than a tenth of a millisecond is rounding.
const SLACK_SECONDS: f64 = 1e-4;

/// The requests that may start, and how their number grows.
#[derive(Debug)]
pub(super) struct Rate {
    available: f64,
    capacity: f64,
    per_second: f64,
    seen: Instant,
}

impl Rate {
    /// A full bucket.
    pub(super) fn full(per_minute: u32, now: Instant) -> Self {
        let per_second = f64::from(per_minute) / 60.0;
        let capacity = (per_second * BURST_SECONDS).max(1.0);
        Self { available: capacity, capacity, per_second, seen: now }
    }

    /// Takes one request, or takes nothing and returns how long to wait for it.
    pub(super) fn take(&mut self, now: Instant) -> Option<Duration> {
        let passed = now.saturating_duration_since(self.seen).as_secs_f64();
        self.available = (self.available + passed * self.per_second).min(self.capacity);
        self.seen = now;
        let wait = (1.0 - self.available) / self.per_second;
        if wait > SLACK_SECONDS {
            return Some(Duration::try_from_secs_f64(wait).unwrap_or(Duration::MAX));
        }
        self.available -= 1.0;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_beyond_the_rate_wait_and_a_second_is_saved_up() {
        let mut now = Instant::now();
        let mut rate = Rate::full(600, now);
        let tenth = Duration::from_millis(100);
        for _ in 0..3 {
            assert_eq!([(); 10].map(|()| rate.take(now)), [None; 10]);
            let wait = rate.take(now).unwrap();
            assert!(wait.abs_diff(tenth) < Duration::from_millis(1), "{wait:?}");
            now += tenth;
            assert_eq!(rate.take(now), None);
            now += 60 * tenth;
        }
    }

    #[test]
    fn a_rate_below_one_each_second_saves_up_one() {
        let mut now = Instant::now();
        let mut rate = Rate::full(6, now);
        assert_eq!(rate.take(now), None);
        now += Duration::from_secs(5);
        let wait = rate.take(now).unwrap();
        assert!(wait.abs_diff(Duration::from_secs(5)) < Duration::from_millis(1), "{wait:?}");
        assert_eq!(rate.take(now + wait), None);
    }
}
