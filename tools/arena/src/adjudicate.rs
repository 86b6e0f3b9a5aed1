//! Ending games early by what both players say of them. Off unless asked for.

use crate::record::{Adjudication, ScoreRecord};
use astragal::board::Color;

/// What the rules make of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ruling {
    /// It is drawn.
    Draw,
    /// This side has lost.
    Lost(Color),
}

/// Counts, for both sides, the own turns in a row that meet a rule. One roll turns a game round in Dice Chess, so a
/// loss needs the word of both players, not only the loser's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Adjudicator {
    rules: Adjudication,
    losing: [u32; 2],
    winning: [u32; 2],
    even: [u32; 2],
}

impl Adjudicator {
    /// At the start of a game.
    pub fn new(rules: Adjudication) -> Self {
        Self { rules, ..Self::default() }
    }

    /// Hears what the mover says its position is worth to itself. A turn without a score meets no rule.
    pub fn hear(&mut self, mover: Color, score: Option<ScoreRecord>, move_number: u32) -> Option<Ruling> {
        let centipawns = score.map(|score| match score {
            ScoreRecord::Cp(centipawns) => centipawns,
            ScoreRecord::Mate(turns) if turns > 0 => i64::MAX,
            ScoreRecord::Mate(_) => -i64::MAX,
        });
        let me = mover.index();
        let count = |run: &mut u32, met: bool| *run = if met { run.saturating_add(1) } else { 0 };
        if let Some(rule) = self.rules.resign {
            count(&mut self.losing[me], centipawns.is_some_and(|value| value <= -rule.centipawns));
            count(&mut self.winning[me], centipawns.is_some_and(|value| value >= rule.centipawns));
            for loser in Color::ALL {
                if self.losing[loser.index()] >= rule.turns && self.winning[(!loser).index()] >= rule.turns {
                    return Some(Ruling::Lost(loser));
                }
            }
        }
        if let Some(rule) = self.rules.draw {
            let even = centipawns.is_some_and(|value| value.unsigned_abs() <= rule.centipawns.unsigned_abs());
            count(&mut self.even[me], even && move_number >= rule.move_number);
            if self.even.iter().all(|&run| run >= rule.turns) {
                return Some(Ruling::Draw);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{DrawRule, ResignRule};
    use Color::{Black, White};

    fn cp(centipawns: i64) -> Option<ScoreRecord> {
        Some(ScoreRecord::Cp(centipawns))
    }

    #[test]
    fn a_loss_needs_both_players_words_in_a_row() {
        let resign = Some("500,2".parse().expect("a rule"));
        let mut game = Adjudicator::new(Adjudication { resign, draw: None });
        assert_eq!(game.hear(White, cp(-600), 1), None);
        assert_eq!(game.hear(Black, cp(600), 1), None);
        assert_eq!(game.hear(White, None, 2), None, "a silent turn begins anew");
        assert_eq!(game.hear(Black, cp(600), 2), None);
        assert_eq!(game.hear(White, cp(-500), 3), None);
        assert_eq!(game.hear(Black, cp(499), 3), None);
        assert_eq!(game.hear(White, Some(ScoreRecord::Mate(-1)), 4), None);
        assert_eq!(game.hear(Black, Some(ScoreRecord::Mate(1)), 4), None);
        assert_eq!(game.hear(White, cp(-900), 5), None);
        assert_eq!(game.hear(Black, cp(900), 5), Some(Ruling::Lost(White)));
    }

    #[test]
    fn a_draw_needs_both_and_its_move_number() {
        let mut game = Adjudicator::new(Adjudication { resign: None, draw: Some("2,10,2".parse().expect("a rule")) });
        let heard: Vec<Option<Ruling>> = (1..=3)
            .flat_map(|number| [(White, number), (Black, number)])
            .map(|(side, number)| game.hear(side, cp(-10), number))
            .collect();
        assert_eq!(heard, [None, None, None, None, None, Some(Ruling::Draw)]);
    }

    #[test]
    fn without_rules_nothing_is_ruled_and_bad_rules_are_told() {
        let mut game = Adjudicator::default();
        assert!((0..50).all(|number| game.hear(White, cp(0), number).is_none()));
        for text in ["", "1", "0,1", "1,0", "-5,2", "1,2,3"] {
            assert!(text.parse::<ResignRule>().is_err(), "{text}");
        }
        for text in ["", "1,2", "1,2,0", "x,2,3"] {
            assert!(text.parse::<DrawRule>().is_err(), "{text}");
        }
    }
}
