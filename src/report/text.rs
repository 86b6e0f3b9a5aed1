//! A review as plain text of at most 100 columns.

use crate::board::Color;
use crate::record::escaped;
use crate::review::{GameReview, MARKS, Mark, PoolRow, SideSummary, Stage, TurnReview};
use crate::rules::Roll;
use std::fmt::Write;

/// The most characters of a name that are shown.
const MOST_NAME: usize = 24;

/// A game: a line a turn, then the sums of both players.
pub fn review_text(review: &GameReview) -> String {
    let mut text = String::new();
    let [white, black] = [Color::White, Color::Black].map(|side| name(review.name(side)));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "game {}: {white} – {black}", review.number + 1);
    if !review.complete {
        text.push_str("(the review was ended early)\n");
    }
    text.push_str("  ply   roll   equity    luck  turn played      loss      best turn       reval  danger\n");
    review.turns.iter().for_each(|turn| line(&mut text, turn));
    let account = review.account();
    let result = review.result.map_or("no result".to_owned(), |result| format!("result {result:+.0}"));
    let _ = writeln!(
        text,
        "for White: start {:+.3}, luck {:+.3}, play {:+.3}, revaluations {:+.3}, end {:+.3}: {:+.3}\n{result}",
        account.start,
        account.luck,
        account.play,
        account.revaluation,
        account.last,
        account.sum()
    );
    if let Some(result) = review.result {
        let winner = if result > 0.0 {
            Some(Color::White)
        } else if result < 0.0 {
            Some(Color::Black)
        } else {
            None
        };
        if let Some(winner) = winner {
            let sign = if winner == Color::White { 1.0 } else { -1.0 };
            let _ = writeln!(
                text,
                "{} won with {:+.3} of luck and {:+.3} by play",
                name(review.name(winner)),
                sign * account.luck,
                sign * account.play
            );
        }
    }
    for side in [Color::White, Color::Black] {
        summary(&mut text, &name(review.name(side)), &SideSummary::of(review, side));
    }
    let borders: Vec<String> = MARKS.iter().map(|(mark, from)| format!("{mark} from {from}")).collect();
    let _ = writeln!(text, "marks by the loss in equity: {}; K: the king could be captured", borders.join(", "));
    text
}

fn line(text: &mut String, turn: &TurnReview) {
    let side = turn.side();
    let number = format!("{}{}", turn.rolled.position.fullmove(), if side == Color::White { "." } else { "…" });
    let dice = turn.thrown.clone().unwrap_or_else(|| turn.rolled.dice.to_string());
    let dice = escaped(&dice, 3);
    let _ = write!(text, "{number:>6} {dice:>5}  {:>+7.3} {:>+7.3}  ", turn.equity, turn.luck);
    let Some(decision) = &turn.decision else {
        text.push_str("-\n");
        return;
    };
    let mark = match (decision.is_forced(), decision.mark()) {
        (true, _) => "forced".to_owned(),
        (false, mark) if decision.missed_capture => format!("K{}", mark.map_or("", Mark::signs)),
        (false, None) => String::new(),
        (false, Some(mark)) => mark.to_string(),
    };
    let best = if decision.best == decision.turn { "=".to_owned() } else { decision.best.to_string() };
    let danger = decision.danger;
    let _ = writeln!(
        text,
        "{:<16} {:>6.3} {mark:<6}  {best:<16}{:>+7.3}  {}/{}",
        decision.turn.to_string(),
        decision.loss(),
        decision.revaluation,
        danger.after,
        Roll::TOTAL_WEIGHT,
    );
}

fn summary(text: &mut String, name: &str, sum: &SideSummary) {
    let mean = sum.all.mean_loss().map_or("–".to_owned(), |loss| format!("{loss:.1}"));
    let marks: Vec<String> = Mark::ALL.iter().zip(sum.marks).map(|(mark, count)| format!("{count} {mark}")).collect();
    let _ = writeln!(
        text,
        "{name}: mean loss {mean} thousandths, {} of {} turns were decisions",
        sum.all.decisions, sum.turns
    );
    let _ =
        writeln!(text, "  luck {:+.3}; {}; kings not captured: {}", sum.luck, marks.join(", "), sum.missed_captures);
    let stages: Vec<String> = Stage::ALL
        .iter()
        .zip(&sum.stages)
        .filter_map(|(stage, part)| {
            Some(format!("{} pieces {:.1} in {}", stage.name(), part.mean_loss()?, part.decisions))
        })
        .collect();
    if !stages.is_empty() {
        let _ = writeln!(text, "  by stage: {}", stages.join("; "));
    }
}

/// The table of players over several games.
pub fn pool_text(rows: &[PoolRow]) -> String {
    let mut text = String::from("player                    games  mean loss            luck  result  without luck\n");
    for row in rows {
        let loss = row
            .mean_loss
            .map_or("–".to_owned(), |loss| format!("{:.1} [{:.1}, {:.1}]", loss.value, loss.low, loss.high));
        let number = |interval: Option<crate::review::Interval>| {
            interval.map_or("–".to_owned(), |interval| format!("{:+.3}", interval.value))
        };
        let _ = writeln!(
            text,
            "{:<25} {:>5}  {loss:<18} {:>+7.3} {:>7}  {:>12}",
            name(&row.name),
            row.games,
            row.summary.luck,
            number(row.result),
            number(row.without_luck)
        );
    }
    text.push_str("mean loss in thousandths of equity a decision, 95 % intervals by drawing the games anew\n");
    text
}

fn name(text: &str) -> String {
    escaped(text, MOST_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::TextReader;
    use crate::review::{Level, Pool, ReviewSettings, Reviewer};

    const GAME: &str = "[White \"a\u{1b}[2J<script>\"]\n[Black \"b\"]\n\
        [DFEN \"7k/8/8/8/8/8/8/K6R w - - 0 1\"]\n\n1. RKK a1a2,a2a3,h1g1 kkk h8h7,h7h6,h6h5 2. RRR g1g2,g2g3,g3f3 *\n";

    fn reviews() -> Vec<GameReview> {
        let mut reader = TextReader::new(GAME.as_bytes());
        let settings = ReviewSettings { level: Level::Depth(1), ..ReviewSettings::default() };
        let mut reviewer = Reviewer::new(settings, 1);
        let mut all = Vec::new();
        while let Some(game) = reader.next_game() {
            let game = game.unwrap_or_else(|error| panic!("{error}"));
            all.push(reviewer.review(&game, &()).unwrap_or_else(|error| panic!("{error}")));
        }
        all
    }

    #[test]
    fn lines_are_short_and_names_are_escaped() {
        let reviews = reviews();
        let text = review_text(&reviews[0]);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert!(!text.contains('\u{1b}'), "{text:?}");
        assert!(text.contains(" K?? "), "the first turn could take it: {text}");
        assert_eq!(text.lines().filter(|line| line.contains("/216")).count(), reviews[0].turns.len(), "{text}");
        let mut pool = Pool::default();
        pool.add(&reviews[0]);
        assert!(pool_text(&pool.rows(0)).contains("b   "));
    }
}
