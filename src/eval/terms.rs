//! The evaluation of one position, taken apart into its terms, for whoever wants to see where a value comes from.

use super::network::{NetworkInputs, SHIPPED};
use super::placement::{Openness, enemy_king_worth, own_king_worth};
use super::threats::Threat;
use super::weights::TEMPO;
use super::{Equity, material, with_king_capture};
use crate::board::{Color, PieceType, Position};
use crate::rules::winning_rolls;

/// The terms of [`evaluate`](super::evaluate), and what the network adds to them, in centipawns and by colour (White first).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EvalTerms {
    position: Position,
    /// The nominal value of the pieces.
    pub material: [i32; 2],
    /// What the pieces are worth beyond that where they stand, as seen from their own king; the king's own place included.
    pub placement: [i32; 2],
    /// What they are worth as seen from the enemy king.
    pub attack: [i32; 2],
    /// The open lines to the own king; it costs, so it is mostly negative.
    pub openness: [i32; 2],
    /// What the pieces attack, and how far they reach.
    pub threats: [i32; 2],
    /// For the side to move.
    pub tempo: i32,
    /// What the network in the program adds to all that, for the side to move.
    pub network: i32,
    /// The weight of the rolls with which the side to move captures the king, of 216.
    pub capturing: u32,
}

impl EvalTerms {
    /// The terms of a position before its roll.
    pub fn of(position: &Position) -> Self {
        let both = |term: &dyn Fn(Color) -> i32| [Color::White, Color::Black].map(term);
        let pieces = both(&|color| material(position, color));
        let threats = |color| PieceType::ALL.map(|kind| Threat::of(position, color, kind).worth).into_iter().sum();
        Self {
            position: *position,
            material: pieces,
            placement: both(&|color| own_king_worth(position, color) - pieces[color.index()]),
            attack: both(&|color| enemy_king_worth(position, color)),
            openness: both(&|color| Openness::of(position, color).worth),
            threats: both(&threats),
            tempo: TEMPO,
            network: SHIPPED.correction(&NetworkInputs::of(position)),
            capturing: winning_rolls(position).weight(),
        }
    }

    /// The terms that each colour has, by their names.
    pub const fn by_side(&self) -> [(&'static str, [i32; 2]); 5] {
        [
            ("material", self.material),
            ("placement", self.placement),
            ("attack", self.attack),
            ("openness", self.openness),
            ("threats", self.threats),
        ]
    }

    /// The sum of all but the network, for the side to move: what [`evaluate_quietly`](super::evaluate_quietly) says.
    pub fn quiet(&self) -> i32 {
        let sum = |color: Color| -> i32 { self.by_side().iter().map(|(_, term)| term[color.index()]).sum() };
        let side = self.position.side();
        sum(side) - sum(!side) + self.tempo
    }

    /// The same as an equity.
    pub fn quiet_equity(&self) -> Equity {
        Equity::from_centipawns(self.quiet())
    }

    /// With the exact chance to capture the king: what [`evaluate`](super::evaluate) says; 0 if the game is drawn.
    pub fn equity(&self) -> Equity {
        self.total(self.quiet())
    }

    /// The same with the network: what [`evaluate_by`](super::evaluate_by) says; 0 if the game is drawn.
    pub fn network_equity(&self) -> Equity {
        self.total(self.quiet() + self.network)
    }

    fn total(&self, centipawns: i32) -> Equity {
        if self.position.is_drawn() {
            return Equity::DRAWN;
        }
        with_king_capture(Equity::from_centipawns(centipawns), &self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Rolled;
    use crate::eval::{evaluate, evaluate_by, evaluate_quietly};

    #[derive(serde::Deserialize)]
    struct Case {
        dfen: String,
    }

    #[test]
    fn the_terms_add_up_to_the_value() {
        let cases: Vec<Case> =
            serde_json::from_str(include_str!("../../tests/vectors/chance.json")).expect("cases of this shape");
        let more = [
            "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1",
            "k7/8/8/8/8/8/8/K7 b - - 99 1",
            "4k3/8/8/8/8/8/pppppppp/R3K2R b - - 0 1",
        ];
        let dfens = cases.iter().map(|case| case.dfen.as_str()).chain(more);
        let mut seen = 0;
        for dfen in dfens {
            let position = Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}")).position;
            let terms = EvalTerms::of(&position);
            assert_eq!(terms.quiet(), evaluate_quietly(&position), "{dfen}");
            assert_eq!(terms.equity(), evaluate(&position), "{dfen}");
            assert_eq!(terms.network_equity(), evaluate_by(&SHIPPED, &position), "{dfen}");
            seen += 1;
        }
        assert!(seen > 10, "{seen}");
    }

    #[test]
    fn a_drawn_game_is_worth_nothing() {
        let rolled = Rolled::from_dfen("4k3/8/8/8/8/8/4R3/4K3 w - - 100 70").expect("a sound position");
        let terms = EvalTerms::of(&rolled.position);
        assert_eq!((terms.equity(), terms.material), (Equity::DRAWN, [500, 0]));
    }
}
