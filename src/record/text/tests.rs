use super::super::{
    DiceSource, EndKind, EndRecord, Game, Header, Ply, ReadError, Records, ScoreRecord, from_history, to_history,
};
use super::*;
use crate::board::{Dice, Rolled, STARTPOS};
use crate::record::{Converter, Form, PlayerKind, PlayerRecord, Reader, game_line, header_line};
use crate::rules::{Roll, TurnEnd, apply_roll, below, legal_turns};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

fn pick<T: Clone>(rng: &mut ChaCha8Rng, from: &[T]) -> T {
    from[below(rng, from.len() as u64) as usize].clone()
}

/// A game with a bit of everything: odd names, any end, any of the optional values.
fn any_game(number: u64, players: &[PlayerRecord], free: bool) -> Game {
    let rng = &mut ChaCha8Rng::seed_from_u64(number);
    let openings = [
        STARTPOS,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 3 17 -",
        "7k/8/8/8/8/8/8/K6R w - - 90 70 -",
    ];
    let opening = pick(rng, &openings).to_owned();
    let mut rolled = Rolled::from_dfen(&opening).expect("sound");
    let most = below(rng, 12);
    let knows_order = below(rng, 3);
    let (mut plies, mut captured) = (Vec::new(), false);
    for _ in 0..most {
        let throw: Vec<char> = (0..3).map(|_| pick(rng, &['P', 'N', 'B', 'R', 'Q', 'K'])).collect();
        let throw: String = throw.into_iter().collect();
        rolled.dice = Dice::parse(&throw).expect("dice");
        let turns = legal_turns(&rolled);
        let turn = if turns.is_empty() { crate::rules::Turn::PASS } else { pick(rng, &turns) };
        let maybe = |rng: &mut ChaCha8Rng| below(rng, 2) == 0;
        let thrown = match knows_order {
            0 => None,
            1 => Some(throw),
            _ => maybe(rng).then_some(throw),
        };
        plies.push(Ply {
            roll: rolled.dice.to_string(),
            thrown,
            turn: Some(turn.to_string()),
            passed: turn.is_empty() && maybe(rng),
            score: pick(rng, &[None, Some(ScoreRecord::Cp(-12)), Some(ScoreRecord::Mate(2))]),
            depth: maybe(rng).then_some(3),
            nodes: maybe(rng).then_some(u64::MAX),
            time_ms: maybe(rng).then(|| below(rng, 1 << 40) as f64 / 1024.0),
            engine_time_ms: maybe(rng).then_some(17),
            clock_left_ms: maybe(rng).then_some(-5),
            luck: maybe(rng).then(|| below(rng, 1 << 50) as f64 / (1u64 << 50) as f64 - 0.5),
        });
        match apply_roll(&rolled, turn).expect("legal") {
            TurnEnd::KingCaptured => {
                captured = true;
                break;
            }
            TurnEnd::Position(next) => rolled = Rolled { position: next, dice: Dice::NONE },
        }
    }
    if !captured && below(rng, 4) == 0 {
        rolled.dice = Roll::from_throw(below(rng, 216) as u32).dice();
        let thrown = (knows_order == 1).then(|| rolled.dice.to_string());
        plies.push(Ply { roll: rolled.dice.to_string(), thrown, ..Ply::default() });
    }
    let kind = if captured { EndKind::KingCapture } else { pick(rng, &EndKind::ALL[1..]) };
    let white = below(rng, players.len() as u64) as usize;
    let black = (white + 1) % players.len();
    let name = |at: usize| players[at].name.clone();
    let control = |rng: &mut ChaCha8Rng| pick(rng, &["", "60+0.6", "depth=2"]).to_owned();
    let fair = DiceSource::Fair {
        commit: "ab".to_owned(),
        seed: None,
        client_seeds: Some(["x\"".to_owned(), "y\\".to_owned()]),
    };
    let dice = [DiceSource::Given, DiceSource::Seed { seed: number, pair: 2 }, fair];
    Game {
        number,
        pair: pick(rng, &[number, number / 2]),
        half: pick(rng, &[0, 1]),
        id: pick(rng, &[None, Some("id \"\u{1b}[2J\" \\u{41}".to_owned())]),
        white,
        black,
        seats: [Seat { name: name(white), control: control(rng) }, Seat { name: name(black), control: control(rng) }],
        started_ms: pick(rng, &[None, Some(1_700_000_000_123)]),
        dice: pick(rng, &dice),
        luck_by: pick(rng, &[None, Some("linear-v1".to_owned())]),
        opening,
        plies,
        result: if kind == EndKind::Aborted { 0.5 } else { pick(rng, &[0.0, 0.5, 1.0]) },
        end: EndRecord {
            kind,
            player: pick(
                rng,
                &if free {
                    vec![None, Some(white), Some(black)]
                } else {
                    vec![None, Some(white), Some(black), Some(99)]
                },
            ),
            detail: pick(rng, &["", "a\nb {c} [d] 1-0"]).to_owned(),
            last_lines: pick(rng, &[Vec::new(), vec!["one".to_owned(), "]\"}".to_owned()]]),
        },
        final_dfen: rolled.to_string(),
    }
}

