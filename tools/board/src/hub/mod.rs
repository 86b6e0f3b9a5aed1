//! The middle of the server: pages, games, engines, reviews, and who is told what.
//!
//! One lock holds it all; what is done under it is short, but for the few writes of a game's file. What takes long (reading
//! records, reviews, lines to engines) is done without it.

mod beside;
mod told;

use crate::engines::{Program, RunningEngine};
use crate::fail::Fail;
use crate::game::{After, LiveGame, Wish, lost};
use crate::guard::Guard;
use crate::store::Store;
use crate::views::{game_of_line, parse, written};
use crate::wire::{Ask, Line, Source};
use astragal::board::{Rolled, STARTPOS};
use astragal::record::{EndKind, EndRecord, Game};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::runtime::Handle;
use tokio::sync::mpsc::Sender;
use tokio::sync::{Notify, Semaphore};
use told::Inner;

/// The most pages.
const MOST_PAGES: usize = 16;
/// The most games that run.
const MOST_GAMES: usize = 32;
/// The most engines of a page, and of all.
const MOST_ENGINES: usize = 4;
const MOST_ENGINES_IN_ALL: usize = 8;
/// The most reviews that are asked for at a time, and pages of them that are kept.
const MOST_REVIEWS: usize = 4;
const KEPT_REVIEWS: usize = 8;
/// The most games in an answer, and those in the first message.
const MOST_LISTED: usize = 200;
const FIRST_LISTED: usize = 20;
/// The most plies of a game that is reviewed.
const MOST_REVIEWED: usize = 4000;

/// The queues to a page.
#[derive(Clone)]
pub struct Out {
    /// Replies and what is told; a page that leaves it full is dropped.
    pub told: Sender<String>,
    /// Lines of engines, which wait for room.
    pub lines: Sender<String>,
    /// Told when the page does not read.
    pub slow: Arc<Notify>,
}

/// What begins when the reply is on its way: what it tells of has a number that the page must know first.
pub type Then = Box<dyn FnOnce() + Send>;

/// The server's state.
pub struct Hub {
    inner: Mutex<Inner>,
    programs: Vec<Program>,
    guard: Arc<Guard>,
    reviewing: Arc<Semaphore>,
    runtime: Handle,
}

fn random() -> Result<u64, Fail> {
    getrandom::u64().map_err(|error| Fail::bad(format!("the system has no random numbers: {error}")))
}

impl Hub {
    /// Goes on with what is in the folder. Also returns what people should be told.
    ///
    /// # Errors
    /// The folder cannot be used.
    pub fn open(folder: &std::path::Path, programs: Vec<Program>) -> Result<(Arc<Self>, Vec<String>), String> {
        let (store, left, mut notes) = Store::open(folder)?;
        let mut inner = Inner {
            store,
            pages: BTreeMap::new(),
            games: BTreeMap::new(),
            followers: BTreeMap::new(),
            engines: BTreeMap::new(),
            reviews: BTreeMap::new(),
            review_pages: VecDeque::new(),
            last: 0,
        };
        for left in left {
            let id = left.recovered.start().id.clone();
            match LiveGame::restore(&inner.store, left) {
                Ok(game) => {
                    let settled = game.settled();
                    inner.games.insert(id.clone(), game);
                    if let Err(fail) = inner.apply(&id, settled) {
                        notes.push(fail.message);
                    }
                }
                Err(fail) => notes.push(format!("{id}: {}", fail.message)),
            }
        }
        let reviewing = Arc::new(Semaphore::new(1));
        let (inner, guard, runtime) = (Mutex::new(inner), Arc::default(), Handle::current());
        Ok((Arc::new(Self { inner, programs, guard, reviewing, runtime }), notes))
    }

