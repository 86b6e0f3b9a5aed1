//! Rolls of three dice: 56 multisets with their weights, and sets of rolls.

use crate::board::{Dice, PieceType};
use std::fmt;

/// How many distinct rolls there are.
const COUNT: usize = 56;

/// A roll of three dice, as a number 0..56 in dice order: PPP, PPN, PPB, … KKK.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Roll(u8);

const FACES: [[u8; 3]; COUNT] = {
    let mut faces = [[0; 3]; COUNT];
    let mut n = 0;
    let mut a = 0;
    while a < 6 {
        let mut b = a;
        while b < 6 {
            let mut c = b;
            while c < 6 {
                faces[n] = [a, b, c];
                n += 1;
                c += 1;
            }
            b += 1;
        }
        a += 1;
    }
    faces
};

const WEIGHTS: [u8; COUNT] = {
    let mut weights = [0; COUNT];
    let mut n = 0;
    while n < COUNT {
        let [a, b, c] = FACES[n];
        weights[n] = if a == c {
            1
        } else if a == b || b == c {
            3
        } else {
            6
        };
        n += 1;
    }
    weights
};

const BY_WEIGHT: [u8; COUNT] = {
    let mut order = [0; COUNT];
    let mut place = 0;
    let mut weight = 6;
    while weight > 0 {
        let mut n = 0;
        while n < COUNT {
            if WEIGHTS[n] == weight {
                order[place] = n as u8;
                place += 1;
            }
            n += 1;
        }
        weight -= 1;
    }
    order
};

/// `NUMBERS[a][b][c]` is the number of the roll with those faces, in any order.
const NUMBERS: [[[u8; 6]; 6]; 6] = {
    let mut numbers = [[[0; 6]; 6]; 6];
    let mut n = 0;
    while n < COUNT {
        let [a, b, c] = [FACES[n][0] as usize, FACES[n][1] as usize, FACES[n][2] as usize];
        let number = n as u8;
        numbers[a][b][c] = number;
        numbers[a][c][b] = number;
        numbers[b][a][c] = number;
        numbers[b][c][a] = number;
        numbers[c][a][b] = number;
        numbers[c][b][a] = number;
        n += 1;
    }
    numbers
};

impl Roll {
    /// How many distinct rolls there are.
    pub const COUNT: usize = COUNT;

    /// The sum of all weights: 6³ throws of three dice.
    pub const TOTAL_WEIGHT: u32 = 216;

    /// All 56 rolls in dice order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..COUNT as u8).map(Self)
    }

    /// All 56 rolls, the likelier ones first, each weight in dice order.
    pub fn by_weight() -> impl Iterator<Item = Self> {
        BY_WEIGHT.iter().map(|&number| Self(number))
    }

    /// The roll with these three faces, in any order.
    #[inline]
    pub const fn of(faces: [PieceType; 3]) -> Self {
        Self(NUMBERS[faces[0].index()][faces[1].index()][faces[2].index()])
    }

    /// The roll of these dice, if there are three.
    pub fn from_dice(dice: Dice) -> Option<Self> {
        let mut faces = dice.iter();
        match (faces.next(), faces.next(), faces.next()) {
            (Some(a), Some(b), Some(c)) => Some(Self::of([a, b, c])),
            _ => None,
        }
    }

    /// The roll that an ordered throw of three dice shows; `throw` is 0..216, taken modulo 216. Uniform throws give
    /// each roll with its weight.
    pub const fn from_throw(throw: u32) -> Self {
        let throw = throw % Self::TOTAL_WEIGHT;
        Self(NUMBERS[(throw / 36) as usize][(throw / 6 % 6) as usize][(throw % 6) as usize])
    }

    /// Its number in dice order, 0..56.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its three faces in the order P N B R Q K.
    #[inline]
    pub const fn faces(self) -> [PieceType; 3] {
        let [a, b, c] = FACES[self.index()];
        [PieceType::ALL[a as usize], PieceType::ALL[b as usize], PieceType::ALL[c as usize]]
    }

    /// Its dice.
    pub const fn dice(self) -> Dice {
        let [a, b, c] = self.faces();
        Dice::NONE.with(a).with(b).with(c)
    }

    /// How many of the 216 throws show it: 1, 3 or 6.
    #[inline]
    pub const fn weight(self) -> u32 {
        WEIGHTS[self.index()] as u32
    }

    /// Its probability, in 0..1.
    #[inline]
    pub fn probability(self) -> f64 {
        f64::from(self.weight()) / f64::from(Self::TOTAL_WEIGHT)
    }
}

/// The three letters, such as `PNB`.
impl fmt::Display for Roll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.dice(), f)
    }
}

impl fmt::Debug for Roll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of rolls, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct RollSet(u64);

