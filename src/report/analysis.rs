//! What is said of a position by itself, as text and as JSON.

use super::board::board_text;
use super::json::SCHEMA;
use super::throws;
use crate::record::LINEAR_EVALUATION;
use crate::review::{Analysis, CubeAdvice, CubeOwner, DrawAdvice};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The cube that advice is asked for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CubeQuestion {
    /// Who may double.
    pub owner: CubeOwner,
    /// What the game is worth now, in points.
    pub stake: f64,
    /// Janowski's x, 0..=1: 0 the dead cube, 1 the live one.
    pub efficiency: f64,
}

/// An analysis. Equities are those of the side to move, −1..=1; chances 0..=1.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AnalysisJson {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The number of the line that the position came from, from 1.
    pub line: usize,
    /// The position.
    pub dfen: String,
    /// The evaluation that all numbers rest on.
    pub evaluation: String,
    /// Turns looked ahead.
    pub depth: u32,
    /// What the position is worth to the side to move.
    pub equity: f64,
    /// Its chance to win, if a draw counts half.
    pub chance: f64,
    /// Legal turns, every order of micro-moves counted; null without dice.
    pub legal_turns: Option<u64>,
    /// Different positions they lead to; null without dice.
    pub outcomes: Option<usize>,
    /// Throws of 216 that capture the king of the side to move if it passes.
    pub danger: u32,
    /// Throws of 216 that let the side to move capture the enemy king.
    pub attack: u32,
    /// The best turns, the best first; empty without dice.
    pub turns: Vec<TurnJson>,
    /// The 56 rolls; empty with dice.
    pub rolls: Vec<RollJson>,
    /// What to do with the cube; null with dice.
    pub cube: Option<CubeJson>,
    /// What to do about a draw; null with dice.
    pub draw: Option<DrawJson>,
}

/// A turn.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TurnJson {
    /// The turn.
    pub turn: String,
    /// What it is worth.
    pub equity: f64,
    /// The chance to win.
    pub chance: f64,
    /// What it loses against the best.
    pub loss: f64,
    /// Throws of 216 that capture the own king next.
    pub danger: u32,
    /// Whether it captures the king.
    pub captures: bool,
}

/// A roll.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RollJson {
    /// The three dice.
    pub roll: String,
    /// Throws of 216 that give it.
    pub weight: u32,
    /// What it is worth.
    pub equity: f64,
    /// The chance to win.
    pub chance: f64,
    /// That equity less the mean.
    pub luck: f64,
    /// Its best turn.
    pub turn: String,
}

/// Advice on the cube.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CubeJson {
    /// `centre`, `mine` or `theirs`.
    pub owner: String,
    /// What the game is worth now.
    pub stake: f64,
    /// Janowski's x.
    pub efficiency: f64,
    /// From this chance on a double is taken.
    pub take_point: f64,
    /// Above this chance the other side drops.
    pub cash_point: f64,
    /// From this chance on it is right to double; null if the cube is theirs.
    pub double_point: Option<f64>,
    /// The equity in points without doubling.
    pub no_double: f64,
    /// The same if the double is taken.
    pub double_take: f64,
    /// The same if it is dropped.
    pub double_drop: f64,
    /// Whether to double.
    pub offer: bool,
    /// Whether the other side should take.
    pub take: bool,
}

/// Advice on a draw.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct DrawJson {
    /// A draw is accepted below this equity.
    pub accept_below: f64,
    /// And offered below this one.
    pub offer_below: f64,
    /// Whether to accept one.
    pub accept: bool,
    /// Whether to offer one.
    pub offer: bool,
}

fn chance(equity: f64) -> f64 {
    f64::midpoint(1.0, equity)
}

/// An analysis as data. `line` is the number of the line that the position came from.
pub fn analysis_json(analysis: &Analysis, line: usize, question: &CubeQuestion) -> AnalysisJson {
    let before_roll = analysis.rolled.dice.is_empty();
    let choice = (!before_roll).then_some(analysis.choice);
    let advice = CubeAdvice::of(analysis.equity, question.owner, question.stake, question.efficiency);
    let draw = DrawAdvice::of(analysis.equity);
    AnalysisJson {
        schema: SCHEMA,
        line,
        dfen: analysis.rolled.to_string(),
        evaluation: LINEAR_EVALUATION.to_owned(),
        depth: analysis.depth,
        equity: analysis.equity,
        chance: chance(analysis.equity),
        legal_turns: choice.map(|(turns, _)| turns),
        outcomes: choice.map(|(_, outcomes)| outcomes),
        danger: analysis.danger,
        attack: analysis.attack,
        turns: analysis
            .turns
            .iter()
            .map(|line| TurnJson {
                turn: line.turn.to_string(),
                equity: line.equity,
                chance: chance(line.equity),
                loss: line.loss,
                danger: line.danger,
                captures: line.captures,
            })
            .collect(),
        rolls: analysis
            .rolls
            .iter()
            .map(|line| RollJson {
                roll: line.roll.to_string(),
                weight: line.roll.weight(),
                equity: line.equity,
                chance: chance(line.equity),
                luck: line.luck,
                turn: line.turn.to_string(),
            })
            .collect(),
        cube: before_roll.then(|| CubeJson {
            owner: question.owner.to_string(),
            stake: question.stake,
            efficiency: question.efficiency,
            take_point: advice.take_point,
            cash_point: advice.cash_point,
            double_point: advice.double_point,
            no_double: advice.no_double,
            double_take: advice.double_take,
            double_drop: advice.double_drop,
            offer: advice.offer,
            take: advice.take,
        }),
        draw: before_roll.then_some(DrawJson {
            accept_below: DrawAdvice::ACCEPT_BELOW,
            offer_below: DrawAdvice::OFFER_BELOW,
            accept: draw.accept,
            offer: draw.offer,
        }),
    }
}