fn players() -> Vec<PlayerRecord> {
    let names = ["Alice", "<script>alert(\"1\")</script>", "tab\tnewline\nend \\ \" [x] {y} \u{202e}"];
    names.iter().map(|name| PlayerRecord::named(name, PlayerKind::Remote)).collect()
}

fn header(free: bool) -> Header {
    let mut header = Header::free("test 1", players());
    if !free {
        header.event = crate::record::EventKind::RoundRobin;
        header.openings = vec![STARTPOS.to_owned()];
        header.name = Some("a \"name\"\n".to_owned());
    }
    header
}

fn read_all(text: &str) -> (Vec<Game>, Header) {
    let mut records = Records::new(text.as_bytes()).expect("readable");
    let mut games = Vec::new();
    while let Some(game) = records.next_game() {
        games.push(game.unwrap_or_else(|error| panic!("{error}\n{text}")));
    }
    (games, records.header().clone())
}

#[test]
fn the_text_record_holds_all_that_a_journal_holds() {
    for free in [false, true] {
        let header = header(free);
        let games: Vec<Game> = (0..150).map(|number| any_game(number, &header.players, free)).collect();
        let mut writer = TextWriter::of_journal(&header);
        let text: String = games.iter().map(|game| writer.game(game)).collect();
        assert!(!text.contains('\u{1b}') && text.lines().all(|line| !line.starts_with(' ')));
        let (read, read_header) = read_all(&text);
        assert_eq!(read_header, header);
        assert_eq!(read, games);
        // And through a journal on the way.
        let mut journal = header_line(&header).expect("sound");
        journal.extend(games.iter().map(|game| game_line(game, &header).expect("short")));
        let mut reader = Reader::new(journal.as_bytes()).expect("a journal");
        let from_journal: Vec<Game> =
            std::iter::from_fn(|| reader.next_game()).map(|game| game.expect("sound")).collect();
        assert_eq!(from_journal, games);
    }
}

#[test]
fn what_a_history_can_hold_survives_it_and_the_rest_is_named() {
    let players = players();
    for number in 0..150 {
        let game = any_game(number, &players, true);
        let (value, lost) = to_history(&game);
        let back = from_history(&value, number).expect("sound");
        assert_eq!(back.opening, game.opening);
        let turns = |game: &Game| {
            game.plies.iter().filter_map(|ply| Some((ply.roll.clone(), ply.turn.clone()?))).collect::<Vec<_>>()
        };
        assert_eq!(turns(&back), turns(&game));
        assert_eq!((back.result, &back.seats[0].name, &back.id), (game.result, &game.seats[0].name, &game.id));
        // A second time nothing more is lost.
        let (again, lost_again) = to_history(&back);
        assert_eq!((again, lost_again), (value, Vec::new()), "{lost:?}");
        let held = back.plies == game.plies && back.dice == game.dice && back.end.kind == game.end.kind;
        assert!(held || !lost.is_empty() || game.plies.iter().any(|ply| ply.turn.is_none()), "{game:?}");
    }
}

