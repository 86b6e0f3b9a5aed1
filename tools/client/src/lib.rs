//! Starts a program that speaks the engine protocol (`protocol.md`) and drives it over pipes.
//!
//! Everything blocks: a reader thread for each stream of the program hands its lines over, and whoever waits for one
//! says until when. An async tool runs an [`Engine`] on a thread of its own and ends a search through [`Remote`].
//!
//! | type | what it is for |
//! |---|---|
//! | [`Engine`] | a program after its handshake: games, searches, answers |
//! | [`Go`] | what a search is limited by |
//! | [`Info`], [`Answer`] | what a program says during a search, and at its end |
//! | [`Declared`] | an option that a program has, and whether a value suits it |
//! | [`Pipe`] | the program and its streams, below the protocol |
//! | [`TrafficLog`] | every line in either direction, with the time, in a file |
//! | [`escaped`] | a text from outside, made fit to be shown |
//!
//! # Examples
//! A turn in at most a second, for a bot that plays games:
//! ```no_run
//! use astragal::board::Rolled;
//! use astragal_client::{Action, Engine, Go, Setup};
//! use std::time::{Duration, Instant};
//!
//! let mut engine = Engine::start(&Setup::new(["./astragal"]))?;
//! engine.new_game()?;
//! let rolled = Rolled::from_dfen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 NBP")?;
//! let began = engine.go(&rolled, &Go::move_time(Duration::from_millis(900)))?;
//! let (answer, _) = engine.wait(began + Duration::from_secs(1), Duration::from_secs(3), &mut |_| ())?;
//! if let Action::Play(turn) = answer.action {
//!     println!("{turn}");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! The three best turns as they are found, for a board that analyses:
//! ```no_run
//! # use astragal::board::Rolled;
//! # use astragal_client::{Engine, Event, Go, Setup};
//! # use std::time::{Duration, Instant};
//! # fn analyse(rolled: &Rolled) -> Result<(), Box<dyn std::error::Error>> {
//! let mut engine = Engine::start(&Setup::new(["./astragal"]).option("MultiPV", "3"))?;
//! engine.go(rolled, &Go::infinite())?;
//! let until = Instant::now() + Duration::from_secs(10);
//! while let Some(event) = engine.next(until)? {
//!     if let Event::Info(info) = event
//!         && let (Some(rank), Some(turn)) = (info.multipv, info.pv.first())
//!     {
//!         println!("{rank}: {turn} {:?}", info.score);
//!     }
//! }
//! engine.halt()?;
//! # Ok(())
//! # }
//! ```
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod answer;
mod cancel;
mod declared;
mod engine;
mod go;
mod info;
mod log;
mod pipe;

pub use answer::{Action, Answer};
pub use astragal::record::{Escaped, escaped};
pub use cancel::Cancel;
pub use declared::{Declared, DeclaredKind, OptionProblem};
pub use engine::{Engine, EngineError, Event, Introduction, Remote, Setup, StartError};
pub use go::{Clocks, Go};
pub use info::{Info, Score};
pub use log::{Direction, Hook, Traffic, TrafficLog};
pub use pipe::{Launch, Pipe, PipeError, PipeWriter, kill_all, kill_group};
