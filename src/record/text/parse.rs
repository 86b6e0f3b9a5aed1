//! Reading text records.

use super::super::any::Strange;
use super::super::line::MOST_PLIES;
use super::super::reader::Lines;
use super::super::{
    EndKind, EndRecord, EventKind, Game, Header, PlayerKind, PlayerRecord, Ply, ReadError, Replayer, ScoreRecord,
    escaped,
};
use super::{CONTROLS, MOST_BYTES, NAMES, result_of, result_text, seat};
use crate::board::{Dice, STARTPOS};
use crate::rules::Roll;
use std::collections::BTreeMap;
use std::io::BufRead;
use thiserror::Error;

/// A game that cannot be read; those after it can.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {what}")]
pub struct TextError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong, fit to be shown.
    pub what: String,
}

/// A text with records that is being read, game after game.
///
/// # Examples
/// ```
/// use astragal::record::TextReader;
///
/// let text = "[White \"A\"]\n[Black \"B\"]\n\n1. PNB b1c3,e2e4,f1c4 kkk 0000 1/2-1/2\n";
/// let game = TextReader::new(text.as_bytes()).next_game().unwrap()?;
/// assert_eq!((game.plies.len(), game.result), (2, 0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TextReader<R> {
    lines: Lines<R>,
    /// The first line of the next game, which had to be read to see the end of the last one.
    ahead: Option<(usize, String)>,
    header: Header,
    names: BTreeMap<String, usize>,
    games: u64,
    remarks: usize,
    strange: Strange,
    /// The header of a journal as its tag says it.
    said: Option<Header>,
    over: bool,
}

/// A game's text, line by line with their numbers.
#[derive(Default)]
struct Gathered {
    tags: Vec<(usize, String)>,
    moves: Vec<(usize, String)>,
    bytes: usize,
}

/// Whether a line is a tag and not a command in a comment.
fn is_tag(line: &str) -> bool {
    line.strip_prefix('[').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_alphabetic()))
}

impl<R: BufRead> TextReader<R> {
    /// Reads nothing yet.
    pub fn new(reader: R) -> Self {
        Self {
            lines: Lines::new(reader),
            ahead: None,
            header: Header::free("", Vec::new()),
            names: BTreeMap::new(),
            games: 0,
            remarks: 0,
            strange: Strange::default(),
            said: None,
            over: false,
        }
    }

    /// The header of the journal that the games come from, or one made up, with the players named so far.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// How many comments for people were passed over so far.
    pub const fn remarks(&self) -> usize {
        self.remarks
    }

    /// The header of the journal that the games come from, without the players that games have named; none if they come
    /// from none.
    pub const fn journal_header(&self) -> Option<&Header> {
        self.said.as_ref()
    }

    /// Tags, marks and commands that were passed over.
    pub(in super::super) const fn strange(&self) -> &Strange {
        &self.strange
    }

    /// The next game, `None` at the end. After a [`ReadError::Text`] the game after it can be asked for.
    pub fn next_game(&mut self) -> Option<Result<Game, ReadError>> {
        if self.over {
            return None;
        }
        match self.gather() {
            Ok(None) => {
                self.over = true;
                None
            }
            Ok(Some(gathered)) => {
                let number = self.games;
                self.games += 1;
                Some(self.game(gathered, number).map_err(ReadError::from))
            }
            Err(error) => {
                self.over = !matches!(error, ReadError::Text(_));
                self.games += 1;
                Some(Err(error))
            }
        }
    }