/// The recordings of the platform.
const HISTORIES: &str = include_str!("../../../tests/records/histories.json");

#[test]
fn the_platforms_histories_are_read_and_written() {
    let (games, _) = read_all(HISTORIES);
    assert_eq!(games.len(), 2);
    assert_eq!(games[0].end.kind, EndKind::KingCapture);
    assert_eq!((games[0].result, games[0].plies.len()), (1.0, 19));
    assert_eq!(games[0].plies[0].thrown.as_deref(), Some("BNN"));
    assert_eq!(games[0].seats[0].control, "60+1");
    assert_eq!((games[1].end.kind, games[1].result), (EndKind::Time, 0.0));
    assert_eq!(games[1].end.player, Some(games[1].white), "White ran out of time");
    for game in &games {
        assert_eq!(game.dice.check(game), Ok(()), "the dice are those of the seeds");
        let value: serde_json::Value = to_history(game).0;
        let original: serde_json::Value = serde_json::from_str(HISTORIES).expect("JSON");
        let original = &original[game.number as usize];
        for name in ["gameId", "result", "termination", "initialDfen", "fairness", "timeControl"] {
            assert_eq!(value[name], original[name], "{name}");
        }
        for (turn, other) in
            value["turns"].as_array().expect("list").iter().zip(original["turns"].as_array().expect("list"))
        {
            let captured = turn["fenAfter"].is_null();
            assert!(captured || turn == other, "{turn} {other}");
        }
    }
}

#[test]
fn a_wrong_history_is_told_with_its_turn_and_the_others_are_read() {
    let spoil = |from: &str, to: &str| HISTORIES.replacen(from, to, 1);
    let cases = [
        (spoil("2N2N2/PPPPPPPP", "2N5/PPPPPPPP"), Some(1), "fenAfter"),
        (spoil("\"b1c3\"", "\"b1c4\""), Some(1), "b1c4"),
        (spoil("\"White\"", "\"Black\""), Some(1), "White's turn"),
        (spoil("\"dice\": [\n     3", "\"dice\": [\n     7"), Some(1), "dice"),
        (spoil("king_captured", "checkmate"), None, "checkmate"),
    ];
    for (text, turn, what) in cases {
        assert_ne!(text, HISTORIES, "{what}");
        let mut records = Records::new(text.as_bytes()).expect("readable");
        match records.next_game() {
            Some(Err(ReadError::History(error))) => {
                assert_eq!((error.game, error.turn), (1, turn), "{error}");
                assert!(error.to_string().contains(what), "{error}");
            }
            other => panic!("{what}: {other:?}"),
        }
        assert!(records.next_game().is_some_and(|game| game.is_ok()), "{what}");
        assert!(records.next_game().is_none());
    }
}

#[test]
fn histories_may_follow_each_other_or_be_cut() {
    let list: serde_json::Value = serde_json::from_str(HISTORIES).expect("JSON");
    let lines = format!("{}\n{}\n", list[0], list[1]);
    assert_eq!(read_all(&lines).0.len(), 2);
    let recording = serde_json::json!({"request": {"path": "/games/x/history"}, "status": 200, "body": list[0]});
    assert_eq!(read_all(&recording.to_string()).0.len(), 1);
    let mut records = Records::new(&lines.as_bytes()[..lines.len() - 40]).expect("readable");
    assert!(records.next_game().is_some_and(|game| game.is_ok()));
    assert!(matches!(records.next_game(), Some(Err(ReadError::History(_)))));
    assert!(records.next_game().is_none());
}

#[test]
fn forms_are_told_by_their_beginning() {
    for (text, form) in [
        ("{\"gameId\": 1}", Form::History),
        ("\u{feff} [ {\"turns\": []} ]", Form::History),
        ("{A comment} 1. PPP 0000 *", Form::Text),
        ("[White \"x\"]\n\n*\n", Form::Text),
        ("", Form::Text),
        ("nonsense", Form::Text),
    ] {
        assert_eq!(Records::new(text.as_bytes()).expect("readable").form(), form, "{text}");
    }
    let journal = header_line(&header(true)).expect("sound");
    assert_eq!(Records::new(journal.as_bytes()).expect("readable").form(), Form::Journal);
}

