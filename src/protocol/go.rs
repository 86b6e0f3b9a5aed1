//! The arguments of `go`.

use crate::board::Color;
use crate::search::{Mode, SearchMoves};

/// What `go` was told. A number that is missing or is no number is as if its word had not been there; one too large
/// for 64 bits counts as the largest.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Go {
    /// Remaining time of White and Black in ms.
    pub time: [Option<i64>; 2],
    /// Increments in ms.
    pub increment: [i64; 2],
    /// Delays in ms.
    pub delay: [i64; 2],
    pub moves_to_go: Option<u32>,
    pub move_time: Option<i64>,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    pub infinite: bool,
    pub ponder: bool,
    pub search_moves: SearchMoves,
    /// Look at each roll by itself.
    pub rolls: bool,
    /// Play games on.
    pub rollout: bool,
    /// Games of a rollout.
    pub games: Option<u32>,
    /// Turns of such a game.
    pub turns: Option<u32>,
}

impl Go {
    /// Reads the words after `go`, in any order; unknown ones are skipped.
    pub(super) fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut go = Self::default();
        let mut words = words.peekable();
        let (white, black) = (Color::White.index(), Color::Black.index());
        while let Some(word) = words.next() {
            if word == "searchmoves" {
                while let Some(turn) = words.peek().and_then(|word| word.parse().ok()) {
                    go.search_moves.push(turn);
                    words.next();
                }
                continue;
            }
            match word {
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "rolls" => go.rolls = true,
                "rollout" => go.rollout = true,
                _ => {}
            }
            let Some(number) = words.peek().and_then(|word| number(word)) else { continue };
            let count = u64::try_from(number).unwrap_or(0);
            match word {
                "wtime" => go.time[white] = Some(number),
                "btime" => go.time[black] = Some(number),
                "winc" => go.increment[white] = number,
                "binc" => go.increment[black] = number,
                "wdelay" => go.delay[white] = number,
                "bdelay" => go.delay[black] = number,
                "movestogo" => go.moves_to_go = Some(u32::try_from(count).unwrap_or(u32::MAX)),
                "movetime" => go.move_time = Some(number),
                "depth" => go.depth = Some(u32::try_from(count).unwrap_or(u32::MAX)),
                "nodes" => go.nodes = Some(count),
                "games" => go.games = Some(u32::try_from(count).unwrap_or(u32::MAX)),
                "turns" => go.turns = Some(u32::try_from(count).unwrap_or(u32::MAX)),
                _ => continue,
            }
            words.next();
        }
        go
    }

    /// What it asks for. `infinite` comes before `ponder`, for there is nobody to say `ponderhit`.
    pub(super) fn mode(&self) -> Mode {
        match () {
            () if self.rolls => Mode::EachRoll { until_stopped: self.infinite || self.ponder },
            () if self.infinite => Mode::Analyse,
            () if self.ponder => Mode::Ponder,
            () => Mode::Decide,
        }
    }
}

/// A whole number, brought into the range of `i64`.
fn number(word: &str) -> Option<i64> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(word.parse().unwrap_or(if word.starts_with('-') { i64::MIN } else { i64::MAX }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Go {
        Go::parse(text.split_ascii_whitespace())
    }

    #[test]
    fn words_come_in_any_order_and_unknown_ones_are_skipped() {
        let go = parse("nodes 7 foo 3 btime -5 winc 2 infinite wtime 99999999999999999999 depth");
        assert_eq!(go.time, [Some(i64::MAX), Some(-5)]);
        assert_eq!((go.increment, go.nodes, go.depth, go.infinite), ([2, 0], Some(7), None, true));
        assert_eq!(parse("wtime abc btime 5").time, [None, Some(5)]);
        assert_eq!(parse("movestogo -3 depth 99999999999").moves_to_go, Some(0));
        assert_eq!(parse("depth 99999999999").depth, Some(u32::MAX));
    }

    #[test]
    fn analyses_are_asked_for_beside_the_usual_limits() {
        let go = parse("games 216 rolls turns -1 depth 2 rollout");
        assert_eq!((go.rolls, go.rollout, go.games, go.turns, go.depth), (true, true, Some(216), Some(0), Some(2)));
        let go = parse("rollout games rolls");
        assert_eq!((go.rolls, go.rollout, go.games), (true, true, None));
    }

    #[test]
    fn searchmoves_end_at_the_next_word() {
        let go = parse("searchmoves e2e4,g1f3 0000 depth 2");
        assert_eq!(go.search_moves.len(), 2);
        assert_eq!(go.depth, Some(2));
    }
}