    /// A page comes. Its number, or why there is no room for it.
    ///
    /// # Errors
    /// There are too many.
    pub fn join(&self, out: Out) -> Result<u64, &'static str> {
        let mut inner = self.inner.lock();
        if inner.pages.len() >= MOST_PAGES {
            return Err("too many pages are open");
        }
        let page = inner.next();
        let mut games: Vec<_> = inner.games.values().map(LiveGame::summary).collect();
        let (finished, more) = inner.store.finished(0, FIRST_LISTED);
        games.extend(finished);
        let hello = json!({
            "type": "hello", "version": env!("CARGO_PKG_VERSION"), "page": page, "programs": self.programs,
            "games": games, "more_games": more,
            "limits": {"engines": MOST_ENGINES, "games": MOST_GAMES, "text_bytes": crate::views::MOST_TEXT},
        });
        // The queue is new.
        let _ = out.told.try_send(hello.to_string());
        inner.pages.insert(page, out);
        Ok(page)
    }

    /// A page goes: its engines and reviews end, and others drive what it drove.
    pub fn leave(&self, page: u64) {
        let mut inner = self.inner.lock();
        inner.pages.remove(&page);
        inner.engines.values().filter(|engine| engine.page == page).for_each(RunningEngine::end);
        // Those that have not begun never will.
        inner.reviews.retain(|_, (owner, stop)| {
            let stays = *owner != page;
            if !stays {
                stop.raise();
            }
            stays
        });
        let games: Vec<String> = inner.followers.keys().cloned().collect();
        games.iter().for_each(|game| inner.unfollow(game, page));
    }

    /// The page of a review.
    pub fn review_page(&self, number: u64) -> Option<Arc<String>> {
        let inner = self.inner.lock();
        inner.review_pages.iter().find(|(of, _)| *of == number).map(|(_, page)| Arc::clone(page))
    }

    /// Tells every page that the server ends, and every engine to.
    pub fn end(&self) {
        let inner = self.inner.lock();
        let bye = json!({"type": "bye", "code": "end", "message": "the server ends"}).to_string();
        inner.pages.values().for_each(|page| drop(page.told.try_send(bye.clone())));
        inner.engines.values().for_each(RunningEngine::end);
        inner.reviews.values().for_each(|(_, stop)| stop.raise());
    }

    /// Does what a page asks. It may take a moment: not for an async thread. What is put into `then` is to be called when the
    /// reply is on its way.
    ///
    /// # Errors
    /// Why it is not done.
    pub fn answer(self: &Arc<Self>, page: u64, ask: Ask, then: &mut Option<Then>) -> Result<Value, Fail> {
        match ask {
            Ask::Steps { dfen, played } => value(&crate::steps::steps(&read_dfen(&dfen)?, &played)?),
            Ask::Position { dfen } => {
                let at = read_dfen(&dfen)?;
                let dice = if at.dice.is_empty() { String::new() } else { at.dice.to_string() };
                let side = crate::wire::Side::from(at.position.side());
                Ok(json!({"dfen": at.to_string(), "side": side, "dice": dice, "drawn": at.position.is_drawn()}))
            }
            Ask::New { players, controls, dice, opening } => {
                let [white, black] = *players;
                let players = [white.checked()?, black.checked()?];
                controls.iter().try_for_each(crate::control::Control::check)?;
                let opening = read_dfen(opening.as_deref().unwrap_or(STARTPOS))?;
                if !opening.dice.is_empty() {
                    return Err(Fail::new("dice", "a game begins without dice"));
                }
                let seed = match (dice.source, dice.seed) {
                    (Source::Seed, Some(seed)) if seed < 1 << 53 => seed,
                    (Source::Seed, _) => return Err(Fail::bad("the dice need a seed from 0 to 2^53 - 1")),
                    (_, Some(_)) => return Err(Fail::bad("a seed is only for dice of a seed")),
                    (_, None) => random()? >> 11,
                };
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                let started_ms = u64::try_from(now.as_millis()).unwrap_or_default();
                let id = format!("{started_ms:x}-{:06x}", random()? >> 40);
                let wish = Wish { players, controls, dice, seed, opening, id: id.clone(), started_ms };
                let mut inner = self.inner.lock();
                if inner.games.len() >= MOST_GAMES {
                    return Err(Fail::new("too_many", format!("{MOST_GAMES} games run already; end one of them")));
                }
                let game = LiveGame::begin(&inner.store, wish)?;
                inner.games.insert(id.clone(), game);
                inner.follow(&id, page);
                inner.changed(&id);
                Ok(json!({"game": id}))
            }
            Ask::Open { game } => {
                let mut inner = self.inner.lock();
                if inner.games.contains_key(&game) {
                    inner.follow(&game, page);
                    if let Some(live) = inner.games.get_mut(&game) {
                        live.wake();
                    }
                    inner.tell_game(&game, Some(page));
                    self.watch_flag(&inner, &game);
                } else {
                    let view = inner.ended(&game)?;
                    inner.tell(page, &json!({"type": "game", "game": view, "driver": false}));
                }
                Ok(json!({}))
            }
            Ask::Close { game } => {
                self.inner.lock().unfollow(&game, page);
                Ok(json!({}))
            }
            Ask::Drive { game } => {
                let mut inner = self.inner.lock();
                if !inner.games.contains_key(&game) {
                    return Err(Fail::unknown("running game"));
                }
                let pages = inner.followers.entry(game.clone()).or_default();
                pages.retain(|&other| other != page);
                pages.insert(0, page);
                inner.tell_game(&game, None);
                Ok(json!({}))
            }
            Ask::Games { before, count } => {
                let (games, more) = self.inner.lock().store.finished(before, count.min(MOST_LISTED));
                Ok(json!({"games": games, "more": more}))
            }
            Ask::Roll { game, ply, dice } => {
                let mut inner = self.inner.lock();
                let (roll, thrown) = inner.live(&game)?.roll(ply, dice.as_deref())?;
                inner.changed(&game);
                self.watch_flag(&inner, &game);
                Ok(json!({"roll": roll, "thrown": thrown}))
            }
            Ask::Turn { game, ply, turn, said } => {
                let mut inner = self.inner.lock();
                let after = inner.live(&game)?.turn(ply, &turn, said)?;
                let flagged = matches!(&after, After::Over(_, end) if end.kind == EndKind::Time);
                inner.apply(&game, after)?;
                if flagged { Err(Fail::stale("the flag has fallen")) } else { Ok(json!({})) }
            }
            Ask::Resign { game, side } => {
                let mut inner = self.inner.lock();
                inner.live(&game)?;
                inner.apply(&game, lost(side.into(), EndKind::Resignation)).map(|()| json!({}))
            }
            Ask::Draw { game } => self.end_even(&game, EndKind::AgreedDraw),
            Ask::Abort { game } => self.end_even(&game, EndKind::Aborted),
            Ask::TakeBack { game, ply } => {
                let mut inner = self.inner.lock();
                let Inner { store, games, .. } = &mut *inner;
                games.get_mut(&game).ok_or_else(|| Fail::unknown("running game"))?.take_back(store, ply)?;
                inner.changed(&game);
                self.watch_flag(&inner, &game);
                Ok(json!({}))
            }
            Ask::EngineStart { program } => self.start_engine(page, &program, then),
            Ask::Engine { engine, line } => {
                let writer = {
                    let inner = self.inner.lock();
                    let engine = inner.engines.get(&engine).filter(|engine| engine.page == page);
                    engine.ok_or_else(|| Fail::unknown("engine"))?.writer()
                };
                // Without the lock: it may have to wait.
                let lines: String = line.lines().flat_map(|line| [line, "\n"]).collect();
                writer.send(&lines).map_err(|error| Fail::new("engine", error))?;
                Ok(json!({}))
            }
            Ask::EngineEnd { engine } => {
                let inner = self.inner.lock();
                let engine = inner.engines.get(&engine).filter(|engine| engine.page == page);
                engine.ok_or_else(|| Fail::unknown("engine"))?.end();
                Ok(json!({}))
            }
            Ask::Parse { text } => value(&parse(&text)?),
            Ask::Record { game, line, form } => {
                value(&written(&self.game_or_line(game.as_deref(), line.as_ref())?, form)?)
            }
            Ask::Review { game, line, depth, html } => {
                let game = self.game_or_line(game.as_deref(), line.as_ref())?;
                self.review(page, (game, depth.unwrap_or(2), html.unwrap_or(true)), then)
            }
            Ask::ReviewEnd { review } => {
                let inner = self.inner.lock();
                let (_, stop) =
                    inner.reviews.get(&review).filter(|(of, _)| *of == page).ok_or_else(|| Fail::unknown("review"))?;
                stop.raise();
                Ok(json!({}))
            }
        }
    }

    fn end_even(&self, game: &str, kind: EndKind) -> Result<Value, Fail> {
        let mut inner = self.inner.lock();
        inner.live(game)?;
        inner.apply(game, After::Over(0.5, EndRecord::new(kind))).map(|()| json!({}))
    }

    fn game_or_line(&self, game: Option<&str>, line: Option<&Line>) -> Result<Game, Fail> {
        match (game, line) {
            (Some(id), None) => {
                let inner = self.inner.lock();
                match inner.games.get(id) {
                    Some(live) => Ok(live.record()),
                    None => inner.store.read(id).ok_or_else(|| Fail::unknown("game"))?,
                }
            }
            (None, Some(line)) => game_of_line(line),
            _ => Err(Fail::bad("say either 'game' or 'line'")),
        }
    }
}

fn value(answer: &impl serde::Serialize) -> Result<Value, Fail> {
    serde_json::to_value(answer).map_err(Fail::bad)
}

fn read_dfen(text: &str) -> Result<Rolled, Fail> {
    Rolled::from_dfen(text).map_err(|error| Fail::new("dfen", format!("{}: {error}", error.field())))
}
