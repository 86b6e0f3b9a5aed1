//! Estimates of how many own turns a clock must still cover.
//!
//! A policy only estimates. The envelope (reserve, hard cap, panic) belongs to the time manager, and a policy has no
//! way round it.

use super::ClockState;

/// Own turn and the own turns still to be expected, that one included.
///
/// The mean over 1,459,949 games that ended with a king captured, 21,947,753 clock decisions, of 2024-01-03 to
/// 2026-08-13. The curve is not monotone: a game that survives the opening is more and more selected for a long
/// ending. Beyond turn 40 the data are too thin, so it stays flat there.
const EMPIRICAL_KNOTS: [(f64, f64); 9] = [
    (1.0, 7.517),
    (3.0, 6.017),
    (5.0, 5.471),
    (8.0, 5.176),
    (10.0, 5.136),
    (15.0, 5.431),
    (20.0, 6.185),
    (30.0, 8.830),
    (40.0, 12.050),
];

/// What a policy tells the time manager.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Horizon {
    /// Own turns the clock must still cover, this one included. A `moves_to_go` on the clock takes its place.
    pub turns_to_go: f64,
    /// The part of the increment that this turn may spend, 0 to 1.
    pub increment_share: f64,
    /// How much more than an equal share of the clock this turn deserves; 1 is an equal share.
    pub weight: f64,
}

impl Horizon {
    /// An equal share of the clock for each turn, and the whole increment.
    fn even(turns_to_go: f64) -> Self {
        Self { turns_to_go, increment_share: 1.0, weight: 1.0 }
    }
}

/// A way to estimate the turns to come. The ids are stable: scripts and options name policies by them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimePolicy {
    /// `empirical-v1`: the turns that real games still lasted, by move number.
    #[default]
    EmpiricalV1,
    /// `legacy-linear-v1`: 30 turns less the move number, but never fewer than 12.
    LegacyLinearV1,
    /// `basic-v1`: a twentieth of the clock and half the increment, the classic rule that is hard to beat.
    BasicV1,
    /// `hyatt-v1`: the empirical turns, but up to twice the time for the first turns out of the opening book.
    HyattV1,
}

impl TimePolicy {
    /// The estimate for the turn that starts with this clock. Every field of the answer is finite and positive.
    pub fn horizon(self, clock: &ClockState) -> Horizon {
        match self {
            Self::EmpiricalV1 => Horizon::even(empirical_turns(clock.move_number)),
            Self::LegacyLinearV1 => Horizon::even(f64::from(30_u32.saturating_sub(clock.move_number).max(12))),
            Self::BasicV1 => Horizon { increment_share: 0.5, ..Horizon::even(20.0) },
            Self::HyattV1 => Horizon {
                weight: 2.0 - f64::from(clock.turns_out_of_book.min(10)) / 10.0,
                ..Horizon::even(empirical_turns(clock.move_number))
            },
        }
    }
}

ids! {
    TimePolicy, UnknownTimePolicy, "time policy":
    EmpiricalV1 = "empirical-v1",
    LegacyLinearV1 = "legacy-linear-v1",
    BasicV1 = "basic-v1",
    HyattV1 = "hyatt-v1",
}

