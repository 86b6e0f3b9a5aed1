//! Which values make sense.

use super::{Config, ConfigError};
use crate::api::{TimeControl, is_slug};

impl Config {
    /// Checks what the form of the file does not.
    ///
    /// # Errors
    /// The first value that does not suit.
    pub fn check(&self) -> Result<(), ConfigError> {
        let bad = |what: String| Err(ConfigError::Value(what));
        if !(1..=32).contains(&self.concurrency) {
            return bad(format!("concurrency is {}, and must be from 1 to 32", self.concurrency));
        }
        for seek in &self.seeks {
            seek.parse::<TimeControl>().map_err(|error| ConfigError::Value(format!("seeks: {error}")))?;
        }
        if self.seeks.len() > 3 {
            return bad("seeks: the server takes 3 at most".to_owned());
        }
        if self.open_to_humans.as_ref().is_some_and(|text| text.chars().count() > 200) {
            return bad("open_to_humans: 200 characters at most".to_owned());
        }
        for name in &self.matchmaker.opponents {
            if !name.split_once('/').is_some_and(|(team, name)| is_slug(team) && is_slug(name)) {
                return bad(format!("matchmaker.opponents: '{}' is no team/name", name.escape_default()));
            }
        }
        let seeks = self.seeks.iter().filter_map(|seek| seek.parse::<TimeControl>().ok());
        for (key, control) in seeks
            .map(|control| ("seeks", control))
            .chain(self.matchmaker.time_controls.iter().map(|control| ("matchmaker.time_controls", control.clone())))
        {
            if control.initial().is_some_and(|initial| initial <= 0) {
                return bad(format!("{key}: {control} gives no time"));
            }
        }
        let rules = &self.challenges;
        for (key, least, most) in
            [("initial", rules.initial_min, rules.initial_max), ("increment", rules.increment_min, rules.increment_max)]
        {
            if least > most || least < 0 {
                return bad(format!("challenges.{key}_min is {least} and {key}_max {most}: that suits nothing"));
            }
        }
        if rules.accept && rules.most_against_one == 0 {
            return bad("challenges.most_against_one is 0: write accept = false to accept none".to_owned());
        }
        if self.overhead_floor_ms > 10_000 {
            return bad(format!("overhead_floor_ms is {}, and must be at most 10000", self.overhead_floor_ms));
        }
        if !self.time_scale.is_finite() || self.time_scale <= 0.0 {
            return bad("time_scale must be more than 0".to_owned());
        }
        for (key, value) in [("token_env", &self.token_env), ("webhook.secret_env", &self.webhook.secret_env)] {
            if value.is_empty() || value.contains(['=', '\0']) {
                return bad(format!("{key}: '{}' is no variable", value.escape_default()));
            }
        }
        if !(1024..=16 << 20).contains(&self.webhook.body_limit) {
            return bad(format!(
                "webhook.body_limit is {}, and must be from 1024 to 16777216",
                self.webhook.body_limit
            ));
        }
        if !(500..=120_000).contains(&self.webhook.host_timeout_ms) {
            let given = self.webhook.host_timeout_ms;
            return bad(format!("webhook.host_timeout_ms is {given}, and must be from 500 to 120000"));
        }
        if self.matchmaker.enabled && self.matchmaker.time_controls.is_empty() {
            return bad("matchmaker.time_controls is empty".to_owned());
        }
        for kind in &self.challenges.kinds {
            if !["fischer", "sudden-death", "per-move", "unlimited"].contains(&kind.as_str()) {
                return bad(format!("challenges.kinds: '{}' is no kind", kind.escape_default()));
            }
        }
        let path = &self.webhook.path;
        let plain = path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte));
        if !path.starts_with('/') || path == "/health" || !plain {
            return bad(
                "webhook.path must begin with /, hold letters, digits and -_.~/ only, and not be /health".to_owned()
            );
        }
        Ok(())
    }
}