    /// The lines of the next game. A line that is a tag ends the moves before it.
    fn gather(&mut self) -> Result<Option<Gathered>, ReadError> {
        let mut gathered = Gathered::default();
        let mut first = 0;
        loop {
            let (number, line) = match self.ahead.take() {
                Some(ahead) => ahead,
                None => match self.lines.next()? {
                    None => break,
                    Some(line) => {
                        let text = String::from_utf8_lossy(line).trim_end().to_owned();
                        (self.lines.number, text)
                    }
                },
            };
            if first == 0 {
                first = number;
            }
            if is_tag(&line) {
                if !gathered.moves.is_empty() {
                    self.ahead = Some((number, line));
                    break;
                }
                gathered.bytes += line.len();
                gathered.tags.push((number, line));
            } else if line.starts_with(';') && gathered.moves.is_empty() {
                self.remarks += 1;
            } else if !line.trim().is_empty() && !line.starts_with('%') {
                gathered.bytes += line.len();
                gathered.moves.push((number, line));
            }
            if gathered.bytes > MOST_BYTES {
                self.skip()?;
                let what = format!("a game of more than {} MiB", MOST_BYTES >> 20);
                return Err(TextError { line: first, what }.into());
            }
        }
        Ok((!gathered.tags.is_empty() || !gathered.moves.is_empty()).then_some(gathered))
    }

    /// Goes on to the next game.
    fn skip(&mut self) -> Result<(), ReadError> {
        let mut in_moves = false;
        while let Some(line) = self.lines.next()? {
            let text = String::from_utf8_lossy(line).trim_end().to_owned();
            if !is_tag(&text) {
                in_moves |= !text.is_empty();
            } else if in_moves {
                self.ahead = Some((self.lines.number, text));
                break;
            }
        }
        Ok(())
    }

    fn game(&mut self, gathered: Gathered, number: u64) -> Result<Game, TextError> {
        let Gathered { tags, moves, .. } = gathered;
        let mut game = Game {
            number,
            pair: number,
            half: 0,
            id: None,
            white: 0,
            black: 0,
            seats: [seat("?".to_owned()), seat("?".to_owned())],
            started_ms: None,
            dice: super::super::DiceSource::Given,
            luck_by: None,
            opening: STARTPOS.to_owned(),
            plies: Vec::new(),
            result: 0.5,
            end: EndRecord::new(EndKind::Aborted),
            final_dfen: String::new(),
        };
        let mut read = Tags::default();
        for (line, text) in &tags {
            let line = *line;
            let (name, value) = tag(text).map_err(|what| TextError { line, what: what.to_owned() })?;
            self.tag(&mut game, &mut read, &name, value)
                .map_err(|what| TextError { line, what: format!("tag {}: {what}", escaped(&name, 40)) })?;
        }
        if !read.pair {
            game.pair = game.number;
        }
        self.seat_players(&mut game, &read)
            .map_err(|what| TextError { line: tags.first().map_or(1, |tag| tag.0), what })?;
        let last = moves.last().or(tags.last()).map_or(1, |line| line.0);
        let (remarks, strange) = (&mut self.remarks, &mut self.strange);
        let movetext =
            Movetext { game: &mut game, replayer: None, sorted: read.sorted, result: None, remarks, strange };
        let result = movetext.read(&moves)?;
        let result = match (result, read.result) {
            (Some(moves), Some(tag)) if moves != tag => {
                return Err(TextError { line: last, what: "the result is another one than in its tag".to_owned() });
            }
            (Some(result), _) | (None, Some(result)) => result,
            (None, None) => None,
        };
        finish(&mut game, result, &read).map_err(|what| TextError { line: last, what })?;
        Ok(game)
    }

