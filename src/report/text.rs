//! A review as plain text of at most 100 columns.

use super::name;
use crate::board::Color;
use crate::record::escaped;
use crate::review::turn::sign;
use crate::review::{GameReview, Grade, MARKS, Mark, PoolRow, SideSummary, Stage, TurnReview};
use crate::rules::Roll;
use std::fmt::Write;

/// A game: a line a turn, then the sums of both players.
pub fn review_text(review: &GameReview) -> String {
    let mut text = String::new();
    let [white, black] = Color::ALL.map(|side| name(review.name(side)));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "game {}: {white} – {black}", review.number.saturating_add(1));
    if !review.complete {
        text.push_str("(the review was ended early)\n");
    }
    text.push_str("  ply roll equity   luck  turn played         loss mark  best turn         reval  danger\n");
    review.turns.iter().for_each(|turn| line(&mut text, turn));
    let account = review.account();
    let _ = writeln!(
        text,
        "for White: start {:+.3}, luck {:+.3}, play {:+.3}, revaluations {:+.3}, end {:+.3}: {:+.3}",
        account.start,
        account.luck,
        account.play,
        account.revaluation,
        account.last,
        account.sum()
    );
    let verdict = Verdict::of(review);
    let _ = writeln!(text, "{}", verdict.result);
    verdict.why.iter().for_each(|why| _ = writeln!(text, "{why}"));
    for side in Color::ALL {
        summary(&mut text, &name(review.name(side)), &SideSummary::of(review, side));
    }
    let _ = writeln!(text, "{}; K: the king could be captured", marks_line());
    let _ = writeln!(text, "danger: throws of {} that capture the own king: before > after (best)", Roll::TOTAL_WEIGHT);
    text
}

/// The marks with the losses from which they are given.
pub(super) fn marks_line() -> String {
    let borders: Vec<String> = MARKS.iter().map(|(mark, from)| format!("{mark} from {from}")).collect();
    format!("marks by the loss in equity: {}", borders.join(", "))
}

/// The level of a player, once there are games enough.
pub(super) fn pooled_level(row: &PoolRow) -> Option<&'static str> {
    row.grade().map(Grade::name)
}

/// How a game ended, and what luck and play had to do with it.
pub(super) struct Verdict {
    pub result: String,
    pub why: Option<String>,
}

impl Verdict {
    pub fn of(review: &GameReview) -> Self {
        let Some(result) = review.result else {
            return Self { result: "no result".to_owned(), why: None };
        };
        let account = review.account();
        let winner = match result {
            0.0 => None,
            _ => Some(if result > 0.0 { Color::White } else { Color::Black }),
        };
        let by = review.end.name();
        let stood = |value: f64, of: &str| match value {
            _ if value.abs() < 0.0005 => format!("even {of}"),
            _ if value > 0.0 => format!("{value:.3} ahead {of}"),
            _ => format!("{:.3} behind {of}", -value),
        };
        let who = winner.unwrap_or(Color::White);
        let sign = sign(who);
        let who_name = name(review.name(who));
        let did = if winner.is_some() { "won" } else { "drew" };
        let luck = stood(sign * account.luck, "on luck");
        let play = stood(sign * account.play, "on play");
        Self {
            result: format!("result {result:+.0} for White ({by}); without luck {:+.3}", result - account.luck),
            why: Some(format!("{who_name} {did}: {luck}, {play}")),
        }
    }
}

/// The number of a turn's move, with a point for White and three for Black.
pub(super) fn move_number(turn: &TurnReview) -> String {
    format!("{}{}", turn.rolled.position.fullmove(), if turn.side() == Color::White { "." } else { "…" })
}

fn line(text: &mut String, turn: &TurnReview) {
    let number = move_number(turn);
    let dice = turn.thrown.clone().unwrap_or_else(|| turn.rolled.dice.to_string());
    let dice = escaped(&dice, 3);
    let _ = write!(text, "{number:>6} {dice:>3} {:>+6.3} {:>+6.3}  ", turn.equity, turn.luck);
    let Some(decision) = &turn.decision else {
        text.push_str("-\n");
        return;
    };
    let mark = match (decision.is_forced(), decision.mark()) {
        (true, _) => "only".to_owned(),
        (false, mark) if decision.missed_capture => format!("K{}", mark.map_or("", Mark::signs)),
        (false, None) => String::new(),
        (false, Some(mark)) => mark.to_string(),
    };
    let best = if decision.best == decision.turn { "=".to_owned() } else { decision.best.to_string() };
    let danger = decision.danger;
    let _ = writeln!(
        text,
        "{:<17} {:>6.3} {mark:<4}  {best:<17} {:>+6.3}  {}>{} ({})",
        decision.turn.to_string(),
        decision.loss(),
        decision.revaluation,
        danger.before,
        danger.after,
        danger.best,
    );
    if let Some(look) = &decision.rollout {
        let _ = writeln!(
            text,
            "       rolled out: loss {:.3} at depth {}, {:.3} ± {:.3} by {} games of either turn",
            look.loss_before,
            decision.depth,
            decision.loss(),
            look.error,
            look.games
        );
    }
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
    let mut text =
        String::from("player                    games  mean loss            level        luck  result  without luck\n");
    for row in rows {
        let loss = row
            .mean_loss
            .map_or("–".to_owned(), |loss| format!("{:.1} [{:.1}, {:.1}]", loss.value, loss.low, loss.high));
        let number = |interval: Option<crate::review::Interval>| {
            interval.map_or("–".to_owned(), |interval| format!("{:+.3}", interval.value))
        };
        let _ = writeln!(
            text,
            "{:<25} {:>5}  {loss:<20} {:<10} {:>+8.3} {:>6}  {:>12}",
            name(&row.name),
            row.games,
            pooled_level(row).unwrap_or("–"),
            row.summary.luck,
            number(row.result),
            number(row.without_luck)
        );
    }
    text.push_str("mean loss in thousandths of equity a decision, 95 % intervals by drawing the games anew\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Records, TextReader};
    use crate::review::{GRADES, Level, Pool, ReviewSettings, Reviewer};

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
        assert_eq!(
            text.lines().filter(|line| line.contains(">0 (") || line.contains(">16 (")).count(),
            reviews[0].turns.len(),
            "{text}"
        );
        let mut pool = Pool::default();
        pool.add(&reviews[0]);
        assert!(pool_text(&pool.rows(0)).contains("b   "));
    }

    /// The page that tells a game through.
    const PAGE: &str = include_str!("../../docs/review.md");

    #[test]
    fn the_page_tells_the_review_of_the_game_as_it_is() {
        let histories = include_str!("../../tests/records/histories.json");
        let game = Records::new(histories.as_bytes()).expect("readable").next_game().expect("a game").expect("sound");
        let review = Reviewer::new(ReviewSettings::default(), 2).review(&game, &()).expect("sound");
        assert!(PAGE.contains(&review_text(&review)));
    }

    #[test]
    fn the_page_has_the_borders_of_marks_and_levels() {
        for (mark, from) in MARKS {
            assert!(PAGE.contains(&format!("`{mark}` from {from}")), "{mark}");
        }
        for (grade, below) in GRADES {
            assert!(PAGE.contains(&format!("| {} | below {below} |", grade.name())), "{}", grade.name());
        }
    }
}