/// `HOLDING_ONE[a]`: the rolls that hold a die of face `a`.
const HOLDING_ONE: [u64; 6] = {
    let mut sets = [0; 6];
    let mut n = 0;
    while n < COUNT {
        let mut i = 0;
        while i < 3 {
            sets[FACES[n][i] as usize] |= 1 << n;
            i += 1;
        }
        n += 1;
    }
    sets
};

/// `HOLDING_TWO[a][b]`: the rolls that hold both dice.
const HOLDING_TWO: [[u64; 6]; 6] = {
    let mut sets = [[0; 6]; 6];
    let mut n = 0;
    while n < COUNT {
        let [a, b, c] = FACES[n];
        let pairs = [(a, b), (a, c), (b, c)];
        let mut i = 0;
        while i < 3 {
            let (x, y) = (pairs[i].0 as usize, pairs[i].1 as usize);
            sets[x][y] |= 1 << n;
            sets[y][x] |= 1 << n;
            i += 1;
        }
        n += 1;
    }
    sets
};

impl RollSet {
    /// No roll.
    pub const EMPTY: Self = Self(0);

    /// All 56 rolls.
    pub const ALL: Self = Self((1 << COUNT) - 1);

    /// All rolls that hold a die of this face.
    #[inline]
    pub const fn holding(face: PieceType) -> Self {
        Self(HOLDING_ONE[face.index()])
    }

    /// All rolls that hold both dice.
    #[inline]
    pub const fn holding_both(a: PieceType, b: PieceType) -> Self {
        Self(HOLDING_TWO[a.index()][b.index()])
    }

    /// Whether the roll is in the set.
    #[inline]
    pub const fn has(self, roll: Roll) -> bool {
        self.0 >> roll.0 & 1 != 0
    }

    /// Adds a roll.
    #[inline]
    pub const fn insert(&mut self, roll: Roll) {
        self.0 |= 1 << roll.0;
    }

    /// The rolls in either set.
    #[inline]
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether every roll of the other set is in this one.
    #[inline]
    pub const fn includes(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// Whether no roll is in both sets.
    #[inline]
    pub const fn is_disjoint(self, other: Self) -> bool {
        self.0 & other.0 == 0
    }

    /// The rolls not in the set.
    #[inline]
    #[must_use]
    pub const fn complement(self) -> Self {
        Self(!self.0 & Self::ALL.0)
    }

    /// How many of the 216 throws show a roll of the set.
    #[inline]
    pub const fn weight(self) -> u32 {
        // Rolls of three equal faces weigh 1, those of three different ones 6, all others 3.
        let equal = (self.0 & EQUAL).count_ones();
        let different = (self.0 & DIFFERENT).count_ones();
        3 * self.0.count_ones() - 2 * equal + 3 * different
    }
}

const EQUAL: u64 = rolls_of_weight(1);
const DIFFERENT: u64 = rolls_of_weight(6);

const fn rolls_of_weight(weight: u8) -> u64 {
    let mut set = 0;
    let mut n = 0;
    while n < COUNT {
        if WEIGHTS[n] == weight {
            set |= 1 << n;
        }
        n += 1;
    }
    set
}

impl fmt::Debug for RollSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(Roll::all().filter(|&roll| self.has(roll))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_56_rolls_of_total_weight_216() {
        assert_eq!(Roll::all().count(), 56);
        assert_eq!(Roll::all().map(Roll::weight).sum::<u32>(), 216);
        assert_eq!(Roll::all().next().map(|roll| roll.to_string()), Some("PPP".to_string()));
        assert_eq!(Roll::all().last().map(|roll| roll.to_string()), Some("KKK".to_string()));
    }

    #[test]
    fn throws_give_each_roll_with_its_weight() {
        let mut counts = [0; 56];
        (0..216).for_each(|throw| counts[Roll::from_throw(throw).index()] += 1);
        for roll in Roll::all() {
            assert_eq!(counts[roll.index()], roll.weight());
            assert_eq!(Roll::from_dice(roll.dice()), Some(roll));
        }
    }

    #[test]
    fn sets_of_rolls_weigh_the_sum_of_their_rolls() {
        assert_eq!(RollSet::ALL.weight(), 216);
        for face in PieceType::ALL {
            assert_eq!(RollSet::holding(face).weight(), 91, "1 − (5/6)³");
            for other in PieceType::ALL {
                let both = RollSet::holding_both(face, other);
                let expected = |roll: &Roll| match roll.dice().without(face) {
                    Some(rest) => rest.has(other),
                    None => false,
                };
                let slow: u32 = Roll::all().filter(expected).map(Roll::weight).sum();
                assert_eq!(both.weight(), slow);
            }
        }
    }
}