    fn tag(&mut self, game: &mut Game, read: &mut Tags, name: &str, value: String) -> Result<(), String> {
        let number = |value: &str| match value.parse::<u64>() {
            Ok(number) if number > 0 => Ok(number - 1),
            _ => Err("say a number from 1".to_owned()),
        };
        match name {
            "Journal" => {
                let header: Header = serde_json::from_str(&value).map_err(|error| escaped(&error.to_string(), 200))?;
                if self.games == 1 {
                    self.said = Some(header.clone());
                    self.header = header;
                }
            }
            "Game" => game.number = number(&value)?,
            "Pair" => {
                game.pair = number(&value)?;
                read.pair = true;
            }
            "Half" => game.half = value.parse().map_err(|_| "say 0 or 1".to_owned())?,
            "Id" => game.id = Some(value),
            "StartedMs" => game.started_ms = Some(value.parse().map_err(|_| "say milliseconds".to_owned())?),
            "Dice" => {
                game.dice = serde_json::from_str(&value).map_err(|error| escaped(&error.to_string(), 200))?;
            }
            "LuckBy" => game.luck_by = Some(value),
            "Result" => {
                read.result = Some(result_of(&value).ok_or("say 1-0, 0-1, 1/2-1/2 or *")?);
            }
            "End" => {
                let known = EndKind::ALL.into_iter().find(|kind| kind.name() == value);
                read.end = Some(known.ok_or_else(|| format!("no end '{}'", escaped(&value, 40)))?);
            }
            "EndBy" => read.end_by = Some(value),
            "EndDetail" => game.end.detail = value,
            "EndLine" => {
                if game.end.last_lines.len() < 1000 {
                    game.end.last_lines.push(value);
                }
            }
            "Players" => read.players = Some(value),
            "DFEN" | "FEN" => game.opening = opening(&value)?,
            "Throws" => read.sorted = value == "sorted",
            _ => {
                let side_of = |names: [&str; 2]| names.iter().position(|&known| known == name);
                match (side_of(NAMES), side_of(CONTROLS)) {
                    (Some(side), _) => game.seats[side].name = value,
                    (None, Some(side)) => game.seats[side].control = value,
                    (None, None) => self.strange.add("tag", name),
                }
            }
        }
        Ok(())
    }

    /// Finds the players in the header, or adds them.
    fn seat_players(&mut self, game: &mut Game, read: &Tags) -> Result<(), String> {
        if let Some(places) = &read.players
            && self.header.event != EventKind::Free
        {
            let mut numbers = places.split(' ').map(|place| place.parse::<usize>().ok());
            let (Some(Some(white)), Some(Some(black)), None) = (numbers.next(), numbers.next(), numbers.next()) else {
                return Err("tag Players: say two numbers".to_owned());
            };
            if white.max(black) >= self.header.players.len() {
                return Err("tag Players: a player that the journal's header does not name".to_owned());
            }
            (game.white, game.black) = (white, black);
            return Ok(());
        }
        if self.names.is_empty() {
            let players = self.header.players.iter().enumerate().rev();
            self.names.extend(players.map(|(place, player)| (player.name.clone(), place)));
        }
        let mut place = |name: &str| {
            *self.names.entry(name.to_owned()).or_insert_with(|| {
                self.header.players.push(PlayerRecord::named(name, PlayerKind::Remote));
                self.header.players.len() - 1
            })
        };
        game.white = place(&game.seats[0].name);
        game.black = place(&game.seats[1].name);
        Ok(())
    }
}

/// What tags say that can be judged only when all are read.
#[derive(Default)]
struct Tags {
    result: Option<Option<f64>>,
    end: Option<EndKind>,
    end_by: Option<String>,
    players: Option<String>,
    pair: bool,
    sorted: bool,
}

/// The name and the value of a tag.
fn tag(text: &str) -> Result<(String, String), &'static str> {
    const FORM: &str = "a tag is [Name \"value\"]";
    let inside = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).ok_or(FORM)?;
    let (name, quoted) = inside.split_once(' ').ok_or(FORM)?;
    let quoted = quoted.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).ok_or(FORM)?;
    let mut value = String::new();
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('u') => value.push(unicode(&mut characters).ok_or("no such character")?),
                Some(next) => value.push(next),
                None => return Err(FORM),
            },
            '"' => return Err("a quotation mark in a value has a backslash before it"),
            character => value.push(character),
        }
    }
    Ok((name.to_owned(), value))
}

/// The character of `{hex}`.
fn unicode(characters: &mut std::str::Chars<'_>) -> Option<char> {
    if characters.next() != Some('{') {
        return None;
    }
    let hex: String = characters.by_ref().take_while(|&character| character != '}').take(7).collect();
    u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32)
}

/// A starting position, in the form that journals have.
fn opening(text: &str) -> Result<String, String> {
    let rolled = crate::board::Rolled::from_dfen(text).map_err(|error| escaped(&error.to_string(), 200))?;
    if rolled.dice.is_empty() { Ok(rolled.to_string()) } else { Err("it has dice already".to_owned()) }
}

