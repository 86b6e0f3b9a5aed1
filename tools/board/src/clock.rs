//! The two clocks of a game, in whole milliseconds: the library's, under the controls of pages.

use crate::control::{Control, millis};
use astragal::board::Color;
use astragal::record::{GameClock, Ply, Spent};
use std::time::Duration;

/// The clocks of White and Black.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clocks {
    controls: [Control; 2],
    clock: GameClock,
}

/// A turn took longer than its player had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flagged;

impl Clocks {
    /// The clocks at the beginning of a game.
    pub fn new(controls: [Control; 2]) -> Self {
        Self { controls, clock: GameClock::with(controls.map(Control::of_record), Duration::ZERO) }
    }

    /// The clocks after the turns of a game that `first` began, and whether the record tells of all of them.
    pub fn after(controls: [Control; 2], first: Color, plies: &[Ply]) -> (Self, bool) {
        let (mut clocks, mut whole) = (Self::new(controls), true);
        let mut side = first;
        for ply in plies.iter().filter(|ply| ply.turn.is_some()) {
            whole &= clocks.clock.follow(side, ply.clock_left_ms);
            side = !side;
        }
        (clocks, whole)
    }

    /// The controls.
    pub const fn controls(&self) -> [Control; 2] {
        self.controls
    }

    /// How long a turn of that side may take, in milliseconds; none if it is not timed.
    pub fn limit_ms(&self, side: Color) -> Option<u64> {
        self.clock.flag_after(side).map(millis)
    }

    /// What a side has left, if its turn has lasted so long; none if it is not timed.
    pub fn left_ms(&self, side: Color, used_ms: u64) -> Option<u64> {
        self.clock.left(side, Duration::from_millis(used_ms)).map(millis)
    }

    /// A side's own turns to the next control.
    pub const fn turns_to_go(&self, side: Color) -> Option<u32> {
        self.clock.turns_to_go(side)
    }

    /// Books the time of a turn. Returns what the record is to say of the clock.
    ///
    /// # Errors
    /// It took longer than there was.
    pub fn spend(&mut self, side: Color, used_ms: u64) -> Result<Option<i64>, Flagged> {
        match self.clock.spend(side, Duration::from_millis(used_ms)) {
            Spent::Within(left) => Ok(left),
            Spent::Flagged { .. } => Err(Flagged),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    fn clocks(text: &str) -> Clocks {
        Clocks::new([Control::parse(text).expect(text); 2])
    }

    #[test]
    fn the_flag_is_judged_before_the_increment_is_credited() {
        let mut clock = clocks("1+5");
        assert_eq!(clock.spend(White, 1000), Ok(Some(5000)));
        assert_eq!(clock.spend(Black, 1001), Err(Flagged));
        assert_eq!((clock.left_ms(White, 100), clock.left_ms(Black, 2000)), (Some(4900), Some(0)));
    }

    #[test]
    fn a_delay_takes_nothing_and_gives_nothing() {
        let mut clock = clocks("1+0d2");
        assert_eq!((clock.spend(White, 1500), clock.spend(White, 3000)), (Ok(Some(1000)), Ok(Some(0))));
        assert_eq!((clock.limit_ms(White), clock.spend(White, 2001)), (Some(2000), Err(Flagged)));
    }

    #[test]
    fn controls_that_come_again_and_times_a_turn() {
        let mut clock = clocks("2/10+0");
        assert_eq!((clock.spend(White, 1000), clock.turns_to_go(White)), (Ok(Some(9000)), Some(1)));
        assert_eq!((clock.spend(White, 1000), clock.turns_to_go(White)), (Ok(Some(18_000)), Some(2)));
        let mut clock = clocks("st=5");
        assert_eq!((clock.spend(Black, 5000), clock.spend(Black, 5001)), (Ok(None), Err(Flagged)));
        let mut clock = clocks("untimed");
        assert_eq!((clock.limit_ms(White), clock.spend(White, u64::MAX)), (None, Ok(None)));
    }

    #[test]
    fn a_record_gives_the_clocks_back() {
        let mut clock = clocks("2/10+1");
        let mut plies = Vec::new();
        for (side, used) in [(Black, 3000), (White, 500), (Black, 20), (White, 9000), (Black, 1)] {
            let clock_left_ms = clock.spend(side, used).expect("enough");
            plies.push(Ply { turn: Some("0000".to_owned()), clock_left_ms, ..Ply::default() });
        }
        plies.push(Ply::default());
        assert_eq!(Clocks::after(clock.controls(), Black, &plies), (clock, true));
        plies[2].clock_left_ms = None;
        assert!(!Clocks::after(clock.controls(), Black, &plies).1);
    }
}
