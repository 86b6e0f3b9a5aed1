//! The lines of a journal as they stand on disk, in both formats.

use super::dice::DiceSource;
use super::event::{EventKind, Header, PlayerKind, PlayerRecord};
use super::game::{EndRecord, Game, LINEAR_EVALUATION, Ply, Seat};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// More plies than any game has: what claims more is no game, and need not be held in memory.
pub(super) const MOST_PLIES: usize = 100_000;

/// A line of a journal.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Line<'a> {
    /// The first line.
    Header(Box<Cow<'a, Header>>),
    /// A game that has ended.
    Game(Box<GameLine<'a>>),
}

/// What a line is.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Header,
    Game,
}

#[derive(Deserialize)]
struct Tagged {
    r#type: Kind,
}

impl Line<'static> {
    /// Reads a line. What it is comes first, in a reading of its own: an enum that is told by a field would be held in
    /// memory whole before anything of it is looked at.
    pub(super) fn parse(line: &[u8]) -> Result<Self, serde_json::Error> {
        Ok(match serde_json::from_slice::<Tagged>(line)?.r#type {
            Kind::Header => Self::Header(Box::new(Cow::Owned(serde_json::from_slice(line)?))),
            Kind::Game => Self::Game(Box::new(serde_json::from_slice(line)?)),
        })
    }
}

/// The first line of a journal, with its end.
///
/// # Errors
/// None that a header can cause.
pub fn header_line(header: &Header) -> serde_json::Result<String> {
    Ok(serde_json::to_string(&Line::Header(Box::new(Cow::Borrowed(header))))? + "\n")
}

/// A game. Format 1 has neither seats nor the source of the dice, and always both places.
#[derive(Serialize, Deserialize)]
pub(super) struct GameLine<'a> {
    number: u64,
    pair: u64,
    half: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    white: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    black: Option<usize>,
    #[serde(default)]
    seats: Option<Cow<'a, [Seat; 2]>>,
    #[serde(default)]
    started_ms: Option<u64>,
    #[serde(default)]
    dice: Option<Cow<'a, DiceSource>>,
    #[serde(default)]
    luck_by: Option<Cow<'a, str>>,
    opening: Cow<'a, str>,
    #[serde(deserialize_with = "at_most::<_, Ply, _, MOST_PLIES>")]
    plies: Cow<'a, [Ply]>,
    result: f64,
    end: Cow<'a, EndRecord>,
    final_dfen: Cow<'a, str>,
}

/// Reads a list that is not too long: short texts take little room on disk and much in memory.
pub(super) fn at_most<'de, D, T, L, const MOST: usize>(deserializer: D) -> Result<L, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
    L: From<Vec<T>>,
{
    struct Bounded<T, const MOST: usize>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for Bounded<T, MOST> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of at most {MOST}")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
            let mut items = Vec::new();
            while let Some(item) = list.next_element()? {
                if items.len() == MOST {
                    return Err(A::Error::invalid_length(MOST + 1, &self));
                }
                items.push(item);
            }
            Ok(items)
        }
    }
    deserializer.deserialize_seq(Bounded::<T, MOST>(PhantomData)).map(L::from)
}

impl<'a> GameLine<'a> {
    /// The line of a game in a journal with that header.
    pub(super) fn of(game: &'a Game, header: &Header) -> Self {
        // Where players come as they may, games name them and no list does.
        let place = |place: usize| (header.event != EventKind::Free).then_some(place);
        Self {
            number: game.number,
            pair: game.pair,
            half: game.half,
            id: game.id.as_deref().map(Cow::Borrowed),
            white: place(game.white),
            black: place(game.black),
            seats: Some(Cow::Borrowed(&game.seats)),
            started_ms: game.started_ms,
            dice: Some(Cow::Borrowed(&game.dice)),
            luck_by: game.luck_by.as_deref().map(Cow::Borrowed),
            opening: Cow::Borrowed(&game.opening),
            plies: Cow::Borrowed(&game.plies),
            result: game.result,
            end: Cow::Borrowed(&game.end),
            final_dfen: Cow::Borrowed(&game.final_dfen),
        }
    }

    /// The game; what format 1 does not say follows from the header. Players that only the game names join those of the
    /// header; `names` finds those again.
    pub(super) fn game(self, header: &mut Header, names: &mut BTreeMap<String, usize>) -> Result<Game, &'static str> {
        if ![0.0, 0.5, 1.0].contains(&self.result) {
            return Err("a result that is not 1, 0.5 or 0");
        }
        let seats = match self.seats {
            Some(seats) => seats.into_owned(),
            None => {
                let seat = |place: Option<usize>| {
                    let named = place.and_then(|place| Some((place, header.players.get(place)?)));
                    let (place, player) = named.ok_or("a player that the header does not name")?;
                    Ok::<_, &'static str>(Seat {
                        name: player.name.clone(),
                        control: header.control_of(place).to_owned(),
                    })
                };
                [seat(self.white)?, seat(self.black)?]
            }
        };
        let mut place = |place: Option<usize>, seat: &Seat| match place {
            Some(place) if place < header.players.len() => Ok(place),
            Some(_) => Err("a player that the header does not name"),
            None => {
                if names.is_empty() {
                    // The first of two of one name is meant.
                    let players = header.players.iter().enumerate().rev();
                    names.extend(players.map(|(place, player)| (player.name.clone(), place)));
                }
                Ok(*names.entry(seat.name.clone()).or_insert_with(|| {
                    header.players.push(PlayerRecord::named(&seat.name, PlayerKind::Remote));
                    header.players.len() - 1
                }))
            }
        };
        let (white, black) = (place(self.white, &seats[0])?, place(self.black, &seats[1])?);
        let is_old = header.format == 1;
        let dice = match self.dice {
            Some(dice) => dice.into_owned(),
            None if is_old => DiceSource::Seed { seed: header.seed, pair: self.pair },
            None => DiceSource::Given,
        };
        let plies = self.plies.into_owned();
        let luck_by = match self.luck_by {
            Some(by) => Some(by.into_owned()),
            None if is_old && plies.iter().any(|ply| ply.luck.is_some()) => Some(LINEAR_EVALUATION.to_owned()),
            None => None,
        };
        Ok(Game {
            number: self.number,
            pair: self.pair,
            half: self.half,
            id: self.id.map(Cow::into_owned),
            white,
            black,
            seats,
            started_ms: self.started_ms,
            dice,
            luck_by,
            opening: self.opening.into_owned(),
            plies,
            result: self.result,
            end: self.end.into_owned(),
            final_dfen: self.final_dfen.into_owned(),
        })
    }
}