/// The moves of a game that is being read.
struct Movetext<'a> {
    game: &'a mut Game,
    replayer: Option<Replayer>,
    sorted: bool,
    result: Option<Option<f64>>,
    remarks: &'a mut usize,
    strange: &'a mut Strange,
}

impl Movetext<'_> {
    /// Reads all lines; every turn is checked. Returns the result at the end, if there is one.
    fn read(mut self, lines: &[(usize, String)]) -> Result<Option<Option<f64>>, TextError> {
        let first = lines.first().map_or(1, |line| line.0);
        let replayer = Replayer::new(&self.game.opening);
        self.replayer = Some(replayer.map_err(|error| TextError { line: first, what: error.to_string() })?);
        let mut comment: Option<(usize, String)> = None;
        for (number, line) in lines {
            let number = *number;
            let mut rest = line.as_str();
            loop {
                if let Some((_, text)) = &mut comment {
                    let Some((inside, after)) = rest.split_once('}') else {
                        text.push_str(rest);
                        text.push(' ');
                        break;
                    };
                    text.push_str(inside);
                    let (_, text) = comment.take().unwrap_or_default();
                    self.comment(&text).map_err(|what| TextError { line: number, what })?;
                    rest = after;
                    continue;
                }
                rest = rest.trim_start();
                if rest.is_empty() {
                    break;
                }
                if let Some(after) = rest.strip_prefix('{') {
                    comment = Some((number, String::new()));
                    rest = after;
                    continue;
                }
                if rest.starts_with(';') {
                    *self.remarks += 1;
                    break;
                }
                let end =
                    rest.find(|character: char| character.is_whitespace() || character == '{').unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                self.word(word).map_err(|what| TextError { line: number, what })?;
                rest = after;
            }
        }
        if let Some((line, _)) = comment {
            return Err(TextError { line, what: "a comment without an end".to_owned() });
        }
        let last = self.replayer.as_ref().map(|replayer| replayer.position().to_string());
        self.game.final_dfen = last.unwrap_or_default();
        Ok(self.result)
    }

    fn word(&mut self, word: &str) -> Result<(), String> {
        if self.result.is_some() {
            return Err(format!("'{}' after the result", escaped(word, 40)));
        }
        if let Some(result) = result_of(word) {
            self.result = Some(result);
            return Ok(());
        }
        let digits = word.trim_end_matches('.');
        let is_number = digits.len() < word.len() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_number {
            return Ok(());
        }
        if matches!(word, "?!" | "?" | "??" | "!" | "!!" | "!?") {
            self.strange.add("mark", word);
            return Ok(());
        }
        let waits = self.game.plies.last().is_some_and(|ply| ply.turn.is_none());
        if waits && Dice::parse(word).is_err() {
            return self.turn(word);
        }
        self.roll(word)
    }

    fn roll(&mut self, word: &str) -> Result<(), String> {
        if self.game.plies.len() == MOST_PLIES {
            return Err(format!("more than {MOST_PLIES} turns"));
        }
        self.settle()?;
        let dice = Dice::parse(word).map_err(|error| format!("'{}': {error}", escaped(word, 40)))?;
        let Some(roll) = Roll::from_dice(dice) else {
            return Err(format!("'{}' is no roll of three dice", escaped(word, 40)));
        };
        let thrown = (!self.sorted).then(|| word.to_ascii_uppercase());
        self.game.plies.push(Ply { roll: roll.to_string(), thrown, ..Ply::default() });
        let (Some(replayer), Some(ply)) = (&mut self.replayer, self.game.plies.last()) else { return Ok(()) };
        replayer.roll(ply).map(|_| ()).map_err(|error| error.to_string())
    }

    fn turn(&mut self, word: &str) -> Result<(), String> {
        let (Some(replayer), Some(ply)) = (&mut self.replayer, self.game.plies.last_mut()) else { return Ok(()) };
        ply.turn = Some(word.to_owned());
        replayer.play(ply).map_err(|error| error.to_string())
    }

    /// A roll may go without its turn only at the end.
    fn settle(&self) -> Result<(), String> {
        let count = self.game.plies.len();
        let before = self.game.plies.get(count.wrapping_sub(1));
        match before {
            Some(ply) if ply.turn.is_none() => Err(format!("ply {count}: no turn for {}", ply.roll)),
            _ => Ok(()),
        }
    }

    /// Takes commands such as `[%score cp 12]` out of a comment; counts one that says more.
    fn comment(&mut self, text: &str) -> Result<(), String> {
        let mut said = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("[%") {
            said.push_str(&rest[..at]);
            let Some(end) = rest[at..].find(']') else { break };
            let mut words = rest[at + 2..at + end].split_whitespace();
            let name = words.next().unwrap_or_default();
            let (first, second) = (words.next(), words.next());
            if let Some(ply) = self.game.plies.last_mut() {
                let known = command(ply, name, first, second);
                if !known.ok_or_else(|| format!("[%{}]: no such value", escaped(name, 40)))? {
                    self.strange.add("command", name);
                }
            }
            rest = &rest[at + end + 1..];
        }
        said.push_str(rest);
        *self.remarks += usize::from(!said.trim().is_empty());
        Ok(())
    }
}

