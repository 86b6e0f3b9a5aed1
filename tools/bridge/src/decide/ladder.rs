//! The ladder: when we have been parked, and whether to rejoin.

use serde::{Deserialize, Serialize};

/// How many losses on time in a row park a bot.
const PARKED_AFTER: u32 = 4;

/// Counts losses on time in a row; kept over restarts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Parking {
    in_a_row: u32,
}

impl Parking {
    /// A ladder game has ended: whether we lost it on time. Returns whether the server has parked us by it.
    pub fn ended(&mut self, lost_on_time: bool) -> bool {
        self.in_a_row = if lost_on_time { self.in_a_row + 1 } else { 0 };
        if self.in_a_row >= PARKED_AFTER {
            self.in_a_row = 0;
            return true;
        }
        false
    }
}

/// Whether to rejoin now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rejoin {
    /// Not yet: so many seconds to wait.
    Wait(u64),
    /// After a check that everything is well.
    CheckFirst,
}

impl Rejoin {
    /// Whether to rejoin now; `last` is the time of the last rejoin and `now` the time, in seconds since 1970, `least` the
    /// least seconds between two rejoins.
    pub fn decide(last: Option<u64>, now: u64, least: u64) -> Self {
        match last {
            // A clock that was set back must not keep us off for ever.
            Some(last) if last <= now && now - last < least => Self::Wait(least - (now - last)),
            _ => Self::CheckFirst,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_in_a_row_park() {
        let mut parking = Parking::default();
        let ends = [true, true, true, false, true, true, true, true, true];
        let parked: Vec<bool> = ends.into_iter().map(|lost| parking.ended(lost)).collect();
        assert_eq!(parked, [false, false, false, false, false, false, false, true, false]);
    }

    #[test]
    fn never_more_than_once_an_hour() {
        assert_eq!(Rejoin::decide(None, 5, 3600), Rejoin::CheckFirst);
        assert_eq!(Rejoin::decide(Some(1000), 4599, 3600), Rejoin::Wait(1));
        assert_eq!(Rejoin::decide(Some(1000), 4600, 3600), Rejoin::CheckFirst);
        assert_eq!(Rejoin::decide(Some(9000), 4600, 3600), Rejoin::CheckFirst);
    }
}
