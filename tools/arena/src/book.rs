//! `arena book`: an opening book made from the games of journals.

use astragal::board::{Color, Position, Rolled};
use astragal::bots::{book_key, book_line};
use astragal::record::{Game, ReadError, Reader, ReplayError, Replayer};
use astragal::rules::Turn;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Which turns go into the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookRules {
    /// Turns of each player from the beginning of a game.
    pub turns: u32,
    /// The number of games that a turn must have been played in, at least 1.
    pub games: u32,
}

/// Collects games and turns them into a book.
#[derive(Clone, Debug)]
pub struct BookBuilder {
    rules: BookRules,
    /// By the text of the position with its dice, and the key of the position after the turn: in an order that depends
    /// on the games only.
    played: BTreeMap<(String, u64), Played>,
    games: u64,
}

/// A turn and how it did.
#[derive(Clone, Debug)]
struct Played {
    rolled: Rolled,
    turn: Turn,
    games: u32,
    half_points: u32,
}

impl BookBuilder {
    /// A builder without games.
    pub const fn new(rules: BookRules) -> Self {
        Self { rules, played: BTreeMap::new(), games: 0 }
    }

    /// How many games have been added.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// Adds a game; one that was aborted is passed over.
    ///
    /// # Errors
    /// A turn in it is not legal; nothing of the game has been added then.
    pub fn add(&mut self, game: &Game) -> Result<(), ReplayError> {
        if !game.end.kind.counts() {
            return Ok(());
        }
        let mut replayer = Replayer::new(&game.opening)?;
        let most = replayer.position().position.fullmove().saturating_add(self.rules.turns);
        let mut added: Vec<(Rolled, Turn, Position)> = Vec::new();
        for ply in game.plies.iter().take_while(|ply| ply.turn.is_some()) {
            let rolled = *replayer.roll(ply)?;
            if rolled.position.fullmove() >= most {
                break;
            }
            replayer.play(ply)?;
            // It was read by the replayer, too.
            let turn: Option<Turn> = ply.turn.as_ref().and_then(|turn| turn.parse().ok());
            if let Some(turn) = turn.filter(|turn| !turn.is_empty() && !replayer.is_over()) {
                added.push((rolled, turn, replayer.position().position));
            }
        }
        let white = (2.0 * game.result.clamp(0.0, 1.0)).round() as u32;
        for (rolled, turn, next) in added {
            let half_points = if rolled.position.side() == Color::White { white } else { 2 - white };
            self.add_turn(rolled, turn, &next, half_points);
        }
        self.games += 1;
        Ok(())
    }

    fn add_turn(&mut self, rolled: Rolled, turn: Turn, next: &Position, half_points: u32) {
        let key = (book_key(&rolled), next.key());
        let new = Played { rolled, turn, games: 0, half_points: 0 };
        let played = self.played.entry(key).or_insert(new);
        played.turn = played.turn.min(turn);
        played.games = played.games.saturating_add(1);
        played.half_points = played.half_points.saturating_add(half_points);
    }

    /// The lines of the book: turns played often enough, each weighted with the half points that it earned; those that
    /// earned none are left out.
    pub fn lines(&self) -> Vec<String> {
        let kept = self.played.values().filter(|played| played.games >= self.rules.games && played.half_points > 0);
        kept.map(|played| book_line(&played.rolled, played.turn, played.half_points)).collect()
    }
}

/// A book and what to say of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    /// Its lines, each with its end.
    pub text: String,
    /// How many lines and games there are.
    pub summary: String,
    /// Lines of journals and games that were skipped, and why.
    pub problems: Vec<String>,
}

/// Makes a book from journals. Bad lines and games are skipped and told.
///
/// # Errors
/// A file cannot be read, or is no journal.
pub fn book(files: &[PathBuf], rules: BookRules) -> Result<Made, String> {
    let mut builder = BookBuilder::new(rules);
    let mut problems = Vec::new();
    for path in files {
        add_journal(&mut builder, path, &mut problems)?;
    }
    let lines = builder.lines();
    let text = lines.iter().map(|line| format!("{line}\n")).collect();
    let (lines, games) = (crate::text::count(lines.len() as u64, "turn"), crate::text::count(builder.games(), "game"));
    Ok(Made { text, summary: format!("{lines} from {games}"), problems })
}

fn add_journal(builder: &mut BookBuilder, path: &Path, problems: &mut Vec<String>) -> Result<(), String> {
    let shown = path.display();
    let file = File::open(path).map_err(|error| format!("journal {shown}: {error}"))?;
    let mut reader = Reader::new(BufReader::new(file)).map_err(|error| format!("journal {shown}: {error}"))?;
    while let Some(game) = reader.next_game() {
        match game {
            Ok(game) => {
                if let Err(error) = builder.add(&game) {
                    problems.push(format!("journal {shown}: game {}: {error}; skipped", game.number + 1));
                }
            }
            Err(ReadError::Line(line)) => problems.push(format!("journal {shown}: {line}; skipped")),
            Err(error) => return Err(format!("journal {shown}: {error}")),
        }
    }
    if let Some(line) = reader.torn() {
        problems.push(format!("journal {shown}: line {line} was torn and is dropped"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use astragal::board::STARTPOS;
    use astragal::bots::Book;
    use astragal::record::{EndKind, EndRecord, Ply, RunningGame, Start};

    fn game(first: &str, result: f64) -> Game {
        let mut game = RunningGame::begin(Vec::new(), Start::new("", Default::default(), STARTPOS)).expect("memory");
        for (roll, turn) in [("PNB", Some(first)), ("RRQ", Some("0000")), ("NNN", None)] {
            let ply = Ply { roll: roll.to_owned(), turn: turn.map(str::to_owned), ..Ply::default() };
            game.write(ply).expect("a legal turn");
        }
        game.end(result, EndRecord::new(EndKind::Resignation)).expect("memory")
    }

    #[test]
    fn turns_to_one_position_are_counted_together_and_weighted_by_points() {
        let mut builder = BookBuilder::new(BookRules { turns: 8, games: 2 });
        for (turn, result) in
            [("g1f3,e2e4,f1c4", 1.0), ("e2e4,g1f3,f1c4", 0.5), ("e2e4,f1b5,b1c3", 1.0), ("d2d4,c1f4,b1c3", 0.0)]
        {
            builder.add(&game(turn, result)).expect("a sound game");
        }
        let lines = builder.lines();
        let key = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - BNP";
        assert_eq!(lines, [format!("{key}\te2e4,g1f3,f1c4\t3")]);
        assert_eq!(Book::parse(&lines.join("\n")).1.count, 0);
        assert_eq!(builder.games(), 4);
    }

    #[test]
    fn bad_games_are_named_and_add_nothing() {
        let mut builder = BookBuilder::new(BookRules { turns: 8, games: 1 });
        let mut bad = game("g1f3,e2e4,f1c4", 1.0);
        bad.plies[1].turn = Some("e2e5".to_owned());
        assert!(matches!(builder.add(&bad), Err(ReplayError::Ply { ply: 2, .. })));
        let mut aborted = game("g1f3,e2e4,f1c4", 0.5);
        aborted.end.kind = EndKind::Aborted;
        builder.add(&aborted).expect("it is passed over");
        assert!(builder.lines().is_empty() && builder.games() == 0);
    }
}
