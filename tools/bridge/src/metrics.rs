//! Counters, as Prometheus reads them and as the terminal shows them at the end.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

/// Counters by name and label; clones share them.
#[derive(Clone, Default, Debug)]
pub struct Metrics(Arc<Mutex<Inner>>);

#[derive(Default, Debug)]
struct Inner {
    counters: BTreeMap<(&'static str, String), u64>,
    overhead: Duration,
    games: u64,
}

/// Every counter with its label and what it counts.
const COUNTERS: [(&str, &str, &str); 8] = [
    ("games_total", "result", "Finished games by result"),
    ("ends_total", "termination", "Finished games by how they ended"),
    ("verdicts_total", "verdict", "Answers of the server to turns"),
    ("reconnects_total", "stream", "Streams opened again"),
    ("fallbacks_total", "reason", "Turns played by the instant bot"),
    ("challenges_total", "answer", "Challenges by what became of them"),
    ("dice_total", "verified", "Games by whether their dice hold"),
    ("alarms_total", "what", "What should never happen"),
];

/// The most labels of all counters together: some come from outside.
const MOST_LABELS: usize = 200;

impl Metrics {
    /// Counts one.
    pub fn count(&self, name: &'static str, label: &str) {
        debug_assert!(COUNTERS.iter().any(|(known, _, _)| *known == name), "{name}");
        let mut inner = self.0.lock();
        let label: String = label.chars().take(60).collect();
        let mut key = (name, label);
        if inner.counters.len() >= MOST_LABELS && !inner.counters.contains_key(&key) {
            key.1 = "other".to_owned();
        }
        *inner.counters.entry(key).or_default() += 1;
    }

    /// The overhead in force.
    pub fn set_overhead(&self, overhead: Duration) {
        self.0.lock().overhead = overhead;
    }

    /// The games that go on.
    pub fn set_games(&self, games: usize) {
        self.0.lock().games = games as u64;
    }

    /// One counter.
    pub fn get(&self, name: &'static str, label: &str) -> u64 {
        self.0.lock().counters.get(&(name, label.to_owned())).copied().unwrap_or(0)
    }

    /// Prometheus' text format.
    pub fn render(&self) -> String {
        let inner = self.0.lock();
        let mut text = String::new();
        for (name, label, help) in COUNTERS {
            let _ = writeln!(text, "# HELP bridge_{name} {help}.\n# TYPE bridge_{name} counter");
            for ((counter, value), count) in &inner.counters {
                if *counter == name {
                    let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
                    let _ = writeln!(text, "bridge_{name}{{{label}=\"{value}\"}} {count}");
                }
            }
        }
        for (name, help, value) in [
            ("games", "Games that go on", inner.games.to_string()),
            ("overhead_seconds", "What is subtracted from a clock", inner.overhead.as_secs_f64().to_string()),
        ] {
            let _ = writeln!(text, "# HELP bridge_{name} {help}.\n# TYPE bridge_{name} gauge\nbridge_{name} {value}");
        }
        text
    }

    /// A few lines for people.
    pub fn summary(&self) -> String {
        let inner = self.0.lock();
        let mut text = String::new();
        for (name, _, help) in COUNTERS {
            let parts: Vec<String> = inner
                .counters
                .iter()
                .filter(|((counter, _), _)| *counter == name)
                .map(|((_, label), count)| format!("{} {count}", label.escape_default()))
                .collect();
            if !parts.is_empty() {
                let _ = writeln!(text, "{help}: {}", parts.join(", "));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_prometheus() {
        let metrics = Metrics::default();
        metrics.count("games_total", "win");
        metrics.count("games_total", "win");
        metrics.count("verdicts_total", "409 \"x\"\n");
        let text = metrics.render();
        assert!(text.contains("\nbridge_games_total{result=\"win\"} 2\n"), "{text}");
        assert!(text.contains("{verdict=\"409 \\\"x\\\"\\n\"} 1\n"), "{text}");
        assert!(metrics.summary().contains("Finished games by result: win 2"));
    }
    #[test]
    fn labels_that_are_known_count_on_when_there_are_too_many() {
        let metrics = Metrics::default();
        metrics.count("games_total", "win");
        (0..1000).for_each(|number| metrics.count("verdicts_total", &format!("409 {number}")));
        metrics.count("games_total", "win");
        assert_eq!(metrics.get("games_total", "win"), 2);
        assert_eq!(metrics.get("verdicts_total", "other"), 1000 - (MOST_LABELS as u64 - 1));
        assert!(metrics.render().lines().count() < MOST_LABELS + 40);
    }
}
