//! The search thread: does the jobs one after the other and writes what comes of them.

use super::bench::run_bench;
use super::inspect;
use super::job::{GoJob, Job};
use super::output::Output;
use super::render;
use super::restriction::restrict;
use super::workshop::Workshop;
use crate::bots::Bot;
use crate::rules::Turn;
use crate::search::{Event, Expectimax, ExpectimaxSettings, Task, Techniques, take_shortage};
use crossbeam_channel::{Receiver, select};
use std::sync::Arc;
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

/// The search thread's own.
struct Worker {
    workshop: Workshop,
    output: Arc<Output>,
    last_book_move: Arc<LastBookMove>,
    /// Questions of `isready` that are answered when the bot that is being built is there.
    waiting: usize,
    /// The threads asked for when it was last told that there were fewer.
    told_threads: Option<usize>,
}

/// Works until the channel of jobs is closed.
pub(super) fn work(jobs: &Receiver<Job>, output: Arc<Output>, last_book_move: Arc<LastBookMove>) {
    let mut worker = Worker { workshop: Workshop::default(), output, last_book_move, waiting: 0, told_threads: None };
    loop {
        let arrivals = worker.workshop.arrivals();
        select! {
            recv(arrivals) -> bot => worker.arrived(bot.ok()),
            recv(jobs) -> job => match job {
                Ok(job) => worker.act(job),
                Err(_) => break,
            },
        }
    }
    // Nothing more is ordered, but what was is answered.
    if worker.waiting > 0 {
        let bot = worker.workshop.arrivals().recv().ok();
        worker.arrived(bot);
    }
}

impl Worker {
    fn arrived(&mut self, bot: Option<Bot>) {
        self.workshop.finish(bot);
        self.answer_ready();
    }

    /// Answers if the bot is there.
    fn answer_ready(&mut self) {
        if !self.workshop.is_busy() {
            self.answer_all();
        }
    }

    fn answer_all(&mut self) {
        (0..std::mem::take(&mut self.waiting)).for_each(|_| self.output.line("readyok"));
    }

    fn act(&mut self, job: Job) {
        match job {
            Job::Go(job) => self.go(*job),
            Job::Perft { rolled, depth, stop, work } => {
                // Nobody waits for this work, not even if it was ordered before the answer came.
                self.answer_all();
                let last = inspect::perft(&rolled, depth, &stop, &self.output);
                drop(work);
                self.output.line(&last);
            }
            Job::Bench { stop, work } => {
                self.answer_all();
                let stopped = || "info string bench stopped".to_owned();
                let line = run_bench(&stop).map_or_else(stopped, |result| result.to_string());
                drop(work);
                self.output.line(&line);
            }
            Job::Prepare(config) => self.workshop.order(&config),
            Job::Ready(config) => {
                self.workshop.order(&config);
                self.waiting += 1;
                self.answer_ready();
            }
            Job::NewGame => {
                self.last_book_move.set(0);
                self.workshop.new_game();
            }
        }
    }

    fn go(&mut self, mut job: GoJob) {
        job.remarks.iter().for_each(|remark| self.output.line(&format!("info string {remark}")));
        restrict(&mut job.task, &job.stop, |error| self.output.line(&format!("info string error {error}")));
        let turn = match job.rollout {
            Some(settings) => {
                self.answer_all();
                let (rollout, remark) = job.bot.rollout(settings);
                remark.into_iter().for_each(|remark| self.output.line(&format!("info string {remark}")));
                search(&mut Bot::budgeted(rollout), &job, &self.output, &self.last_book_move)
            }
            None => match self.workshop.bot(&job.bot, || !job.stop.is_raised()) {
                Some(bot) => {
                    // Whoever has ordered the search before the answer came does not wait for it.
                    (0..std::mem::take(&mut self.waiting)).for_each(|_| self.output.line("readyok"));
                    search(bot, &job, &self.output, &self.last_book_move)
                }
                None => {
                    let late = "the bot was not ready in time: this is the best turn at first sight";
                    self.output.line(&format!("info string {late}"));
                    search(&mut at_first_sight(), &job, &self.output, &self.last_book_move)
                }
            },
        };
        self.tell_shortage(job.bot.expectimax.threads);
        if let Some(held) = &job.held {
            // Nothing is ever sent: the wait ends when the session lets go of its end.
            let _ = held.recv();
        }
        // Whoever asks after the answer whether the engine is ready is not told so because of this search.
        drop(job.work);
        self.output.line(&format!("bestmove {turn}"));
        // Nobody else sets it.
        let _ = job.answered.set(Instant::now());
        self.answer_ready();
    }

    /// Tells once that the system has started fewer threads than were asked for.
    fn tell_shortage(&mut self, threads: usize) {
        let Some(shortage) = take_shortage() else { return };
        if self.told_threads.replace(threads) != Some(threads) {
            let (started, wanted) = (shortage.started, shortage.wanted);
            self.output.line(&format!(
                "info string error option Threads: the system started {started} of {wanted}; the search goes on with those"
            ));
        }
    }
}

/// A bot that is there at once.
fn at_first_sight() -> Bot {
    let techniques = Techniques { table: false, ..Techniques::default() };
    Bot::budgeted(Expectimax::new(ExpectimaxSettings { techniques, ..ExpectimaxSettings::default() }))
}

fn search(bot: &mut Bot, job: &GoJob, output: &Output, last_book_move: &LastBookMove) -> Turn {
    let task: &Task = &job.task;
    let mut report = |event| {
        if let Event::Book { .. } = event {
            last_book_move.set(task.rolled.position.fullmove());
        }
        output.line(&render::event(&event, job.started.elapsed(), job.show_wdl));
    };
    bot.choose(task, Some(&job.stop), &mut report)
}
