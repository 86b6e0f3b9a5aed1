//! Reviews as one HTML file: nothing is loaded from anywhere, and the page runs no script but its own.
//!
//! The file is written in pieces, so that a review of many games need not be in memory: its begin, game after game, its
//! end. The template engine escapes whatever it is given, so that the name of a player cannot become markup. Without
//! scripts the links still show the turn that they lead to.

mod curve;

use super::board::{board_svg, dice_svg, pieces_svg, raw};
use super::json::BasisJson;
use super::text::{Verdict, marks_line, move_number, pooled_level};
use super::throws;
use crate::board::{Color, Dice};
use crate::record::escaped;
use crate::review::{Decision, GameReview, MARKS, Mark, PoolRow, SideSummary, Stage, TurnReview};
use base64::prelude::{BASE64_STANDARD, Engine};
use maud::{DOCTYPE, Markup, html};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The most characters of a name on a page.
const MOST_NAME: usize = 80;

/// Turns of a game beyond this have no board of their own: a page of more could hardly be opened.
const MOST_BOARDS: usize = 2000;

/// The most mistakes that are listed of a game.
const MOST_MISTAKES: usize = 1000;

/// The begin of a page.
pub fn page_begin() -> String {
    // The policy names the script by its hash, so that no other can run, whatever came into the page.
    let policy = format!("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'", script_hash());
    let head = html! {
        (DOCTYPE)
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta http-equiv="Content-Security-Policy" content=(policy);
            title { "Dice Chess review" }
            style { (raw(STYLE)) }
        }
    };
    let title = html! {
        (pieces_svg())
        h1 { "Dice Chess review" }
        p.small {
            "What was luck and what was a mistake. Go through a game with the arrow keys, or click on a board, on the curve or "
            "on a mistake."
        }
    };
    // The elements that are still open when the games come.
    format!("{}<body>{}", head.into_string().replacen("<head>", "<html lang=\"en\"><head>", 1), title.into_string())
}

/// A game. `place` is its place on the page, from 1.
pub fn page_game(review: &GameReview, basis: &BasisJson, place: u64) -> String {
    let names = review.names.each_ref().map(|name| escaped(name, MOST_NAME));
    let boards = &review.turns[..review.turns.len().min(MOST_BOARDS)];
    let verdict = Verdict::of(review);
    let page = html! {
        article id={ "g" (place) } {
            h2 { "Game " (place) ": " (names[0]) " – " (names[1]) }
            @if !review.complete { p { "The review was ended early." } }
            p { (verdict.result) @if let Some(why) = &verdict.why { ". " (why) } "." }
            p.small { (basis_line(basis)) }
            @if !review.turns.is_empty() {
                (curve::curve(review, place))
                p.small {
                    "For White, from lost (below) to won:" span class="key equity" {} "equity before each roll"
                    span class="key luck" {} "luck of the roll" span class="key loss" {} "loss of the turn"
                }
            }
            (account(review))
            (sides(review, &names))
            (mistakes(review, place, boards.len()))
            div.turns {
                @for (number, turn) in (1..).zip(boards) {
                    (section(turn, place, number, boards.len()))
                }
            }
            @if boards.len() < review.turns.len() {
                p.small { "Boards are drawn of the first " (MOST_BOARDS) " turns of " (review.turns.len()) "." }
            }
        }
    };
    page.into_string()
}

/// The end of a page, with the table of players if there were several games.
pub fn page_end(rows: Option<&[PoolRow]>) -> String {
    let page = html! {
        @if let Some(rows) = rows {
            h2 id="players" { "Players" }
            div.scroll { table {
                thead { tr {
                    th { "player" } th { "games" } th { "mean loss" } th { "level" } th { "luck" } th { "result" }
                    th { "without luck" }
                } }
                tbody { @for row in rows { (player(row)) } }
            } }
            p.small {
                "Mean loss in thousandths of equity a decision; 95 % intervals by drawing the games anew. Levels from 10 games on."
            }
        }
        p.small { (marks_line()) "." }
        script { (raw(SCRIPT)) }
    };
    format!("{}</body></html>\n", page.into_string())
}

fn player(row: &PoolRow) -> Markup {
    let interval = |interval: Option<crate::review::Interval>, digits: usize| {
        interval
            .map_or("–".to_owned(), |it| format!("{:.digits$} [{:.digits$}, {:.digits$}]", it.value, it.low, it.high))
    };
    html! {
        tr {
            th scope="row" { (escaped(&row.name, MOST_NAME)) }
            td { (row.games) }
            td { (interval(row.mean_loss, 1)) }
            td { (pooled_level(row).unwrap_or("–")) }
            td { (format!("{:+.3}", row.summary.luck)) }
            td { (interval(row.result, 3)) }
            td { (interval(row.without_luck, 3)) }
        }
    }
}

fn basis_line(basis: &BasisJson) -> String {
    let level = match (basis.depth, basis.time_ms) {
        (Some(depth), _) => format!("{depth} turns deep"),
        (None, time) => format!("{} ms a turn", time.unwrap_or_default()),
    };
    let rollouts =
        basis.rollout_games.map_or(String::new(), |games| format!(", rollouts of {games} games near the marks"));
    format!("Searched {level} by the evaluation {}{rollouts}.", basis.evaluation)
}

fn account(review: &GameReview) -> Markup {
    let account = review.account();
    let parts = [
        ("start", account.start),
        ("luck", account.luck),
        ("play", account.play),
        ("revaluations", account.revaluation),
        ("end", account.last),
        ("sum", account.sum()),
    ];
    html! {
        div.scroll { table {
            thead { tr { th { "for White" } @for (name, _) in parts { th { (name) } } } }
            tbody { tr { th scope="row" { "equity" } @for (_, value) in parts { td { (format!("{value:+.3}")) } } } }
        } }
    }
}