/// Reads a command in a comment and says whether it is known; one that is not is passed over. `None` if its value cannot be
/// read.
fn command(ply: &mut Ply, name: &str, first: Option<&str>, second: Option<&str>) -> Option<bool> {
    fn number<T: std::str::FromStr>(text: Option<&str>) -> Option<Option<T>> {
        text?.parse().ok().map(Some)
    }
    let finite = |value: &f64| value.is_finite();
    match name {
        "sorted" => ply.thrown = None,
        "passed" => ply.passed = true,
        "score" => {
            let value = second?.parse().ok()?;
            ply.score = Some(match first? {
                "cp" => ScoreRecord::Cp(value),
                "mate" => ScoreRecord::Mate(value),
                _ => return None,
            });
        }
        "depth" => ply.depth = number(first)?,
        "nodes" => ply.nodes = number(first)?,
        "time" => ply.time_ms = Some(number::<f64>(first)?.filter(finite)?),
        "enginetime" => ply.engine_time_ms = number(first)?,
        "clock" => ply.clock_left_ms = number(first)?,
        "luck" => ply.luck = Some(number::<f64>(first)?.filter(finite)?),
        _ => return Some(false),
    }
    Some(true)
}

/// Settles how the game ended; what no tag says follows from the last position and the result.
fn finish(game: &mut Game, result: Option<f64>, read: &Tags) -> Result<(), String> {
    let captured = game.plies.last().is_some_and(|ply| ply.turn.is_some())
        && crate::board::Rolled::from_dfen(&game.final_dfen).is_ok_and(|last| !last.dice.is_empty());
    let drawn = crate::board::Rolled::from_dfen(&game.final_dfen).is_ok_and(|last| last.position.is_drawn());
    game.end.kind = match (read.end, result) {
        (Some(end), _) => end,
        (None, None) => EndKind::Aborted,
        (None, Some(_)) if captured => EndKind::KingCapture,
        (None, Some(0.5)) if drawn => EndKind::HalfmoveClock,
        (None, Some(0.5)) => EndKind::AgreedDraw,
        (None, Some(_)) => EndKind::Resignation,
    };
    game.result = result.unwrap_or(0.5);
    if result_text(game.result, game.end.kind) == "*" && result.is_some() {
        return Err("a game that was broken off has no result".to_owned());
    }
    if result.is_none() && game.end.kind != EndKind::Aborted {
        return Err(format!("a game that ended by {} has a result", game.end.kind.name()));
    }
    game.end.player = match read.end_by.as_deref() {
        Some("white") => Some(game.white),
        Some("black") => Some(game.black),
        Some(place) => Some(place.parse().map_err(|_| "tag EndBy: say white or black".to_owned())?),
        None => None,
    };
    Ok(())
}
