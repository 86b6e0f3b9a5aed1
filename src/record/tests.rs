//! Journals and games in progress, sound and otherwise.

use super::*;
use crate::board::STARTPOS;
use crate::rules::{below, legal_turns};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use std::path::PathBuf;

/// A journal that a version wrote whose format was 1.
const OLD: &str = include_str!("../../tests/records/format1.jsonl");

fn reader(text: &[u8]) -> Reader<&[u8]> {
    Reader::new(text).unwrap_or_else(|error| panic!("{error}"))
}

fn games(text: &[u8]) -> Vec<Game> {
    let mut reader = reader(text);
    std::iter::from_fn(|| reader.next_game()).map(|game| game.unwrap_or_else(|error| panic!("{error}"))).collect()
}

fn path(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("astragal-record-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

/// The bytes of a journal with these games.
fn written(name: &str, header: &Header, games: &[Game]) -> Vec<u8> {
    let path = path(name);
    let mut journal = Journal::create(&path, header).unwrap_or_else(|error| panic!("{error}"));
    for game in games {
        journal.append(game).unwrap_or_else(|error| panic!("{error}"));
    }
    drop(journal);
    let bytes = std::fs::read(&path).expect("it was written");
    std::fs::remove_file(&path).expect("it was written");
    bytes
}

#[test]
fn format_1_is_read_and_says_all_that_format_2_does() {
    let games = games(OLD.as_bytes());
    assert_eq!(games.len(), 2);
    for (number, game) in (0..).zip(&games) {
        assert_eq!((game.number, game.pair, &game.dice), (number, 0, &DiceSource::Seed { seed: 7, pair: 0 }));
        assert_eq!(game.seats[0].control, "untimed");
        assert_eq!(game.luck_by.as_deref(), Some(LINEAR_EVALUATION));
        assert_eq!(game.dice.check(game), Ok(()));
        assert_eq!(replay(game, |_, _, _| ()).expect("a sound game").to_string(), game.final_dfen);
    }
    assert_eq!(games[0].seats[0].name, reader(OLD.as_bytes()).header().players[0].name);
    assert_eq!(games[0].seats[0], games[1].seats[1]);
}

#[test]
fn format_2_gives_back_what_was_written() {
    let header = Header { format: FORMAT, ..reader(OLD.as_bytes()).header().clone() };
    let mut before = games(OLD.as_bytes());
    before[1].id = Some("g-1".to_owned());
    before[1].started_ms = Some(1_764_000_000_000);
    before[1].plies[0].thrown = Some(before[1].plies[0].roll.chars().rev().collect());
    before[1].end = EndRecord::new(EndKind::Aborted);
    let text = written("again", &header, &before);
    assert_eq!(games(&text), before);
    assert_eq!(reader(&text).header(), &header);
    // Written once more it is the same to the byte.
    assert_eq!(written("once-more", &header, &games(&text)), text);
    let marked = [b"\xef\xbb\xbf", &text[..]].concat();
    assert_eq!(games(&marked), before, "a byte order mark is no part of it");
}

#[test]
fn players_that_only_games_name_are_found_by_their_names() {
    let header = Header::free("bridge 1.0", vec![PlayerRecord::named("us", PlayerKind::Cmd)]);
    let mut before = games(OLD.as_bytes());
    for (game, names) in before.iter_mut().zip([["them", "us"], ["us", "others"]]) {
        game.seats = names.map(|name| Seat { name: name.to_owned(), control: "60+1".to_owned() });
    }
    let text = written("free", &header, &before);
    let mut reader = reader(&text);
    let mut places = Vec::new();
    while let Some(game) = reader.next_game() {
        let game = game.expect("a sound game");
        places.push((game.white, game.black));
    }
    assert_eq!(places, [(1, 0), (0, 2)]);
    let names: Vec<&str> = reader.header().players.iter().map(|player| player.name.as_str()).collect();
    assert_eq!(names, ["us", "them", "others"]);
}

#[test]
fn a_bad_line_is_named_and_the_next_one_read() {
    let lines: Vec<&str> = OLD.lines().collect();
    let twice = lines[1].to_owned();
    let stranger = lines[2].replacen("\"white\":1", "\"white\":7", 1);
    let half = lines[2].replacen("\"result\":", "\"result\":0.25,\"x\":", 1);
    let unknown = lines[2].replacen("\"kind\":\"king-capture\"", "\"kind\":\"\\u001b[2J\"", 1);
    let text = [lines[0], lines[1], "nonsense", &twice, &stranger, &half, &unknown, "[1]", lines[0], lines[2], "torn"];
    let text = text.join("\n");
    let mut reader = reader(text.as_bytes());
    let (mut sound, mut bad) = (Vec::new(), Vec::new());
    while let Some(game) = reader.next_game() {
        match game {
            Ok(game) => sound.push(game.number),
            Err(ReadError::Line(line)) => bad.push(line),
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(sound, [0, 1]);
    assert_eq!(bad.iter().map(|line| line.number).collect::<Vec<_>>(), [3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(reader.torn(), Some(11));
    assert_eq!(reader.whole_bytes() as usize, text.len() - "torn".len());
    assert!(bad[1].what.contains("for the second time"), "{}", bad[1]);
    assert!(bad[4].what.contains("\\u{1b}[2J"), "{}", bad[4]);
}

#[test]
fn what_is_no_journal_is_refused() {
    for text in ["", "\n", "hello\n", "{}\n", "{\"type\":\"game\"}\n", &OLD[..100]] {
        assert!(matches!(Reader::new(text.as_bytes()), Err(ReadError::NoHeader)), "{text}");
    }
    let later = OLD.replacen("\"format\":1", "\"format\":3", 1);
    assert!(matches!(Reader::new(later.as_bytes()), Err(ReadError::Format(3))));
    assert!(matches!(Reader::new(std::io::repeat(b'x').take_buffered()), Err(ReadError::LongLine(1))));
    // Short texts in a list that takes much more room in memory than on disk.
    let header = OLD.lines().next().expect("a header");
    let plies = vec!["{\"roll\":\"\"}"; line::MOST_PLIES + 1].join(",");
    let game = format!(
        "{{\"type\":\"game\",\"number\":0,\"pair\":0,\"half\":0,\"white\":0,\"black\":1,\"opening\":\"\",\"plies\":[{plies}],\
         \"result\":0,\"end\":{{\"kind\":\"time\"}},\"final_dfen\":\"\"}}\n"
    );
    let text = format!("{header}\n{game}{game}");
    let error = reader(text.as_bytes()).next_game().expect("a line").expect_err("too many plies").to_string();
    assert!(error.starts_with("line 2: ") && error.contains("at most 100000"), "{error}");
}

/// A reader without an end, as a buffered one.
trait Buffered: std::io::Read + Sized {
    fn take_buffered(self) -> std::io::BufReader<Self> {
        std::io::BufReader::new(self)
    }
}

impl<R: std::io::Read> Buffered for R {}

#[test]
fn an_old_journal_is_not_continued_and_a_new_one_is() {
    let path = path("old");
    std::fs::write(&path, OLD).expect("a file for temporary use");
    let header = Header { format: FORMAT, ..reader(OLD.as_bytes()).header().clone() };
    let refused = Journal::resume(&path, &header, |_| ()).expect_err("an old format").to_string();
    assert!(refused.contains("format 1") && refused.contains("arena merge"), "{refused}");
    assert_eq!(std::fs::read_to_string(&path).expect("it is there"), OLD);

    let games = games(OLD.as_bytes());
    let text = written("whole", &header, &games);
    std::fs::write(&path, &text[..text.len() - 9]).expect("a file for temporary use");
    let mut kept = 0;
    let (mut journal, contents) = Journal::resume(&path, &header, |_| kept += 1).expect("the same event");
    assert!(kept == 1 && contents.note.is_some());
    journal.append(&games[1]).expect("it can be written");
    assert_eq!(std::fs::read(&path).expect("it is there"), text);
    std::fs::remove_file(&path).expect("it is there");
}

#[test]
fn a_journal_of_free_games_is_continued_whoever_has_played() {
    let header = Header::free("tests 1", Vec::new());
    let games = games(OLD.as_bytes());
    let path = path("free");
    let text = written("free-whole", &header, &games);
    std::fs::write(&path, written("free-part", &header, &games[..1])).expect("a file for temporary use");
    let (mut journal, contents) = Journal::resume(&path, &header, |_| ()).expect("the same event");
    assert_eq!(contents.header.players.len(), 2, "the players of the game");
    journal.append(&games[1]).expect("it can be written");
    assert_eq!(std::fs::read(&path).expect("it is there"), text);
    std::fs::remove_file(&path).expect("it is there");
}

#[test]
fn damaged_journals_cost_a_message_and_nothing_else() {
    let header = Header { format: FORMAT, ..reader(OLD.as_bytes()).header().clone() };
    let sound = written("damaged", &header, &games(OLD.as_bytes()));
    let mut file = Vec::new();
    let game = &games(OLD.as_bytes())[0];
    let mut running =
        RunningGame::begin(&mut file, Start::new("x", game.seats.clone(), &game.opening)).expect("memory");
    for ply in &game.plies {
        running.write(ply.clone()).expect("a sound game");
    }
    drop(running);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..2000 {
        let mut journal = sound.clone();
        let mut running = file.clone();
        for text in [&mut journal, &mut running] {
            for _ in 0..1 + below(&mut rng, 16) {
                let at = below(&mut rng, text.len() as u64) as usize;
                text[at] = below(&mut rng, 256) as u8;
            }
        }
        if let Ok(mut reader) = Reader::new(&journal[..]) {
            while let Some(game) = reader.next_game() {
                if let Ok(game) = game {
                    let _ = (replay(&game, |_, _, _| ()), game.dice.check(&game));
                }
            }
        }
        if let Ok(recovered) = recover(&running[..]) {
            assert!(recovered.plies().len() <= game.plies.len());
        }
    }
}

#[test]
fn fair_dice_are_those_that_the_platform_threw() {
    // Two games that the platform's server was seen to play.
    let games = [
        (
            "462d30f76133fffdb6728f6c8ccc195f1ffcc1d88d58cdff9842d360b3db8379",
            "9d056914ba90d387867a5cf5379342334bc90d28397b569a25172f9b2c79aca2",
            ["00112233445566778899aabbccddeeff", "ffeeddccbbaa99887766554433221100"],
            "BNN PRP BKN PBK RBP KPQ PRN BPQ BPQ PQP NPB QRR QKB NKP PNR QKN QQK RQR QQQ",
        ),
        (
            "6b11c7eb79b2ebf61f6076278784284e984a49e30c111aa5dd561dc09dd84f10",
            "180dfca45353998afc9a0b3fa90c55a084449560a85127cf593612411a2223d8",
            ["bot:team:dragons:astragal", "bot:team:knights:rival"],
            "KQB BBB PPK RBQ QNP KKP",
        ),
    ];
    for (commit, seed, client_seeds, throws) in games {
        let dice = DiceSource::Fair {
            commit: commit.to_owned(),
            seed: Some(seed.to_owned()),
            client_seeds: Some(client_seeds.map(str::to_owned)),
        };
        let ply = |thrown: &str| Ply {
            roll: crate::board::Dice::parse(thrown).expect("dice").to_string(),
            thrown: Some(thrown.to_owned()),
            ..Ply::default()
        };
        let mut game = super::tests::games(OLD.as_bytes()).remove(0);
        game.plies = throws.split(' ').map(ply).collect();
        assert_eq!(dice.check(&game), Ok(()));

        game.plies[1].thrown = Some(game.plies[1].thrown.iter().flat_map(|text| text.chars().rev()).collect());
        if throws.starts_with("BNN") {
            game.plies[1].thrown = Some("RPP".to_owned());
            assert!(matches!(dice.check(&game), Err(DiceProblem::Roll { ply: 2, .. })));
        }
        game.plies[1].roll = "PPP".to_owned();
        assert!(matches!(dice.check(&game), Err(DiceProblem::Roll { ply: 2, .. })));
        for (commit, seed, expected) in [
            (seed, Some(seed), DiceProblem::Commitment),
            (commit, Some("x"), DiceProblem::Hexadecimal),
            (commit, None, DiceProblem::NoSeeds),
        ] {
            let bad = DiceSource::Fair {
                commit: commit.to_owned(),
                seed: seed.map(str::to_owned),
                client_seeds: Some(client_seeds.map(str::to_owned)),
            };
            assert_eq!(bad.check(&game), Err(expected));
        }
    }
}

#[test]
fn other_dice_than_those_of_the_seed_are_found() {
    let mut game = games(OLD.as_bytes()).remove(0);
    game.plies[3].roll = "KKK".to_owned();
    let error = game.dice.check(&game).expect_err("another roll").to_string();
    assert!(error.starts_with("ply 4: the roll is KKK, and the seed gives "), "{error}");
}

#[test]
fn a_game_that_cannot_have_been_played_is_refused_at_its_place() {
    let sound = games(OLD.as_bytes()).remove(0);
    let broken = |change: &dyn Fn(&mut Game)| {
        let mut game = sound.clone();
        change(&mut game);
        replay(&game, |_, _, _| ()).expect_err("it cannot have been played").to_string()
    };
    assert!(broken(&|game| game.opening = "\u{1b}".to_owned()).starts_with("opening: "));
    assert!(broken(&|game| game.opening.push_str("PNB")).starts_with("opening: "));
    assert!(broken(&|game| game.plies[0].turn = Some("a1a8".to_owned())).starts_with("ply 1: a1a8: "));
    assert!(broken(&|game| game.plies[2].roll = "PP".to_owned()).starts_with("ply 3: "));
    assert!(broken(&|game| game.plies[2].roll = "\u{1b}".to_owned()).contains("\\u{1b}"));
    assert!(broken(&|game| game.plies[1].turn = None).starts_with("ply 3: the roll before it was not played"));
    assert!(broken(&|game| game.final_dfen = STARTPOS.to_owned()).starts_with("it leads to "));
    assert!(broken(&|game| game.plies.push(Ply { roll: "PPP".to_owned(), ..Ply::default() })).contains("captured"));
}

/// A game of random turns that is written as it goes; what was written, and the game at the end.
fn running(seed: u64) -> (Vec<u8>, Game) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut file = Vec::new();
    let mut game = RunningGame::begin(&mut file, Start::new("g", Default::default(), STARTPOS)).expect("memory");
    for number in 0..12 {
        let roll = seeded_roll(seed, 0, number).to_string();
        game.write(Ply { roll: roll.clone(), ..Ply::default() }).expect("a roll");
        let turns = legal_turns(game.position());
        let turn =
            turns.get(below(&mut rng, turns.len() as u64) as usize).map_or("0000".to_owned(), ToString::to_string);
        game.write(Ply { roll, turn: Some(turn), ..Ply::default() }).expect("a legal turn");
    }
    game.set_dice(DiceSource::Seed { seed, pair: 0 }).expect("memory");
    let game = game.end(1.0, EndRecord::new(EndKind::Resignation)).expect("memory");
    (file, game)
}

#[test]
fn a_game_in_progress_is_recovered_from_any_part_of_its_file() {
    let (file, game) = running(3);
    assert_eq!(game.dice.check(&game), Ok(()));
    assert!(replay(&game, |_, _, _| ()).is_ok());
    let recovered = recover(&file[..]).expect("it is whole");
    assert_eq!(recovered.ended(), Some(game.clone()));
    assert!(recovered.problem().is_none() && recovered.whole_bytes() as usize == file.len());
    let first = file.iter().position(|&byte| byte == b'\n').expect("a line");
    for length in 0..file.len() {
        let recovered = match recover(&file[..length]) {
            Ok(recovered) => recovered,
            Err(_) if length <= first => continue,
            Err(error) => panic!("{length}: {error}"),
        };
        let whole = file[..length].iter().rposition(|&byte| byte == b'\n').expect("a line") + 1;
        assert_eq!(recovered.whole_bytes() as usize, whole, "{length}");
        assert_eq!(recovered.problem().is_some(), whole < length, "{length}");
        // Every ply that it has is one of the game, but that the last one may lack its turn.
        for (found, ply) in recovered.plies().iter().zip(&game.plies) {
            assert!(found.roll == ply.roll && (found.turn.is_none() || found == ply), "{length}");
        }
    }
}

#[test]
fn a_game_goes_on_where_its_file_ends() {
    let (file, game) = running(5);
    let cut = file.len() / 2;
    let recovered = recover(&file[..cut]).expect("a part");
    let mut again = file[..recovered.whole_bytes() as usize].to_vec();
    let from = recovered.plies().iter().take_while(|ply| ply.turn.is_some()).count();
    let mut going_on = RunningGame::go_on(&mut again, recovered);
    for ply in &game.plies[from..] {
        going_on.write(ply.clone()).expect("a sound game");
    }
    going_on.set_dice(game.dice.clone()).expect("memory");
    assert_eq!(going_on.end(game.result, game.end.clone()).expect("memory"), game);
    assert_eq!(recover(&again[..]).expect("it is whole").ended(), Some(game));
}

#[test]
fn a_ply_that_is_not_of_the_game_is_not_written() {
    let mut file = Vec::new();
    let mut game = RunningGame::begin(&mut file, Start::new("g", Default::default(), STARTPOS)).expect("memory");
    let ply = |roll: &str, turn: &str| Ply { roll: roll.to_owned(), turn: Some(turn.to_owned()), ..Ply::default() };
    game.write(ply("PNB", "e2e4,g1f3,f1c4")).expect("a legal turn");
    assert!(matches!(game.write(ply("PNB", "e2e4")), Err(RunningError::Ply(_))));
    assert!(matches!(game.write(ply("PN", "e7e5")), Err(RunningError::Ply(_))));
    assert_eq!((game.plies().len(), game.position().position.fullmove()), (1, 1));
    drop(game);
    assert_eq!(file.iter().filter(|&&byte| byte == b'\n').count(), 2);
    // A line by another hand that is not legal is named, and what stands before it kept.
    file.extend_from_slice(b"{\"type\":\"ply\",\"number\":2,\"roll\":\"PPP\",\"turn\":\"a1a8\"}\n");
    let recovered = recover(&file[..]).expect("a game");
    assert_eq!(recovered.plies().len(), 1);
    assert!(recovered.problem().is_some_and(|line| line.number == 3));
    assert_eq!(recovered.end_as(0.5, EndRecord::new(EndKind::Aborted)).plies.len(), 1);
}

/// Takes nothing.
struct Full;

impl std::io::Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_cannot_be_written_is_not_of_the_game() {
    let mut file = Vec::new();
    let mut game = RunningGame::begin(&mut file, Start::new("g", Default::default(), STARTPOS)).expect("memory");
    let rolled = Ply { roll: "PNB".to_owned(), ..Ply::default() };
    let played = Ply { turn: Some("e2e4,g1f3,f1c4".to_owned()), ..rolled.clone() };
    game.write(rolled).expect("memory");
    let (plies, here) = (game.plies().to_vec(), *game.position());
    let recovered = recover(&file[..]).expect("a game");
    let mut game = RunningGame::go_on(Full, recovered);
    assert!(matches!(game.write(played), Err(RunningError::Io(_))));
    assert!(game.set_dice(DiceSource::Seed { seed: 1, pair: 0 }).is_err());
    assert!(game.end(0.0, EndRecord::new(EndKind::Resignation)).is_err());
    assert_eq!((game.plies(), *game.position(), &game.start().dice), (&plies[..], here, &DiceSource::Given));
}
