//! Every wait of the bridge, in one place, so that tests can scale them all.

use std::time::Duration;

/// How long to wait for what.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Waits {
    /// A stream says something at least so often.
    pub keep_alive: Duration,
    /// The second attempt to reach the server; the first comes at once.
    pub retry_first: Duration,
    /// The longest between two attempts.
    pub retry_most: Duration,
    /// A stream that has lived so long was no failure.
    pub steady: Duration,
    /// After a silence of an eighth of our clock, at most this, the list of games is looked at.
    pub silence_most: Duration,
    /// But not more often than this.
    pub silence_least: Duration,
    /// After "no verdict yet" the state is asked for.
    pub late_verdict: Duration,
    /// After a cut request, before the state is asked for: it may still be on its way.
    pub settle: Duration,
    /// The longest wait for any answer.
    pub answer_most: Duration,
    /// The shortest wait for an answer, however little is on the clock.
    pub answer_least: Duration,
    /// Between two looks at the list of games when all is well.
    pub games: Duration,
    /// Between two looks at the list of games in poll mode.
    pub poll: Duration,
    /// Between two looks at the challenges.
    pub challenges: Duration,
    /// Between two looks at a seek.
    pub seek: Duration,
    /// A forced pass that the server does not play is looked into after this.
    pub pass: Duration,
    /// Nothing is subtracted from a clock below this.
    pub overhead_floor: Duration,
    /// How long an engine may take to start.
    pub engine_start: Duration,
    /// Between two starts of an engine that does not start.
    pub engine_retry: Duration,
    /// How long a sender may take for a delivery.
    pub delivery: Duration,
    /// How long the server may take for the goodbyes at the end.
    pub farewell: Duration,
    /// The least time between two rejoins of the ladder.
    pub rejoin: Duration,
}

impl Default for Waits {
    fn default() -> Self {
        let ms = Duration::from_millis;
        Self {
            keep_alive: ms(25_000),
            retry_first: ms(250),
            retry_most: ms(60_000),
            steady: ms(1_000),
            silence_most: ms(10_000),
            silence_least: ms(250),
            late_verdict: ms(3_000),
            settle: ms(100),
            answer_most: ms(10_000),
            answer_least: ms(250),
            games: ms(30_000),
            poll: ms(1_000),
            challenges: ms(60_000),
            seek: ms(15_000),
            pass: ms(2_000),
            overhead_floor: ms(150),
            engine_start: ms(20_000),
            engine_retry: ms(1_000),
            delivery: ms(10_000),
            farewell: ms(5_000),
            rejoin: Duration::from_secs(3_600),
        }
    }
}

impl Waits {
    /// All of them, longer or shorter by a factor.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let factor = if factor.is_finite() { factor.clamp(1e-4, 1e4) } else { 1.0 };
        let by = |time: Duration| time.mul_f64(factor);
        Self {
            keep_alive: by(self.keep_alive),
            retry_first: by(self.retry_first),
            retry_most: by(self.retry_most),
            steady: by(self.steady),
            silence_most: by(self.silence_most),
            silence_least: by(self.silence_least),
            late_verdict: by(self.late_verdict),
            settle: by(self.settle),
            answer_most: by(self.answer_most),
            answer_least: by(self.answer_least),
            games: by(self.games),
            poll: by(self.poll),
            challenges: by(self.challenges),
            seek: by(self.seek),
            pass: by(self.pass),
            overhead_floor: by(self.overhead_floor),
            engine_start: self.engine_start,
            engine_retry: by(self.engine_retry),
            delivery: by(self.delivery),
            farewell: self.farewell,
            rejoin: by(self.rejoin),
        }
    }

    /// How long to wait for an answer with so much on our clock; none if no clock of ours runs.
    pub fn answer(&self, clock: Option<Duration>) -> Duration {
        clock.map_or(self.answer_most, |left| (left / 4).max(self.answer_least).min(self.answer_most))
    }

    /// The silence after which the list of games is looked at.
    pub fn silence(&self, clock: Option<Duration>) -> Duration {
        clock.map_or(self.silence_most, |left| (left / 8).max(self.silence_least).min(self.silence_most))
    }

    /// When to ask what became of a turn without a verdict.
    pub fn verdict(&self, clock: Option<Duration>) -> Duration {
        clock.map_or(self.late_verdict, |left| (left / 10).min(self.late_verdict))
    }
}

/// Growing waits with jitter: none before the first attempt, then from the first wait doubling up to the longest.
#[derive(Clone, Debug, Default)]
pub struct Backoff {
    failures: u32,
}

impl Backoff {
    /// It worked.
    pub fn reset(&mut self) {
        self.failures = 0;
    }

    /// How often it has failed in a row.
    pub const fn failures(&self) -> u32 {
        self.failures
    }

    /// It failed: how long to wait. `clock` is what is left on a clock of ours that runs, of which a wait takes at most a
    /// tenth (but never so little that it would be a hot loop); `jitter` is a random number in 0..1.
    pub fn fail(&mut self, waits: &Waits, clock: Option<Duration>, jitter: f64) -> Duration {
        let doublings = self.failures.saturating_sub(1).min(20);
        let full = if self.failures == 0 {
            Duration::ZERO
        } else {
            waits.retry_first.saturating_mul(1 << doublings).min(waits.retry_most)
        };
        self.failures = self.failures.saturating_add(1);
        let wait = full.mul_f64(0.5 + jitter.clamp(0.0, 1.0) / 2.0);
        // What has failed so often is not about this turn any more.
        clock.filter(|_| self.failures < 100).map_or(wait, |left| wait.min((left / 10).max(waits.retry_first / 10)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_minute_and_never_beyond_a_tenth_of_the_clock() {
        let waits = Waits::default();
        let mut backoff = Backoff::default();
        let grown: Vec<u64> =
            (0..12).map(|_| u64::try_from(backoff.fail(&waits, None, 1.0).as_millis()).expect("short")).collect();
        assert_eq!(grown, [0, 250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
        assert_eq!(backoff.fail(&waits, None, 0.0), waits.retry_most / 2);
        assert_eq!(backoff.fail(&waits, Some(Duration::from_secs(7)), 1.0), Duration::from_millis(700));
        backoff.reset();
        assert_eq!(backoff.fail(&waits, None, 1.0), Duration::ZERO);
        for _ in 0..100 {
            assert!(backoff.fail(&waits, None, 0.7) <= waits.retry_most);
        }
    }

    #[test]
    fn the_clock_bounds_every_wait() {
        let waits = Waits::default();
        let clock = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(waits.silence(clock(300)), Duration::from_secs(10));
        assert_eq!(waits.silence(clock(16)), Duration::from_secs(2));
        assert_eq!(waits.verdict(clock(300)), Duration::from_secs(3));
        assert_eq!(waits.verdict(clock(10)), Duration::from_secs(1));
        assert_eq!(waits.answer(clock(8)), Duration::from_secs(2));
        assert_eq!(waits.answer(None), Duration::from_secs(10));
        assert_eq!(waits.scaled(0.1).keep_alive, Duration::from_millis(2500));
    }
}