/// An analysis as text of at most 100 columns.
pub fn analysis_text(analysis: &Analysis, question: &CubeQuestion) -> String {
    let data = analysis_json(analysis, 0, question);
    let mut text = format!("{}\n{}", data.dfen, board_text(&analysis.rolled.position));
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{} to move: equity {:+.3}, {:.1} % to win, {} turns deep",
        analysis.rolled.position.side(),
        data.equity,
        100.0 * data.chance,
        data.depth
    );
    let _ = writeln!(
        text,
        "a throw captures the enemy king with {}; the own king, after a pass, with {}",
        throws(data.attack),
        throws(data.danger)
    );
    if let (Some(turns), Some(outcomes)) = (data.legal_turns, data.outcomes) {
        let _ = writeln!(
            text,
            "{turns} legal turns, {outcomes} outcomes\n\nturn               equity   win %   loss  king danger"
        );
        for line in &data.turns {
            let danger = if line.captures { "captures the king".to_owned() } else { throws(line.danger) };
            let _ = writeln!(
                text,
                "{:<17} {:>+7.3} {:>7.1} {:>6.3}  {danger}",
                line.turn,
                line.equity,
                100.0 * line.chance,
                line.loss
            );
        }
    }
    if !data.rolls.is_empty() {
        text.push_str("\nroll  of 216  equity   win %    luck  best turn\n");
        for line in &data.rolls {
            let _ = writeln!(
                text,
                "{:<4} {:>7} {:>+7.3} {:>7.1} {:>+7.3}  {}",
                line.roll,
                line.weight,
                line.equity,
                100.0 * line.chance,
                line.luck,
                line.turn
            );
        }
    }
    data.cube.iter().for_each(|cube| cube_text(&mut text, cube));
    if let Some(draw) = data.draw {
        let _ = writeln!(
            text,
            "draw: {}, {} (accepted below an equity of {:+.2}, offered below {:+.2})",
            if draw.offer { "offer" } else { "do not offer" },
            if draw.accept { "accept" } else { "do not accept" },
            draw.accept_below,
            draw.offer_below
        );
    }
    text
}

fn cube_text(text: &mut String, cube: &CubeJson) {
    let percent = |chance: f64| format!("{:.1} %", 100.0 * chance);
    let what = match (cube.double_point.is_some(), cube.offer, cube.take) {
        (false, ..) => "not yours to double".to_owned(),
        (true, false, _) => "do not double".to_owned(),
        (true, true, take) => format!("double; the other side should {}", if take { "take" } else { "drop" }),
    };
    let _ = writeln!(
        text,
        "\ncube ({}, stake {}, efficiency {}): {what}\n  no double {:+.3}, double and take {:+.3}, double and drop {:+.3} points",
        cube.owner, cube.stake, cube.efficiency, cube.no_double, cube.double_take, cube.double_drop
    );
    let _ = writeln!(
        text,
        "  take point {}, double point {}, cash point {}",
        percent(cube.take_point),
        cube.double_point.map_or("–".to_owned(), percent),
        percent(cube.cash_point)
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Rolled, STARTPOS};
    use crate::review::Analyser;

    const QUESTION: CubeQuestion = CubeQuestion { owner: CubeOwner::Centre, stake: 1.0, efficiency: 0.0 };

    fn analysis(dfen: &str) -> Analysis {
        let rolled = Rolled::from_dfen(dfen).expect("sound");
        Analyser::new(1, 3, 1).analyse(&rolled, None).expect("nothing stops it")
    }

    #[test]
    fn before_a_roll_there_is_advice_and_after_it_there_are_turns() {
        let before = analysis_json(&analysis(STARTPOS), 4, &QUESTION);
        assert_eq!((before.rolls.len(), before.turns.len(), before.line), (56, 0, 4));
        assert_eq!(before.rolls.iter().map(|line| line.weight).sum::<u32>(), 216);
        assert!(before.cube.is_some_and(|cube| cube.take_point == 0.25) && before.draw.is_some());
        let after = analysis_json(&analysis("7k/8/8/8/8/8/8/K6R w - - 0 1 RKK"), 1, &QUESTION);
        assert!(after.cube.is_none() && after.draw.is_none() && after.rolls.is_empty());
        assert!(after.turns[0].captures && after.turns[0].chance == 1.0 && after.legal_turns.is_some());
        let again: AnalysisJson = serde_json::from_str(&serde_json::to_string(&after).expect("sound")).expect("sound");
        assert_eq!(again, after);
    }

    #[test]
    fn lines_are_short_and_tell_what_to_do() {
        for dfen in [STARTPOS, "7k/8/8/8/8/8/8/K6R w - - 0 1 RKK", "7k/8/8/8/8/8/8/K6R w - - 0 1 -"] {
            let text = analysis_text(&analysis(dfen), &QUESTION);
            assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        }
        let text = analysis_text(&analysis("7k/8/8/8/8/8/8/K6R w - - 0 1 -"), &QUESTION);
        assert!(text.contains("cube (centre, stake 1, efficiency 0): double; the other side should"), "{text}");
        assert!(text.contains("draw: do not offer, do not accept"), "{text}");
    }
}
