//! The steps of a conformance run, in order.

use super::{Checker, Step};
use astragal::board::Rolled;
use astragal_client::{Declared, Pipe};
use std::time::Duration;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Positions for which a legal turn is asked: why, and the DFEN with its dice.
const TURNS: [(&str, &str); 7] = [
    ("a turn from a DFEN", "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 5 4 pnb"),
    ("castling with K and R", "4k3/8/8/8/8/8/4P3/4K2R w K - 0 1 PRK"),
    ("a promotion", "8/P6k/8/8/3K4/8/p7/8 w - - 0 60 PQK"),
    ("en passant", "4k3/8/8/8/2pP1pPp/8/8/4K3 b - d3g3 0 30 ppk"),
    ("a capture of the king", "4k3/8/8/8/8/8/8/4RK2 w - - 0 40 PPR"),
    ("dice that cannot all be used", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 40 PQQ"),
    ("two dice left of three", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 40 PK"),
];

/// Turns from the start with their rolls, and where they lead, with the next roll.
const AFTER_MOVES: (&str, &str) = (
    "PNB:e2e4,g1f3,f1c4 PPP:c7c5,e7e5,g7g5",
    "rnbqkbnr/pp1p1p1p/8/2p1p1p1/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq c6e6g6 0 2 NBK",
);

fn without_rolls(turns: &str) -> String {
    let turn = |word: &str| word.split_once(':').map_or_else(|| word.to_owned(), |(_, turn)| turn.to_owned());
    turns.split(' ').map(turn).collect::<Vec<_>>().join(" ")
}

/// Does all steps.
pub(super) fn all(checker: &mut Checker) {
    handshake(checker);
    // Nothing can be asked of an engine that does not introduce itself.
    if checker.steps.first().is_none_or(|step| step.seen.is_err()) {
        return;
    }
    turns(checker);
    limits(checker);
    interruptions(checker);
    robustness(checker);
    ends(checker);
}

fn rolled(dfen: &str) -> Option<Rolled> {
    Rolled::from_dfen(dfen).ok()
}

/// Asks for a turn at a position and checks it.
fn ask(checker: &mut Checker, name: &'static str, position: &str, dfen: &str, go: &str, within: Option<Duration>) {
    // The positions here are sound: a test reads them all.
    let Some(rolled) = rolled(dfen) else { return };
    let expected = match within {
        None => "bestmove with a legal turn".to_owned(),
        Some(time) => format!("bestmove with a legal turn within {} ms", time.as_millis()),
    };
    checker.step(name, &format!("position {position}\ngo {go}\n"), &expected, |checker| {
        let (line, took) = checker.wait_for_turn(&rolled)?;
        match within {
            Some(time) if took > time => Err(format!("{line} after {} ms", took.as_millis())),
            Some(_) => Ok(format!("{line} after {} ms", took.as_millis())),
            None => Ok(line),
        }
    });
}

fn handshake(checker: &mut Checker) {
    let mut declared = Vec::new();
    checker.step("introduction", "uci\n", "id name, id author, uciok", |checker| {
        let (mut name, mut author) = (None, false);
        checker.wait_for(
            |line| line.trim() == "uciok",
            |line| {
                if let Some(text) = line.strip_prefix("id name ") {
                    name = Some(text.to_owned());
                }
                author |= line.starts_with("id author ");
                if line.starts_with("option") {
                    declared.push(line.to_owned());
                }
                Ok(())
            },
        )?;
        match (name, author) {
            (Some(name), true) => Ok(format!("{name}, uciok")),
            (None, _) => Err("no id name".to_owned()),
            (_, false) => Err("no id author".to_owned()),
        }
    });
    let read: Result<Vec<Declared>, String> =
        declared.iter().map(|line| Declared::parse(line).map_err(|error| error.to_string())).collect();
    let seen = read.and_then(|options| {
        for option in &options {
            if let Some(default) = &option.default {
                option.check(default).map_err(|error| format!("default of {error}"))?;
            }
        }
        Ok(format!("{} options", options.len()))
    });
    let expected = "every option line is well formed, its default allowed".to_owned();
    checker.steps.push(Step { name: "options", sent: String::new(), expected, seen });
    ready(checker, "readiness", "");
    ready(checker, "a new game", "ucinewgame\n");
}

/// Sends lines and sees whether the engine is ready afterwards.
fn ready(checker: &mut Checker, name: &'static str, lines: &str) {
    checker.step(name, &format!("{lines}isready\n"), "readyok", |checker| checker.wait_for_line("readyok"));
}

fn turns(checker: &mut Checker) {
    let first = format!("{START} NNP");
    ask(checker, "a turn from the start", "startpos dice PNN", &first, "movetime 200", None);
    for (name, dfen) in TURNS {
        ask(checker, name, &format!("dfen {dfen}"), dfen, "movetime 200", None);
    }
    let with_rolls = format!("startpos moves {} dice NBK", AFTER_MOVES.0);
    ask(checker, "moves with their rolls", &with_rolls, AFTER_MOVES.1, "movetime 200", None);
    let without = format!("startpos moves {} dice NBK", without_rolls(AFTER_MOVES.0));
    ask(checker, "moves without rolls", &without, AFTER_MOVES.1, "movetime 200", None);
    ask(checker, "a forced pass", "startpos dice QQQ", &format!("{START} QQQ"), "movetime 200", None);
    ask(checker, "no dice", "startpos", START, "depth 1", None);
}

fn limits(checker: &mut Checker) {
    let dfen = format!("{START} PNB");
    let position = format!("dfen {dfen}");
    let ms = Duration::from_millis;
    for (name, go, within) in [
        ("depth", "depth 1", None),
        ("nodes", "nodes 100", None),
        ("a time a turn", "movetime 300", Some(ms(400))),
        ("a clock", "wtime 3000 btime 3000 winc 0 binc 0", Some(ms(1500))),
        ("a clock with all words", "btime 9000 wtime 9000 movestogo 20 winc 100 binc 100 wdelay 0", Some(ms(4500))),
        ("a clock nearly out", "wtime 100 btime 100 winc 0 binc 0", Some(ms(100))),
        ("an empty clock", "wtime 0 btime 0 winc 0 binc 0", Some(ms(500))),
        ("a clock below zero", "wtime -500 btime -500", Some(ms(500))),
        ("unknown words", "foo bar 7 movetime 100 baz", Some(ms(1000))),
    ] {
        ask(checker, name, &position, &dfen, go, within);
    }
}

fn interruptions(checker: &mut Checker) {
    let Some(position) = rolled(&format!("{START} PNB")) else { return };
    checker.step(
        "isready during a search",
        &format!("position dfen {START} PNB\ngo infinite\nisready\n"),
        "readyok, and no bestmove",
        |checker| {
            let early = |line: &str| {
                if line.starts_with("bestmove") { Err(format!("{line} before stop")) } else { Ok(()) }
            };
            checker.wait_for(|line| line.trim() == "readyok", early)
        },
    );
    checker.step("stop", "stop\n", "bestmove with a legal turn within 500 ms", |checker| {
        match checker.wait_for_turn(&position)? {
            (line, took) if took > Duration::from_millis(500) => Err(format!("{line} after {} ms", took.as_millis())),
            (line, _) => Ok(line),
        }
    });
    checker.step("stop without a search", "stop\nstop\n", "no bestmove", |checker| {
        checker.is_silent().map(|()| "nothing".to_owned())
    });
    checker.step(
        "an option during a search",
        &format!("position dfen {START} PNB\ngo infinite\nsetoption name Nonsense value 1\nisready\nstop\n"),
        "readyok, and one bestmove",
        |checker| {
            let mut line = None;
            checker.wait_for(
                |line| line.trim() == "readyok",
                |other| {
                    if other.starts_with("bestmove") {
                        line = Some(other.to_owned());
                    }
                    Ok(())
                },
            )?;
            let line = match line {
                Some(line) => line,
                None => checker.wait_for_turn(&position)?.0,
            };
            checker.is_silent().map(|()| line)
        },
    );
}

fn robustness(checker: &mut Checker) {
    ready(checker, "an unknown command", "frobnicate 1 2 3\n");
    ready(checker, "an unknown option", "setoption name Nonsense value 1\n");
    ready(checker, "an empty line", "\n \t \n");
    ready(checker, "a bad position", "position dfen 9/8 w - - 0 1 -\n");
    ready(checker, "an impossible turn", "position startpos moves e2e5 dice PPP\n");
    ready(checker, "bad dice", "position startpos dice XYZ\n");
    let dfen = format!("{START} PNB");
    ask(checker, "a turn after all that", &format!("dfen {dfen}"), &dfen, "movetime 100", None);
}

/// How long an engine may take to end.
const FAREWELL: Duration = Duration::from_secs(2);

fn ends(checker: &mut Checker) {
    let expected = "the program ends with exit code 0 within 2 s";
    checker.step("quit", "quit\n", expected, |checker| ended(&mut checker.pipe));
    match Pipe::spawn(&checker.launch) {
        Ok(pipe) => checker.pipe = pipe,
        Err(error) => {
            let step = Step { name: "a second start", sent: String::new(), expected: String::new(), seen: Err(error) };
            checker.steps.push(step);
            return;
        }
    }
    let lines = format!("uci\nposition dfen {START} PNB\ngo infinite\n");
    checker.step("end of input during a search", &lines, expected, |checker| {
        checker.wait_for_line("uciok")?;
        checker.pipe.close_input();
        ended(&mut checker.pipe)
    });
}

fn ended(pipe: &mut Pipe) -> Result<String, String> {
    match pipe.wait_for_end(FAREWELL) {
        Some(status) if status.success() => Ok("ended".to_owned()),
        Some(status) => Err(format!("ended with {status}")),
        None => Err("still runs".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use astragal::board::Dice;
    use astragal::rules::{Turn, TurnEnd, apply_roll, first_legal_turn};

    #[test]
    fn the_positions_are_sound() {
        for (name, dfen) in TURNS {
            let rolled = rolled(dfen).unwrap_or_else(|| panic!("{name}"));
            assert_ne!(first_legal_turn(&rolled), Turn::PASS, "{name}");
        }
        let pass = rolled(&format!("{START} QQQ")).expect("a position");
        assert_eq!(first_legal_turn(&pass), Turn::PASS);
    }

    #[test]
    fn the_moves_lead_where_they_are_said_to() {
        let mut here = rolled(START).expect("a position");
        for word in AFTER_MOVES.0.split(' ') {
            let (roll, turn) = word.split_once(':').expect("a roll");
            here.dice = Dice::parse(roll).expect("dice");
            match apply_roll(&here, turn.parse().expect("a turn")) {
                Ok(TurnEnd::Position(next)) => here.position = next,
                other => panic!("{word}: {other:?}"),
            }
        }
        here.dice = Dice::parse("NBK").expect("dice");
        assert_eq!(here.to_string(), AFTER_MOVES.1);
    }
}
