//! Reports of made-up journals.

use super::*;
use crate::record::{DiceSource, EndKind, EndRecord, Game, Ply, Seat};
use astragal::board::STARTPOS;
use astragal::rules::below;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

fn header(names: &[&str], timed: bool) -> Header {
    let header = crate::report::testing::header(names);
    let control = if timed { "10+0.1" } else { "untimed" }.to_owned();
    Header { control, timed, concurrency: timed.then_some(1), ..header }
}

/// A game that White's luck and a little more decide; players of higher numbers take more time and win more.
fn game(number: u64, players: [usize; 2], timed: bool, rng: &mut ChaCha8Rng) -> Game {
    let mut unit = || below(rng, 1 << 30) as f64 / (1 << 30) as f64;
    let mut clocks = [10_000.0; 2];
    let length = 12 + (unit() * 60.0) as usize;
    let mut plies = Vec::new();
    for ply in 0..length {
        let side = ply % 2;
        let pace = 0.02 + 0.02 * players[side] as f64;
        let time = clocks[side] * pace * (0.2 + 1.6 * unit() * unit()) * if unit() < 0.1 { 0.01 } else { 1.0 };
        clocks[side] += 100.0 - time;
        plies.push(Ply {
            roll: "PNB".to_owned(),
            turn: Some("e2e4".to_owned()),
            passed: unit() < 0.03,
            time_ms: timed.then_some(time),
            clock_left_ms: timed.then_some(clocks[side] as i64),
            luck: Some((unit() - 0.5) * 0.5),
            ..Ply::default()
        });
    }
    let luck: f64 = plies.iter().filter_map(|ply| ply.luck).sum();
    let skill = (players[0] as f64 - players[1] as f64) * 0.15;
    let result = if luck + skill + (unit() - 0.5) > 0.0 { 1.0 } else { 0.0 };
    let winner = if result > 0.5 { players[0] } else { players[1] };
    let loser = players[0] + players[1] - winner;
    let (kind, player) = match number % 40 {
        3 => (EndKind::Time, Some(loser)),
        17 => (EndKind::Crash, Some(loser)),
        29 => (EndKind::HalfmoveClock, None),
        _ => (EndKind::KingCapture, Some(winner)),
    };
    Game {
        number,
        pair: number / 2,
        half: (number % 2) as u8,
        id: None,
        white: players[0],
        black: players[1],
        seats: [Seat::default(), Seat::default()],
        started_ms: None,
        dice: DiceSource::Given,
        luck_by: None,
        opening: STARTPOS.to_owned(),
        plies,
        result: if player.is_none() { 0.5 } else { result },
        end: EndRecord { kind, player, detail: String::new(), last_lines: Vec::new() },
        final_dfen: STARTPOS.to_owned(),
    }
}

fn event(names: &[&str], games: u64, timed: bool) -> String {
    let header = header(names, timed);
    let mut data = Data::new(&header);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let pairings: Vec<_> = (0..names.len()).flat_map(|i| (0..i).map(move |j| [j, i])).collect();
    for number in 0..games {
        let [one, other] = pairings[(number / 2) as usize % pairings.len()];
        let players = if number % 2 == 0 { [one, other] } else { [other, one] };
        data.add(&game(number, players, timed, &mut rng));
    }
    let context = Context {
        command: "arena match 'a<b' c --seed 7",
        sprt: "0,40,0.05,0.05".parse().ok(),
        machines: &[Machine::of(&header)],
        is_replayable: true,
        shards: &[],
    };
    let page = render(&header, &data, &context).expect("a page");
    // To look at by hand: the folder that this variable names gets the pages.
    if let Ok(folder) = std::env::var("ARENA_SAMPLE_REPORTS") {
        let name = format!("{folder}/{}-{games}-{timed}.html", names.len());
        std::fs::write(name, &page).expect("the folder can be written to");
    }
    page
}

#[test]
fn a_timed_match_has_all_its_plots_and_says_what_it_holds_for() {
    let page = event(&["greedy", "expectimax"], 600, true);
    assert_eq!(page.matches("<svg").count(), 5);
    assert!(page.contains("hold within this box and this session only") && page.contains("Example CPU"));
    for text in ["Pairs with 0, ½, 1, 1½, 2 points", "through A greedy", "halfmove-clock", "Lowest clock", "balanced"]
    {
        assert!(page.contains(text), "{text}");
    }
    assert!(page.contains("Luck-adjusted Elo") && page.contains("H0 accepted"), "adjusted and decided");
    assert_eq!(page, event(&["greedy", "expectimax"], 600, true), "the same games make the same page");
}

#[test]
fn names_and_commands_are_text_not_markup() {
    let page = event(&["<script>alert(1)</script>&\"'", "<b>"], 8, true);
    assert!(!page.contains("<script") && !page.contains("<b><b>"));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;"));
    assert!(page.contains("arena match 'a&lt;b' c --seed 7"));
}

#[test]
fn nothing_is_loaded_from_outside() {
    let page = event(&["greedy", "expectimax", "random"], 60, true);
    assert!(page.contains("default-src 'none'"));
    let references = page.replace("http://www.w3.org/2000/svg", "");
    for text in ["http:", "https:", "src=\"", "href=", "url(", "@import", "<script", "<link"] {
        assert!(!references.contains(text), "{text}");
    }
}

#[test]
fn tournaments_have_standings_and_untimed_ones_no_times() {
    let page = event(&["greedy", "expectimax", "greedy"], 300, false);
    assert!(page.contains("Standings") && page.contains("A greedy") && page.contains("C greedy"));
    assert!(page.contains("A greedy against B expectimax"));
    assert!(page.contains("Not timed") && page.contains("Times are not recorded"));
    assert_eq!(page.matches("<svg").count(), 6, "score and test of three pairings");
}

#[test]
fn few_games_and_none_still_make_a_page() {
    for games in [0, 1, 2, 4] {
        let page = event(&["greedy", "expectimax"], games, true);
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"));
        assert!(!page.contains("NaN"), "{games} games");
    }
}

#[test]
fn no_point_of_forty_still_has_an_interval() {
    let header = header(&["one", "two"], false);
    let mut data = Data::new(&header);
    let lost = (0..40).map(|number| {
        let players = if number % 2 == 0 { [0, 1] } else { [1, 0] };
        crate::report::testing::summary(number, players, (number % 2) as f64)
    });
    data.games.extend(lost.map(|game| crate::report::results::tournament_game(&game)));
    let machines = [Machine::of(&header)];
    let context = Context { command: "", is_replayable: false, shards: &[], sprt: None, machines: &machines };
    let page = render(&header, &data, &context).expect("a page");
    assert!(page.contains("0.00 % [0.00, 16.84] (95 %)"), "{page}");
}

#[test]
fn the_luck_adjustment_says_on_what_it_rests() {
    let page = event(&["greedy", "expectimax"], 60, false);
    let (_, rest) = page.split_once("The luck adjustment rests on</th><td>").expect("the row");
    let (value, _) = rest.split_once('<').expect("a cell");
    assert!(value.split(' ').nth(1).is_some_and(|unit| unit.starts_with("pairs")), "{value}");
}
