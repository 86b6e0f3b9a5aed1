//! What is lost between the engine's answer and the server's clock, learned from round trips.

use std::collections::VecDeque;
use std::time::Duration;

/// How many round trips are remembered.
const WINDOW: usize = 32;

/// Beyond the worst of them.
const MARGIN: Duration = Duration::from_millis(10);

/// The worst of the last round trips, and a little; never less than a floor.
#[derive(Clone, Debug)]
pub struct Overhead {
    floor: Duration,
    last: VecDeque<Duration>,
}

impl Overhead {
    /// Nothing learned yet.
    pub fn new(floor: Duration) -> Self {
        Self { floor, last: VecDeque::with_capacity(WINDOW) }
    }

    /// A round trip of a turn that the server answered.
    pub fn learn(&mut self, round_trip: Duration) {
        if self.last.len() == WINDOW {
            self.last.pop_front();
        }
        self.last.push_back(round_trip);
    }

    /// What to subtract.
    pub fn current(&self) -> Duration {
        self.last.iter().max().map_or(self.floor, |&worst| self.floor.max(worst + MARGIN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_of_the_last_counts() {
        let ms = Duration::from_millis;
        let mut overhead = Overhead::new(ms(150));
        assert_eq!(overhead.current(), ms(150));
        overhead.learn(ms(40));
        assert_eq!(overhead.current(), ms(150));
        overhead.learn(ms(400));
        assert_eq!(overhead.current(), ms(410));
        (0..31).for_each(|_| overhead.learn(ms(20)));
        assert_eq!(overhead.current(), ms(410));
        overhead.learn(ms(20));
        assert_eq!(overhead.current(), ms(150), "it is forgotten after 32 others");
    }
}
