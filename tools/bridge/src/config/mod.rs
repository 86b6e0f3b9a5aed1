//! The settings file.

mod check;

use crate::decide::{ChallengeRules, DrawRules, MatchmakerRules, ResignRules, Waits};
use crate::secret::{Secret, SecretError, load};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

/// How the bridge hears of its turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// By streams that it opens.
    #[default]
    Stream,
    /// By asking.
    Poll,
    /// By deliveries to a server that it runs.
    Webhook,
}

/// The engine.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EngineConfig {
    /// The program and its arguments; the built-in engine if there are none.
    pub command: Vec<String>,
    /// The folder that it starts in, relative to the settings file; that of the bridge if there is none.
    pub folder: Option<PathBuf>,
    /// Options to set.
    pub options: BTreeMap<String, String>,
    /// Variables of its environment.
    pub environment: BTreeMap<String, String>,
    /// Milliseconds for a turn of a game without a clock.
    pub unlimited_ms: Option<u64>,
}

/// The webhook server.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WebhookConfig {
    /// Where it listens.
    pub listen: SocketAddr,
    /// The path of deliveries.
    pub path: String,
    /// The public address, for a registration in the old way.
    pub url: Option<String>,
    /// The variable with the key.
    pub secret_env: String,
    /// The file with the key.
    pub secret_file: Option<PathBuf>,
    /// The file with a key that is not active yet.
    pub pending_secret_file: Option<PathBuf>,
    /// The longest that the host waits for an answer, in milliseconds.
    pub host_timeout_ms: u64,
    /// The most bytes of a delivery.
    pub body_limit: usize,
    /// Whether to take draw offers.
    pub draws: bool,
}

impl Default for WebhookConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            path: "/hook".to_owned(),
            url: None,
            secret_env: "BRIDGE_WEBHOOK_SECRET".to_owned(),
            secret_file: None,
            pending_secret_file: None,
            host_timeout_ms: 30_000,
            body_limit: 1 << 20,
            draws: true,
        }
    }
}

/// What is kept of finished games.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KeepConfig {
    /// The journal, relative to the settings file; `games.jsonl` in the state folder if there is none.
    pub journal: Option<PathBuf>,
    /// A folder for one JSON file a game.
    pub json_dir: Option<PathBuf>,
}

/// Everything that can be set.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The server's base address.
    pub server: String,
    /// The variable with the token.
    pub token_env: String,
    /// The file with the token.
    pub token_file: Option<PathBuf>,
    /// How turns are heard of.
    pub mode: Mode,
    /// Games at once, 1..=32.
    pub concurrency: u32,
    /// Where the bridge remembers what it is doing.
    pub state_dir: PathBuf,
    /// Whether to be on the ladder.
    pub ladder: bool,
    /// The text by which people are invited; they are not if there is none.
    pub open_to_humans: Option<String>,
    /// Seeks to keep open: their time controls.
    pub seeks: Vec<String>,
    /// Where metrics and health are told.
    pub metrics: Option<SocketAddr>,
    /// The engine.
    pub engine: EngineConfig,
    /// Which challenges are accepted.
    pub challenges: ChallengeRules,
    /// Whom to challenge.
    pub matchmaker: MatchmakerRules,
    /// Draws.
    pub draws: DrawRules,
    /// Resigning.
    pub resign: ResignRules,
    /// The webhook server.
    pub webhook: WebhookConfig,
    /// What is kept.
    pub keep: KeepConfig,
    /// The least overhead in milliseconds.
    pub overhead_floor_ms: u64,
    /// A factor on every wait: for tests.
    pub time_scale: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            server: "https://api.fortemate.com".to_owned(),
            token_env: "BRIDGE_TOKEN".to_owned(),
            token_file: None,
            mode: Mode::default(),
            concurrency: 1,
            state_dir: PathBuf::from("bridge-state"),
            ladder: false,
            open_to_humans: None,
            seeks: Vec::new(),
            metrics: None,
            engine: EngineConfig::default(),
            challenges: ChallengeRules::default(),
            matchmaker: MatchmakerRules::default(),
            draws: DrawRules::default(),
            resign: ResignRules::default(),
            webhook: WebhookConfig::default(),
            keep: KeepConfig::default(),
            overhead_floor_ms: 150,
            time_scale: 1.0,
        }
    }
}

/// What is wrong with the settings.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: {}", .0.display(), .1)]
    Read(PathBuf, std::io::Error),
    /// It is not TOML, or has unknown keys.
    #[error("{}: {}", .0.display(), .1)]
    Toml(PathBuf, String),
    /// A value does not suit.
    #[error("settings: {0}")]
    Value(String),
    /// A secret is missing.
    #[error(transparent)]
    Secret(#[from] SecretError),
}

