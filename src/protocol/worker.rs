//! The search thread: does the jobs one after the other and writes what comes of them.

use super::bench::run_bench;
use super::inspect;
use super::job::{GoJob, Job};
use super::output::Output;
use super::render;
use crate::rules::Turn;
use crate::search::{Bot, BotConfig};
use crossbeam_channel::Receiver;

/// Works until the channel of jobs is closed.
pub(super) fn work(jobs: &Receiver<Job>, output: &Output) {
    let mut bot: Option<(BotConfig, Box<dyn Bot>)> = None;
    for job in jobs {
        match job {
            Job::Go(job) => {
                let current = match bot.take() {
                    Some((config, bot)) if config == job.bot => (config, bot),
                    _ => (job.bot.clone(), job.bot.build()),
                };
                let (config, mut player) = current;
                let turn = search(player.as_mut(), &job, output);
                bot = Some((config, player));
                if let Some(held) = &job.held {
                    // Nothing is ever sent: the wait ends when the session lets go of its end.
                    let _ = held.recv();
                }
                output.line(&format!("bestmove {turn}"));
            }
            Job::Perft { rolled, depth, stop } => inspect::perft(&rolled, depth, &stop, output),
            Job::Bench { stop } => {
                if let Some(result) = run_bench(&stop) {
                    output.line(&result.to_string());
                }
            }
            Job::NewGame => {
                if let Some((_, bot)) = &mut bot {
                    bot.new_game();
                }
            }
        }
    }
}

fn search(bot: &mut dyn Bot, job: &GoJob, output: &Output) -> Turn {
    let mut report = |event| output.line(&render::event(&event, job.started.elapsed(), job.show_wdl));
    match bot.budgeted() {
        Some(budgeted) => budgeted.choose_within(&job.task, &job.stop, &mut report),
        None => bot.choose(&job.task, &mut report),
    }
}
