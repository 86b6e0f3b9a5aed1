//! Where bots are built: on a thread of their own, for they may have files to read, and whoever waits for one must be
//! able to stop waiting.

use crate::bots::{Bot, BotConfig};
use crate::search::room_for_a_thread;
use crossbeam_channel::{Receiver, RecvTimeoutError, bounded, never};
use std::thread::Builder;
use std::time::Duration;

/// A bot and what it was built from.
struct Player {
    config: BotConfig,
    bot: Bot,
}

/// A bot that is being built.
struct Building {
    config: BotConfig,
    bot: Receiver<Bot>,
}

/// The bot at hand, and the next one while it is being built.
#[derive(Default)]
pub(super) struct Workshop {
    player: Option<Player>,
    building: Option<Building>,
}

/// How often someone who waits for a bot looks whether to go on waiting.
const PATIENCE: Duration = Duration::from_millis(1);

impl Workshop {
    /// Begins to build the bot of that configuration, unless it is there or being built. The one before it is let go.
    pub(super) fn order(&mut self, config: &BotConfig) {
        if self.has(config) || self.building.as_ref().is_some_and(|building| building.config == *config) {
            return;
        }
        let (done, bot) = bounded(1);
        let old = self.player.take();
        let wanted = config.clone();
        let build = move || {
            // Nobody waits for it any more if another one was ordered meanwhile.
            let _ = done.send(wanted.build());
            // A large table takes some time to be given back.
            drop(old);
        };
        let started = room_for_a_thread().and_then(|()| Builder::new().name("bot".to_owned()).spawn(build));
        self.building = match started {
            Ok(_) => Some(Building { config: config.clone(), bot }),
            Err(error) => {
                log::info!("no thread to build a bot: {error}");
                self.player = Some(Player { config: config.clone(), bot: config.build() });
                None
            }
        };
    }

    /// Where the bot that is being built arrives, to be handed to [`finish`](Self::finish).
    pub(super) fn arrivals(&self) -> Receiver<Bot> {
        self.building.as_ref().map_or_else(never, |building| building.bot.clone())
    }

    /// Takes the bot that has arrived; `None` if building it has failed: then there is one that needs no file.
    pub(super) fn finish(&mut self, bot: Option<Bot>) {
        let Some(Building { config, .. }) = self.building.take() else { return };
        let bot = bot.unwrap_or_else(|| {
            log::error!("a bot could not be built");
            BotConfig { own_book: false, book_file: None, eval_file: None, ..config.clone() }.build()
        });
        self.player = Some(Player { config, bot });
    }

    /// Whether a bot is being built.
    pub(super) fn is_busy(&self) -> bool {
        self.building.is_some()
    }

    fn has(&self, config: &BotConfig) -> bool {
        self.player.as_ref().is_some_and(|player| player.config == *config)
    }

    /// The bot of that configuration, as soon as it is built; `None` if `go_on` says no before.
    pub(super) fn bot(&mut self, config: &BotConfig, mut go_on: impl FnMut() -> bool) -> Option<&mut Bot> {
        self.order(config);
        while self.is_busy() {
            match self.arrivals().recv_timeout(PATIENCE) {
                Ok(bot) => self.finish(Some(bot)),
                Err(RecvTimeoutError::Disconnected) => self.finish(None),
                Err(RecvTimeoutError::Timeout) if go_on() => {}
                Err(RecvTimeoutError::Timeout) => return None,
            }
        }
        self.player.as_mut().map(|player| &mut player.bot)
    }

    /// Has the bot at hand forget the game; one that is being built knows of none.
    pub(super) fn new_game(&mut self) {
        if let Some(player) = &mut self.player {
            player.bot.new_game();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots::BotKind;

    #[test]
    fn a_bot_is_built_once_and_kept_until_another_is_wanted() {
        let mut workshop = Workshop::default();
        let (greedy, random) = (BotConfig::of(BotKind::Greedy, 1), BotConfig::of(BotKind::Random, 1));
        assert!(workshop.bot(&greedy, || true).is_some());
        workshop.order(&greedy);
        assert!(!workshop.is_busy() && workshop.has(&greedy));
        workshop.order(&random);
        assert!(workshop.is_busy() && !workshop.has(&greedy));
        assert!(workshop.bot(&greedy, || true).is_some(), "what is being built is not waited for");
        assert!(workshop.has(&greedy));
    }

    #[test]
    fn whoever_waits_can_stop_waiting() {
        let (_keep, bot) = bounded(1);
        let config = BotConfig::of(BotKind::Greedy, 1);
        let mut workshop = Workshop { player: None, building: Some(Building { config: config.clone(), bot }) };
        let mut asked = 0;
        let none = workshop.bot(&config, || {
            asked += 1;
            asked < 3
        });
        assert!(none.is_none());
        assert_eq!(asked, 3);
    }

    #[test]
    fn a_bot_that_cannot_be_built_is_replaced() {
        let (gone, bot) = bounded(1);
        drop(gone);
        let config = BotConfig { own_book: true, ..BotConfig::of(BotKind::Greedy, 1) };
        let mut workshop = Workshop { player: None, building: Some(Building { config: config.clone(), bot }) };
        assert!(workshop.bot(&config, || true).is_some());
    }
}
