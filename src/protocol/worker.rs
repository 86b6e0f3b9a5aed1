//! The search thread: does the jobs one after the other and writes what comes of them.

use super::bench::run_bench;
use super::inspect;
use super::job::{GoJob, Job};
use super::output::Output;
use super::render;
use crate::bots::{Bot, BotConfig};
use crate::rollout::Rollout;
use crate::rules::Turn;
use crate::search::Event;
use crossbeam_channel::Receiver;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

/// The full-move number of the last turn played from the opening book, 0 if there was none in this game. The session
/// needs it to share out the clock.
#[derive(Debug, Default)]
pub(super) struct LastBookMove(AtomicU32);

impl LastBookMove {
    pub(super) fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, number: u32) {
        self.0.store(number, Ordering::Relaxed);
    }
}

/// The bot at hand and what it was built from.
struct Player {
    config: BotConfig,
    bot: Bot,
}

/// Works until the channel of jobs is closed.
pub(super) fn work(jobs: &Receiver<Job>, output: &Output, last_book_move: &LastBookMove) {
    let mut player: Option<Player> = None;
    for job in jobs {
        match job {
            Job::Go(job) => {
                let turn = match job.rollout {
                    Some(settings) => {
                        let rollout = Rollout::new(job.bot.seed, settings, job.bot.expectimax);
                        search(&mut Bot::budgeted(rollout), &job, output, last_book_move)
                    }
                    None => search(prepared(&mut player, &job.bot), &job, output, last_book_move),
                };
                if let Some(held) = &job.held {
                    // Nothing is ever sent: the wait ends when the session lets go of its end.
                    let _ = held.recv();
                }
                output.line(&format!("bestmove {turn}"));
                // Nobody else sets it.
                let _ = job.answered.set(Instant::now());
            }
            Job::Perft { rolled, depth, stop } => inspect::perft(&rolled, depth, &stop, output),
            Job::Bench { stop } => {
                let stopped = || "info string bench stopped".to_owned();
                output.line(&run_bench(&stop).map_or_else(stopped, |result| result.to_string()));
            }
            Job::Prepare(config) => _ = prepared(&mut player, &config),
            Job::NewGame => {
                last_book_move.set(0);
                if let Some(player) = &mut player {
                    player.bot.new_game();
                }
            }
        }
    }
}

/// The bot of that configuration: the one at hand if it fits, else a new one.
fn prepared<'a>(player: &'a mut Option<Player>, config: &BotConfig) -> &'a mut Bot {
    if player.as_ref().is_some_and(|player| player.config != *config) {
        *player = None;
    }
    let player = player.get_or_insert_with(|| Player { config: config.clone(), bot: config.build() });
    &mut player.bot
}

fn search(bot: &mut Bot, job: &GoJob, output: &Output, last_book_move: &LastBookMove) -> Turn {
    let mut report = |event| {
        if let Event::Book { .. } = event {
            last_book_move.set(job.task.rolled.position.fullmove());
        }
        output.line(&render::event(&event, job.started.elapsed(), job.show_wdl));
    };
    bot.choose(&job.task, Some(&job.stop), &mut report)
}
