//! From games as the journal has them to the plain numbers that statistics are made of.

use crate::stats::outcome::Outcome;
use crate::stats::standings::TournamentGame;
use crate::stats::units::{GameResult, Side};
use crate::tally::{GameSummary, SideSummary};

/// A game from the view of whichever of its players has the lower number.
pub fn tournament_game(game: &GameSummary) -> TournamentGame {
    let [white, black] = game.players;
    let first_is_white = white <= black;
    let with_luck = game.luck.is_some();
    let [white_side, black_side] = game.sides.map(|summary| side(&summary, with_luck));
    let of_white = outcome(game.result);
    let (outcome, first, second) =
        if first_is_white { (of_white, white_side, black_side) } else { (of_white.reversed(), black_side, white_side) };
    let result = GameResult { pair: game.pair, half: game.half, outcome, first_is_white, first, second };
    TournamentGame { first: white.min(black), second: white.max(black), result }
}

/// Points are 0, ½ or 1; thresholds between them forgive whatever JSON did to the half.
fn outcome(points: f64) -> Outcome {
    if points > 0.75 {
        Outcome::Win
    } else if points > 0.25 {
        Outcome::Draw
    } else {
        Outcome::Loss
    }
}

fn side(summary: &SideSummary, with_luck: bool) -> Side {
    Side {
        rolls: u64::from(summary.rolls),
        forced_passes: u64::from(summary.passes),
        luck: with_luck.then_some(summary.luck),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::EndKind;

    #[test]
    fn results_are_seen_from_the_player_of_the_lower_number() {
        let sides = [(3, 0.5), (2, -0.25)].map(|(rolls, luck)| SideSummary { rolls, luck, ..SideSummary::default() });
        let summary = GameSummary {
            number: 5,
            pair: 2,
            half: 1,
            players: [4, 1],
            result: 1.0,
            end: EndKind::KingCapture,
            end_player: Some(4),
            sides,
            luck: Some(0.75),
        };
        let game = tournament_game(&summary);
        assert_eq!((game.first, game.second, game.result.pair, game.result.half), (1, 4, 2, 1));
        assert_eq!((game.result.outcome, game.result.first_is_white), (Outcome::Loss, false));
        assert_eq!((game.result.first.rolls, game.result.second.rolls), (2, 3));
        assert_eq!(game.result.luck(), Some(-0.75));
        let mirrored = tournament_game(&GameSummary { players: [1, 4], result: 0.5, luck: None, ..summary });
        assert_eq!((mirrored.result.outcome, mirrored.result.first_is_white), (Outcome::Draw, true));
        assert_eq!((mirrored.result.first.rolls, mirrored.result.luck()), (3, None));
    }
}