#[test]
fn what_people_write_is_read() {
    let text = "; a remark\n[White \"A\"]\n[Event \"unknown tags are passed over\"]\n[DFEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1\"]\n\n\
        1... kpn e7e5,g8f6,e8e7 ?! {a remark; with [%eval 3] and [%score cp -20]}\n2. PNB b1c3,e2e4,f1c4\n{over two\nlines}  bbb 0000 1-0\n\n\
        [White \"B\"]\n[Result \"*\"]\n\n*\n";
    let mut reader = TextReader::new(text.as_bytes());
    let game = reader.next_game().expect("a game").expect("sound");
    assert_eq!(game.plies[0].thrown.as_deref(), Some("KPN"));
    assert_eq!((game.plies[0].roll.as_str(), game.plies[0].score), ("PNK", Some(ScoreRecord::Cp(-20))));
    assert_eq!((game.plies.len(), game.result, game.end.kind), (3, 1.0, EndKind::Resignation));
    let next = reader.next_game().expect("a second one").expect("sound");
    assert_eq!((next.plies.len(), next.end.kind), (0, EndKind::Aborted));
    assert!(reader.next_game().is_none());
    assert_eq!(reader.remarks(), 3);
}

#[test]
fn a_broken_game_is_told_with_its_line_and_the_next_one_is_read() {
    for (broken, line, what) in [
        ("1. PNB b1c3,e2e4,f1c5 *", 3, "f1c5 (micro-move 3)"),
        ("1. PNB b1c3,e2e4 *", 3, "uses 2 dice, and 3"),
        ("1. PNB b1c3,e2e4,f1c4\nqqq 0000 3. XXX *", 4, "XXX"),
        ("1. PNB kkk 0000 *", 3, "ply 1: no turn for PNB"),
        ("1. PNB b1c3,e2e4,f1c4 1-0 qqq", 3, "after the result"),
        ("{no end\nhere", 3, "without an end"),
        ("1. PN b1c3,e2e4 *", 3, "no roll of three dice"),
        ("1. PNB b1c3,e2e4,f1c4 {[%depth x]} *", 3, "depth"),
        ("1. PNB \u{1b}[2J *", 3, "\\u{1b}"),
    ] {
        let text = format!("[White \"A\"]\n\n{broken}\n\n[White \"B\"]\n\n1. PNB b1c3,e2e4,f1c4 *\n");
        let mut reader = TextReader::new(text.as_bytes());
        match reader.next_game() {
            Some(Err(ReadError::Text(error))) => {
                assert_eq!(error.line, line, "{broken}: {error}");
                assert!(error.to_string().contains(what), "{broken}: {error}");
                assert!(!error.to_string().chars().any(char::is_control), "{error}");
            }
            other => panic!("{broken}: {other:?}"),
        }
        assert!(reader.next_game().is_some_and(|game| game.is_ok_and(|game| game.seats[0].name == "B")), "{broken}");
    }
    for tag in [
        "[White]",
        "[White \"a\"b\"]",
        "[DFEN \"8/8 w\"]",
        "[Result \"2-0\"]",
        "[Game \"0\"]",
        "[End \"x\"]",
        "[Dice \"{}\"]",
    ] {
        let text = format!("{tag}\n\n*\n");
        assert!(
            matches!(TextReader::new(text.as_bytes()).next_game(), Some(Err(ReadError::Text(error))) if error.line == 1),
            "{tag}"
        );
    }
}