impl Config {
    /// Reads a file; paths in it are relative to its folder.
    ///
    /// # Errors
    /// It cannot be read, or a value does not suit.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|error| ConfigError::Read(path.to_owned(), error))?;
        let mut config: Self = toml::from_str(&text).map_err(|error| {
            // Without the line itself: somebody may have written a secret there.
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let message: String = error.message().chars().take(300).collect();
            let line = before.matches('\n').count() + 1;
            ConfigError::Toml(path.to_owned(), format!("line {line}: {}", message.escape_debug()))
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let place = |path: &mut PathBuf| *path = folder.join(&*path);
        place(&mut config.state_dir);
        let optional = [
            &mut config.token_file,
            &mut config.engine.folder,
            &mut config.keep.journal,
            &mut config.keep.json_dir,
            &mut config.webhook.secret_file,
            &mut config.webhook.pending_secret_file,
        ];
        optional.into_iter().flatten().for_each(place);
        config.check()?;
        Ok(config)
    }

    /// The token.
    ///
    /// # Errors
    /// There is none.
    pub fn token(&self) -> Result<Secret, ConfigError> {
        Ok(load("token", &self.token_env, self.token_file.as_deref())?)
    }

    /// The waits.
    pub fn waits(&self) -> Waits {
        let waits = Waits { overhead_floor: Duration::from_millis(self.overhead_floor_ms), ..Waits::default() };
        let floor = waits.overhead_floor;
        Waits { overhead_floor: floor, ..waits.scaled(self.time_scale) }
    }

    /// The time of a turn in a game without a clock.
    pub fn unlimited(&self) -> Duration {
        Duration::from_millis(self.engine.unlimited_ms.unwrap_or(5_000))
    }

    /// The variables that hold secrets, which no engine is to see.
    pub fn secret_variables(&self) -> [String; 2] {
        [self.token_env.clone(), self.webhook.secret_env.clone()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every key of a table, with those of the tables in it, as `a.b`.
    fn keys(prefix: &str, table: &toml::Table, into: &mut Vec<String>) {
        for (key, value) in table {
            let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
            match value {
                toml::Value::Table(inner) if !name.starts_with("engine.") => keys(&name, inner, into),
                _ => into.push(name),
            }
        }
    }

    /// The fields of a struct as its `Debug` names them.
    fn fields(config: &Config) -> usize {
        let text = format!("{config:#?}");
        // A line `    name: value` at the depth of a setting: 4 blanks, or 8 within a table of ours.
        let tables = ["engine", "challenges", "matchmaker", "draws", "resign", "webhook", "keep"];
        let mut count = 0;
        let mut within = false;
        for line in text.lines() {
            let depth = line.len() - line.trim_start().len();
            let name = line.trim_start().split_once(": ").map(|(name, _)| name);
            if depth == 4 {
                within = name.is_some_and(|name| tables.contains(&name));
                count += usize::from(name.is_some() && !within);
            } else if depth == 8 && within {
                count += usize::from(name.is_some());
            }
        }
        count
    }

    #[test]
    fn the_example_has_every_key_and_is_read() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("bridge.example.toml");
        let config = Config::read(&path).expect("the example is sound");
        assert!(config.ladder && config.token_file.is_some_and(|file| file.ends_with("token")));
        // A trailing "." is no part of a path.
        assert!(config.engine.folder.is_some_and(|folder| folder.is_absolute()), "relative to the file");
        let text = std::fs::read_to_string(&path).expect("it is there");
        let table: toml::Table = text.parse().expect("TOML");
        let mut named = Vec::new();
        keys("", &table, &mut named);
        assert_eq!(named.len(), fields(&Config::default()), "{named:?} {:#?}", Config::default());
        let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/bridge.md");
        let guide = std::fs::read_to_string(guide).expect("docs/bridge.md");
        for name in named {
            assert!(guide.contains(&format!("`{name}`")), "docs/bridge.md does not tell of {name}");
        }
    }

    #[test]
    fn nonsense_is_told_by_name() {
        let folder = std::env::temp_dir().join(format!("bridge-config-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("ours");
        let path = folder.join("bridge.toml");
        for (text, word) in [
            ("concurency = 3", "concurency"),
            ("concurrency = 33", "concurrency"),
            ("seeks = [\"soon\"]", "seeks"),
            ("seeks = [\"1\", \"2\", \"3\", \"4\"]", "3 at most"),
            ("[challenges]\nkinds = [\"blitz\"]", "blitz"),
            ("[challenges]\nallow = [\"somebody\"]", "team/name"),
            ("[matchmaker]\ntime_controls = [\"x\"]", "time control"),
            ("[webhook]\npath = \"hook\"", "webhook.path"),
            ("mode = \"pigeon\"", "pigeon"),
            ("seeks = [\"0+5\"]", "no time"),
            ("[challenges]\ninitial_min = 10\ninitial_max = 9", "initial_min"),
            ("[challenges]\nincrement_min = -1", "increment_min"),
            ("[challenges]\nmost_against_one = 0", "most_against_one"),
            ("[matchmaker]\nopponents = [\"*/*\"]", "team/name"),
            ("[matchmaker]\ntime_controls = [\"0\"]", "no time"),
            ("[webhook]\nbody_limit = 0", "body_limit"),
            ("[webhook]\nhost_timeout_ms = 0", "host_timeout_ms"),
            ("[webhook]\npath = \"/{\"", "webhook.path"),
            ("[webhook]\npath = \"/a b\"", "webhook.path"),
            ("[webhook]\nsecret_env = \"\"", "secret_env"),
            ("overhead_floor_ms = 99999", "overhead_floor_ms"),
            ("time_scale = nan", "time_scale"),
            ("\n\ntoken = \"t0p-secret\"", "line 3: unknown field"),
        ] {
            std::fs::write(&path, text).expect("ours");
            let error = Config::read(&path).expect_err(text).to_string();
            assert!(error.contains(word), "{text}: {error}");
            assert!(!error.contains("t0p-secret"), "{error}");
        }
        std::fs::write(&path, "").expect("ours");
        assert!(Config::read(&path).is_ok_and(|config| config.waits().overhead_floor == Duration::from_millis(150)));
        std::fs::remove_dir_all(&folder).expect("ours");
    }
}
