//! Who watches over long work: Ctrl-C ends it with what is done, and a line now and then says how far it is.

use crate::review::Watch;
use crate::time::StopSignal;
use parking_lot::Mutex;
use std::io::IsTerminal;
use std::process::exit;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// The exit code of work that Ctrl-C has ended.
pub(super) const INTERRUPTED: u8 = 130;

/// Between two lines of progress.
const BETWEEN_LINES: Duration = Duration::from_secs(2);

/// The same without a terminal, where the lines stay.
const BETWEEN_LINES_KEPT: Duration = Duration::from_secs(10);

/// What is raised by Ctrl-C.
#[derive(Default)]
struct Signals {
    all: StopSignal,
    /// Those of turns under a time limit.
    clocks: Mutex<Vec<Weak<StopSignal>>>,
}

/// Hears Ctrl-C, gives turns their time, and tells how far the work is.
pub(super) struct Watcher {
    signals: Arc<Signals>,
    time: Option<Duration>,
    progress: Mutex<Progress>,
    done: AtomicUsize,
    taken: Arc<AtomicU64>,
}

struct Progress {
    begun: Instant,
    told: Instant,
    between: Duration,
    /// What is worked at, how many pieces it has.
    name: String,
    pieces: usize,
    /// Bytes of the source before and after it, and of all.
    before: u64,
    after: u64,
    size: Option<u64>,
}

impl Watcher {
    /// A watcher of work on a source of so many bytes, `taken` of which are done with; `time` is the limit of a turn. From
    /// now on Ctrl-C raises a signal, and a second one ends the program.
    pub(super) fn new(time: Option<Duration>, size: Option<u64>, taken: Arc<AtomicU64>) -> Result<Self, String> {
        let signals = Arc::<Signals>::default();
        let raised = Arc::clone(&signals);
        let handler = move || {
            if raised.all.is_raised() {
                exit(i32::from(INTERRUPTED));
            }
            raised.all.raise();
            raised.clocks.lock().iter().filter_map(Weak::upgrade).for_each(|clock| clock.raise());
        };
        ctrlc::set_handler(handler).map_err(|error| format!("Ctrl-C cannot be caught: {error}"))?;
        let now = Instant::now();
        let between = if std::io::stderr().is_terminal() { BETWEEN_LINES } else { BETWEEN_LINES_KEPT };
        let progress =
            Progress { begun: now, told: now, between, name: String::new(), pieces: 0, before: 0, after: 0, size };
        Ok(Self { signals, time, progress: Mutex::new(progress), done: AtomicUsize::new(0), taken })
    }

    /// Whether the work was ended.
    pub(super) fn is_ended(&self) -> bool {
        self.signals.all.is_raised()
    }

    /// The signal that ends the work.
    pub(super) fn signal(&self) -> &StopSignal {
        &self.signals.all
    }

    /// Something of so many pieces is begun, which has just been read.
    pub(super) fn begin(&self, name: String, pieces: usize) {
        self.done.store(0, Relaxed);
        let mut progress = self.progress.lock();
        progress.name = name;
        progress.pieces = pieces;
        progress.before = progress.after;
        progress.after = self.taken.load(Relaxed);
    }

    /// A piece is done.
    pub(super) fn piece_done(&self) {
        let done = self.done.fetch_add(1, Relaxed) + 1;
        // Who finds it locked leaves the line to the other.
        let Some(mut progress) = self.progress.try_lock() else { return };
        let now = Instant::now();
        if now.duration_since(progress.told) < progress.between {
            return;
        }
        progress.told = now;
        let Progress { name, pieces, .. } = &*progress;
        let left = progress.left(done, now).map_or(String::new(), |left| format!("; about {left} left"));
        eprintln!("{name}: {done} of {pieces}{left}");
    }
}

impl Progress {
    /// How long the rest takes if it goes on as it went.
    fn left(&self, done: usize, now: Instant) -> Option<String> {
        let part = done as f64 / self.pieces.max(1) as f64;
        let part = match self.size {
            Some(size) if size > 0 => (self.before as f64 + (self.after - self.before) as f64 * part) / size as f64,
            // Nobody knows what comes after it.
            _ => part,
        };
        if part <= 0.0 {
            return None;
        }
        let seconds = now.duration_since(self.begun).as_secs_f64() * (1.0 - part).max(0.0) / part;
        Some(shown(seconds))
    }
}

/// A time for people.
fn shown(seconds: f64) -> String {
    match seconds {
        _ if seconds < 90.0 => format!("{seconds:.0} s"),
        _ if seconds < 5400.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

impl Watch for Watcher {
    fn stop(&self) -> Option<&StopSignal> {
        Some(&self.signals.all)
    }

    fn clock(&self) -> Option<Arc<StopSignal>> {
        let deadline = Instant::now().checked_add(self.time?);
        let clock = Arc::new(deadline.map_or_else(StopSignal::new, StopSignal::with_deadline));
        let mut clocks = self.signals.clocks.lock();
        clocks.retain(|clock| clock.strong_count() > 0);
        clocks.push(Arc::downgrade(&clock));
        drop(clocks);
        // Raised in between, it would have been missed.
        if self.is_ended() {
            clock.raise();
        }
        Some(clock)
    }

    fn turn_done(&self) {
        self.piece_done();
    }
}

/// A duration as people write it: `5s`, `500ms`, `2m`, or seconds alone.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "say a time such as 5s, 500ms or 2m".to_owned();
    let end = text.find(|digit: char| !digit.is_ascii_digit() && digit != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let scale = match unit.trim() {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" | "min" => 60.0,
        _ => return Err(wrong()),
    };
    let seconds = number.parse::<f64>().map_err(|_| wrong())? * scale;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    if duration < Duration::from_millis(1) || duration > Duration::from_secs(86_400) {
        return Err("from 1 ms to a day".to_owned());
    }
    Ok(duration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
        let ms = |text: &str| duration(text).map(|duration| duration.as_millis());
        assert_eq!(["5s", "500ms", "2m", "1.5", "0.5 s"].map(ms), [5000, 500, 120_000, 1500, 500].map(Ok));
        for text in ["", "s", "-1s", "5h", "0s", "1e3s", "99999999s", "NaN", "1..2s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_rest_is_estimated_by_bytes_and_turns() {
        let begun = Instant::now();
        let mut progress = Progress {
            begun,
            told: begun,
            between: BETWEEN_LINES,
            name: String::new(),
            pieces: 40,
            before: 100,
            after: 300,
            size: Some(800),
        };
        // A quarter of the source after 10 s.
        let now = begun + Duration::from_secs(10);
        assert_eq!(progress.left(20, now).as_deref(), Some("30 s"));
        progress.size = None;
        assert_eq!(progress.left(20, now).as_deref(), Some("10 s"));
        assert_eq!(progress.left(0, now), None);
        assert_eq!([89.0, 120.0, 7200.0].map(shown), ["89 s", "2 min", "2.0 h"]);
    }
}