/// The empirical curve: linear between knots, flat outside them.
fn empirical_turns(move_number: u32) -> f64 {
    let turn = f64::from(move_number);
    // Walking the knots with the last one seen gives both clamps for nothing: before the first knot there is no
    // left neighbour, and after the last there is no right one.
    let mut left = EMPIRICAL_KNOTS[0];
    for right in EMPIRICAL_KNOTS {
        if turn <= right.0 {
            // The first knot is its own left neighbour; 0 / 0 must not get into the answer.
            let width = right.0 - left.0;
            if width <= 0.0 {
                return right.1;
            }
            return left.1 + (turn - left.0) / width * (right.1 - left.1);
        }
        left = right;
    }
    left.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(policy: TimePolicy, move_number: u32) -> Horizon {
        policy.horizon(&ClockState { move_number, ..ClockState::default() })
    }

    fn out_of_book(turns_out_of_book: u32) -> Horizon {
        let clock = ClockState { move_number: 9, turns_out_of_book, ..ClockState::default() };
        TimePolicy::HyattV1.horizon(&clock)
    }

    fn assert_close(got: f64, want: f64) {
        assert!((got - want).abs() < 1e-9, "{got} is not {want}");
    }

    #[test]
    fn the_listed_order_is_stable_and_the_first_is_the_default() {
        let ids = TimePolicy::ALL.map(TimePolicy::id);
        assert_eq!(ids, ["empirical-v1", "legacy-linear-v1", "basic-v1", "hyatt-v1"]);
        assert_eq!(TimePolicy::default(), TimePolicy::ALL[0]);
    }

    #[test]
    fn lookup_disregards_case_and_display_gives_the_id() {
        for policy in TimePolicy::ALL {
            assert_eq!(policy.id().parse(), Ok(policy));
            assert_eq!(policy.id().to_uppercase().parse(), Ok(policy));
            assert_eq!(policy.to_string(), policy.id());
        }
        assert_eq!("Hyatt-V1".parse(), Ok(TimePolicy::HyattV1));
    }

    #[test]
    fn an_unknown_name_is_told_the_known_ones() {
        for name in ["", "empirical", "empirical-v2", " basic-v1", "basic-v1 ", "hyatt_v1"] {
            let error = name.parse::<TimePolicy>().unwrap_err();
            assert_eq!(error.0, name);
            let message = error.to_string();
            assert!(message.contains(name), "{message}");
            for policy in TimePolicy::ALL {
                assert!(message.contains(policy.id()), "{message}");
            }
        }
    }

    #[test]
    fn empirical_hits_every_knot() {
        let knots = [
            (1, 7.517),
            (3, 6.017),
            (5, 5.471),
            (8, 5.176),
            (10, 5.136),
            (15, 5.431),
            (20, 6.185),
            (30, 8.830),
            (40, 12.050),
        ];
        for (turn, want) in knots {
            assert_close(at(TimePolicy::EmpiricalV1, turn).turns_to_go, want);
        }
    }

    #[test]
    fn empirical_is_linear_between_knots() {
        assert_close(at(TimePolicy::EmpiricalV1, 2).turns_to_go, 6.767);
        assert_close(at(TimePolicy::EmpiricalV1, 4).turns_to_go, 5.744);
        assert_close(at(TimePolicy::EmpiricalV1, 9).turns_to_go, 5.156);
        assert_close(at(TimePolicy::EmpiricalV1, 12).turns_to_go, 5.254);
        assert_close(at(TimePolicy::EmpiricalV1, 25).turns_to_go, 7.5075);
        assert_close(at(TimePolicy::EmpiricalV1, 39).turns_to_go, 11.728);
    }

    #[test]
    fn empirical_is_flat_outside_its_knots() {
        assert_eq!(at(TimePolicy::EmpiricalV1, 0), at(TimePolicy::EmpiricalV1, 1));
        for turn in [41, 99, 1000, u32::MAX] {
            assert_eq!(at(TimePolicy::EmpiricalV1, turn), at(TimePolicy::EmpiricalV1, 40));
        }
    }

    #[test]
    fn legacy_falls_by_one_a_move_to_twelve() {
        let turns = |m| at(TimePolicy::LegacyLinearV1, m).turns_to_go;
        assert_eq!(turns(0), 30.0);
        assert_eq!(turns(1), 29.0);
        assert_eq!(turns(17), 13.0);
        assert_eq!(turns(18), 12.0);
        assert_eq!(turns(19), 12.0);
        assert_eq!(turns(u32::MAX), 12.0);
    }

    #[test]
    fn basic_is_a_twentieth_and_half_the_increment_at_any_move() {
        for turn in [0, 1, 40, u32::MAX] {
            let want = Horizon { turns_to_go: 20.0, increment_share: 0.5, weight: 1.0 };
            assert_eq!(at(TimePolicy::BasicV1, turn), want);
        }
    }

    #[test]
    fn hyatt_halves_its_weight_over_ten_turns() {
        for (turns, want) in [(0, 2.0), (1, 1.9), (5, 1.5), (9, 1.1), (10, 1.0), (11, 1.0), (u32::MAX, 1.0)] {
            assert_close(out_of_book(turns).weight, want);
        }
    }

    #[test]
    fn hyatt_is_empirical_but_for_its_weight() {
        for turn in [0, 1, 2, 9, 40, u32::MAX] {
            let hyatt = at(TimePolicy::HyattV1, turn);
            assert_eq!(Horizon { weight: 1.0, ..hyatt }, at(TimePolicy::EmpiricalV1, turn));
        }
    }

    #[test]
    fn every_estimate_is_finite_and_positive() {
        for policy in TimePolicy::ALL {
            for turn in (0..200).chain([u32::MAX - 1, u32::MAX]) {
                let horizon = at(policy, turn);
                assert!(horizon.turns_to_go.is_finite() && horizon.turns_to_go >= 1.0);
                assert!((0.5..=1.0).contains(&horizon.increment_share));
                assert!((1.0..=2.0).contains(&horizon.weight));
            }
        }
    }
}