fn sides(review: &GameReview, names: &[String; 2]) -> Markup {
    let mean = |loss: Option<f64>| loss.map_or("–".to_owned(), |loss| format!("{loss:.1}"));
    html! {
        div.scroll { table {
            thead { tr {
                th { "player" } th { "turns" } th { "decisions" } th { "mean loss" }
                @for stage in Stage::ALL { th { (stage.name()) " pieces" } }
                @for mark in Mark::ALL { th { (mark) } }
                th { "kings missed" } th { "luck" }
            } }
            tbody { @for side in Color::ALL {
                @let sum = SideSummary::of(review, side);
                tr {
                    th scope="row" { (names[side.index()]) }
                    td { (sum.turns) } td { (sum.all.decisions) } td { (mean(sum.all.mean_loss())) }
                    @for stage in &sum.stages { td { (mean(stage.mean_loss())) } }
                    @for count in sum.marks { td { (count) } }
                    td { (sum.missed_captures) } td { (format!("{:+.3}", sum.luck)) }
                }
            } }
        } }
        p.small { "Mean loss in thousandths of equity a decision." }
    }
}

/// The turns with a mark, as links to their boards.
fn mistakes(review: &GameReview, place: u64, boards: usize) -> Markup {
    let marked = (1..).zip(&review.turns).filter_map(|(number, turn): (usize, _)| {
        let decision = turn.decision.as_ref().filter(|decision| !decision.is_forced())?;
        let mark = decision.mark();
        (mark.is_some() || decision.missed_capture).then_some((number, turn, decision, mark))
    });
    let marked: Vec<_> = marked.take(MOST_MISTAKES).collect();
    html! {
        h3 { "Mistakes" }
        @if marked.is_empty() { p { "None: no turn lost " (MARKS[0].1) " or more." } }
        ol.mistakes {
            @for (number, turn, decision, mark) in marked {
                @let text = format!(
                    "{} {} {}{} −{:.3}",
                    move_number(turn),
                    decision.turn,
                    mark.map_or("", Mark::signs),
                    if decision.missed_capture { " (king)" } else { "" },
                    decision.loss()
                );
                li {
                    @if number <= boards { a href={ "#g" (place) "t" (number) } { (text) } } @else { (text) }
                }
            }
        }
    }
}

fn section(turn: &TurnReview, place: u64, number: usize, count: usize) -> Markup {
    let decision = turn.decision.as_ref();
    let best = decision.filter(|decision| decision.best != decision.turn).map(|decision| &decision.best);
    let dice = turn.thrown.as_deref().and_then(faces);
    html! {
        section.turn.on[number == 1] id={ "g" (place) "t" (number) } {
            div { (board_svg(&turn.rolled.position, decision.map(|decision| &decision.turn), best)) }
            div {
                h3 {
                    (move_number(turn)) " " (turn.side()) " "
                    @match dice {
                        Some(faces) => { (dice_svg(turn.side(), faces.into_iter())) }
                        None => { (dice_svg(turn.side(), turn.rolled.dice.iter())) }
                    }
                }
                table.facts {
                    (fact("before the roll", format!("{:+.3}", turn.equity)))
                    (fact("luck", format!("{:+.3}", turn.luck)))
                    @match decision {
                        Some(decision) => { (facts(decision)) }
                        None => { (fact("played", "nothing: the game ended here".to_owned())) }
                    }
                }
                p {
                    @if number > 1 { a.step href={ "#g" (place) "t" (number - 1) } { "← back" } }
                    @if number < count { a.step href={ "#g" (place) "t" (number + 1) } { "on →" } }
                    span.small { (number) " of " (count) }
                }
            }
        }
    }
}

/// Dice in the order thrown.
fn faces(thrown: &str) -> Option<Vec<crate::board::PieceType>> {
    Dice::parse(thrown).ok()?;
    thrown.bytes().map(crate::board::PieceType::from_letter).collect()
}

fn fact(name: &str, value: String) -> Markup {
    html! { tr { th scope="row" { (name) } td { (value) } } }
}

fn facts(decision: &Decision) -> Markup {
    let mark = decision.mark();
    html! {
        tr { th scope="row" { span.swatch.played {} "played" } td { (decision.turn) " (" (format!("{:+.3}", decision.value)) ")" } }
        @if decision.best != decision.turn {
            tr { th scope="row" { span.swatch.best {} "best" } td { (decision.best) " (" (format!("{:+.3}", decision.best_value)) ")" } }
        }
        @if decision.is_forced() {
            (fact("choice", "forced".to_owned()))
        } @else {
            (fact("loss", format!("{:.3} {}", decision.loss(), mark.map_or("", Mark::signs))))
            (fact("choice", format!("{} turns, {} outcomes", decision.turns, decision.outcomes)))
        }
        @if decision.missed_capture { (fact("king", "it could have been captured".to_owned())) }
        @if decision.captured { (fact("king", "captured".to_owned())) }
        @else {
            (fact("danger to the king", format!(
                "{} before, {} after, {} after the best",
                throws(decision.danger.before), throws(decision.danger.after), throws(decision.danger.best)
            )))
        }
        (fact("revaluation", format!("{:+.3}", decision.revaluation)))
        @if let Some(look) = &decision.rollout {
            (fact("rolled out", format!(
                "{} games of either turn: loss {:.3} at depth {}, {:.3} ± {:.3} by rollouts",
                look.games, look.loss_before, decision.depth, decision.loss(), look.error
            )))
        }
    }
}

/// The SHA-256 of the script in base 64.
fn script_hash() -> String {
    BASE64_STANDARD.encode(Sha256::digest(SCRIPT))
}

#[cfg(test)]
mod tests;
