//! What to do with a doubling cube, and with the draw.
//!
//! There are no gammons in Dice Chess, so a cube has Rick Janowski's formulas in their shortest form: between the dead cube
//! (efficiency 0) and the live one (1) all equities are lines in the chance to win.

ids! {
    CubeOwner, UnknownCubeOwner, "cube owner":
    Centre = "centre",
    Mine = "mine",
    Theirs = "theirs",
}

/// Who may double.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum CubeOwner {
    /// Either.
    #[default]
    Centre,
    /// The side to move.
    Mine,
    /// The other one.
    Theirs,
}

/// What the side to move should do with the cube before its roll.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CubeAdvice {
    /// The chance to win, 0..=1.
    pub chance: f64,
    /// From this chance on a double is taken: `0.5 / (2 + 0.5x)`.
    pub take_point: f64,
    /// Above this chance the other side drops: `(1.5 + 0.5x) / (2 + 0.5x)`.
    pub cash_point: f64,
    /// From this chance on it is right to double; none if the cube is theirs.
    pub double_point: Option<f64>,
    /// The equity without doubling, in points.
    pub no_double: f64,
    /// The equity if the double is taken, in points.
    pub double_take: f64,
    /// The equity if it is dropped: the stake.
    pub double_drop: f64,
    /// Whether to double.
    pub offer: bool,
    /// Whether the other side should take.
    pub take: bool,
}

impl CubeAdvice {
    /// The advice at an equity without a cube. `efficiency` is Janowski's x, brought into 0..=1; `stake` is what the game is
    /// worth now.
    pub fn of(equity: f64, owner: CubeOwner, stake: f64, efficiency: f64) -> Self {
        let x = efficiency.clamp(0.0, 1.0);
        let chance = f64::midpoint(1.0, equity.clamp(-1.0, 1.0));
        let slope = 2.0 + 0.5 * x;
        let (take_point, cash_point) = (0.5 / slope, (1.5 + 0.5 * x) / slope);
        let mine = |p: f64| p * slope - 1.0;
        let theirs = |p: f64| p * slope - 1.0 - 0.5 * x;
        let share = 4.0 / (4.0 - x);
        let centre = |p: f64| share * (p * slope - 1.0 - 0.25 * x);
        // Where twice the equity after a take is that of waiting.
        let double_point = match owner {
            CubeOwner::Centre => Some((2.0 + x - share * (1.0 + 0.25 * x)) / ((2.0 - share) * slope)),
            CubeOwner::Mine => Some((1.0 + x) / slope),
            CubeOwner::Theirs => None,
        };
        let waiting = match owner {
            CubeOwner::Centre => centre(chance),
            CubeOwner::Mine => mine(chance),
            CubeOwner::Theirs => theirs(chance),
        };
        Self {
            chance,
            take_point,
            cash_point,
            double_point,
            // The lines go on beyond what a game can be worth.
            no_double: stake * waiting.clamp(-1.0, 1.0),
            double_take: stake * 2.0 * theirs(chance).clamp(-1.0, 1.0),
            double_drop: stake,
            offer: double_point.is_some_and(|point| chance >= point),
            take: chance <= cash_point,
        }
    }
}

/// Whether a draw is worth having.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawAdvice {
    /// Whether to accept one.
    pub accept: bool,
    /// Whether to offer one.
    pub offer: bool,
}

impl DrawAdvice {
    /// A draw is accepted below this equity.
    pub const ACCEPT_BELOW: f64 = 0.0;

    /// And offered below this one: where there is so little to fear from a yes that a no costs nothing, but not where the
    /// values of a search are too coarse to tell.
    pub const OFFER_BELOW: f64 = -0.02;

    /// The advice at an equity of the side to move.
    pub fn of(equity: f64) -> Self {
        Self { accept: equity < Self::ACCEPT_BELOW, offer: equity < Self::OFFER_BELOW }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn the_dead_cube_is_taken_from_a_quarter_and_doubled_from_a_half() {
        let advice = CubeAdvice::of(0.0, CubeOwner::Centre, 1.0, 0.0);
        assert!(near(advice.take_point, 0.25) && near(advice.cash_point, 0.75));
        assert!(advice.double_point.is_some_and(|point| near(point, 0.5)));
        assert!(near(advice.double_take, 0.0) && near(advice.no_double, 0.0));
        // At 70 %: 0.4 a point, so 0.8 on the doubled stake of 2.
        let advice = CubeAdvice::of(0.4, CubeOwner::Mine, 1.0, 0.0);
        assert!(near(advice.double_take, 0.8) && advice.offer && advice.take);
        assert!(!CubeAdvice::of(0.51, CubeOwner::Mine, 1.0, 0.0).take, "75.5 % is beyond the cash point");
    }

    #[test]
    fn the_live_cube_is_doubled_where_it_is_dropped() {
        for owner in [CubeOwner::Centre, CubeOwner::Mine] {
            let advice = CubeAdvice::of(0.6, owner, 4.0, 1.0);
            assert!(near(advice.take_point, 0.2) && near(advice.cash_point, 0.8), "{advice:?}");
            assert!(advice.double_point.is_some_and(|point| near(point, 0.8)), "{advice:?}");
            // At the cash point all is the same: take, drop, wait.
            assert!(near(advice.double_take, 4.0) && near(advice.no_double, 4.0), "{advice:?}");
        }
    }

    #[test]
    fn at_the_double_point_it_is_all_the_same_and_around_it_it_is_not() {
        for owner in [CubeOwner::Centre, CubeOwner::Mine] {
            for x in [0.0, 0.3, 0.68, 1.0] {
                let point = CubeAdvice::of(0.0, owner, 1.0, x).double_point.expect("one may double");
                let at = |chance: f64| CubeAdvice::of(2.0 * chance - 1.0, owner, 1.0, x);
                let here = at(point);
                assert!((here.double_take - here.no_double).abs() < 1e-9, "{owner} {x} {here:?}");
                let below = at(point - 0.01);
                assert!(below.double_take < below.no_double && !below.offer, "{owner} {x} {below:?}");
            }
        }
        let theirs = CubeAdvice::of(0.9, CubeOwner::Theirs, 1.0, 0.5);
        assert!(!theirs.offer && theirs.double_point.is_none());
    }

    #[test]
    fn a_draw_is_for_who_stands_worse() {
        assert_eq!(DrawAdvice::of(0.1), DrawAdvice { accept: false, offer: false });
        assert_eq!(DrawAdvice::of(-0.01), DrawAdvice { accept: true, offer: false });
        assert_eq!(DrawAdvice::of(-0.1), DrawAdvice { accept: true, offer: true });
    }
}
