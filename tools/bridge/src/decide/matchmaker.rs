//! Whom to challenge next.

use crate::api::TimeControl;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

const DAY: u64 = 86_400;

/// The longest that somebody who declines is left alone, in seconds.
const MOST_PATIENCE: u64 = 7 * DAY;

/// Whom to challenge, to what, and how often.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MatchmakerRules {
    /// Whether anybody is challenged.
    pub enabled: bool,
    /// Bots to challenge, `team/name`.
    pub opponents: Vec<String>,
    /// Whether the neighbours on the leaderboard are challenged: so many places either way.
    pub neighbours: u32,
    /// Time controls, taken in turn.
    #[serde(deserialize_with = "controls")]
    pub time_controls: Vec<TimeControl>,
    /// Whether to ask for rated games.
    pub rated: bool,
    /// Seconds between two challenges.
    pub pause_s: u64,
    /// Challenges a day to one opponent.
    pub most_a_day: u32,
    /// Seconds for which somebody who declined is left alone; doubles with each decline.
    pub decline_pause_s: u64,
}

fn controls<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<TimeControl>, D::Error> {
    let texts = Vec::<String>::deserialize(from)?;
    texts.iter().map(|text| text.parse().map_err(serde::de::Error::custom)).collect()
}

impl Default for MatchmakerRules {
    fn default() -> Self {
        Self {
            enabled: false,
            opponents: Vec::new(),
            neighbours: 0,
            time_controls: vec![TimeControl::Fischer { initial: 300, increment: 3 }],
            rated: true,
            pause_s: 60,
            most_a_day: 5,
            decline_pause_s: 3600,
        }
    }
}

/// What is remembered of an opponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Known {
    /// Challenges today.
    today: u32,
    /// Declines in a row.
    declines: u32,
    /// To be left alone until then, in seconds since 1970.
    until: u64,
    /// The last challenge.
    last: u64,
}

/// The bookkeeping; kept over restarts. Everything hangs on names, nothing on ids of challenges: those begin anew with the
/// server.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Matchmaker {
    /// The day that is counted, in days since 1970.
    day: u64,
    /// By `team/name`.
    known: BTreeMap<String, Known>,
    /// Challenges so far: whose turn it is among the time controls.
    sent: u64,
    /// When the last one was sent.
    last: u64,
}

impl Matchmaker {
    /// Whom to challenge now, and to what; `now` in seconds since 1970.
    pub fn next(&mut self, rules: &MatchmakerRules, candidates: &[String], now: u64) -> Option<(String, TimeControl)> {
        if !rules.enabled || (self.last <= now && now - self.last < rules.pause_s) {
            return None;
        }
        self.begin_day(now);
        let known = |name: &String| self.known.get(name).copied().unwrap_or_default();
        let free = candidates.iter().filter(|name| {
            let known = known(name);
            known.today < rules.most_a_day && known.until <= now
        });
        // The one that has waited longest.
        let name = free.min_by_key(|name| known(name).last)?.clone();
        let controls = &rules.time_controls;
        let index = usize::try_from(self.sent).unwrap_or(0).checked_rem(controls.len())?;
        Some((name, controls[index].clone()))
    }

    /// A challenge was sent.
    pub fn sent(&mut self, name: &str, now: u64) {
        self.begin_day(now);
        let known = self.known.entry(name.to_owned()).or_default();
        known.today += 1;
        known.last = now;
        self.sent += 1;
        self.last = now;
    }

    /// It was declined, ran out, or could not be sent.
    pub fn declined(&mut self, rules: &MatchmakerRules, name: &str, now: u64) {
        let known = self.known.entry(name.to_owned()).or_default();
        let pause = rules.decline_pause_s.saturating_mul(1 << known.declines.min(10));
        known.declines = known.declines.saturating_add(1);
        known.until = now.saturating_add(pause.min(MOST_PATIENCE));
    }

    /// A game came of it.
    pub fn accepted(&mut self, name: &str) {
        if let Some(known) = self.known.get_mut(name) {
            known.declines = 0;
        }
    }

    fn begin_day(&mut self, now: u64) {
        if self.day != now / DAY {
            self.day = now / DAY;
            self.known.values_mut().for_each(|known| known.today = 0);
            // Those of long ago need no place any more.
            self.known.retain(|_, known| {
                known.until > now || known.declines > 0 || now.saturating_sub(known.last) < 30 * DAY
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_the_same_more_than_n_times_a_day_and_decliners_are_left_alone() {
        let rules = MatchmakerRules { enabled: true, most_a_day: 2, ..Default::default() };
        let names = ["a/a".to_owned(), "b/b".to_owned()];
        let mut maker = Matchmaker::default();
        let mut now = 10 * DAY;
        let mut order = Vec::new();
        while let Some((name, _)) = maker.next(&rules, &names, now) {
            maker.sent(&name, now);
            assert_eq!(maker.next(&rules, &names, now), None, "a pause between two");
            order.push(name);
            now += rules.pause_s;
        }
        assert_eq!(order, ["a/a", "b/b", "a/a", "b/b"]);
        now = 11 * DAY;
        let (name, _) = maker.next(&rules, &names, now).expect("a new day");
        maker.sent(&name, now);
        maker.declined(&rules, &name, now);
        maker.declined(&rules, &name, now);
        let (other, _) = maker.next(&rules, &names, now + 3600).expect("the other");
        assert_ne!(other, name);
        assert_eq!(maker.next(&rules, std::slice::from_ref(&name), now + 7199), None);
        assert!(maker.next(&rules, &[name], now + 7200).is_some());
        assert_eq!(Matchmaker::default().next(&MatchmakerRules::default(), &names, now), None, "off");
        let text = serde_json::to_string(&maker).expect("JSON");
        assert_eq!(serde_json::from_str::<Matchmaker>(&text).expect("it"), maker);
    }
}
