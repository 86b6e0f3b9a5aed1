//! Equities and scores as typed values.

use crate::board::Position;
use std::ops::Neg;

/// The expected result for the side to move before its roll: −1 lost, 0 even, 1 won.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Equity(f64);

/// So many centipawns ahead are worth an equity of 1/√2.
const CENTIPAWN_SCALE: f64 = 1000.0;

/// No more centipawns than this are shown for an equity near 1.
const MOST_CENTIPAWNS: f64 = 9999.0;

impl Equity {
    /// The king is captured, or certain to be.
    pub const WON: Self = Self(1.0);
    /// The own king is captured, or certain to be.
    pub const LOST: Self = Self(-1.0);
    /// A draw.
    pub const DRAWN: Self = Self(0.0);

    /// The equity with this value, brought into −1..=1; what is no number counts as even.
    #[inline]
    pub const fn new(value: f64) -> Self {
        Self(if value.is_nan() { 0.0 } else { value.clamp(-1.0, 1.0) })
    }

    /// Its value, −1..=1.
    #[inline]
    pub const fn value(self) -> f64 {
        self.0
    }

    /// The equity of so many centipawns for the side to move: `x / √(x² + 1000²)`, a curve of the usual shape that
    /// needs only operations which round alike on every machine.
    #[inline]
    pub fn from_centipawns(centipawns: i32) -> Self {
        Self::from_part_centipawns(f64::from(centipawns))
    }

    /// Appends the equity of what each of these positions is worth. The roots and quotients of several are computed at
    /// once.
    #[inline]
    pub(crate) fn extend_from_centipawns(
        values: &mut Vec<Self>,
        positions: &[Position],
        mut centipawns: impl FnMut(&Position) -> i32,
    ) {
        const AT_ONCE: usize = 8;
        for some in positions.chunks(AT_ONCE) {
            let mut numbers = [0; AT_ONCE];
            for (number, position) in numbers.iter_mut().zip(some) {
                *number = centipawns(position);
            }
            values.extend_from_slice(&numbers.map(Self::from_centipawns)[..some.len()]);
        }
    }

    /// [`Equity::from_centipawns`] for a finite number that need not be whole.
    #[inline]
    pub(crate) fn from_part_centipawns(x: f64) -> Self {
        Self(x / (x * x + CENTIPAWN_SCALE * CENTIPAWN_SCALE).sqrt())
    }

    /// The centipawns that [`Equity::from_centipawns`] would turn into this, at most 9999 either way.
    pub fn centipawns(self) -> i32 {
        let x = CENTIPAWN_SCALE * self.0 / (1.0 - self.0 * self.0).sqrt();
        if x.is_nan() { 0 } else { x.clamp(-MOST_CENTIPAWNS, MOST_CENTIPAWNS).round() as i32 }
    }
}

impl Neg for Equity {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

/// What a search says of a turn, from the view of the side to move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Score {
    /// An expected result.
    Equity(Equity),
    /// The game is drawn, by the half-move clock. (Even chances are not a draw.)
    Drawn,
    /// The turn captures the king.
    KingCapture,
}

impl Score {
    /// The score of a position that is worth this, or of a turn that leads there: a certain draw if the game is drawn.
    pub const fn of(position: &Position, equity: Equity) -> Self {
        if position.is_drawn() { Self::Drawn } else { Self::Equity(equity) }
    }

    /// Wins, draws and losses in a thousand games.
    ///
    /// Only a draw that is certain is known to be one. How likely others are nobody has estimated, so the games of all
    /// other scores are won or lost.
    pub fn win_draw_loss(self) -> [u32; 3] {
        if self == Self::Drawn {
            return [0, 1000, 0];
        }
        let wins = ((1.0 + self.equity().value()) * 500.0).round() as u32;
        [wins, 0, 1000 - wins]
    }

    /// The expected result as an equity.
    pub const fn equity(self) -> Equity {
        match self {
            Self::Equity(equity) => equity,
            Self::Drawn => Equity::DRAWN,
            Self::KingCapture => Equity::WON,
        }
    }
}

/// The last bits of a value, which a search does not keep: its table has them for something else.
pub(crate) const DROPPED_BITS: u64 = 0xFFF;

/// A value as a search keeps it: what is beyond 2⁻⁴⁰ of it is dropped.
#[inline]
pub(crate) fn rounded(value: f64) -> f64 {
    f64::from_bits(value.to_bits() & !DROPPED_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centipawns_go_there_and_back() {
        for centipawns in -5000..=5000 {
            assert_eq!(Equity::from_centipawns(centipawns).centipawns(), centipawns);
        }
        assert_eq!(Equity::WON.centipawns(), 9999);
        assert_eq!(Equity::LOST.centipawns(), -9999);
    }

    #[test]
    fn win_draw_loss_adds_up_to_a_thousand() {
        for step in -1000..=1000 {
            let wdl = Score::Equity(Equity::new(f64::from(step) / 1000.0)).win_draw_loss();
            assert_eq!(wdl.iter().sum::<u32>(), 1000);
        }
        assert_eq!(Score::KingCapture.win_draw_loss(), [1000, 0, 0]);
        assert_eq!(Score::Equity(Equity::LOST).win_draw_loss(), [0, 0, 1000]);
        assert_eq!(Score::Equity(Equity::DRAWN).win_draw_loss(), [500, 0, 500], "even chances are no draw");
        assert_eq!(Score::Drawn.win_draw_loss(), [0, 1000, 0]);
        assert_eq!(Equity::new(f64::NAN), Equity::DRAWN);
    }
}