#[test]
fn long_lines_and_long_games_cost_a_message_at_most() {
    // A line of a MiB is a line.
    let long = format!("[White \"{}\"]\n\n1. PNB b1c3,e2e4,f1c4 {{{}}} *\n", "x".repeat(1 << 20), "y ".repeat(1 << 19));
    let game = TextReader::new(long.as_bytes()).next_game().expect("a game").expect("sound");
    assert_eq!(game.seats[0].name.len(), 1 << 20);
    // Without end there is no line.
    let endless = "z".repeat(17 << 20);
    assert!(matches!(TextReader::new(endless.as_bytes()).next_game(), Some(Err(ReadError::LongLine(1)))));
    // A game of 100,000 turns is one; one more is not.
    let turns = |count: usize| {
        let pair = "PPP 0000 ppp 0000\n".repeat(count / 2);
        format!("[DFEN \"7k/8/8/8/8/8/8/K7 w - - 0 1\"]\n\n{pair}{}*\n", if count % 2 == 1 { "PPP 0000 " } else { "" })
    };
    let text = turns(100_000);
    let game = TextReader::new(text.as_bytes()).next_game().expect("a game").expect("sound");
    assert_eq!(game.plies.len(), 100_000);
    let error = TextReader::new(turns(100_001).as_bytes()).next_game().expect("a game").expect_err("too long");
    assert!(error.to_string().contains("more than 100000 turns"), "{error}");
}

/// Writes games in a form, and reads them again.
fn through(games: &[Game], header: Option<&Header>, form: Form) -> (Vec<Game>, Option<Header>, Vec<&'static str>) {
    let mut converter = Converter::new(form, header);
    let mut text: String = games.iter().map(|game| converter.game(game).expect("short")).collect();
    text.push_str(&converter.end().expect("short"));
    let mut records = Records::new(text.as_bytes()).expect("readable");
    assert_eq!(records.form(), form);
    let read = std::iter::from_fn(|| records.next_game()).map(|game| game.expect("sound")).collect();
    (read, records.journal_header().cloned(), converter.lost().map(|(what, _)| what).collect())
}

#[test]
fn games_go_through_all_forms_and_what_is_lost_is_named() {
    for free in [false, true] {
        let header = header(free);
        let games: Vec<Game> = (0..100).map(|number| any_game(number, &header.players, free)).collect();
        for form in [Form::Text, Form::Journal] {
            assert_eq!(through(&games, Some(&header), form), (games.clone(), Some(header.clone()), Vec::new()));
        }
        for game in &games {
            let (held, none, lost) = through(std::slice::from_ref(game), Some(&header), Form::History);
            assert!(none.is_none() && lost.contains(&"the header of the journal"));
            // What survives it once goes through all forms unharmed, and back.
            for form in [Form::Text, Form::Journal, Form::History] {
                let (again, _, lost) = through(&held, None, form);
                assert_eq!((&again, lost), (&held, Vec::new()), "{form}");
            }
        }
    }
}

/// The page that describes the form.
const PROTOCOL: &str = include_str!("../../../protocol.md");

#[test]
fn the_example_of_the_page_is_read_and_every_tag_and_command_described() {
    let section = PROTOCOL.split("\n## Text records\n").nth(1).and_then(|rest| rest.split("\n## ").next());
    let section = section.expect("the section");
    let example = section.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the example");
    let (games, _) = read_all(example);
    assert_eq!((games.len(), games[0].plies.len(), games[0].result), (1, 4, 1.0));
    assert_eq!((games[0].plies[0].score, games[0].plies[3].turn.as_deref()), (Some(ScoreRecord::Cp(35)), None));
    // Whatever is written is described.
    let header = header(false);
    let mut writer = TextWriter::of_journal(&header);
    for number in 0..100 {
        let text = writer.game(&any_game(number, &header.players, false));
        for tag in text.lines().filter_map(|line| line.strip_prefix('[')?.split(' ').next()) {
            assert!(section.contains(&format!("`{tag}`")), "{tag}");
        }
        for command in text.split("[%").skip(1).filter_map(|rest| rest.split([' ', ']']).next()) {
            assert!(section.contains(&format!("`[%{command}")), "{command}");
        }
    }
    assert!(EndKind::ALL.iter().all(|kind| section.contains(&format!("`{}`", kind.name()))));
}
